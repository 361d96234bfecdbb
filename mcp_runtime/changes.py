"""Changes of the served set: heard from the database, and passed on to connected clients."""

import asyncio
import logging
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import anyio
import psycopg
from django.conf import settings
from django.db import connection
from fastmcp import FastMCP
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from mcp.server.connection import Connection
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types import SubscriptionsListenRequestParams
from psycopg.conninfo import conninfo_to_dict

from mcp_runtime.lane.sessions import Sessions

logger = logging.getLogger(__name__)

POLL_INTERVAL_S = 2.0
REGISTRY_CHANNEL = "toolbuilder_registry"
KEYS_CHANNEL = "toolbuilder_keys"
SEND_TIMEOUT_S = 1.0

# Django's connection parameters that psycopg's own cursors do without.
_DJANGOS_OWN = frozenset({"client_encoding", "cursor_factory", "context", "prepare_threshold"})


async def changes(hear: Mapping[str, Callable[[str], None]]) -> AsyncIterator[None]:
    """Yields after each notification and at least every two seconds, whatever the database does.

    LISTEN is for speed; the poll is the truth. `hear` has what is given the texts of other channels
    than that of the registry.
    """
    while True:
        try:
            parameters = connection.get_connection_params()
            parameters = {key: parameters[key] for key in parameters.keys() - _DJANGOS_OWN}
            parameters |= conninfo_to_dict(settings.DATABASE_LISTEN_URL)
            async with await psycopg.AsyncConnection.connect(
                **parameters, autocommit=True
            ) as listener:
                for channel in (REGISTRY_CHANNEL, *hear):
                    await listener.execute(f"LISTEN {channel}".encode())
                # What changed before LISTEN took effect was not notified. Keys are read again within
                # seconds anyway; forgetting them here would shut known callers out if the database
                # goes away once more.
                while True:
                    async for notification in listener.notifies(timeout=0):
                        if notification.channel in hear:
                            hear[notification.channel](notification.payload)
                    yield
                    await _wait_for_data(listener.fileno(), POLL_INTERVAL_S)
        except (psycopg.Error, OSError):
            logger.warning("notifications are off while the database is away; polling")
        yield
        await asyncio.sleep(POLL_INTERVAL_S)


async def _wait_for_data(fileno: int, timeout_s: float) -> None:
    """Wait until there is something to read, or for that time.

    psycopg's own wait looks at the socket ten times a second, which is half of what an idle runtime costs.
    """
    loop = asyncio.get_running_loop()
    is_readable = asyncio.Event()
    loop.add_reader(fileno, is_readable.set)
    try:
        async with asyncio.timeout(timeout_s):
            await is_readable.wait()
    except TimeoutError:
        pass
    finally:
        loop.remove_reader(fileno)


class ChangeNotifier(Middleware):
    """Tells clients of both protocol eras that the list of tools changed.

    `subscriptions/listen` for 2026-07-28 clients, session notifications for earlier ones.
    """

    def __init__(self, mcp: FastMCP, sessions: Sessions) -> None:
        """`sessions` are told of each that the SDK begins, or takes over, here."""
        self._sessions = sessions
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        # FastMCP has no public place for this; tests/mcp_runtime/test_fastmcp_contract.py watches it.
        server = mcp._mcp_server
        server.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, self._listen
        )
        server.notification_options.tools_changed = True
        mcp.add_middleware(self)

    async def on_initialize(
        self, context: MiddlewareContext[Any], call_next: CallNext[Any, Any]
    ) -> Any:
        result = await call_next(context)
        if context.fastmcp_context is not None:
            client = context.fastmcp_context.session._connection
            self._connections.add(client)
            self._sessions.note(client)
        return result

    async def tools_changed(self) -> None:
        """Notify everybody; a client that does not read holds up the others for a second at most."""

        async def send(client: Connection) -> None:
            with anyio.move_on_after(SEND_TIMEOUT_S):
                try:
                    await client.send_tool_list_changed()
                except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    logger.debug("a client left before it could be notified of the change")

        self._sessions.tell_changed()
        await self._bus.publish(ToolsListChanged())
        async with anyio.create_task_group() as group:
            for client in list(self._connections):
                group.start_soon(send, client)

    def close(self) -> None:
        """End open streams gracefully; otherwise a stop waits for them."""
        self._sessions.close()
        self._listen.close()
