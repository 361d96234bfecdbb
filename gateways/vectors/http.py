"""HTTP/1.1 to one server over kept connections, at a fraction of the cost of a general client."""

import asyncio
import select
from dataclasses import dataclass
from time import monotonic
from typing import cast

import httptools

from gateways.patience import patient_timeout

# Firewalls forget a silent connection after some minutes, and the next request would hang.
MAX_IDLE_S = 60.0
# Far above any answer that is needed; a server that sends more is not Chroma.
MAX_ANSWER_BYTES = 256 * 2**20


class StoreConnectionLostError(ConnectionError):
    """The connection ended before the answer was complete."""


class NotHttpError(Exception):
    """What answers does not speak HTTP, or sends without end."""


@dataclass(frozen=True, slots=True)
class StoreAnswer:
    """What the server said, whatever the status."""

    status: int
    body: bytes


class HttpConnection(asyncio.Protocol):
    """One connection, for one request at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[StoreAnswer] | None = None
        self._parser = httptools.HttpResponseParser(self)
        self._chunks: list[bytes] = []
        self._received_bytes = 0
        self.is_reusable = False

    async def exchange(self, message: bytes) -> StoreAnswer:
        """The answer to a whole request. Raises ConnectionLostError, NotHttpError."""
        if self._transport is None:
            raise StoreConnectionLostError
        self.is_reusable = False
        self._received_bytes = 0
        self._chunks = []
        self._parser = httptools.HttpResponseParser(self)
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(message)
        return await self._answer

    def has_unread(self) -> bool:
        """Whether the server has sent something, or closed, since the loop looked last."""
        if self._transport is None:
            return True
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket").fileno(), select.POLLIN)
        return bool(poll.poll(0))

    def close(self) -> None:
        """End it at once; an answer under way is given up."""
        self.is_reusable = False
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Not isinstance: uvloop's transports are of classes of their own.
        self._transport = cast(asyncio.Transport, transport)
        self.is_reusable = True

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.is_reusable = False
        self._fail(StoreConnectionLostError())

    def data_received(self, data: bytes) -> None:
        self._received_bytes += len(data)
        if self._answer is None or self._answer.done() or self._received_bytes > MAX_ANSWER_BYTES:
            self._fail(NotHttpError())
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            self._fail(NotHttpError())
            self.close()

    def on_message_begin(self) -> None:
        """Called by the parser; a message after the answer is nobody's."""
        if self._answer is not None and self._answer.done():
            self.close()

    def on_body(self, body: bytes) -> None:
        """Called by the parser."""
        self._chunks.append(body)

    def on_message_complete(self) -> None:
        """Called by the parser, for an interim answer (1xx) too."""
        status = self._parser.get_status_code()
        if status >= 200 and self._answer is not None and not self._answer.done():
            self.is_reusable = self._parser.should_keep_alive()
            self._answer.set_result(StoreAnswer(status, b"".join(self._chunks)))
            self._chunks = []

    def _fail(self, error: Exception) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)


class HttpPool:
    """At most `size` connections to one server; belongs to one event loop."""

    def __init__(self, host: str, port: int, *, size: int, connect_timeout_s: float) -> None:
        self._host = host
        self._port = port
        self._connect_timeout_s = connect_timeout_s
        self._slots = asyncio.Semaphore(size)
        self._idle: list[tuple[HttpConnection, float]] = []
        self._is_closed = False
        self._host_header = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    async def request(self, method: str, target: str, body: bytes) -> StoreAnswer:
        """The answer; for requests that may be repeated, because one that is lost is sent again once.

        Raises OSError when there is no connection, NotHttpError. A caller that goes away ends its
        connection with it. Time limits are the caller's, but for connecting.
        """
        head = (
            f"{method} {target} HTTP/1.1\r\nHost: {self._host_header}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        message = head.encode("ascii") + body
        async with self._slots:
            try:
                return await self._send(self._pop_idle() or await self._connect(), message)
            except StoreConnectionLostError:
                # When one was lost, the others most likely are too.
                self._close_idle()
                return await self._send(await self._connect(), message)

    def close(self) -> None:
        """Close what is idle now and the rest as it comes back."""
        self._is_closed = True
        self._close_idle()

    async def _send(self, connection: HttpConnection, message: bytes) -> StoreAnswer:
        try:
            answer = await connection.exchange(message)
        except BaseException:
            connection.close()
            raise
        if connection.is_reusable and not self._is_closed:
            self._idle.append((connection, monotonic()))
        else:
            connection.close()
        return answer

    async def _connect(self) -> HttpConnection:
        loop = asyncio.get_running_loop()
        try:
            async with patient_timeout(self._connect_timeout_s):
                _, connection = await loop.create_connection(HttpConnection, self._host, self._port)
        except TimeoutError as error:
            raise ConnectionError from error
        return connection

    def _pop_idle(self) -> HttpConnection | None:
        while self._idle:
            connection, since = self._idle.pop()
            is_fresh = monotonic() - since < MAX_IDLE_S
            if connection.is_reusable and is_fresh and not connection.has_unread():
                return connection
            connection.close()
        return None

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop()[0].close()
