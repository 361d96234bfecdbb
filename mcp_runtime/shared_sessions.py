"""Sessions of earlier protocols that every process serves: the id of a session says all there is to know."""

import asyncio
import logging
from typing import Any
from uuid import UUID

import msgspec
from django.db import Error as DatabaseError
from mcp.server.auth.middleware.bearer_auth import (
    AuthenticatedUser,
    AuthorizationContext,
    authorization_context,
)
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager, _error_response
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from access.database_thread import DatabaseThread
from access.models import EndedSession
from core.json_text import encode_json
from mcp_runtime.lane.lane import DirectLane
from mcp_runtime.lane.requests import (
    agree_on_version,
    concerns_another_request,
    is_plain,
    read_cancellation,
    read_opening,
)
from mcp_runtime.lane.sessions import LaneSession
from mcp_runtime.lane.streams import ChangeStream
from mcp_runtime.session_ids import read_session_id, write_session_id
from mcp_runtime.session_news import NewsWriter, SessionNews

logger = logging.getLogger(__name__)

# So long the first request of a session here waits to hear whether its client has ended it elsewhere.
PATIENCE_S = 2.0
# While it is begun a session takes twice what it takes then; more at once are not begun faster.
MOST_OPENINGS = 8

_OPENING: dict[str, Any] = {"jsonrpc": "2.0", "id": "adoption", "method": "initialize"}
# What the client said of itself is not known here.
_ABOUT: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "", "version": ""}}
# What ASGI gives an application for one request.
_Exchange = tuple[Scope, Receive, Send]


