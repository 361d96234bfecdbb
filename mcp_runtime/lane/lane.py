"""DirectLane: which requests are answered directly."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from fastmcp.server.http import HostOriginGuardMiddleware, _host_matches
from fastmcp.server.low_level import LowLevelServer
from msgspec import UNSET
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from access.calls import CallOrigin
from access.proxies import find_client
from access.request_ids import HEADER, REQUEST_ID, choose_request_id
from core.errors import LimitError, ToolboxError, ToolRestsError
from core.execution import CompiledTool
from core.json_text import encode_json
from gateways.http_server.direct import (
    MAX_BODY_BYTES,
    DirectAnswer,
    DirectHead,
    DirectRequest,
    run_to_end,
)
from mcp_runtime.caller import ANONYMOUS, Caller, ToolCaller
from mcp_runtime.endpoints import CLIENT_ADDRESS, LANGUAGE, choose_language, toolset_of
from mcp_runtime.lane.lists import ToolLists
from mcp_runtime.lane.openings import Openings
from mcp_runtime.lane.requests import (
    HANDSHAKE,
    MAX_ENVELOPE_BYTES,
    MODERN,
    JudgedHead,
    is_initialized,
    is_plain,
    read_cancellation,
    read_envelope,
    read_opening_params,
    read_opening_request,
    read_request,
    read_trace,
)
from mcp_runtime.lane.sessions import LaneSession, Sessions
from mcp_runtime.lane.taken import TakenRequest, write_result
from mcp_runtime.origins import read_session
from mcp_runtime.session_news import NewsWriter
from mcp_runtime.tokens import BearerVerifier
from tools.builtin.tool import BuiltinTool

logger = logging.getLogger(__name__)

_JSON = b"content-type: application/json\r\n"
_MOST_HOSTS = 256
_MOST_ADDRESSES = 1_024


class DirectLane:
    """Answers plain requests of both eras with the same ToolCaller, keys and snapshot as FastMCP's way."""

    def __init__(
        self,
        path: str,
        *,
        tool_caller: ToolCaller,
        verifier: BearerVerifier | None,
        guard: HostOriginGuardMiddleware,
        server: LowLevelServer,
        lists: ToolLists,
        news: NewsWriter,
    ) -> None:
        """`verifier` None: anybody may call."""
        self.path = path.encode()
        self.sessions = Sessions()
        self._lists, self._news = lists, news
        self._tool_caller = tool_caller
        self._verifier = verifier
        self._guard = guard
        self._openings = Openings(server)
        info = {"io.modelcontextprotocol/serverInfo": server.server_info_stamp}
        self._modern_tail = b',"resultType":"complete","_meta":' + encode_json(info)
        self._hosts: dict[tuple[bytes, str], bool] = {}
        self._addresses: dict[tuple[str, bytes], str] = {}
        # Calls of sessions, which their clients may cancel by a notification.
        self._running: dict[tuple[str, int | str], asyncio.Task[Any]] = {}

    def begin(
        self, request: DirectRequest
    ) -> DirectAnswer | Coroutine[Any, Any, DirectAnswer] | None:
        """The answer, or what will give it; None for everything that is not plain."""
        head: JudgedHead | None = request.head.judged
        if head is None or head.peer != request.peer or head.server != request.server:
            head = self._judge(request)
        if head is None:
            return None
        if (caller := self._find_caller(head, has_waited=request.has_waited)) is None:
            return None
        if request.head.method == b"DELETE":
            return self._end_session(head, caller)
        if not head.version and not head.session_id:
            return self._begin_session(head, caller, request.body)
        taken = self._take(head, caller, request.body)
        return self._answer(taken) if isinstance(taken, TakenRequest) else taken

    def _answer(
        self, taken: TakenRequest
    ) -> DirectAnswer | Coroutine[Any, Any, DirectAnswer] | None:
        body, snapshot = taken.body, self._tool_caller.snapshot()
        match body.method:
            case "tools/call":
                name = body.params.name
                tool = None if name is UNSET else snapshot.find_answering(name)
                if not isinstance(tool, (CompiledTool, BuiltinTool)):
                    return None
                is_immediate = isinstance(tool, CompiledTool) and tool.is_immediate
                if is_immediate and self._tool_caller.limits_of(taken.caller, tool.spec.name):
                    # Counting may wait.
                    is_immediate = False
                call = self._call(taken)
                # A task would cost half as much again.
                return run_to_end(call) if is_immediate else call
            case "ping" if taken.session_id:
                return taken.answer(b"{}")
            case "tools/list" if body.params.name is UNSET:
                return taken.answer_list(self._lists.find(snapshot, taken.caller, taken.language))
            case "server/discover" if not taken.session_id and body.params.name is UNSET:
                return taken.answer(self._openings.discover(taken.origin.protocol))
        return None

    def wait_for(self, head: DirectHead) -> asyncio.Future[Any] | None:
        """The reading of the caller's key where it is not fresh in memory."""
        if self._verifier is None or head.judged is None:
            return None
        return self._verifier.keys.reading_of(head.judged.token)

    def _begin_session(self, head: JudgedHead, caller: Caller, body: bytes) -> DirectAnswer | None:
        """The answer to a plain `initialize`; the SDK is not asked before a request needs it."""
        request = read_opening_request(body)
        if request is None or len(request.params) > MAX_ENVELOPE_BYTES:
            return None
        if (read := read_opening_params(bytes(request.params))) is None:
            return None
        version, client, opening = read
        session_id = self.sessions.begin(version, client, caller, opening)
        lines = b"%bmcp-session-id: %b\r\n" % (self._name(head)[1], session_id.encode())
        return DirectAnswer(lines, write_result(request.id, self._openings.initialize(version)))

    def _end_session(
        self, head: JudgedHead, caller: Caller
    ) -> Coroutine[Any, Any, DirectAnswer] | None:
        """What ends a session that is the lane's alone."""
        number = None if head.version else self.sessions.find_number(head.session_id, caller)
        if number is None:
            return None
        told = self._news.end(head.session_id, number)
        # Also where the client does not stay for the answer.
        told.add_done_callback(lambda _: self.sessions.forget(head.session_id))

        async def answer() -> DirectAnswer:
            await told
            return DirectAnswer(self._name(head)[1], b"")

        return answer()

    def _take(
        self, head: JudgedHead, caller: Caller, content: bytes
    ) -> TakenRequest | DirectAnswer | None:
        """The plain request, or the answer to what is none."""
        body, session = read_request(content), None
        if not head.version:
            session = self.sessions.find(head.session_id, caller)
            if session is None:
                return None
            if body is None:
                return self._hear(head, session, content)
        elif body is None or not head.routes(body):
            return None
        version = session.version if session else head.version
        meta = bytes(body.params.meta)
        if len(meta) > MAX_ENVELOPE_BYTES:
            return None
        if (envelope := read_envelope(body.method, version, meta)) is None:
            return None
        client = session.client if session else envelope
        parent = read_trace(meta)
        origin = CallOrigin(*client, version, head.session, head.address, parent, "direct", body.id)
        request_id, lines = self._name(head)
        tail = b"" if session else self._modern_tail
        return TakenRequest(
            body, caller, origin, lines, request_id, head.session_id, tail, head.language
        )

    def _hear(self, head: JudgedHead, session: LaneSession, content: bytes) -> DirectAnswer | None:
        """What a client notifies of in its session; a cancellation goes on, since its call may run elsewhere."""
        if session.opening and is_initialized(content):
            return DirectAnswer(self._name(head)[1], b"", 202)
        if (cancelled := read_cancellation(content)) is not None:
            self.cancel(head.session_id, cancelled)
        return None

    def _name(self, head: JudgedHead) -> tuple[str, bytes]:
        """The request's id, and the lines of its answer's head."""
        request_id = choose_request_id(head.request_id)
        return request_id, b"%b%b: %b\r\n" % (head.lines, HEADER, request_id.encode())

    def _judge(self, request: DirectRequest) -> JudgedHead | None:
        """What the head says; None where it is not plain.

        Kept with the head, unless it names the request: nobody sends that head again.
        """
        head, headers = request.head, request.head.headers
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        is_known = self._verifier is None or scheme == b"Bearer"
        is_end = head.method == b"DELETE"
        is_ordinary = b"origin" not in headers if is_end else is_plain(headers)
        if not (is_known and is_ordinary and self._is_our_host(request)):
            return None
        named, session_id = headers.get(b"mcp-protocol-version"), ""
        if (version := MODERN.get(named or b"", "")) == "":
            if named is not None and named not in HANDSHAKE:
                return None
            session_id = headers.get(b"mcp-session-id", b"").decode("latin-1")
        line = b"mcp-session-id: %b\r\n" % session_id.encode() if session_id else b""
        judged = JudgedHead(
            server=request.server,
            peer=request.peer,
            token=token.decode("latin-1"),
            forwarded=headers.get(b"x-forwarded-for", b"").decode("latin-1"),
            toolset=head.path.decode("latin-1"),
            version=version,
            method=headers.get(b"mcp-method"),
            tool=headers.get(b"mcp-name"),
            session_id=session_id,
            session=read_session(session_id),
            address=self._find_address(request),
            language=choose_language(headers.get(b"accept-language", b"").decode("latin-1")),
            request_id=headers.get(HEADER, b""),
            lines=_JSON + line,
        )
        if not judged.request_id:
            head.judged = judged
        return judged

    def _find_caller(self, head: JudgedHead, *, has_waited: bool) -> Caller | None:
        """Who calls, at the endpoint that it calls; None where it is not sure to see anything there."""
        caller = ANONYMOUS
        if self._verifier is not None:
            known = self._verifier.find(
                head.token, head.peer, head.forwarded, head.toolset, has_waited=has_waited
            )
            if known is None:
                return None
            caller = known
        if head.toolset:
            caller = caller.at(head.toolset)
            return caller if self._tool_caller.snapshot().names_for(caller.facts) else None
        return caller

    def _is_our_host(self, request: DirectRequest) -> bool:
        """As FastMCP's guard has it, which is asked once for each name."""
        host, server = request.head.headers.get(b"host", b""), request.server
        key = (host, server[0] if server else "")
        if key not in self._hosts:
            allowed = self._guard._allowed_hosts_for_scope({"server": server})
            if len(self._hosts) > _MOST_HOSTS:
                self._hosts.clear()
            self._hosts[key] = _host_matches(host.decode("latin-1"), allowed)
        return self._hosts[key]

    def _find_address(self, request: DirectRequest) -> str:
        """The client's address, '' if unknown; read once for each connection's end."""
        key = (request.peer, request.head.headers.get(b"x-forwarded-for", b""))
        if (address := self._addresses.get(key)) is None:
            if len(self._addresses) > _MOST_ADDRESSES:
                self._addresses.clear()
            address = find_client(key[0], key[1].decode("latin-1"))[:45]
            self._addresses[key] = address
        return address

    async def _call(self, taken: TakenRequest) -> DirectAnswer:
        """The answer of a call; the client of a session may cancel it, any client by going away."""
        params = taken.body.params
        assert params.name is not UNSET  # noqa: S101 - narrows
        arguments = {} if params.arguments is UNSET else params.arguments
        token, language = REQUEST_ID.set(taken.request_id), LANGUAGE.set(taken.language)
        key = (taken.session_id, taken.body.id)
        if taken.session_id and (task := asyncio.current_task()) is not None:
            self._running[key] = task
        try:
            return taken.answer_call(
                await self._tool_caller.call(taken.caller, params.name, arguments, taken.origin)
            )
        except ToolboxError as error:
            if isinstance(error, LimitError | ToolRestsError) and error.retry_after_s:
                taken.headers += b"retry-after: %d\r\n" % error.retry_after_s
            return taken.answer_error(str(error))
        except asyncio.CancelledError:
            if not taken.session_id or key in self._running:
                raise
            return taken.answer_cancelled()
        except Exception:
            # ToolCaller has logged and recorded it; what is inside stays inside.
            logger.debug("a call of %s failed inside the server", params.name, exc_info=True)
            return taken.answer_error(f"Error calling tool {params.name!r}")
        finally:
            self._running.pop(key, None)
            REQUEST_ID.reset(token)
            LANGUAGE.reset(language)

    def cancel(self, session_id: str, request_id: int | str) -> None:
        """End the call that the client of a session no longer waits for, where it runs here."""
        if (task := self._running.pop((session_id, request_id), None)) is not None:
            task.cancel()


