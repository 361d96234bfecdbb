"""Sessions of earlier protocols: those that the direct lane has begun, and those that the SDK has."""

import asyncio
from functools import lru_cache
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary

from fastmcp.server.http import StreamableHTTPASGIApp
from mcp.server.auth.middleware.bearer_auth import AuthorizationContext
from mcp.server.connection import Connection
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from msgspec import Struct
from starlette.applications import Starlette
from starlette.routing import Route

from mcp_runtime.caller import Caller
from mcp_runtime.lane.streams import ChangeStream
from mcp_runtime.origins import read_session_client
from mcp_runtime.session_ids import read_session_id, write_session_id

# More are known again by their next request, which the SDK begins them for.
MOST_SESSIONS = 10_000
_OWNERS_KEPT = 1_024
# A session that nobody used for so long is forgotten.
IDLE_S = 1_800.0
# Use is noted this often at most.
TOUCH_INTERVAL_S = 60.0


class LaneSession(Struct):
    """A session, as its client began it."""

    version: str
    # Its name and version.
    client: tuple[str, str]
    owner: AuthorizationContext | None
    # The parameters of `initialize` with which the SDK begins the session once a request needs that;
    # b"" where it has begun it itself.
    opening: bytes = b""
    used_at: float = 0.0
    stream: ChangeStream | None = None


class Sessions:
    """Tells which sessions are served here. `manager` is there while the application runs."""

    def __init__(self) -> None:
        self.manager: StreamableHTTPSessionManager | None = None
        # Under way; then the SDK knows these sessions, too.
        self.adoptions: dict[str, asyncio.Task[None]] = {}
        # Who was used last is last, to a minute.
        self._kept: dict[str, LaneSession] = {}
        self._connections: WeakValueDictionary[str, Connection] = WeakValueDictionary()

    def __len__(self) -> int:
        begun = self.manager._server_instances.keys() if self.manager is not None else set()
        return len(self._kept.keys() | begun)

    def begin(self, version: str, client: tuple[str, str], caller: Caller, opening: bytes) -> str:
        """The id of a new session of the caller."""
        owner = _owner_of(caller)
        session_id = write_session_id(version, owner)
        self._keep(session_id, LaneSession(version, client, owner, opening))
        return session_id

    def note(self, connection: Connection) -> None:
        """The SDK has begun a session here, or begins one of ours."""
        if connection.session_id is not None:
            self._connections[connection.session_id] = connection

    def find(self, session_id: str, caller: Caller) -> LaneSession | None:
        """The caller's own session; None where it is not sure to be served."""
        session = self._kept.get(session_id) or self._read(session_id)
        if session is None or session.owner != _owner_of(caller):
            return None
        assert self.manager is not None  # noqa: S101 - it serves
        transport: Any = self.manager._server_instances.get(session_id)
        now = asyncio.get_running_loop().time()
        if transport is None:
            if not session.opening:
                self.forget(session_id)
                return None
        elif transport.is_terminated or transport.idle_scope.cancel_called:
            return None
        elif transport.idle_scope.deadline < now + transport._idle_timeout - TOUCH_INTERVAL_S:
            # anyio's clock is the loop's. The deadline is infinite while FastMCP serves a request.
            transport.idle_scope.deadline = now + transport._idle_timeout
        if session.used_at < now - TOUCH_INTERVAL_S:
            self._keep(session_id, self._kept.pop(session_id))
        return session

    def find_alone(self, session_id: str) -> LaneSession | None:
        """A session that the SDK has not begun, nor is about to, since no request has needed it there."""
        session = self._kept.get(session_id)
        assert self.manager is not None  # noqa: S101 - it serves
        begun = self.manager._server_instances
        is_alone = session_id not in begun and session_id not in self.adoptions
        return session if session is not None and session.opening and is_alone else None

    def find_number(self, session_id: str, caller: Caller) -> UUID | None:
        """That of a session of the caller's which the SDK knows nothing of."""
        alone = self.find_alone(session_id)
        owner = _owner_of(caller)
        read = read_session_id(session_id, owner) if alone and alone.owner == owner else None
        return read[1] if read is not None else None

    def forget(self, session_id: str) -> None:
        """The session has ended, or is unused."""
        session = self._kept.pop(session_id, None)
        if session is not None and session.stream is not None:
            session.stream.end()

    def tell_changed(self) -> None:
        """The list of tools has changed."""
        for session in self._kept.values():
            if session.stream is not None:
                session.stream.tell()

    def close(self) -> None:
        """End what is streamed; otherwise a stop waits for it."""
        for session in self._kept.values():
            if session.stream is not None:
                session.stream.end()

    def _read(self, session_id: str) -> LaneSession | None:
        connection = self._connections.get(session_id)
        if connection is None or self.manager is None or not connection.initialize_accepted:
            return None
        client, owner = (
            read_session_client(connection),
            self.manager._session_owners.get(session_id),
        )
        session = LaneSession(connection.protocol_version, client, owner)
        self._keep(session_id, session)
        return session

    def _keep(self, session_id: str, session: LaneSession) -> None:
        now = session.used_at = asyncio.get_running_loop().time()
        while self._kept:
            oldest_id, oldest = next(iter(self._kept.items()))
            has_room = len(self._kept) < MOST_SESSIONS
            if has_room and oldest.used_at > now - IDLE_S:
                break
            if has_room and oldest.stream is not None:
                # Who listens uses it.
                oldest.used_at = now
                self._kept[oldest_id] = self._kept.pop(oldest_id)
            else:
                self.forget(oldest_id)
        self._kept[session_id] = session


def _owner_of(caller: Caller) -> AuthorizationContext | None:
    """As the SDK has who began a session; None where anybody may call."""
    if caller.key_id:
        return _owner(caller.key_id)
    if (holder := caller.holder) is not None:
        return _owner(holder.client_id, holder.issuer, holder.subject)
    return None


@lru_cache(_OWNERS_KEPT)
def _owner(
    client_id: str, issuer: str | None = None, subject: str | None = None
) -> AuthorizationContext:
    """One for all sessions of whoever it is."""
    return AuthorizationContext(client_id=client_id, issuer=issuer, subject=subject)


def find_manager(app: Starlette, path: str) -> StreamableHTTPSessionManager:
    """What serves the path of a running application; FastMCP has no public place for it."""
    endpoint: Any = next(
        route.endpoint for route in app.routes if isinstance(route, Route) and route.path == path
    )
    while not isinstance(endpoint, StreamableHTTPASGIApp):
        endpoint = endpoint.app
    assert endpoint.session_manager is not None  # noqa: S101 - the application runs
    return endpoint.session_manager