class SharedSessions:
    """ASGI, to be put directly before the SDK's session manager.

    A session that began in another process, or in the direct lane, is begun here with the same id, by a
    handshake that its client does not see; then the SDK serves it like its own. What a session of the
    lane can be answered without that is answered so. That the client ends the session, and
    what it says of requests that may run elsewhere, goes to the other processes by the database.
    """

    def __init__(
        self,
        database: DatabaseThread,
        news: NewsWriter,
        manager: StreamableHTTPSessionManager,
        lane: DirectLane,
    ) -> None:
        self._database = database
        self._news = news
        self._manager = manager
        self._lane = lane
        self._openings = asyncio.Semaphore(MOST_OPENINGS)
        self._following: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, body = Headers(scope=scope), b""
        named = headers.get(MCP_PROTOCOL_VERSION_HEADER)
        if named is not None and named not in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._manager._handle_request(scope, receive, send)
            return
        if scope["method"] == "POST":
            # BodyLimit has collected it.
            message = await receive()
            body, receive = message.get("body", b""), _replay(message, receive)
        user = scope.get("user")
        owner = authorization_context(user) if isinstance(user, AuthenticatedUser) else None
        session_id = headers.get(MCP_SESSION_ID_HEADER)
        if session_id is None:
            requested = read_opening(body)
            if requested is not None:
                new_id = write_session_id(agree_on_version(requested), owner)
                async with self._openings:
                    is_open = await self._open(new_id, owner, (scope, receive, send))
                if is_open:
                    return
        elif (session := read_session_id(session_id, owner)) is not None:
            is_enough = _needs_no_sdk(scope, body)
            alone = self._lane.sessions.find_alone(session_id) if is_enough else None
            if alone is None:
                await self._adopt(session_id, owner, *session)
            await self._tell_others(scope["method"], body, session_id, session[1])
            if scope["method"] == "DELETE":
                self._lane.sessions.forget(session_id)
            if alone is not None:
                await self._answer_alone(session_id, alone, (scope, receive, send))
                return
        await self._manager._handle_request(scope, receive, send)

    async def _adopt(
        self, session_id: str, owner: AuthorizationContext | None, version: str, number: UUID
    ) -> None:
        """Begin the session here too, unless it is known or its client has ended it."""
        known, adoptions = self._lane.sessions.find_alone(session_id), self._lane.sessions.adoptions

        async def adopt() -> None:
            about = _ABOUT
            if known is not None:
                about = msgspec.json.decode(known.opening)
            elif await self._is_ended(number):
                return
            opening = encode_json(_OPENING | {"params": about | {"protocolVersion": version}})
            await self._open(session_id, owner, _exchange(session_id, opening))

        adoption = adoptions.get(session_id)
        if adoption is None:
            if session_id in self._manager._server_instances:
                return
            adoption = asyncio.create_task(adopt())
            adoptions[session_id] = adoption
            adoption.add_done_callback(lambda _: adoptions.pop(session_id))
        await asyncio.shield(adoption)

    async def _is_ended(self, number: UUID) -> bool:
        if self._news.has_ended(number):
            return True
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self._database.call(is_ended, number)
        except (DatabaseError, TimeoutError):
            logger.warning("a session is taken for open: the database is away")
        return False

    async def _answer_alone(
        self, session_id: str, session: LaneSession, exchange: _Exchange
    ) -> None:
        """Answer a request that needs no session of the SDK, as it would."""
        scope, receive, send = exchange
        lines, status = {MCP_SESSION_ID_HEADER: session_id}, 202
        if scope["method"] == "GET":
            if session.stream is not None:
                refusal = _error_response(
                    "Conflict: Only one SSE stream is allowed per session", 409
                )
                refusal.headers.update(lines)
                await refusal(scope, receive, send)
                return
            session.stream = ChangeStream()
            try:
                await session.stream.serve(lines, receive, send)
            finally:
                session.stream = None
            return
        if scope["method"] == "DELETE":
            status = 200
        answer = Response(None, status, lines, media_type="application/json")
        await answer(scope, receive, send)

    async def _open(
        self, session_id: str, owner: AuthorizationContext | None, exchange: _Exchange
    ) -> bool:
        """Let the SDK begin a session with this id; False where it has as many as it takes."""
        manager = self._manager
        transport = manager._admit_session(owner)
        if transport is None:
            return False
        # The SDK has registered it by an id of its own making.
        given, transport.mcp_session_id = str(transport.mcp_session_id), session_id
        manager._server_instances[session_id] = manager._server_instances.pop(given)
        if owner is not None:
            manager._session_owners[session_id] = manager._session_owners.pop(given)
        await manager._serve_opening_request(transport, *exchange)
        return True

    async def _tell_others(self, method: str, body: bytes, session_id: str, number: UUID) -> None:
        """Publish what this request of the session's own client means for other processes."""
        if (cancelled := read_cancellation(body)) is not None:
            self._lane.cancel(session_id, cancelled)
        if method == "DELETE":
            await self._news.end(session_id, number)
        elif concerns_another_request(body):
            await self._news.tell(session_id, body.decode(errors="replace"))

    def hear(self, payload: str) -> None:
        """Follow, soon, what another process tells."""
        if (news := self._news.read(payload)) is not None:
            task = asyncio.create_task(self._follow(news))
            self._following.add(task)
            task.add_done_callback(self._following.discard)

    async def _follow(self, news: SessionNews) -> None:
        if adoption := self._lane.sessions.adoptions.get(news.session_id):
            await adoption
        transport = self._manager._server_instances.get(news.session_id)
        body = news.message.encode()
        if not body:
            self._lane.sessions.forget(news.session_id)
            if transport is not None:
                await self._manager._discard_session(news.session_id, transport)
        elif concerns_another_request(body):
            # No process of ours says anything else: it would be a call that no key was asked for.
            if (cancelled := read_cancellation(body)) is not None:
                self._lane.cancel(news.session_id, cancelled)
            if transport is not None:
                await transport.handle_request(*_exchange(news.session_id, body))


def is_ended(number: UUID) -> bool:
    """Whether the client of this session has ended it, anywhere."""
    return EndedSession.objects.filter(number=number).exists()


def _needs_no_sdk(scope: Scope, body: bytes) -> bool:
    """Whether the direct lane's own session is enough to answer a request that the lane was not sure of."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    match scope["method"]:
        case "GET":
            is_plain_stream = b"last-event-id" not in headers
            return is_plain_stream and b"text/event-stream" in headers.get(b"accept", b"")
        case "POST":
            return is_plain(headers) and read_cancellation(body) is not None
        case _:
            return bool(scope["method"] == "DELETE")


def _replay(message: Message, receive: Receive) -> Receive:
    """The message once more, and then what comes."""
    messages = iter([message])

    async def replay() -> Message:
        return next(messages, None) or await receive()

    return replay


def _exchange(session_id: str, body: bytes) -> _Exchange:
    """A POST of our own in a session, whose answer nobody reads."""

    async def stay() -> Message:
        # Who leaves is not answered to the end.
        await asyncio.get_running_loop().create_future()
        raise ConnectionError

    async def ignore(_: Message) -> None:
        pass

    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        MCP_SESSION_ID_HEADER: session_id,
    }
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": raw}
    message = {"type": "http.request", "body": body, "more_body": False}
    return scope, _replay(message, stay), ignore
