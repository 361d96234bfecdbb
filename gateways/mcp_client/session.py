"""A conversation with an MCP server, of either protocol era: what it is, its tools, and calls of them."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from core.errors import DataSourceError, DataSourceUnavailableError
from core.http_answers import when_to_retry
from core.ingest.mcp import MAX_TOOLS
from core.ingest.texts import clean_line, shown
from core.messages import Message, message
from gateways.mcp_client.channel import (
    ACCEPT,
    SESSION_HEADER,
    VERSION_HEADER,
    ChannelResponse,
    McpChannel,
)
from gateways.mcp_client.messages import RpcError, encode_request, read_result

OFFERED_VERSION = "2025-11-25"
HANDSHAKE_VERSIONS = frozenset({"2024-11-05", "2025-03-26", "2025-06-18", OFFERED_VERSION})
MODERN_VERSION = "2026-07-28"
MAX_PAGES = 500
CLOSE_TIMEOUT_S = 1.0
_CLIENT = {"name": "Toolbuilder", "version": "1"}
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(slots=True)
class McpSession:
    """One conversation; begin with `shake_hands` or `discover`, a server of the modern era needs neither.

    `bytes_left` is how much its answers may take together, `headers` go with every request.
    """

    channel: McpChannel
    bytes_left: int
    protocol: str = ""
    server: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    _session_id: str = ""
    _number: int = 0

    @property
    def is_modern(self) -> bool:
        return self.protocol == MODERN_VERSION

    async def shake_hands(self) -> None:
        """Begin as up to 2025-11-25. Raises RpcError where the server has no handshake."""
        answer = await self._ask(
            "initialize",
            {"protocolVersion": OFFERED_VERSION, "capabilities": {}, "clientInfo": _CLIENT},
        )
        version = answer.get("protocolVersion")
        if version not in HANDSHAKE_VERSIONS:
            raise DataSourceError(
                message(
                    "mcp_server.protocol",
                    "the MCP server speaks the protocol {version}; known are {versions} and"
                    " {modern}",
                    version=shown(version),
                    versions=", ".join(sorted(HANDSHAKE_VERSIONS)),
                    modern=MODERN_VERSION,
                )
            )
        self.protocol, self.server = str(version), _name_of(answer)
        async with self._send(None, "notifications/initialized", {}) as response:
            _check_status(response)

    async def discover(self) -> None:
        """Begin as from 2026-07-28 on."""
        self.protocol = MODERN_VERSION
        self.server = _name_of(await self._ask("server/discover", {}))

    async def list_tools(self) -> list[object]:
        """Every page, in order; one tool more than are read says that there are more."""
        tools: list[object] = []
        cursor: str | None = None
        for _page in range(MAX_PAGES):
            page = await self._ask("tools/list", {"cursor": cursor} if cursor else {})
            listed = page.get("tools")
            if not isinstance(listed, list):
                raise DataSourceError(
                    message(
                        "mcp_server.tools_no_list",
                        "the MCP server's list of tools is no list; it is no MCP",
                    )
                )
            tools += listed
            following = page.get("nextCursor")
            if not isinstance(following, str) or following in ("", cursor):
                return tools
            if len(tools) > MAX_TOOLS:
                return tools[: MAX_TOOLS + 1]
            cursor = following
        raise DataSourceError(
            message(
                "mcp_server.too_many_pages",
                "the MCP server's list of tools has more than {limit} pages",
                limit=MAX_PAGES,
            )
        )

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of one call as the server gives it, errors of the tool included.

        Raises RpcError where the server refuses the request itself.
        """
        return await self._ask("tools/call", {"name": name, "arguments": arguments})

    async def end(self) -> None:
        """Let the server forget the session; it ends by itself where the server is slow."""
        if not self._session_id:
            return
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                response = await self.channel.open("DELETE", self._headers("", {}), b"", 10_000)
                await response.close()
        except (DataSourceError, TimeoutError):
            return

    async def _ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._number += 1
        async with self._send(self._number, method, params) as response:
            if response.content_type != "application/json" or response.status < 400:
                _check_status(response)
            try:
                result = await read_result(response, self._number)
            except RpcError:
                if response.status in (401, 403):
                    raise DataSourceError(explain_status(response)) from None
                raise
            except DataSourceUnavailableError:
                raise
            except DataSourceError:
                # A status of 400 and more without a reason of its own is told by its number.
                _check_status(response)
                raise
            self._session_id = response.headers.get(SESSION_HEADER, self._session_id)[:200]
            return result

    @asynccontextmanager
    async def _send(
        self, number: int | None, method: str, params: Mapping[str, Any]
    ) -> AsyncGenerator[ChannelResponse]:
        given = {**params, "_meta": _META} if self.is_modern else params
        body = encode_request(number, method, given)
        response = await self.channel.open(
            "POST", self._headers(method, params), body, max(self.bytes_left, 0)
        )
        try:
            yield replace(response, chunks=self._count(response.chunks))
        finally:
            await response.close()

    async def _count(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for chunk in chunks:
            self.bytes_left -= len(chunk)
            yield chunk

    def _headers(self, method: str, params: Mapping[str, Any]) -> dict[str, str]:
        headers = {**self.headers, "accept": ACCEPT, "content-type": "application/json"}
        if self.protocol:
            headers[VERSION_HEADER] = self.protocol
        if self._session_id:
            headers[SESSION_HEADER] = self._session_id
        if self.is_modern:
            headers["mcp-method"] = method
            if "name" in params:
                headers["mcp-name"] = params["name"]
        return headers


def _check_status(response: ChannelResponse) -> None:
    if response.status < 300:
        return
    if response.status in (400, 404, 405, 406, 415) and response.content_type != "":
        raise RpcError(explain_status(response))
    if response.status >= 500:
        raise DataSourceUnavailableError(explain_status(response))
    raise DataSourceError(explain_status(response))


def explain_status(response: ChannelResponse) -> Message:
    """What a status of 300 and more means for the person who set the server up."""
    status = response.status
    if status < 400:
        return message(
            "mcp_server.redirect",
            "the MCP server answered with the redirect {status}, which is not followed;"
            " give the URL that it leads to",
            status=str(status),
        )
    if status in (401, 403):
        return message(
            "mcp_server.credentials",
            "the MCP server refused the credentials ({status}); give it a token that is valid",
            status=str(status),
        )
    if status in (404, 405):
        return message(
            "mcp_server.wrong_url",
            "nothing at the URL speaks MCP over streamable HTTP ({status}); the path is"
            " often /mcp, and the earlier transport with /sse is not supported",
            status=str(status),
        )
    if when := when_to_retry(response.headers.get("retry-after", "")):
        return message(
            "mcp_server.status_pause",
            "the MCP server answered with the status {status}; retry after {when}",
            status=str(status),
            when=when,
        )
    return message(
        "mcp_server.status",
        "the MCP server answered with the status {status}; retry later",
        status=str(status),
    )


def _name_of(answer: Mapping[str, Any]) -> str:
    info = answer.get("serverInfo")
    meta = answer.get("_meta")
    if not isinstance(info, Mapping) and isinstance(meta, Mapping):
        info = meta.get("io.modelcontextprotocol/serverInfo")
    if not isinstance(info, Mapping):
        return ""
    words = (clean_line(info.get(key), 100) for key in ("title", "name", "version"))
    return " ".join(word for word in words if word)[:200]
