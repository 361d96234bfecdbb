"""Calls of one other MCP server, with FastMCP's proxy tool and a conversation of its own for each call."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from contextvars import Context as EmptyContext
from typing import Any

from fastmcp import Client, Context, FastMCP
from fastmcp.client.transports import StreamableHttpTransport
from fastmcp.server.providers.proxy import ProxyClient, ProxyTool
from fastmcp.tools.base import InputRequiredToolResult
from mcp.shared.exceptions import MCPError
from mcp_types import PARSE_ERROR
from opentelemetry.context import attach
from opentelemetry.propagate import extract

from core.errors import DataSourceError, DataSourceUnavailableError, ToolboxError
from core.ingest.texts import clean_line
from core.messages import message
from core.proxied import ProxiedSpec
from core.trace_context import TRACEPARENT
from gateways.http.settings import HttpSettings
from gateways.mcp_client.channel import McpChannel
from mcp_runtime.proxied.health import Note, ServerHealth
from mcp_runtime.proxied.transport import ChannelTransport

# How long a server may take to say hello; one that takes longer is down.
GREETING_TIMEOUT_S = 3.0
MAX_MESSAGE_CHARACTERS = 500
_LEGACY, _AUTO = "legacy", "auto"
# No server may ask the agent's model or its user for anything.
_NOTHING_IS_ASKED_BACK: dict[str, Any] = dict.fromkeys(
    ("roots", "sampling_handler", "elicitation_handler", "log_handler", "progress_handler")
)
# The request that proxied tools answer, as far as they see it: nothing.
_NOBODY = FastMCP("Toolbuilder")


class ServerLink:
    """One server, as its settings say. Sessions are not shared, so no caller meets another's state."""

    def __init__(self, name: str, settings: HttpSettings, note: Note) -> None:
        self.name = name
        self.settings = settings
        self._channel = McpChannel(settings)
        self._health = ServerHealth(name, self._greet, note)
        self._mode = _AUTO

    @property
    def is_up(self) -> bool:
        """False while the server is known to be down."""
        return self._health.is_up

    async def call(
        self, spec: ProxiedSpec, arguments: Mapping[str, object], caller: str = ""
    ) -> dict[str, Any]:
        """The result of the tool, its keys as on the wire, an error of the tool among it.

        Raises DataSourceUnavailableError, at once while the server is down, DataSourceBusyError and
        DataSourceError.
        """
        self._health.require_up()
        async with self._channel.turn(caller, spec.timeout_ms):
            # Nothing of the agent's request but its trace, no header and no token, may reach the server.
            context = EmptyContext()
            if traceparent := TRACEPARENT.get():
                # FastMCP's client puts it into `_meta`.
                context.run(lambda: attach(extract({"traceparent": traceparent})))
            task = asyncio.create_task(self._call(spec, dict(arguments)), context=context)
            try:
                return await task
            except DataSourceUnavailableError as error:
                self._health.mark_down(error)
                raise
            finally:
                task.cancel()

    async def close(self) -> None:
        """End probing and close the connections."""
        await self._health.close()
        await self._channel.close()

    async def _call(self, spec: ProxiedSpec, arguments: dict[str, Any]) -> dict[str, Any]:
        transport = ChannelTransport(self._channel)
        async with self._connected(transport) as client:
            tool = ProxyTool(
                client_factory=lambda: client,
                name=spec.accepted.name,
                parameters=(spec.seen or spec.accepted).input_schema,
            )
            try:
                result = await tool.run(arguments, Context(_NOBODY))
            except Exception as error:
                raise self._explain(transport, error) from error
        if isinstance(result, InputRequiredToolResult):
            raise DataSourceError(
                message(
                    "proxied.asks_for_input",
                    "{server} asks for input in the middle of the call, which is not passed on",
                    server=spec.server,
                )
            )
        return {
            "content": [
                block.model_dump(mode="json", by_alias=True, exclude_none=True)
                for block in result.content
            ],
            "structuredContent": result.structured_content,
            "isError": result.is_error,
        }

    async def _greet(self) -> None:
        async with self._connected(ChannelTransport(self._channel)):
            pass

    @asynccontextmanager
    async def _connected(self, transport: ChannelTransport) -> AsyncGenerator[Client[Any]]:
        client = ProxyClient(
            StreamableHttpTransport(
                self._channel.server_url, httpx_client_factory=transport.client
            ),
            mode=self._mode,
            forward_incoming_headers=False,
            **_NOTHING_IS_ASKED_BACK,
        )
        try:
            async with asyncio.timeout(GREETING_TIMEOUT_S):
                await client.__aenter__()  # type: ignore[no-untyped-call]
        except TimeoutError as error:
            self._mode = _AUTO
            raise DataSourceUnavailableError(
                message(
                    "proxied.no_answer",
                    "the MCP server {name} does not answer; retry later",
                    name=self.name,
                )
            ) from error
        except Exception as error:
            self._mode = _AUTO
            raise self._explain(transport, error) from error
        # An early server refuses the greeting of later ones each time, which costs a round trip.
        self._mode = _LEGACY if client.initialize_result is not None else _AUTO
        try:
            yield client
        finally:
            await client.__aexit__(None, None, None)  # type: ignore[no-untyped-call]

    def _explain(self, transport: ChannelTransport, error: Exception) -> ToolboxError:
        if transport.failure is not None:
            return transport.failure
        if isinstance(error, ToolboxError):
            return error
        if transport.oddity is not None:
            return transport.oddity
        # The client says by this code that it cannot read the answer, in words about its own parts.
        if isinstance(error, MCPError) and error.error.code != PARSE_ERROR:
            return DataSourceError(
                message(
                    "proxied.refused",
                    "the MCP server {server} refused the call: {reason}",
                    server=self.name,
                    reason=clean_line(error.error.message, MAX_MESSAGE_CHARACTERS),
                )
            )
        return DataSourceError(
            message(
                "proxied.no_mcp",
                "the MCP server {name} answered with something that is no MCP; tell its operator",
                name=self.name,
            )
        )
