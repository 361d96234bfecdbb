"""A tool that keeps failing rests: told to its callers, on the dashboard, and tried again later."""

from typing import Any

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User

import core.breaker
from access.models import CallRecord
from mcp_runtime.server import Runtime
from tests.factories import make_tool
from tests.mcp_runtime.conftest import Serve, Served
from tests.plugin import POSTGRES
from tests.waiting import eventually
from toolbuilder.dashboard.attention import find_resting_tools
from tools.models import RestingTool, ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)

RULE: dict[str, Any] = {"breaker_errors": 2, "breaker_minutes": 5}


@pytest.fixture
def shop(transactional_db: None, embedded_postgres: object) -> Any:
    """A table of the demo database that the test may take away and bring back."""
    with psycopg.connect(POSTGRES.dsn("demo", "demo_owner"), autocommit=True) as connection:

        def rename(before: str, after: str) -> None:
            connection.execute(f"ALTER TABLE {before} RENAME TO {after}".encode())

        connection.execute("CREATE TABLE breaker_rows AS SELECT 1 AS n")
        connection.execute("GRANT SELECT ON breaker_rows TO demo_reader")
        yield rename
        connection.execute("DROP TABLE IF EXISTS breaker_rows, breaker_gone")


async def fail(served: Served, times: int, **arguments: Any) -> list[str]:
    answers = [await served.call("rows", **arguments) for _ in range(times)]
    return [answer.content[0].text for answer in answers if answer.is_error]


async def test_tool_rests_after_its_errors_and_says_until_when(serve: Serve, shop: Any) -> None:
    await sync_to_async(make_tool)("SELECT n FROM breaker_rows", name="rows", **RULE)

    async with serve() as served:
        assert await fail(served, 1) == []
        shop("breaker_rows", "breaker_gone")
        texts = await fail(served, 3)
        await eventually(RestingTool.objects.acount)
        ann = await User.objects.acreate(username="ann", is_superuser=True)
        (shown,) = await sync_to_async(lambda: list(find_resting_tools(ann)))()

    assert "rests" not in texts[0] + texts[1]
    assert texts[2] == "rows failed 2 times within 5 min and rests; it is tried again in 30 s"
    assert (shown.title, shown.text) == ("rows", "rests after repeated errors, in 1 runtime")
    last = await CallRecord.objects.order_by("-number").afirst()
    assert last is not None
    assert last.outcome == "unavailable"
    # It went with its runtime.
    assert not await RestingTool.objects.aexists()


async def test_call_after_the_rest_tries_and_brings_it_back(
    serve: Serve, shop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core.breaker, "REST_S", 0.0)
    await sync_to_async(make_tool)("SELECT n FROM breaker_rows", name="rows", **RULE)

    async with serve() as served:
        assert await fail(served, 1) == []
        shop("breaker_rows", "breaker_gone")
        await fail(served, 3)
        assert resting(served.runtime) == ["rows"]
        shop("breaker_gone", "breaker_rows")
        assert await fail(served, 1) == []
        assert resting(served.runtime) == []


def resting(runtime: Runtime) -> list[str]:
    return list(runtime.breakers.open_tools(runtime.store.snapshot.tools))


async def test_what_callers_cause_does_not_take_a_tool_away(serve: Serve) -> None:
    statement = "SELECT 1 / :a::int AS n"
    rule: dict[str, Any] = {"breaker_errors": 1, "breaker_minutes": 5}
    await sync_to_async(make_tool)(statement, name="rows", parameters=["a"], **rule)

    async with serve() as served:
        await served.call("rows")
        (text,) = await fail(served, 1, a="0")
        assert "division by zero" in text
        assert await fail(served, 1, a="1") == []


async def test_tool_without_a_rule_never_rests(serve: Serve, shop: Any) -> None:
    await sync_to_async(make_tool)("SELECT n FROM breaker_rows", name="rows")

    async with serve() as served:
        await fail(served, 1)
        shop("breaker_rows", "breaker_gone")
        texts = await fail(served, 10)

    assert len(texts) == 10
    assert not any("rests" in text for text in texts)


def test_rule_of_a_tool_is_written_and_read_like_its_other_limits() -> None:
    tool = make_tool(**RULE)

    assert ToolDefinition.objects.get(pk=tool.pk).breaker_errors == 2
