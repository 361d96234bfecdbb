"""Reads the list of tools of another MCP server, of either protocol era."""

import asyncio
from dataclasses import dataclass

from core.errors import DeadlineExceededError
from core.messages import message
from gateways.http.settings import HttpSettings
from gateways.mcp_client.channel import McpChannel
from gateways.mcp_client.messages import RpcError
from gateways.mcp_client.session import McpSession

# Of one list, over all its pages.
MAX_LIST_BYTES = 30_000_000


@dataclass(frozen=True, slots=True)
class ServerTools:
    """What a server says of itself, cleaned, and its tools as it listed them, unjudged."""

    server: str
    protocol: str
    tools: tuple[object, ...]


async def read_server_tools(settings: HttpSettings, timeout_ms: int) -> ServerTools:
    """All tools of the server.

    Raises DataSourceUnavailableError, DataSourceError and DeadlineExceededError, whose texts say what
    would be right.
    """
    channel = McpChannel(settings)
    try:
        async with asyncio.timeout(timeout_ms / 1_000):
            session = McpSession(channel, MAX_LIST_BYTES)
            try:
                await session.shake_hands()
            except RpcError:
                # A server of 2026-07-28 alone has no handshake.
                await session.discover()
            try:
                tools = tuple(await session.list_tools())
                return ServerTools(session.server, session.protocol, tools)
            finally:
                await session.end()
    except TimeoutError as error:
        raise DeadlineExceededError(
            message(
                "mcp_server.no_tools_in_time",
                "the MCP server did not give its tools within {seconds} s",
                seconds=f"{timeout_ms / 1_000:g}",
            )
        ) from error
    finally:
        await channel.close()
