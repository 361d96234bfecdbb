"""The list of tools of another MCP server, whatever that server does."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from core.errors import DataSourceError, DataSourceUnavailableError, DeadlineExceededError
from core.ingest.addresses import AddressRules
from gateways.http.settings import HttpSettings
from gateways.mcp_client import reader, session
from gateways.mcp_client.reader import ServerTools, read_server_tools
from tests.http_service import Received, Reply, answering, running
from tests.remote_mcp import RemoteServer, remote_server

HELLO = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "scripted", "version": "1"}}
SECRET = "hunter2hunter2"


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteServer]:
    with remote_server() as server:
        yield server


async def read(url: str, timeout_ms: int = 60_000, **settings: Any) -> ServerTools:
    rules = AddressRules(frozenset({"127.0.0.1"}))
    return await read_server_tools(
        HttpSettings(server_url=url, rules=rules, **settings), timeout_ms
    )


def scripted(*pages: Any, hello: Any = HELLO, as_events: bool = False) -> Reply:
    """A server whose list has these pages, the last one for ever."""
    left = list(pages)

    async def reply(request: Received, writer: asyncio.StreamWriter) -> None:
        message = json.loads(request.body or b"{}")
        if "id" not in message:
            return await answering(b"", status="202 Accepted")(request, writer)
        result = hello if message["method"] == "initialize" else left[0]
        if message["method"] != "initialize" and len(left) > 1:
            left.pop(0)
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        if as_events:
            body = b"event: message\nid: 7\ndata: {}\n\ndata: " + body + b"\n\n"
            return await answering(body, "text/event-stream")(request, writer)
        return await answering(body)(request, writer)

    return reply


@pytest.mark.parametrize("is_modern_only", [False, True], ids=["handshake", "2026-07-28"])
async def test_tools_are_read_in_both_eras(
    remote: RemoteServer, monkeypatch: pytest.MonkeyPatch, is_modern_only: bool
) -> None:
    if is_modern_only:
        monkeypatch.setattr(session, "OFFERED_VERSION", session.MODERN_VERSION)
        monkeypatch.setattr(session.McpSession, "shake_hands", session.McpSession.discover)

    found = await read(remote.url)

    assert found.server == "Weather 3"
    assert found.protocol == ("2026-07-28" if is_modern_only else "2025-11-25")
    assert len(found.tools) == 5


async def test_pages_and_events_are_followed() -> None:
    pages = ({"tools": [{"name": "a"}], "nextCursor": "2"}, {"tools": [{"name": "b"}]})
    async with running(scripted(*pages, as_events=True)) as service:
        found = await read(service.url)

    assert [tool["name"] for tool in found.tools] == ["a", "b"]  # type: ignore[index]


async def test_endless_list_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "MAX_PAGES", 3)
    cursors = ({"tools": [{}], "nextCursor": str(n)} for n in range(5))
    async with running(scripted(*cursors)) as service:
        with pytest.raises(DataSourceError, match="more than 3 pages"):
            await read(service.url, 20_000)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        pytest.param(answering(b"<html>", "text/html"), "no MCP; check its URL", id="HTML"),
        pytest.param(answering(b"\xff\x00"), "no MCP", id="garbage"),
        pytest.param(answering(b"{}", status="401 Unauthorized"), r"credentials \(401\)", id="401"),
        pytest.param(
            answering(b"", status="405 Not Allowed"), "speaks MCP over streamable", id="405"
        ),
        pytest.param(
            answering(b"", status="302 Found", headers={"Location": "http://169.254.169.254/"}),
            "redirect 302, which is not followed",
            id="redirect to a metadata service",
        ),
        pytest.param(scripted({"tools": 5}), "list of tools is no list", id="no list"),
        pytest.param(
            scripted({}, hello={**HELLO, "protocolVersion": "1999"}), "'1999'; known are", id="old"
        ),
        pytest.param(scripted({}, hello=[1]), "no MCP", id="list for an object"),
        pytest.param(
            answering(b"x", headers={"Content-Encoding": "gzip"}), "compresses", id="compressed"
        ),
    ],
)
async def test_bad_server_is_a_clear_error(reply: Reply, text: str) -> None:
    async with running(reply) as service:
        with pytest.raises(DataSourceError, match=text) as caught:
            await read(service.url)

    assert "127.0.0.1" not in str(caught.value)
    assert len(service.received) <= 4


async def test_list_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_LIST_BYTES", 1_000)
    pages = ({"tools": [{"name": "x" * 700}], "nextCursor": "2"}, {"tools": [{"name": "x" * 700}]})
    async with running(scripted(*pages)) as service:
        with pytest.raises(DataSourceError, match="longer than the limit"):
            await read(service.url)


async def test_silent_server_has_a_deadline() -> None:
    async def reply(_request: Received, _writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with running(reply) as service:
        with pytest.raises(DeadlineExceededError, match=r"within 0\.2 s"):
            await read(service.url, 200)


async def test_server_that_is_not_there_cannot_be_reached(remote: RemoteServer) -> None:
    with pytest.raises(DataSourceUnavailableError, match="cannot be reached"):
        await read("http://127.0.0.1:1/mcp")


async def test_token_is_sent_and_hidden_where_the_server_repeats_it() -> None:
    hello = {**HELLO, "serverInfo": {"name": f"got {SECRET}"}}
    headers = (("Authorization", f"Bearer {SECRET}"),)
    async with running(scripted({"tools": []}, hello=hello)) as service:
        found = await read(service.url, headers=headers, secrets=(SECRET,))

    assert found.server == "got ***"
    assert service.received[0].headers["authorization"] == f"Bearer {SECRET}"
