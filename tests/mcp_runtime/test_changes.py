"""A change by any program is served within two seconds, and clients are told."""

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from asgiref.sync import sync_to_async
from fastmcp.client.messages import MessageHandler
from mcp.client.subscriptions import listen

from mcp_runtime.store import ToolStore
from tests.factories import make_expression, make_tool
from tests.mcp_runtime.conftest import Serve, Served
from tests.waiting import LIMIT_S, eventually
from tools.models import QuarantinedTool

pytestmark = pytest.mark.django_db(transaction=True)

Psql = Callable[[str], None]


async def answer(served: Served, name: str) -> str:
    return str((await served.call(name)).content[0].text)


async def test_changed_definition_is_used_by_the_next_call(serve: Serve, psql: Psql) -> None:
    await sync_to_async(make_tool)("1 + 1", name="sum", tool_type="PYTHON")

    async with serve() as served:
        psql("UPDATE h_custom_tool SET definition = '1 + 2' WHERE name = 'sum'")

        async def is_three() -> bool:
            return await answer(served, "sum") == "3"

        await eventually(is_three)


async def test_insert_with_the_first_columns_alone_makes_a_served_tool(
    serve: Serve, psql: Psql
) -> None:
    async with serve() as served:
        psql(
            "INSERT INTO h_custom_tool (name, description_agent, description_user, tool_type,"
            " definition, is_active, reg_dt, created_by) VALUES ('twice', 'Doubles n.', '', 'PYTHON',"
            " 'n * 2', 'Y', '2026-01-01', 'kim');"
            "INSERT INTO h_custom_tool_param (tool_id, param_name, param_type, is_required, description)"
            " SELECT id, 'n', 'NUMBER', 'Y', 'a number' FROM h_custom_tool WHERE name = 'twice'"
        )
        await eventually(lambda: "twice" in served.runtime.store.snapshot.tools)

        result = await served.call("twice", n=21)

    assert result.data == 42


async def test_deactivated_tool_is_no_longer_listed(serve: Serve, psql: Psql) -> None:
    await sync_to_async(make_tool)(name="gone")

    async with serve() as served:
        psql("UPDATE h_custom_tool SET is_active = 'N' WHERE name = 'gone'")
        await eventually(lambda: not served.runtime.store.snapshot.tools)

        assert await served.names() == []


async def test_deleting_a_tool_elsewhere_takes_its_parameters_along(
    serve: Serve, psql: Psql
) -> None:
    await sync_to_async(make_tool)("SELECT :a AS a", name="gone", parameters=["a"])

    async with serve() as served:
        psql("DELETE FROM h_custom_tool WHERE name = 'gone'")

        await eventually(lambda: not served.runtime.store.snapshot.tools)


class ChangeListener(MessageHandler):
    def __init__(self) -> None:
        self.heard = asyncio.Event()

    async def on_tool_list_changed(self, message: Any) -> None:
        self.heard.set()


async def test_legacy_client_is_told_of_a_change(serve: Serve, psql: Psql) -> None:
    await sync_to_async(make_tool)(name="first")
    listener = ChangeListener()

    async with serve() as served, served.client("legacy", message_handler=listener) as client:
        await client.list_tools()
        psql("UPDATE h_custom_tool SET definition = 'SELECT 2 AS two' WHERE name = 'first'")

        await asyncio.wait_for(listener.heard.wait(), LIMIT_S)


async def test_modern_client_is_told_of_a_change(serve: Serve, psql: Psql) -> None:
    await sync_to_async(make_tool)(name="first")

    async with (
        serve() as served,
        served.client() as client,
        listen(client.session, tools_list_changed=True) as events,
    ):
        psql("UPDATE h_custom_tool SET definition = 'SELECT 2 AS two' WHERE name = 'first'")
        async with asyncio.timeout(LIMIT_S):
            event = await anext(aiter(events))

    assert type(event).__name__ == "ToolsListChanged"


async def test_streams_outlive_all_times_of_a_connection(
    serve: Serve, psql: Psql, settings: Any
) -> None:
    for name in ("HEAD", "BODY", "IDLE"):
        setattr(settings, f"HTTP_{name}_TIMEOUT_S", 1)
    await sync_to_async(make_tool)(name="first")
    listener = ChangeListener()

    async with (
        serve() as served,
        served.client("legacy", message_handler=listener) as legacy,
        served.client() as modern,
        listen(modern.session, tools_list_changed=True) as events,
    ):
        await legacy.list_tools()
        await until_idle_connections_were_closed_twice(served)
        psql("UPDATE h_custom_tool SET definition = 'SELECT 2 AS two' WHERE name = 'first'")
        async with asyncio.timeout(30):
            await listener.heard.wait()
            event = await anext(aiter(events))

    assert type(event).__name__ == "ToolsListChanged"


