"""A caller that goes away takes its query with it: nothing stays active on the data source."""

import asyncio
from typing import Any
from urllib.parse import urlsplit

import httpx
import orjson
import psycopg
import pytest
from asgiref.sync import sync_to_async

from access.models import CallRecord
from mcp_runtime.server import Runtime
from tests.factories import ENDLESS_SQL, make_token, make_tool
from tests.mcp_runtime.conftest import listening
from tests.plugin import POSTGRES
from tests.waiting import eventually

SLOW_SQL = f"SELECT n FROM ({ENDLESS_SQL}) AS slow_of_cancellation"  # noqa: S608 - ours
# It is to be ended by its caller, and not by its own deadline.
LONG_MS = 600_000
_ACTIVE = (
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
    " AND query LIKE '%slow_of_cancellation%' AND pid <> pg_backend_pid()"
)
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}


def count_active() -> int:
    with psycopg.connect(POSTGRES.dsn("demo", "demo_reader")) as other:
        row = other.execute(_ACTIVE).fetchone()
    return row[0] if row else 0


async def is_active() -> bool:
    return await sync_to_async(count_active)() > 0


async def is_idle() -> bool:
    return not await is_active()


async def has_outcome(outcome: str) -> bool:
    return await CallRecord.objects.filter(tool_name="slow", outcome=outcome).aexists()


def call_body(name: str, meta: dict[str, Any] | None = None) -> bytes:
    params: dict[str, Any] = {"name": name, "arguments": {}}
    if meta:
        params["_meta"] = meta
    return orjson.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params})


MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
MODERN_HEADERS = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "slow",
}


async def open_session(url: str, headers: dict[str, str]) -> dict[str, str]:
    """Headers of a legacy session."""
    initialize = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    async with httpx.AsyncClient(headers=headers) as http:
        response = await http.post(url, json=initialize)
        headers = headers | {"MCP-Protocol-Version": "2025-11-25"}
        if session := response.headers.get("mcp-session-id"):
            headers["Mcp-Session-Id"] = session
        done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await http.post(url, json=done, headers=headers)
    return headers


async def send_and_leave(url: str, headers: dict[str, str], body: bytes) -> None:
    """Send a request over a bare socket and close it once the query runs."""
    target = urlsplit(url)
    _reader, writer = await asyncio.open_connection(target.hostname, target.port)
    lines = [f"POST {target.path} HTTP/1.1", f"Host: {target.netloc}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines += [f"Content-Length: {len(body)}", "", ""]
    writer.write("\r\n".join(lines).encode() + body)
    await writer.drain()
    await eventually(is_active)
    writer.close()


@pytest.mark.parametrize("era", ["2026-07-28", "2025-11-25"])
async def test_disconnect_stops_the_query(
    transactional_db: None, embedded_postgres: Any, era: str
) -> None:
    await sync_to_async(make_tool)(SLOW_SQL, name="slow", timeout_ms=LONG_MS)
    token = await sync_to_async(make_token)()
    headers = HEADERS | {"Authorization": f"Bearer {token}"}

    async with listening(Runtime()) as url:
        if era == "2026-07-28":
            body = call_body("slow", MODERN_META)
            headers |= MODERN_HEADERS
        else:
            body = call_body("slow")
            headers = await open_session(url, headers)
        await send_and_leave(url, headers, body)

        await eventually(is_idle)
        await eventually(lambda: has_outcome("cancelled"))
