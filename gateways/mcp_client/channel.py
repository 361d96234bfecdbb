"""Streams of one MCP server: from the address that was judged, within a limit of bytes, without secrets."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import cast

import httpx

from core.errors import DataSourceError, DataSourceUnavailableError
from core.ingest.requests import PlainRequest
from core.messages import message
from gateways.http.bodies import redact
from gateways.http.service import HttpSource

SESSION_HEADER = "mcp-session-id"
VERSION_HEADER = "mcp-protocol-version"
ACCEPT = "application/json, text/event-stream"


@dataclass(frozen=True, slots=True)
class ChannelResponse:
    """The beginning of an answer; header names in small letters. Read `chunks` once, then `close`."""

    status: int
    headers: Mapping[str, str]
    chunks: AsyncIterator[bytes]
    response: httpx.Response

    @property
    def content_type(self) -> str:
        """The media type without its parameters, in small letters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def read(self) -> bytes:
        """All of it. Raises DataSourceError."""
        return b"".join([chunk async for chunk in self.chunks])

    async def close(self) -> None:
        """Give the connection back, or end it where something is left unread."""
        await self.response.aclose()


class McpChannel(HttpSource):
    """One MCP server. The caller gives every request its deadline."""

    def turn(self, caller: str, timeout_ms: int) -> AbstractAsyncContextManager[None]:
        """Room for one call, in turns among callers. Raises DataSourceBusyError when there was none in time."""
        until = asyncio.get_running_loop().time() + timeout_ms / 1_000
        return self._slots.hold(caller, until)

    async def open(
        self, method: str, headers: Mapping[str, str], body: bytes, byte_limit: int
    ) -> ChannelResponse:
        """The answer to one request, with any status; a redirect is an answer like others.

        Raises DataSourceUnavailableError and DataSourceError; so does reading what follows.
        """
        ip = await self._find_ip()
        plain = PlainRequest(
            method=method,
            url=self.server_url,
            headers={**headers, "accept-encoding": "identity"},
            body=body,
        )
        try:
            response = await self._begin(plain, ip)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise DataSourceUnavailableError(
                message("mcp_server.unreachable", "the MCP server cannot be reached; retry later")
            ) from error
        except (httpx.TransportError, httpx.StreamError) as error:
            raise DataSourceUnavailableError(_BROKE) from error
        chunks = self._lines(response, byte_limit)
        return ChannelResponse(response.status_code, dict(response.headers), chunks, response)

    async def _lines(self, response: httpx.Response, byte_limit: int) -> AsyncGenerator[bytes]:
        """Whole lines, so that no secret hides between two chunks."""
        rest, count = b"", 0
        stream = cast(httpx.AsyncByteStream, response.stream)
        if response.headers.get("content-encoding", "identity") != "identity":
            raise DataSourceError(
                message(
                    "mcp_server.compressed",
                    "the MCP server compresses its answers, which nobody asked for",
                )
            )
        try:
            async for chunk in stream:
                count += len(chunk)
                if count > byte_limit:
                    raise DataSourceError(
                        message(
                            "mcp_server.answer_too_long",
                            "the MCP server's answer is longer than the limit of {limit} bytes; ask for"
                            " less, as with a filter or a page",
                            limit=byte_limit,
                        )
                    )
                lines, newline, rest = (rest + chunk).rpartition(b"\n")
                if newline:
                    yield redact(lines + newline, self._secrets)
        except (httpx.TransportError, httpx.StreamError) as error:
            raise DataSourceError(_BROKE) from error
        if rest:
            yield redact(rest, self._secrets)


_BROKE = message(
    "mcp_server.connection_broke", "the connection to the MCP server broke; retry later"
)