async def until_idle_connections_were_closed_twice(served: Served) -> None:
    target = urlsplit(served.url)
    for _ in range(2):
        reader, writer = await asyncio.open_connection(target.hostname, target.port)
        async with asyncio.timeout(60):
            assert await reader.read() == b""
        writer.close()


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "broken SQL": ({"definition": "SELEC 1"}, 'syntax error at or near "SELEC"'),
    "no table": ({"definition": "SELECT * FROM nowhere"}, 'relation "nowhere" does not exist'),
    "two commands": ({"definition": "SELECT 1; SELECT 2"}, "one"),
    "undeclared": ({"definition": "SELECT :a AS a"}, "the statement uses a, which is not declared"),
    "bad type": (
        {
            "definition": "SELECT :a AS a",
            "parameters": [{"param_name": "a", "param_type": "FLOAT"}],
        },
        "a: param_type must be one of",
    ),
    "bad kind": ({"tool_type": "RUBY"}, "tool_type must be SQL, PYTHON or HTTP"),
    "bad name": ({"name": "an unspeakable name"}, "a tool's name has"),
    "bad annotation": ({"annotations": {"readonly": True}}, "annotations: unknown readonly"),
    "bad expression": ({"definition": "__import__('os')", "tool_type": "PYTHON"}, "__import__"),
}


async def test_bad_row_is_quarantined_with_its_reason_and_others_stay(
    serve: Serve, subtests: pytest.Subtests
) -> None:
    await sync_to_async(make_tool)(name="good")
    made = {case: await sync_to_async(make_tool)(**columns) for case, (columns, _) in BAD.items()}

    async def every_bad_row_is_judged() -> bool:
        return await QuarantinedTool.objects.acount() == len(BAD)

    async with serve() as served:
        # What the database has not judged soon is served until it has.
        await eventually(every_bad_row_is_judged)
        names = await served.names()
    stored = {row.tool_id: row.reason async for row in QuarantinedTool.objects.all()}

    assert names == ["good"]
    for case, (_, reason) in BAD.items():
        with subtests.test(case):
            assert reason in stored[made[case].id]


UNUSED: dict[str, tuple[str, str]] = {
    "query": ("SQL", "SELECT 1 AS one"),
    "expression": ("PYTHON", "0 + 1"),
    "script": ("PYTHON", "one = 1\nresult = one"),
}


@pytest.mark.parametrize(("tool_type", "definition"), UNUSED.values(), ids=UNUSED)
async def test_tool_that_leaves_a_parameter_unused_is_served(
    serve: Serve, tool_type: str, definition: str
) -> None:
    await sync_to_async(make_tool)(
        definition, name="t", tool_type=tool_type, parameters=["used_by_nothing"]
    )

    async with serve() as served, served.client() as client:
        listed = {tool.name: tool for tool in await client.list_tools()}
        answer = await client.call_tool("t", {"used_by_nothing": "x"})

    assert list(listed["t"].input_schema["properties"]) == ["used_by_nothing"]
    assert "1" in answer.content[0].text


async def test_quarantine_is_logged_once_for_each_reason(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    bad = [await sync_to_async(make_tool)("SELEC 1", name="bad")]

    async with serve() as served:
        for number in range(3):
            bad.append(await sync_to_async(make_tool)("SELEC 1", name=f"bad_{number}"))
            await eventually(
                lambda: served.runtime.store.snapshot.quarantined.keys() == {b.id for b in bad}, 60
            )

    lines = [line for line in caplog.messages if "is quarantined" in line]
    assert [line.split(":")[0] for line in lines] == [
        f"tool {tool.id} is quarantined" for tool in bad
    ]


async def test_mended_row_leaves_quarantine(serve: Serve, psql: Psql) -> None:
    await sync_to_async(make_tool)("SELEC 1", name="bad")

    async with serve() as served:
        psql("UPDATE h_custom_tool SET definition = 'SELECT 1 AS one' WHERE name = 'bad'")
        await eventually(lambda: "bad" in served.runtime.store.snapshot.tools)

        async def is_empty() -> bool:
            return not await QuarantinedTool.objects.aexists()

        await eventually(is_empty)


async def test_large_start_compiles_what_it_serves_with_its_judging(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mcp_runtime.store.MOST_JUDGED_AT_START", 0)
    may_judge = asyncio.Event()
    judge_rest = ToolStore.judge_rest

    async def judge_when_it_may(store: ToolStore) -> bool:
        await may_judge.wait()
        return await judge_rest(store)

    monkeypatch.setattr(ToolStore, "judge_rest", judge_when_it_may)
    bad = {
        "a_query": await sync_to_async(make_tool)("SELECT :nothing", name="a_query"),
        "a_sum": await sync_to_async(make_expression)("a + nothing", name="a_sum"),
    }
    await sync_to_async(make_expression)("a + b", name="good")

    async with serve() as served:
        assert await served.names() == ["a_query", "a_sum", "good"]
        assert (await served.call("good", a=1, b=2)).content[0].text == "3"
        for refused in (await served.call("a_query"), await served.call("a_sum", a=1, b=2)):
            assert refused.is_error
            assert "nothing" in refused.content[0].text

        may_judge.set()
        await eventually(
            lambda: served.runtime.store.snapshot.quarantined.keys() == {b.id for b in bad.values()}
        )
        assert await served.names() == ["good"]
