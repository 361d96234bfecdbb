"""What we rely on in FastMCP and the MCP SDK beyond their documented interfaces; fails when they move."""

import asyncio
import json
from typing import Any
from unittest.mock import patch

import httpx
import pytest
from asgiref.sync import sync_to_async
from fastmcp import FastMCP
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server

from core.execution import CompiledTool
from mcp_runtime.provider import DefinedTool
from tests.factories import ENDLESS_SQL, make_expression, make_tool
from tests.mcp_runtime.conftest import Serve, Served
from tests.waiting import LIMIT_S, eventually

pytestmark = pytest.mark.django_db(transaction=True)


def modern_request(served: Served, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A raw 2026-07-28 call as keyword arguments of httpx's post."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return {
        "url": served.url,
        "headers": {
            "Authorization": f"Bearer {served.token}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
        },
        "json": {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments, "_meta": meta},
        },
    }


def test_private_places_still_exist() -> None:
    server = FastMCP("probe")._mcp_server

    assert isinstance(server, Server)
    assert callable(server.get_tool_input_schema)
    assert callable(server.add_request_handler)
    assert asyncio.iscoroutinefunction(FastMCP("probe")._on_call_tool)
    assert hasattr(server.notification_options, "tools_changed")
    assert callable(Connection.send_tool_list_changed)


class CountLists(Middleware):
    count = 0

    async def on_list_tools(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        self.count += 1
        return await call_next(context)


async def test_modern_call_does_not_list_tools(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")
    counter = CountLists()

    async with serve() as served, httpx.AsyncClient() as http:
        served.runtime.mcp.add_middleware(counter)
        response = await http.post(**modern_request(served, "multiply", {"a": 2, "b": 3}))

    assert response.json()["result"]["structuredContent"] == {"result": 6}
    assert counter.count == 0


async def test_start_lists_no_tools(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    with patch.object(DefinedTool, "listed", wraps=DefinedTool.listed) as listed:
        async with serve() as served:
            tool = served.runtime.store.snapshot.find("multiply")

    assert tool is not None
    assert listed.call_count == 0


async def test_disconnecting_client_cancels_the_query(serve: Serve) -> None:
    await sync_to_async(make_tool)(ENDLESS_SQL, name="endless", timeout_ms=600_000)

    async with serve() as served:
        async with httpx.AsyncClient(timeout=LIMIT_S) as http:
            call = asyncio.create_task(http.post(**modern_request(served, "endless", {})))
            await eventually(lambda: served.runtime.caller.running == 1)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)

        await eventually(lambda: served.runtime.caller.running == 0)


async def test_foreign_host_is_refused(serve: Serve) -> None:
    async with serve() as served, httpx.AsyncClient() as http:
        request = modern_request(served, "x", {})
        request["headers"]["Host"] = "evil.example"
        response = await http.post(**request)

    assert response.status_code == 421


async def test_foreign_origin_is_refused(serve: Serve) -> None:
    async with serve() as served, httpx.AsyncClient() as http:
        request = modern_request(served, "x", {})
        request["headers"]["Origin"] = "http://evil.example"
        response = await http.post(**request)

    assert response.status_code == 403


async def test_odd_parameter_names_work(serve: Serve, subtests: pytest.Subtests) -> None:
    odd = ["from", "self", "model_config", "ctx", "schema", "_x", "이름"]
    for number, name in enumerate(odd):
        await sync_to_async(make_tool)(
            f"SELECT {{{{{name}}}}}::text AS v", name=f"echo_{number}", parameters=[name]
        )

    async with serve() as served:
        for number, name in enumerate(odd):
            with subtests.test(name):
                result = await served.call(f"echo_{number}", **{name: "hello"})

                assert result.structured_content["rows"] == [["hello"]]


async def test_inner_errors_are_masked(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served:

        async def fail(*_: Any) -> None:
            raise RuntimeError("postgresql://app:secret@10.0.0.1/db")

        monkeypatch.setattr(CompiledTool, "run", fail)
        result = await served.call("multiply", a=1, b=2)

    assert result.is_error
    assert "secret" not in json.dumps(result.content[0].text)


async def test_stop_with_an_open_listen_stream_is_quick(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")
    loop = asyncio.get_running_loop()

    async with serve() as served, served.client("legacy") as client:
        await client.list_tools()
        began = loop.time()
        served.runtime.notifier.close()

    assert loop.time() - began < 5
