"""Sessions of earlier protocols, which are begun and ended elsewhere and the direct lane only looks up."""

import asyncio
from typing import Any
from weakref import WeakValueDictionary

from fastmcp.server.http import StreamableHTTPASGIApp
from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
from mcp.server.connection import Connection
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route

from mcp_runtime.caller import Caller

# A session that only the lane uses is kept from becoming idle, this often at most.
TOUCH_INTERVAL_S = 60.0


class Sessions:
    """Tells which sessions the SDK would serve. `manager` is there while the application runs."""

    def __init__(self) -> None:
        self.manager: StreamableHTTPSessionManager | None = None
        self._connections: WeakValueDictionary[str, Connection] = WeakValueDictionary()

    def note(self, connection: Connection) -> None:
        """A session has begun here."""
        if connection.session_id is not None:
            self._connections[connection.session_id] = connection

    def find_connection(self, session_id: str, caller: Caller) -> Connection | None:
        """The connection of the caller's own session; None where it is not sure to be served."""
        connection = self._connections.get(session_id)
        transport: Any = self.manager and self.manager._server_instances.get(session_id)
        if connection is None or transport is None or not connection.initialize_accepted:
            return None
        owner = None
        if caller.key_id:
            owner = AuthorizationContext(client_id=caller.key_id, issuer=None, subject=None)
        elif (holder := caller.holder) is not None:
            owner = AuthorizationContext(
                client_id=holder.client_id, issuer=holder.issuer, subject=holder.subject
            )
        assert self.manager is not None  # noqa: S101 - the transport came from it
        is_ended = transport.is_terminated or transport.idle_scope.cancel_called
        if is_ended or self.manager._session_owners.get(session_id) != owner:
            return None
        # anyio's clock is the loop's. The deadline is infinite while FastMCP serves a request.
        due = asyncio.get_running_loop().time() + transport._idle_timeout
        if transport.idle_scope.deadline < due - TOUCH_INTERVAL_S:
            transport.idle_scope.deadline = due
        return connection


def find_manager(app: Starlette, path: str) -> StreamableHTTPSessionManager:
    """What serves the path of a running application; FastMCP has no public place for it."""
    endpoint: Any = next(
        route.endpoint for route in app.routes if isinstance(route, Route) and route.path == path
    )
    while not isinstance(endpoint, StreamableHTTPASGIApp):
        endpoint = endpoint.app
    assert endpoint.session_manager is not None  # noqa: S101 - the application runs
    return endpoint.session_manager
