"""Sessions of earlier protocols that every process serves: the id of a session says all there is to know."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import msgspec
from django.core.signing import BadSignature, Signer
from django.db import Error as DatabaseError
from django.db import connection, transaction
from mcp.server.auth.middleware.bearer_auth import (
    AuthenticatedUser,
    AuthorizationContext,
    authorization_context,
)
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION
from msgspec import Struct
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send

from access.database_thread import DatabaseThread
from access.models import EndedSession
from core.json_text import encode_json
from mcp_runtime.lane.requests import concerns_another_request, read_cancellation, read_opening

logger = logging.getLogger(__name__)

SESSIONS_CHANNEL = "toolbuilder_sessions"
# So long the first request of a session here waits to hear whether its client has ended it elsewhere.
PATIENCE_S = 2.0
# While it is begun a session takes twice what it takes then; more at once are not begun faster.
MOST_OPENINGS = 8
# PostgreSQL's limit is 8,000 bytes.
MAX_NEWS_BYTES = 7_000


class SessionNews(Struct):
    """What one process tells the others: a message of a session's client, or that it ended the session ('')."""

    sender: UUID
    session_id: str
    message: str


_OPENING: dict[str, Any] = {"jsonrpc": "2.0", "id": "adoption", "method": "initialize"}
# What the client said of itself is not known here.
_ABOUT: dict[str, Any] = {"capabilities": {}, "clientInfo": {"name": "", "version": ""}}
# What ASGI gives an application for one request.
_Exchange = tuple[Scope, Receive, Send]
_news = msgspec.json.Decoder(SessionNews)


def write_session_id(version: str, owner: AuthorizationContext | None) -> str:
    """A new id: the protocol's version, a random number, and a signature that binds both to the owner."""
    return _signer(owner).sign(f"{version}.{uuid4().hex}")


def read_session_id(session_id: str, owner: AuthorizationContext | None) -> tuple[str, UUID] | None:
    """Version and number of a session; None unless an installation with our SECRET_KEY made the id for the owner."""
    try:
        version, _, number = _signer(owner).unsign(session_id).partition(".")
    except BadSignature:
        return None
    return version, UUID(number)


def _signer(owner: AuthorizationContext | None) -> Signer:
    who = owner["client_id"] if owner else ""
    if owner and owner["issuer"]:
        who = encode_json([who, owner["issuer"], owner["subject"]]).decode()
    return Signer(sep=".", salt=f"mcp session of {who}")


class SharedSessions:
    """ASGI, to be put directly before the SDK's session manager.

    A session that began in another process is begun here with the same id, by a handshake that its
    client does not see; then the SDK serves it like its own. That the client ends the session, and
    what it says of requests that may run elsewhere, goes to the other processes by the database.
    """

    def __init__(
        self,
        runtime_id: UUID,
        database: DatabaseThread,
        manager: StreamableHTTPSessionManager,
        cancel: Callable[[str, int | str], None],
    ) -> None:
        """`cancel` ends a call that runs here outside of the SDK, by its session and its id."""
        self._here = runtime_id
        self._database = database
        self._manager = manager
        self._cancel = cancel
        self._adoptions: dict[str, asyncio.Task[None]] = {}
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
                is_known = requested in HANDSHAKE_PROTOCOL_VERSIONS
                version = requested if is_known else LATEST_HANDSHAKE_VERSION
                new_id = write_session_id(version, owner)
                async with self._openings:
                    is_open = await self._open(new_id, owner, (scope, receive, send))
                if is_open:
                    return
        elif (session := read_session_id(session_id, owner)) is not None:
            await self._adopt(session_id, owner, *session)
            await self._tell_others(scope["method"], body, session_id, session[1])
        await self._manager._handle_request(scope, receive, send)

    async def _adopt(
        self, session_id: str, owner: AuthorizationContext | None, version: str, number: UUID
    ) -> None:
        """Begin the session here too, unless it is known or its client has ended it."""

        async def adopt() -> None:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    if await self._database.call(is_ended, number):
                        return
            except (DatabaseError, TimeoutError):
                logger.warning("a session is taken for open: the database is away")
            opening = encode_json(_OPENING | {"params": _ABOUT | {"protocolVersion": version}})
            await self._open(session_id, owner, _exchange(session_id, opening))

        adoption = self._adoptions.get(session_id)
        if adoption is None:
            if session_id in self._manager._server_instances:
                return
            adoption = asyncio.create_task(adopt())
            self._adoptions[session_id] = adoption
            adoption.add_done_callback(lambda _: self._adoptions.pop(session_id))
        await asyncio.shield(adoption)

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
        is_end = method == "DELETE"
        if not is_end and not concerns_another_request(body):
            return
        text = "" if is_end else body.decode(errors="replace")
        news = msgspec.json.encode(SessionNews(self._here, session_id, text))
        if len(news) > MAX_NEWS_BYTES:
            return
        try:
            await self._database.call(publish_news, news.decode(), number if is_end else None)
        except (DatabaseError, TimeoutError):
            logger.warning("other processes cannot be told of a session; the database is away")

    def hear(self, payload: str) -> None:
        """Follow, soon, what another process tells."""
        try:
            news = _news.decode(payload)
        except msgspec.MsgspecError:
            logger.warning("unreadable news of a session")
            return
        if news.sender != self._here:
            task = asyncio.create_task(self._follow(news))
            self._following.add(task)
            task.add_done_callback(self._following.discard)

    async def _follow(self, news: SessionNews) -> None:
        if adoption := self._adoptions.get(news.session_id):
            await adoption
        transport = self._manager._server_instances.get(news.session_id)
        if transport is None:
            return
        if not news.message:
            await self._manager._discard_session(news.session_id, transport)
            return
        body = news.message.encode()
        if not concerns_another_request(body):
            # No process of ours says so: it would be a call that no key was asked for.
            return
        if (cancelled := read_cancellation(body)) is not None:
            self._cancel(news.session_id, cancelled)
        await transport.handle_request(*_exchange(news.session_id, body))


def is_ended(number: UUID) -> bool:
    """Whether the client of this session has ended it, anywhere."""
    return EndedSession.objects.filter(number=number).exists()


def publish_news(news: str, ended: UUID | None) -> None:
    """Tell the other processes; `ended` is the number of a session that is over for good."""
    with transaction.atomic(), connection.cursor() as cursor:
        if ended is not None:
            EndedSession.objects.bulk_create([EndedSession(number=ended)], ignore_conflicts=True)
        cursor.execute("SELECT pg_notify(%s, %s)", [SESSIONS_CHANNEL, news])


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
