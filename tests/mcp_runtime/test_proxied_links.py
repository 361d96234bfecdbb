"""What a call of another MCP server comes to, whatever that server does."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from core.errors import (
    DataSourceBusyError,
    DataSourceError,
    DataSourceUnavailableError,
    ToolboxError,
)
from core.ingest.addresses import AddressRules
from core.ingest.remote_tools import RemoteTool
from core.messages import Message
from core.proxied import ProxiedSpec
from gateways.http.settings import HttpSettings
from mcp_runtime.proxied import health, link
from mcp_runtime.proxied.link import ServerLink
from tests.http_service import Received, Reply, answering, running
from tests.remote_mcp import PIXEL, RemoteServer, remote_server
from tests.waiting import LIMIT_S, eventually

SECRET = "hunter2hunter2"
INITIALIZED = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "scripted", "version": "1"},
}


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteServer]:
    with remote_server() as server:
        yield server


@asynccontextmanager
async def linked(url: str, **settings: Any) -> AsyncIterator[ServerLink]:
    """A link to the server; its notes of health are in `link.notes`."""
    notes: list[str | None] = []

    async def note(failure: Message | None) -> None:
        notes.append(str(failure) if failure else None)

    rules = settings.pop("rules", AddressRules(frozenset({"127.0.0.1"})))
    made = ServerLink("weather", HttpSettings(server_url=url, rules=rules, **settings), note)
    made.__dict__["notes"] = notes
    try:
        yield made
    finally:
        await made.close()


def spec_of(name: str) -> ProxiedSpec:
    tool = RemoteTool(
        name=name,
        title="",
        description="",
        annotations={},
        input_schema={"type": "object", "properties": {}},
        output_schema=None,
    )
    return ProxiedSpec(
        id=1, name=f"weather_{name}", server="weather", accepted=tool, byte_limit=1000, timeout_ms=1
    )


async def call(made: ServerLink, name: str, /, **arguments: Any) -> dict[str, Any]:
    async with asyncio.timeout(LIMIT_S):
        return await made.call(spec_of(name), arguments)


def scripted(result: Any, *, status: str = "200 OK", **given: Any) -> Reply:
    """A server of the handshake era that answers calls with this: JSON, or bytes as they are.

    Of calls alone are the `status`, and what else `answering` is given.
    """

    async def reply(request: Received, writer: asyncio.StreamWriter) -> None:
        message = json.loads(request.body or b"{}")
        method = message.get("method")
        of_call: dict[str, Any] = {}
        if method == "initialize":
            body, told = _result(message, INITIALIZED), "200 OK"
            of_call = {"headers": {"Mcp-Session-Id": "7"}}
        elif method == "tools/call":
            body, told = result if isinstance(result, bytes) else _result(message, result), status
            of_call = given
        elif "id" in message:
            error = {"code": -32601, "message": "Method not found"}
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()
            told = "200 OK"
        else:
            body, told = b"", "202 Accepted"
        await answering(body, status=told, **of_call)(request, writer)

    return reply


def _result(message: Any, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_both_eras_are_spoken(remote: RemoteServer, mode: str) -> None:
    async with linked(remote.url) as made:
        made._mode = mode
        answer = await call(made, "draw", city="Seoul")

    assert [block["type"] for block in answer["content"]] == ["text", "image"]
    assert answer["content"][1]["data"] == PIXEL
    assert answer["structuredContent"] is None


async def test_error_of_the_tool_is_passed_on(remote: RemoteServer) -> None:
    async with linked(remote.url) as made:
        answer = await call(made, "refuse")

    assert answer["isError"] is True
    assert "there is no weather here" in answer["content"][0]["text"]


async def test_nothing_of_the_agents_request_reaches_the_server(remote: RemoteServer) -> None:
    remote.seen_headers.clear()
    async with linked(remote.url, headers=(("Authorization", f"Bearer {SECRET}"),)) as made:
        await call(made, "draw", city="Seoul")

    assert {headers.get("authorization") for headers in remote.seen_headers} == {f"Bearer {SECRET}"}
    assert not any(
        "traceparent" in headers or "cookie" in headers for headers in remote.seen_headers
    )


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        pytest.param(answering(b"<html>hello</html>", "text/html"), "no MCP|refused", id="HTML"),
        pytest.param(answering(b"\x00\xff{", "application/json"), "no MCP|refused", id="garbage"),
        pytest.param(answering(b"", status="401 Unauthorized"), r"credentials \(401\)", id="401"),
        pytest.param(
            answering(
                b"", status="307 Temporary Redirect", headers={"Location": "http://10.0.0.1/"}
            ),
            "redirect 307, which is not followed",
            id="redirect to a private address",
        ),
        pytest.param(answering(b"", status="503 Service Unavailable"), "503", id="away"),
        pytest.param(
            scripted(b"{not json"),
            "^the MCP server weather answered with something that is no MCP",
            id="garbage in the call",
        ),
        pytest.param(
            scripted({"content": [{"type": "text", "text": "\ud83d"}]}),
            "^the MCP server weather answered with something that is no MCP",
            id="half a character",
        ),
        pytest.param(
            scripted(b"<html>", content_type="text/html"),
            "^the server answered with something that is no MCP; check its URL",
            id="HTML in the call",
        ),
        pytest.param(
            scripted(b": ping\n\n", content_type="text/event-stream"),
            "^the MCP server ended its answer before the result",
            id="events without an answer",
        ),
        pytest.param(
            scripted(b"{}", status="500 Internal Server Error"),
            "^the MCP server answered with the status 500; retry later$",
            id="500",
        ),
        pytest.param(
            scripted(
                b'{"error":{"message":"slow down"}}',
                status="429 Too Many Requests",
                headers={"Retry-After": "17"},
            ),
            "^the MCP server answered with the status 429; retry after 17 s$",
            id="429",
        ),
        pytest.param(
            scripted(
                b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"no quota"}}',
                status="429 Too Many Requests",
            ),
            "refused the call: no quota$",
            id="429 with a reason",
        ),
        pytest.param(
            scripted(b"", status="404 Not Found"),
            "^the MCP server ended the session in the middle of the call; retry$",
            id="session that ended",
        ),
        pytest.param(scripted({"content": 5}), "no MCP|refused", id="no content"),
        pytest.param(
            scripted({"content": [{"type": "text", "text": "x" * 400_000}]}),
            "longer than",
            id="huge",
        ),
        pytest.param(
            scripted({"content": [], "structuredContent": [1]}),
            "no MCP|refused",
            id="wrong structure",
        ),
    ],
)
async def test_bad_server_is_a_clear_error(reply: Reply, text: str) -> None:
    async with running(reply) as service, linked(service.url, byte_limit=300_000) as made:
        with pytest.raises(DataSourceError, match=text) as caught:
            await call(made, "forecast")

    assert "127.0.0.1" not in str(caught.value)


async def test_connection_that_ends_in_the_middle_of_a_call_is_an_error() -> None:
    async def reply(request: Received, writer: asyncio.StreamWriter) -> None:
        if b"tools/call" in request.body:
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
            )
            await writer.drain()
            writer.transport.abort()
        else:
            await scripted({})(request, writer)

    async with running(reply) as service, linked(service.url) as made:
        with pytest.raises(DataSourceError, match="connection to the MCP server broke"):
            await call(made, "forecast")
        assert made.is_up


async def test_secret_that_the_server_repeats_is_hidden() -> None:
    reply = scripted({"content": [{"type": "text", "text": f"you sent {SECRET}"}]})
    async with running(reply) as service, linked(service.url, secrets=(SECRET,)) as made:
        answer = await call(made, "forecast")

    assert answer["content"][0]["text"] == "you sent ***"


async def test_private_address_is_not_called() -> None:
    async with running(scripted({})) as service:
        address = service.url.replace("http://127.0.0.1", "https://localhost")
        rules = AddressRules(ports=frozenset({service.port}))
        async with linked(address, rules=rules) as made:
            with pytest.raises(ToolboxError, match="leads to an address that tools may not call"):
                await call(made, "forecast")

    assert service.received == []


async def test_silent_server_is_found_down_once_and_then_told_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "GREETING_TIMEOUT_S", 0.3)
    monkeypatch.setattr(health, "FIRST_WAIT_S", 0.05)
    talks = asyncio.Event()

    async def reply(request: Received, writer: asyncio.StreamWriter) -> None:
        await talks.wait()
        await scripted({"content": []})(request, writer)

    async with running(reply) as service, linked(service.url) as made:
        with pytest.raises(DataSourceUnavailableError, match="does not answer"):
            await call(made, "forecast")
        # From here on a call that asked would wait until the end of the test.
        monkeypatch.setattr(link, "GREETING_TIMEOUT_S", 600.0)
        with pytest.raises(DataSourceUnavailableError, match="does not answer"):
            await call(made, "forecast")
        talks.set()
        await eventually(lambda: made.is_up)
        answer = await call(made, "forecast")

    assert answer["content"] == []
    assert made.__dict__["notes"] == ["the MCP server weather does not answer; retry later", None]


async def test_calls_beyond_the_servers_room_are_told_to_retry(remote: RemoteServer) -> None:
    async with linked(remote.url, pool_size=1, max_wait_ms=100) as made:
        first = asyncio.create_task(call(made, "wait", seconds=600))
        await eventually(lambda: made._channel._slots._free == 0)
        with pytest.raises(DataSourceBusyError, match="retry in a few seconds"):
            await call(made, "draw", city="Seoul")
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
