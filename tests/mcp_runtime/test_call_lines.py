"""The runtime's log has a line for each call, and requests have ids."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async

from access.models import CallRecord
from tests.factories import make_expression, make_tool
from tests.mcp_runtime.conftest import ERAS, Serve, Served
from tests.mcp_runtime.test_cancellation import LONG_MS, SLOW_SQL
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

LEGACY = "2025-06-18"
MODERN = "2026-07-28"
CLIENT = {"name": "test", "version": "1"}


def call_lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [
        record
        for record in caplog.records
        if record.name == "mcp_runtime.caller" and record.getMessage().startswith("call tool=")
    ]


@pytest.fixture(autouse=True)
def _info(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")


@pytest.mark.parametrize("era", ERAS)
async def test_every_call_has_one_line_however_it_ends(
    serve: Serve, caplog: pytest.LogCaptureFixture, era: str
) -> None:
    await sync_to_async(make_expression)("a / b", name="divide")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("divide", {"a": 6, "b": 3}),
        ("divide", {"a": 6}),
        ("divide", {"a": 6, "b": 0}),
        ("no such\ntool=divide", {}),
        ("call_tool", {"name": "divide", "arguments": {"a": 4, "b": 2}}),
        ("execute_postgres_query", {"sql_query": "SELECT 31337 AS n"}),
    ]

    async with serve() as served, served.client(era) as client:
        for name, arguments in calls:
            await client.call_tool(name, arguments, raise_on_error=False)

    lines = [record.getMessage() for record in call_lines(caplog)]
    key = served.token.split("_")[1]
    assert [line.rpartition(" ms=")[0] for line in lines] == [
        f"call tool=divide key={key} outcome=ok",
        f"call tool=divide key={key} outcome=invalid_arguments",
        f"call tool=divide key={key} outcome=tool_error",
        rf"call tool='no such\ntool=divide' key={key} outcome=unknown_tool",
        f"call tool=divide key={key} outcome=ok",
        f"call tool=execute_postgres_query key={key} outcome=ok",
    ]
    assert [line.rpartition(" ")[2] for line in lines] == [*["rows=-"] * 5, "rows=1"]
    assert "31337" not in "".join(lines)


async def test_cancelled_call_has_a_line(serve: Serve, caplog: pytest.LogCaptureFixture) -> None:
    await sync_to_async(make_tool)(SLOW_SQL, name="sleep", timeout_ms=LONG_MS)

    async with serve() as served:
        call = asyncio.create_task(served.call("sleep"))
        await eventually(lambda: served.runtime.caller.running)
        call.cancel()
        await eventually(lambda: call_lines(caplog))

    [line] = call_lines(caplog)
    assert vars(line)["outcome"] == "cancelled"


class Wire:
    """Requests by hand, each with an X-Request-ID of its own."""

    def __init__(self, http: httpx.AsyncClient, served: Served, era: str) -> None:
        self._http, self._url, self._era = http, served.url, era
        self._http.headers["MCP-Protocol-Version"] = era

    async def begin(self) -> None:
        if self._era == LEGACY:
            params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}
            answer = await self.send("initialize", params, "the-session")
            assert answer.status_code == 200, answer.text
            self._http.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]

    async def call(self, name: str, request_id: str) -> httpx.Response:
        params: dict[str, Any] = {"name": name, "arguments": {"a": 1, "b": 2}}
        if self._era == MODERN:
            self._http.headers.update({"Mcp-Method": "tools/call", "Mcp-Name": name})
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": CLIENT,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        return await self.send("tools/call", params, request_id)

    async def send(self, method: str, params: dict[str, Any], request_id: str) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        headers = {"X-Request-ID": request_id} if request_id else {}
        return await self._http.post(self._url, json=body, headers=headers)


@asynccontextmanager
async def wire(served: Served, era: str) -> AsyncIterator[Wire]:
    headers = {
        "Authorization": f"Bearer {served.token}",
        "Accept": "application/json, text/event-stream",
    }
    async with httpx.AsyncClient(headers=headers) as http:
        found = Wire(http, served, era)
        await found.begin()
        yield found


@pytest.mark.parametrize("era", [LEGACY, MODERN])
async def test_id_of_a_request_is_in_its_answer_its_line_and_its_record(
    serve: Serve, era: str
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served, wire(served, era) as client:
        answers = [await client.call("multiply", name) for name in ("first", "second")]
        unknown = await client.call("nothing", "third")

    assert [answer.headers["X-Request-ID"] for answer in (*answers, unknown)] == [
        *("first", "second", "third")
    ]
    records = CallRecord.objects.order_by("id").values_list("tool_name", "request_id")
    assert [record async for record in records] == [
        *(("multiply", "first"), ("multiply", "second"), ("nothing", "third"))
    ]


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "<script>", "id;x"], ids=ascii)
async def test_request_without_a_sane_id_gets_a_new_one(serve: Serve, given: str) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served, wire(served, MODERN) as client:
        answers = [await client.call("multiply", given) for _ in range(2)]

    first, second = [answer.headers["X-Request-ID"] for answer in answers]
    assert first != second
    assert given not in {first, second}
    assert len(first) == 16


async def test_refused_key_has_a_request_id_too(serve: Serve) -> None:
    async with serve() as served, wire(served, MODERN) as client:
        client._http.headers["Authorization"] = "Bearer nobody"
        answer = await client.call("multiply", "mine")

    assert (answer.status_code, answer.headers["X-Request-ID"]) == (401, "mine")
