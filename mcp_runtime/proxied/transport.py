"""The HTTP of FastMCP's client, led through the gateway's channel: judged addresses, limits, no redirects."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import httpx2

from core.errors import DataSourceError, DataSourceUnavailableError, ToolboxError
from core.messages import message
from core.proxied import parse_object
from gateways.mcp_client.channel import SESSION_HEADER, ChannelResponse, McpChannel
from gateways.mcp_client.messages import ANSWER_ENDED, NO_MCP
from gateways.mcp_client.session import CLOSE_TIMEOUT_S, explain_status

_SENT = frozenset({"accept", "content-type", "last-event-id"})
_TAKEN = frozenset({"content-type", SESSION_HEADER})
_AWAY = frozenset({502, 503, 504})


class ChannelTransport(httpx2.AsyncBaseTransport):
    """Requests of one conversation; `failure` is what went wrong first, in words for the agent.

    `oddity` is why the last answer holds no message that a client could read, None where it may.
    The client is never shown an exception in its place: it would take the whole conversation down
    without a word of the reason.
    """

    def __init__(self, channel: McpChannel) -> None:
        self.failure: ToolboxError | None = None
        self.oddity: ToolboxError | None = None
        self._channel = channel

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET":
            # A stream of the server's own messages, which nothing here reads.
            return httpx2.Response(405)
        if request.method == "DELETE":
            # The end of a session, which must not hold up the answer.
            with suppress(TimeoutError, ToolboxError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    answer = await self._open(request)
                    await answer.close()
            return httpx2.Response(204)
        self.oddity = None
        try:
            answer = await self._open(request)
            if (failure := _judge(answer)) is not None:
                await answer.close()
                return self._fail(failure)
            if answer.content_type == "text/event-stream" and answer.status < 300:
                return self._respond(answer, stream=_Stream(self, answer))
            try:
                content = await answer.read()
                if "id" in (parse_object(request.content) or {}):
                    self.oddity = _find_oddity(answer, content, request)
                return self._respond(answer, content=content)
            finally:
                await answer.close()
        except ToolboxError as error:
            return self._fail(error)

    def client(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
        **_follows_redirects: Any,
    ) -> httpx2.AsyncClient:
        """An httpx2 client over this transport, as FastMCP asks for one; proxies stay out.

        Deadlines are the caller's, and credentials the channel's.
        """
        return httpx2.AsyncClient(transport=self, trust_env=False, headers=headers, timeout=None)

    async def _open(self, request: httpx2.Request) -> ChannelResponse:
        headers = {
            name: value
            for name, value in request.headers.items()
            if name in _SENT or name.startswith("mcp-")
        }
        limit = self._channel.settings.byte_limit
        return await self._channel.open(request.method, headers, await request.aread(), limit)

    def _respond(self, answer: ChannelResponse, **body: Any) -> httpx2.Response:
        kept = {name: value for name, value in answer.headers.items() if name in _TAKEN}
        return httpx2.Response(answer.status, headers=kept, **body)

    def _fail(self, error: ToolboxError) -> httpx2.Response:
        self.failure = self.failure or error
        return httpx2.Response(502)


class _Stream(httpx2.AsyncByteStream):
    """The events of one answer."""

    def __init__(self, transport: ChannelTransport, answer: ChannelResponse) -> None:
        self._transport = transport
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._answer.chunks:
                yield chunk
            # The client reads no further than the message that it waits for.
            self._transport.oddity = DataSourceError(ANSWER_ENDED)
        except ToolboxError as error:
            self._transport.failure = self._transport.failure or error
            raise httpx2.ReadError("the answer cannot be read") from error

    async def aclose(self) -> None:
        await self._answer.close()


def _judge(answer: ChannelResponse) -> ToolboxError | None:
    """What a status says that no client can do anything about."""
    if answer.status in _AWAY:
        return DataSourceUnavailableError(explain_status(answer))
    if 300 <= answer.status < 400 or answer.status in (401, 403):
        return DataSourceError(explain_status(answer))
    return None


def _find_oddity(
    answer: ChannelResponse, content: bytes, request: httpx2.Request
) -> DataSourceError | None:
    """Why the answer to a request holds no message of JSON-RPC, as far as that is seen from outside."""
    if answer.status < 300:
        is_odd = bool(content) and answer.content_type != "application/json"
        return DataSourceError(NO_MCP) if is_odd else None
    found = parse_object(content) or {}
    if found.get("jsonrpc") == "2.0" and isinstance(found.get("error"), dict):
        return None
    if answer.status == 404 and SESSION_HEADER in request.headers:
        return DataSourceError(
            message(
                "proxied.session_ended",
                "the MCP server ended the session in the middle of the call; retry",
            )
        )
    return DataSourceError(explain_status(answer))