async def answer_unless_gone(
    call: Coroutine[Any, Any, DirectAnswer], receive: Receive
) -> DirectAnswer | None:
    """The answer of a call, which ends with None when its client goes away."""
    answer, gone = asyncio.ensure_future(call), asyncio.ensure_future(receive())
    try:
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        return answer.result() if answer.done() else None
    finally:
        answer.cancel()
        gone.cancel()


class LateOffer:
    """ASGI middleware: offers a request to the lane once more, after its key was read.

    That it was declined for its key and not for what it asks cannot be told here: others may have had the
    same key read meanwhile. A call ends when its client leaves, as in the lane.
    """

    def __init__(self, app: ASGIApp, lane: DirectLane, verifier: BearerVerifier) -> None:
        self._app, self._lane, self._verifier = app, lane, verifier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope.get("headers", ()))
        token = headers.get(b"authorization", b"").removeprefix(b"Bearer ").decode("latin-1")
        size = headers.get(b"content-length", b"")
        is_small = size.isdigit() and len(size) < 6 and int(size) <= MAX_BODY_BYTES
        is_offered = (
            scope["type"] == "http"
            and scope["method"] == "POST"
            and scope["path"].encode() == self._lane.path
            and not scope["query_string"]
            and len(headers) == len(scope["headers"])
            and is_small
            and token != ""
        )
        access = await self._verifier.check(token) if is_offered else None
        if access is None:
            await self._app(scope, receive, send)
            return
        first: Message | None = await receive()
        begun = None
        if first and first["type"] == "http.request" and not first.get("more_body"):
            head = DirectHead(headers, toolset_of(scope).encode())
            server, peer = scope.get("server"), CLIENT_ADDRESS.get()
            begun = self._lane.begin(DirectRequest(head, first["body"], server, peer, True))
        if begun is not None and not isinstance(begun, DirectAnswer):
            begun = await answer_unless_gone(begun, receive)
            if begun is None:
                return
        if begun is not None:
            lines = [line.split(b": ", 1) for line in begun.headers.splitlines()]
            lines.append([b"content-length", b"%d" % len(begun.body)])
            await send({"type": "http.response.start", "status": begun.status, "headers": lines})
            await send({"type": "http.response.body", "body": begun.body})
            return

        async def receive_again() -> Message:
            nonlocal first
            if first is None:
                return await receive()
            message, first = first, None
            return message

        await self._app(scope, receive_again, send)
