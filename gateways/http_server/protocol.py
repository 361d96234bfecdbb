"""uvicorn's HTTP protocol with time-outs and bounds, and with the strictness of h11 where it was lax."""

import asyncio
from enum import Enum, auto
from typing import Any

import httptools
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from gateways.http_server.limits import HttpLimits

BLANKS = b" \t"
INVALID = "Invalid HTTP request received."


class Phase(Enum):
    """What a connection waits for."""

    IDLE = auto()
    HEAD = auto()
    BODY = auto()
    ANSWER = auto()


class RefusedRequestError(Exception):
    """A request that is not served, with the status of its answer."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class HttpProtocol(HttpToolsProtocol):
    """One connection. `close_if_late` is to be called about once a second."""

    def __init__(self, *, limits: HttpLimits, **parts: Any) -> None:
        super().__init__(**parts)
        self._limits = limits
        self._phase = Phase.IDLE
        self._phase_began = self.loop.time()
        self._head_bytes = 0
        self._body_bytes = 0
        self._refusal: RefusedRequestError | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        if len(self.connections) < self._limits.max_connections:
            super().connection_made(transport)
            return
        self.transport, self.flow = transport, FlowControl(transport)
        self._refuse(503, "Too many connections; try again later.")

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._unset_keepalive_if_required()
        was_in_head = self._phase is Phase.HEAD
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
        if was_in_head and self._phase is Phase.HEAD:
            # The parser keeps a header to itself until it ends.
            self._head_bytes += len(data)
            if self._head_bytes > self._limits.max_head_bytes:
                self._refuse(431, self._describe_head_limit())

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._begin(Phase.HEAD)
        self._head_bytes = self._body_bytes = 0

    def on_url(self, url: bytes) -> None:
        self._count_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        # What follows a body is no head, and the request is with the application already.
        if self._phase is Phase.HEAD:
            self._count_head(len(name) + len(value))
            super().on_header(name, value.strip(BLANKS))

    def on_headers_complete(self) -> None:
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() != "1.0"):
            raise self._refused(400, "A request must have one Host header.")
        if self.parser.get_method() == b"CONNECT":
            raise self._refused(400, "This is no proxy.")
        if not self.parser.should_upgrade():
            self._begin(Phase.BODY)
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._body_bytes += len(body)
        if self._body_bytes > self._limits.max_body_bytes:
            raise self._refused(
                413, f"The body of a request may have {self._limits.max_body_bytes} bytes."
            )
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._phase is Phase.HEAD:
            return
        super().on_message_complete()
        self._begin(Phase.IDLE if self.cycle.response_complete else Phase.ANSWER)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        # `cycle` is of the last request that has come, which may be another one.
        is_idle = self._phase is Phase.ANSWER and self.cycle.response_complete
        self._begin(Phase.IDLE if is_idle else self._phase)

    def close_if_late(self) -> None:
        """Close the connection if its client is over the time of the phase; an answer has no limit."""
        limits = self._limits
        if self._phase is Phase.ANSWER or self.transport.is_closing():
            return
        if self.flow.read_paused or self._is_answering_another():
            # It is we who do not read.
            self._begin(self._phase)
            return
        waited_s = self.loop.time() - self._phase_began
        if self._phase is Phase.IDLE and waited_s > limits.idle_timeout_s:
            self.transport.close()
        elif self._phase is Phase.HEAD and waited_s > limits.head_timeout_s:
            self._refuse(408, f"The head of a request must come within {limits.head_timeout_s} s.")
        elif self._phase is Phase.BODY and waited_s > limits.body_timeout_s:
            self._refuse(408, f"The body of a request must come within {limits.body_timeout_s} s.")

    def _begin(self, phase: Phase) -> None:
        self._phase, self._phase_began = phase, self.loop.time()

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > self._limits.max_head_bytes:
            raise self._refused(431, self._describe_head_limit())

    def _describe_head_limit(self) -> str:
        return f"The head of a request may have {self._limits.max_head_bytes} bytes."

    def _refused(self, status: int, text: str) -> RefusedRequestError:
        # The parser raises an error of its own instead.
        self._refusal = RefusedRequestError(status, text)
        return self._refusal

    def _is_answering_another(self) -> bool:
        """Whether an earlier request of this connection is being answered still."""
        if self._phase is Phase.BODY:
            return bool(self.pipeline)
        return self.cycle is not None and not self.cycle.response_complete

    def _refuse(self, status: int, text: str) -> None:
        """Answer with the text unless an answer is under way, and close."""
        is_begun = self._phase is Phase.BODY and self.cycle.response_started
        if not self._is_answering_another() and not is_begun:
            body = text.encode()
            head = (
                b"content-type: text/plain; charset=utf-8\r\n"
                b"content-length: %d\r\nconnection: close\r\n\r\n" % len(body)
            )
            self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()
