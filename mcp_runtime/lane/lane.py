"""DirectLane: which requests are answered directly, and their answers."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fastmcp.server.http import HostOriginGuardMiddleware, _host_matches
from msgspec import UNSET

from access.request_ids import HEADER, REQUEST_ID, choose_request_id
from core.errors import ToolboxError
from core.execution import CompiledTool
from core.json_text import encode_json
from core.proxied import ProxiedAnswer, wire_content
from core.results import Answer
from gateways.http_server.direct import DirectAnswer, DirectRequest
from mcp_runtime.auth import KeyVerifier
from mcp_runtime.caller import ANONYMOUS, Caller, ToolCaller
from mcp_runtime.lane.lists import KEPT_METHODS, KeptAnswers, mark
from mcp_runtime.lane.requests import (
    HANDSHAKE,
    MODERN,
    Request,
    has_good_envelope,
    is_plain,
    is_routed,
    read_cancellation,
    read_request,
)
from mcp_runtime.lane.sessions import Sessions
from tools.builtin.tool import BuiltinTool, RefusedAnswer

logger = logging.getLogger(__name__)

_JSON = b"content-type: application/json\r\n"
_MOST_HOSTS = 256
_CANCELLED = b'{"jsonrpc":"2.0","id":%b,"error":{"code":-32800,"message":"Request cancelled"}}'


@dataclass(slots=True)
class Exchange:
    """One request that is taken: who makes it, in which version, and what its answer repeats."""

    request: Request
    caller: Caller
    version: str
    headers: bytes
    request_id: str
    # '' outside of sessions.
    session_id: str = ""
    # What a result of this version ends with.
    tail: bytes = b""

    @property
    def id_json(self) -> bytes:
        return encode_json(self.request.id)

    def answer(self, result: bytes) -> DirectAnswer:
        """The JSON-RPC answer with this result."""
        body = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (self.id_json, result)
        return DirectAnswer(self.headers, body)


class DirectLane:
    """Answers plain requests of both eras with the same ToolCaller, keys and snapshot as FastMCP's way."""

    def __init__(
        self,
        path: str,
        *,
        tool_caller: ToolCaller,
        verifier: KeyVerifier | None,
        guard: HostOriginGuardMiddleware,
        server_info: Callable[[], dict[str, Any]],
        stateless: bool,
    ) -> None:
        """`verifier` None: anybody may call. `stateless`: earlier versions have no sessions."""
        self.path = path.encode()
        self.sessions = Sessions()
        self.kept = KeptAnswers()
        self._tool_caller = tool_caller
        self._verifier = verifier
        self._guard = guard
        self._server_info = server_info
        self._stateless = stateless
        self._hosts: dict[tuple[bytes, str], bool] = {}
        # Calls of sessions, which their clients may cancel by a notification.
        self._running: dict[tuple[str, int | str], asyncio.Task[Any]] = {}

    def begin(
        self, request: DirectRequest
    ) -> DirectAnswer | Coroutine[Any, Any, DirectAnswer] | None:
        """The answer, or what will give it; None for everything that is not plain."""
        exchange = self._open(request)
        if exchange is None:
            return None
        body, snapshot = exchange.request, self._tool_caller.snapshot()
        match body.method:
            case "tools/call":
                tool = None if body.params.name is UNSET else snapshot.find(body.params.name)
                is_own = isinstance(tool, (CompiledTool, BuiltinTool))
                return self._call(exchange) if is_own else None
            case "ping" if exchange.session_id:
                return exchange.answer(b"{}")
            case method if method in KEPT_METHODS and body.params.name is UNSET:
                key = (method, exchange.version, exchange.caller.facts.allowed_tools)
                if (result := self.kept.find(snapshot, key)) is not None:
                    return exchange.answer(result)
                mark(request.scope, snapshot, self._tool_caller.snapshot, key)
        return None

    def _open(self, request: DirectRequest) -> Exchange | None:
        headers = request.headers
        caller = self._find_caller(headers)
        if caller is None or not is_plain(headers) or not self._is_our_host(request):
            return None
        body, session_id = read_request(request.body), ""
        named = headers.get(b"mcp-protocol-version", b"")
        if (version := MODERN.get(named)) is not None:
            if body is None or not is_routed(headers, body):
                return None
        else:
            session_id = headers.get(b"mcp-session-id", b"").decode("latin-1")
            version = self._find_handshake(named, session_id, caller)
            if body is None and version is not None:
                self._cancel(session_id, request.body)
        if body is None or version is None:
            return None
        if not has_good_envelope(body.method, version, body.params.meta):
            return None
        request_id = choose_request_id(headers.items())
        lines = [_JSON, b"%b: %b\r\n" % (HEADER, request_id.encode())]
        if session_id:
            lines.append(b"mcp-session-id: %b\r\n" % session_id.encode())
        tail = self._modern_tail if version in MODERN.values() else b""
        return Exchange(body, caller, version, b"".join(lines), request_id, session_id, tail)

    def _find_caller(self, headers: dict[bytes, bytes]) -> Caller | None:
        if self._verifier is None:
            return ANONYMOUS
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        return self._verifier.find(token.decode("latin-1")) if scheme == b"Bearer" else None

    def _is_our_host(self, request: DirectRequest) -> bool:
        """As FastMCP's guard has it, which is asked once for each name."""
        host, server = request.headers.get(b"host", b""), request.scope["server"]
        key = (host, server[0] if server else "")
        if key not in self._hosts:
            allowed = self._guard._allowed_hosts_for_scope(request.scope)
            if len(self._hosts) > _MOST_HOSTS:
                self._hosts.clear()
            self._hosts[key] = _host_matches(host.decode("latin-1"), allowed)
        return self._hosts[key]

    def _find_handshake(self, named: bytes, session_id: str, caller: Caller) -> str | None:
        """The version of a request of an earlier era, where its answers are made here."""
        if self._stateless:
            return None if session_id else HANDSHAKE.get(named)
        if named and named not in HANDSHAKE:
            return None
        return self.sessions.find_version(session_id, caller)

    @cached_property
    def _modern_tail(self) -> bytes:
        info = {"io.modelcontextprotocol/serverInfo": self._server_info()}
        return b',"resultType":"complete","_meta":' + encode_json(info)

    async def _call(self, exchange: Exchange) -> DirectAnswer:
        """The answer of a call; the client of a session may cancel it, any client by going away."""
        params = exchange.request.params
        assert params.name is not UNSET  # noqa: S101 - narrows
        arguments = {} if params.arguments is UNSET else params.arguments
        REQUEST_ID.set(exchange.request_id)
        key = (exchange.session_id, exchange.request.id)
        if exchange.session_id and (task := asyncio.current_task()) is not None:
            self._running[key] = task
        try:
            answer = await self._tool_caller.call(exchange.caller, params.name, arguments)
        except ToolboxError as error:
            return exchange.answer(_error_result(str(error), exchange.tail))
        except asyncio.CancelledError:
            if not exchange.session_id or key in self._running:
                raise
            return DirectAnswer(exchange.headers, _CANCELLED % exchange.id_json)
        except Exception:
            # ToolCaller has logged and recorded it; what is inside stays inside.
            logger.debug("a call of %s failed inside the server", params.name, exc_info=True)
            text = f"Error calling tool {params.name!r}"
            return exchange.answer(_error_result(text, exchange.tail))
        finally:
            self._running.pop(key, None)
        return exchange.answer(_call_result(answer, exchange.tail))

    def _cancel(self, session_id: str, body: bytes) -> None:
        """End the call that a notification names; the notification itself goes on to FastMCP."""
        request_id = read_cancellation(body)
        task = None if request_id is None else self._running.pop((session_id, request_id), None)
        if task is not None:
            task.cancel()


def _call_result(answer: Answer, tail: bytes) -> bytes:
    if isinstance(answer, ProxiedAnswer):
        content = encode_json(wire_content(answer))[1:-1]
    else:
        texts = b",".join(b'{"type":"text","text":%b}' % encode_json(t) for t in answer.texts)
        content = b'"content":[%b],"structuredContent":%b' % (
            texts,
            encode_json(answer.structured),
        )
    is_error = b"true" if isinstance(answer, RefusedAnswer) else b"false"
    return b'{%b,"isError":%b%b}' % (content, is_error, tail)


def _error_result(text: str, tail: bytes) -> bytes:
    return b'{"content":[{"type":"text","text":%b}],"isError":true%b}' % (encode_json(text), tail)
