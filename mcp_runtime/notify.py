"""Tells connected clients of both protocol eras that the list of tools changed."""

import logging
import weakref
from typing import Any

import anyio
from fastmcp import FastMCP
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types import SubscriptionsListenRequestParams

logger = logging.getLogger(__name__)

SEND_TIMEOUT_S = 1.0


class ChangeNotifier(Middleware):
    """`subscriptions/listen` for 2026-07-28 clients, session notifications for earlier ones."""

    def __init__(self, mcp: FastMCP, *, sessions: bool) -> None:
        """`sessions` False: the server is stateless, so earlier clients have no stream to be told on."""
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        # FastMCP has no public place for this; tests/mcp_runtime/test_fastmcp_contract.py watches it.
        server = mcp._mcp_server
        server.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, self._listen
        )
        server.notification_options.tools_changed = sessions
        mcp.add_middleware(self)

    async def on_initialize(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        result = await call_next(context)
        if context.fastmcp_context is not None:
            self._connections.add(context.fastmcp_context.session._connection)
        return result

    async def tools_changed(self) -> None:
        """Notify everybody; a client that does not read holds up the others for a second at most."""
        await self._bus.publish(ToolsListChanged())
        async with anyio.create_task_group() as group:
            for connection in list(self._connections):
                group.start_soon(_send, connection)

    def close(self) -> None:
        """End open listen streams gracefully; otherwise a stop waits for them."""
        self._listen.close()


async def _send(connection: Connection) -> None:
    with anyio.move_on_after(SEND_TIMEOUT_S):
        try:
            await connection.send_tool_list_changed()
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            logger.debug("a client left before it could be told of the change")
