"""Records say from where calls came, whichever way they took, and keep no more than they may."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from mcp_types import Implementation

from access.models import CallRecord
from catalog.models import CatalogColumn, CatalogTable
from mcp_runtime import kept_arguments
from tests.factories import make_expression, make_tool, number
from tests.mcp_runtime.conftest import ERAS, Serve
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
REPEATED = ["a", number("b")]
CLIENT = Implementation(name="Cursor", version="1.7")


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("is_direct", [True, False], ids=["direct lane", "FastMCP"])
async def test_call_is_recorded_with_its_origin(
    serve: Serve, settings: Any, era: str, is_direct: bool
) -> None:
    settings.MCP_DIRECT_LANE = is_direct
    await sync_to_async(make_expression)(name="multiply")
    await ToolDefinition.objects.aupdate(version=7)
    meta = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}

    async with serve() as served, served.client(era, client_info=CLIENT) as client:
        for _ in range(3):
            await client.call_tool("multiply", {"a": 2, "b": 3}, meta=meta)
    records = [record async for record in CallRecord.objects.order_by("number")]

    assert len(records) == 3
    for record in records:
        assert (record.client_name, record.client_version) == ("Cursor", "1.7")
        assert (record.address, record.endpoint, record.tool_version) == ("127.0.0.1", "", 7)
        assert record.trace_id == TRACE
        assert (record.protocol == "2026-07-28") is (era == "2026-07-28")
        assert len(record.session) == (32 if era == "legacy" else 0)


async def test_unknown_tool_is_recorded_with_its_origin_and_no_values(serve: Serve) -> None:
    async with serve() as served, served.client(client_info=CLIENT) as client:
        await client.call_tool("nothing", {"city": "Busan"}, raise_on_error=False)
    record = await CallRecord.objects.aget()

    assert (record.outcome, record.client_name) == ("unknown_tool", "Cursor")
    assert record.arguments == ["city"]


@pytest.mark.parametrize(
    ("policies", "kept"),
    [
        pytest.param(("full", "full"), {"a": "Busan", "b": 3}, id="all"),
        pytest.param(("full", "names"), ["a", "b"], id="the tool is stricter"),
        pytest.param(("none", "full"), None, id="the installation is stricter"),
    ],
)
async def test_stricter_of_tool_and_installation_counts(
    serve: Serve, settings: Any, policies: tuple[str, str], kept: Any
) -> None:
    settings.CALL_LOG_ARGUMENTS, of_tool = policies
    await sync_to_async(make_expression)("a * b", name="repeat", parameters=REPEATED)
    await ToolDefinition.objects.aupdate(record_arguments=of_tool)

    async with serve() as served:
        await served.call("repeat", a="Busan", b=3)

    assert (await CallRecord.objects.aget()).arguments == kept


async def test_hashes_tell_equal_values_and_nothing_else(serve: Serve) -> None:
    await sync_to_async(make_expression)("a * b", name="repeat", parameters=REPEATED)
    await ToolDefinition.objects.aupdate(record_arguments="hash")

    async with serve() as served:
        for value in ("Busan", "Busan", "Seoul"):
            await served.call("repeat", a=value, b=3)
    records = CallRecord.objects.order_by("number").values_list("arguments", flat=True)
    kept: list[Any] = [arguments async for arguments in records]
    first, same, other = kept

    assert first == same
    assert first
    assert other
    assert first["a"] != other["a"]
    assert "Busan" not in str(first)


async def test_values_of_masked_columns_are_never_stored(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_arguments, "REFRESH_INTERVAL_S", 0.0)
    await sync_to_async(make_tool)(
        "SELECT :email AS email, :grade AS grade, :city AS city",
        name="find",
        parameters=["email", "grade", "city"],
    )
    table = await CatalogTable.objects.acreate(schema="public", name="members")
    await CatalogColumn.objects.acreate(table=table, name="Grade", position=1, is_masked=True)

    async with serve() as served:
        given = {"email": "kim@example.com", "grade": "A", "city": "Busan"}
        await served.call("find", **given)
        await served.runtime.recorder.flush()
        # Where the recorder was writing already, its thread has ended with it then.
        await served.runtime._tools_thread.call(int)
        await served.call("find", **given)
    records = [record.arguments async for record in CallRecord.objects.order_by("number")]

    assert records[0] == {"email": "***", "grade": "A", "city": "Busan"}
    assert records[1] == {"email": "***", "grade": "***", "city": "Busan"}


async def test_error_says_no_value_that_is_not_kept(serve: Serve) -> None:
    await sync_to_async(make_tool)(
        "SELECT :region AS region",
        name="sales",
        parameters=[{"param_name": "region", "param_type": "ENUM", "allowed_values": ["KR", "US"]}],
    )
    await ToolDefinition.objects.aupdate(record_arguments="none")

    async with serve() as served:
        answer = await served.call("sales", region="Secretland")
    record = await CallRecord.objects.aget()

    assert "Secretland" in answer.content[0].text
    assert "Secretland" not in record.error
    assert "must be one of KR, US" in record.error
    assert record.error_message is None
