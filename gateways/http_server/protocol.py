"""uvicorn's HTTP protocol with time-outs and bounds, and with the strictness of h11 where it was lax."""

import asyncio
import logging
from collections.abc import Coroutine
from enum import Enum, auto
from math import inf
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from gateways.http_server.direct import (
    HEAD_END,
    MAX_BODY_BYTES,
    DirectAnswer,
    DirectApplication,
    DirectCycle,
    DirectHead,
    DirectRequest,
    KnownHeads,
)
from gateways.http_server.lean import Flow, Pipeline
from gateways.http_server.limits import HttpLimits

logger = logging.getLogger(__name__)

BLANKS = b" \t"
# So long what a client sends after a refusal is read, for nothing.
LINGER_S = 1.0
# So long a request is waited for when the server ends: a proxy may be sending one on a connection that it kept.
PARTING_S = 0.5
INVALID = "Invalid HTTP request received."
ONE_HOST = "A request must have one Host header."


class Phase(Enum):
    """What a connection waits for."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()
    ANSWER = auto()
    REFUSED = auto()


# Until Python 3.12, reading a member of an enumeration costs as much as a call.
_IDLE, _HEAD, _BODY, _ANSWER, _REFUSED = Phase
_READING = (_HEAD, _BODY)


class RefusedRequestError(Exception):
    """A request that is not served, with the status of its answer."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class HttpProtocol(HttpToolsProtocol):
    """One connection. `close_if_late` is to be called about once a second.

    A small POST to the path of `direct` is offered to it when its body is there, as is a DELETE, and to
    the ASGI application where it does not take it. Thousands of connections may be open, and what each call
    touches of its own is read from memory again: each is as small as it can be.
    """

    # With more than 30 attributes an instance would have a dictionary of its own.
    __slots__ = (
        *("_body", "_body_bytes", "_direct", "_first", "_head_bytes", "_heads", "_held"),
        *("_is_parting", "_limits", "_offered", "_parser", "_peer", "_phase", "_phase_began"),
        *("_refusal", "_was_offered", "url"),
    )
    _parser: httptools.HttpRequestParser | None

    def __init__(
        self,
        *,
        limits: HttpLimits,
        direct: DirectApplication | None = None,
        heads: KnownHeads | None = None,
        **parts: Any,
    ) -> None:
        """`heads` are those of all connections of the server."""
        super().__init__(**parts)
        self._parser = None
        self.pipeline = Pipeline()  # type: ignore[assignment]
        self._limits = limits
        self._direct = direct
        self._heads = heads or KnownHeads()
        # What came when nothing of the current request was there yet.
        self._first = b""
        # The head of a request that may be answered directly, and its body so far.
        self._offered: DirectHead | None = None
        self._body = b""
        # The bytes of a known head whose body has not begun.
        self._held = b""
        # Whether the request was offered before, and has waited since.
        self._was_offered = False
        self._peer = ""
        self._phase = _IDLE
        self._phase_began = self.loop.time()
        self._head_bytes = 0
        self._body_bytes = 0
        self._refusal: RefusedRequestError | None = None
        # Whether the next answer is the last one of this connection.
        self._is_parting = False

    @property
    def parser(self) -> httptools.HttpRequestParser:
        """A kilobyte, which a connection holds only while the parser is within a message."""
        if self._parser is None:
            self._parser = httptools.HttpRequestParser(self)
            # As uvicorn has it.
            self._parser.set_dangerous_leniencies(lenient_data_after_close=True)
        return self._parser

    @parser.setter
    def parser(self, parser: httptools.HttpRequestParser | None) -> None:
        self._parser = parser

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if len(self.connections) < self._limits.max_connections:
            super().connection_made(transport)
            self.flow = Flow(transport)
            self._peer = self.client[0] if self.client else ""
            return
        self.transport, self.flow = transport, Flow(transport)
        self._refuse(503, "Too many connections; try again later.")

    def data_received(self, data: bytes) -> None:
        if self._phase is _REFUSED or self.transport.is_closing():
            return
        if self.timeout_keep_alive_task is not None:
            self._unset_keepalive_if_required()
        if self._direct is not None and (self._held or self._phase is _IDLE):
            data = self._held + data
            if self._answer_known(data):
                return
            self._first = data
        was_in_head = self._phase is _HEAD
        while data:
            try:
                self.parser.feed_data(data)
                break
            except httptools.HttpParserUpgrade as upgrade:
                # Nothing here upgrades. The parser would take no body for it, so the head is read once
                # more, without the wish to speak another protocol.
                version = self.parser.get_http_version().encode()
                lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
                lines += [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
                data = b"\r\n".join([*lines, b"", data[upgrade.args[0] :]])
            except httptools.HttpParserError:
                refusal = self._refusal or RefusedRequestError(400, INVALID)
                self._refuse(refusal.status, str(refusal))
                return
        if self._phase is _HEAD:
            # The parser keeps a header to itself until it ends.
            self._head_bytes += len(data) if was_in_head else 0
            if self._head_bytes > self._limits.max_head_bytes:
                self._refuse(431, self._describe_head_limit())
        # Between two messages there is nothing in it.
        self._parser = self._parser if self._phase in _READING else None

    def on_message_begin(self) -> None:
        # uvicorn makes a scope here; a request that is answered directly needs none.
        self.url, self.headers, self.expect_100_continue = b"", [], False
        self._phase, self._phase_began = _HEAD, self.loop.time()
        self._head_bytes = self._body_bytes = 0

    def on_url(self, url: bytes) -> None:
        self._head_bytes += len(url)
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        # What follows a body is no head, and the request is with the application already.
        if self._phase is _HEAD:
            self._head_bytes += len(name) + len(value)
            self.headers.append((name.lower(), value.strip(BLANKS)))

    def on_headers_complete(self) -> None:
        if self._head_bytes > self._limits.max_head_bytes:
            raise self._refused(431, self._describe_head_limit())
        headers = dict(self.headers)
        is_plain = len(headers) == len(self.headers)
        if b"host" not in headers:
            is_plain = False
            if self.parser.get_http_version() != "1.0":
                raise self._refused(400, ONE_HOST)
        elif not is_plain and sum(name == b"host" for name, _ in self.headers) > 1:
            raise self._refused(400, ONE_HOST)
        method = self.parser.get_method()
        if method == b"CONNECT":
            raise self._refused(400, "This is no proxy.")
        if self.parser.should_upgrade():
            return
        self.expect_100_continue = headers.get(b"expect", b"").lower() == b"100-continue"
        self._phase, self._phase_began = _BODY, self.loop.time()
        if is_plain and self._may_be_direct(method, headers):
            assert self._direct is not None  # noqa: S101 - narrows
            path = self.url[len(self._direct.path) + 1 :]
            keep_alive = self.parser.should_keep_alive()
            self._offered = DirectHead(headers, path, method=method, keep_alive=keep_alive)
            self._body = b""
        else:
            self._begin_cycle()

    def _may_be_direct(self, method: bytes, headers: dict[bytes, bytes]) -> bool:
        """Whether a request is a small POST or a bare DELETE, of a client that waits for its answer."""
        size = headers.get(b"content-length", b"")
        if method == b"POST":
            is_small = size.isdigit() and len(size) < 6 and int(size) <= MAX_BODY_BYTES
        else:
            is_bare = size in (b"", b"0") and b"transfer-encoding" not in headers
            is_small = method == b"DELETE" and is_bare
        return (
            is_small
            and self._direct is not None
            and (self.url == self._direct.path or self._is_below(self._direct.path))
            and not self.expect_100_continue
            and self._is_ready
        )

    @property
    def _is_ready(self) -> bool:
        """Whether every answer before was given, and read by the client."""
        answered = self.cycle is None or self.cycle.response_complete
        return answered and not self.flow.write_paused

    def _answer_known(self, data: bytes) -> bool:
        """Whether the data are a request with a head that was parsed before; the head alone is held back."""
        if self._held:
            self._held, self._offered, self._phase = b"", None, _IDLE
        head, body = self._heads.find(data)
        if head is None or not self._is_ready:
            return False
        if len(body) == head.body_bytes:
            return self._answer_directly(head, body) or self._offer_again(head, data)
        if body:
            return False
        # Many clients send head and body apart.
        self._held, self._offered = data, head
        self._begin(_BODY)
        return True

    def _offer_again(self, head: DirectHead, data: bytes) -> bool:
        """Whether a request waits to be offered once more; nothing else of the client is read meanwhile.

        `data` are the bytes of that request alone. The last one of a connection could not be parsed again.
        """
        assert self._direct is not None  # noqa: S101 - narrows
        if self._was_offered or not head.keep_alive:
            return False
        if (waiting := self._direct.wait_for(head)) is None:
            return False
        self.cycle = cycle = DirectCycle(self.tasks)  # type: ignore[assignment]
        self._begin(_ANSWER)
        self.flow.pause_reading()

        def offer(_waiting: asyncio.Future[Any]) -> None:
            cycle.response_complete = True
            if cycle.disconnected or self.transport.is_closing():
                return
            self._begin(_IDLE)
            self.flow.resume_reading()
            self._was_offered = True
            self.data_received(data)
            self._was_offered = False
            if not cycle.keep_alive:
                # The server ends since then.
                self.shutdown()

        waiting.add_done_callback(offer)
        return True

    def _is_below(self, path: bytes) -> bool:
        above, _, name = self.url.rpartition(b"/")
        return above == path and name != b""

    def _begin_cycle(self) -> None:
        """Give the request to the application."""
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers += headers
        super().on_headers_complete()
        self.cycle.keep_alive &= not self._is_parting

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        if self._body_bytes > self._limits.max_body_bytes:
            raise self._refused(
                413, f"The body of a request may have {self._limits.max_body_bytes} bytes."
            )
        if self._offered is None:
            super().on_body(body)
        else:
            self._body += body

    def on_message_complete(self) -> None:
        if self._phase is _HEAD:
            return
        first, self._first = self._first, b""
        if (head := self._offered) is not None:
            self._offered = None
            if is_taken := self._answer_directly(head, self._body):
                self._heads.keep(head, first, self._body)
            else:
                _, end, rest = first.partition(HEAD_END)
                is_taken = bool(end) and rest == self._body and self._offer_again(head, first)
            if is_taken:
                self.headers, self._body = [], b""
                return
            self._begin_cycle()
            super().on_body(self._body)
        super().on_message_complete()
        self._begin(_IDLE if self.cycle.response_complete else _ANSWER)

    def _answer_directly(self, head: DirectHead, body: bytes) -> bool:
        """Whether the request was taken; the answer may come later."""
        assert self._direct is not None  # noqa: S101 - narrows
        request = DirectRequest(head, body, self.server, self._peer, self._was_offered)
        try:
            begun = self._direct.begin(request)
        except Exception:
            logger.exception("a request could not be answered directly")
            return False
        if begun is None:
            return False
        keeps = head.keep_alive and not self._is_parting
        cycle = DirectCycle(self.tasks, keep_alive=keeps)
        self.cycle = cycle  # type: ignore[assignment]
        self._begin(_ANSWER)
        if isinstance(begun, DirectAnswer):
            self._write_answer(cycle, begun)
        else:
            cycle.task = self.loop.create_task(self._answer_later(cycle, begun))
            self.tasks.add(cycle.task)
        return True

    async def _answer_later(
        self, cycle: DirectCycle, coming: Coroutine[Any, Any, DirectAnswer]
    ) -> None:
        try:
            self._write_answer(cycle, await coming)
        except Exception:
            logger.exception("a request failed inside the server")
            self.transport.close()
        finally:
            # A callback of the task would be a step of the loop more.
            self.tasks.discard(cycle.task)
            cycle.task = None

    def _write_answer(self, cycle: DirectCycle, answer: DirectAnswer) -> None:
        cycle.response_complete = True
        if cycle.disconnected or self.transport.is_closing():
            return
        usual = self._heads.write_usual(self.server_state.default_headers)
        end = b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n"
        self.transport.write(
            b"%b%b%bcontent-length: %d\r\n%b%b"
            % (
                *(STATUS_LINE[answer.status], usual, answer.headers),
                *(len(answer.body), end, answer.body),
            )
        )
        if not cycle.keep_alive:
            self.transport.close()
        elif self.pipeline:
            self.on_response_complete()
        else:
            # Without uvicorn's timer for idle connections: the sweep ends those.
            self.server_state.total_requests += 1
            self._begin(_IDLE if self._phase is _ANSWER else self._phase)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # `cycle` is of the last request that has come, which may be another one.
        is_idle = self._phase is _ANSWER and self.cycle.response_complete
        self._begin(_IDLE if is_idle else self._phase)

    def shutdown(self) -> None:
        """The server ends: the next answer is the last, of a request that is here or comes within a moment."""
        self._is_parting = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False
        else:
            self.loop.call_later(PARTING_S, self._part)

    def _part(self) -> None:
        if not self._is_answering_another():
            self.transport.close()

    def close_if_late(self) -> None:
        """Close the connection if its client is over the time of the phase; an answer has no limit."""
        limits = self._limits
        if self._phase is _ANSWER or self.transport.is_closing():
            return
        if self.flow.read_paused or self._is_answering_another():
            # It is we who do not read.
            self._begin(self._phase)
            return
        waited_s = self.loop.time() - self._phase_began
        most_s = {_REFUSED: LINGER_S, _IDLE: limits.idle_timeout_s}.get(self._phase, inf)
        if waited_s > most_s:
            self.transport.close()
        elif self._phase is _HEAD and waited_s > limits.head_timeout_s:
            self._refuse(408, f"The head of a request must come within {limits.head_timeout_s} s.")
        elif self._phase is _BODY and waited_s > limits.body_timeout_s:
            self._refuse(408, f"The body of a request must come within {limits.body_timeout_s} s.")

    def _begin(self, phase: Phase) -> None:
        self._phase, self._phase_began = phase, self.loop.time()

    def _describe_head_limit(self) -> str:
        return f"The head of a request may have {self._limits.max_head_bytes} bytes."

    def _refused(self, status: int, text: str) -> RefusedRequestError:
        # The parser raises an error of its own instead.
        self._refusal = RefusedRequestError(status, text)
        return self._refusal

    def _is_answering_another(self) -> bool:
        """Whether an earlier request of this connection is being answered still."""
        if self._phase is _BODY:
            return bool(self.pipeline)
        return self.cycle is not None and not self.cycle.response_complete

    def _refuse(self, status: int, text: str) -> None:
        """Answer with the text unless an answer is under way, and close.

        What the client still sends is taken for a moment: closed at once, the connection would be
        reset, and the client might never read why.
        """
        is_begun = self._phase is _BODY and self._offered is None and self.cycle.response_started
        if self._is_answering_another() or is_begun:
            self.transport.close()
            return
        body = text.encode()
        head = (
            b"content-type: text/plain; charset=utf-8\r\n"
            b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body)
        )
        self.transport.write(STATUS_LINE[status] + head + body)
        if self in self.connections and self.transport.can_write_eof():
            self.transport.write_eof()
            self._begin(_REFUSED)
        else:
            self.transport.close()
