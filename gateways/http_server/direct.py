"""What answers a request before the ASGI application, and the place it takes among uvicorn's cycles."""

import asyncio
from array import array
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol, Self

from msgspec import Struct

MAX_BODY_BYTES = 65_536
HEAD_END = b"\r\n\r\n"
# Each has some 3 KiB.
MOST_HEADS = 1_024
# Numbers of two bytes that tell which heads have come before.
MARKS = 16_384


class DirectHead:
    """The head of a small POST, or of a DELETE without a body, whose headers are there once each.

    `path` is below the application's own.

    An application that judges heads alone, and not bodies, may leave what it found in `judged`: the head
    is then kept, and neither parsed nor judged again for whoever sends the same bytes.
    """

    __slots__ = ("body_bytes", "headers", "judged", "keep_alive", "method", "path")

    def __init__(
        self,
        headers: dict[bytes, bytes],
        path: bytes = b"",
        *,
        method: bytes = b"POST",
        keep_alive: bool = True,
    ) -> None:
        """`keep_alive`: whether the client asks more on this connection."""
        self.headers, self.path, self.keep_alive = headers, path, keep_alive
        self.method = method
        self.body_bytes = int(headers.get(b"content-length", b"0"))
        self.judged: Any = None


class DirectRequest(Struct, frozen=True):
    """A request with this head and body.

    `server` is the address that it came to, as ASGI has it, and `peer` that of the other end of the
    connection, '' if unknown. `has_waited` says that it is offered once more, after what `wait_for` gave.
    """

    head: DirectHead
    body: bytes
    server: tuple[str, int | None] | None
    peer: str = ""
    has_waited: bool = False


class KnownHeads:
    """What all connections of a server know of heads: those of requests by their bytes, and the lines that all answers have.

    Clients send the same ones again and again. One is kept when it comes for the second time. Those of short sessions come once; kept, each would
    hold a page of memory long after the burst that it was part of.
    """

    def __init__(self) -> None:
        self._heads: dict[bytes, DirectHead] = {}
        # Where a head's hash says, another part of it.
        self._marks = array("H", bytes(2 * MARKS))
        # uvicorn's headers of every answer, which it makes once a second, and their lines.
        self._usual: tuple[object, bytes] = (None, b"")

    def find(self, data: bytes) -> tuple[DirectHead | None, bytes]:
        """The head with which the data begin, None for an unknown one, and what follows it."""
        lines, end, rest = data.partition(HEAD_END)
        return self._heads.get(lines) if end else None, rest

    def keep(self, head: DirectHead, data: bytes, body: bytes) -> None:
        """Remember a judged head that came before, or that it came.

        `data` are what came first of the request, and nothing is kept where more is in them than its
        head and its `body`: they were all that the parser read.
        """
        lines, end, rest = data.partition(HEAD_END)
        if head.judged is None or not end or rest not in (b"", body):
            return
        mark = hash(lines) & 0xFFFFFFFF
        place, value = mark % MARKS, mark // MARKS % 0xFFFF + 1
        if self._marks[place] != value:
            self._marks[place] = value
            return
        if len(self._heads) >= MOST_HEADS:
            self._heads.clear()
        self._heads[lines] = head

    def write_usual(self, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
        """The lines of headers that all answers have."""
        if headers is not self._usual[0]:
            self._usual = headers, b"".join(b"%b: %b\r\n" % header for header in headers)
        return self._usual[1]


class DirectAnswer(Struct, frozen=True):
    """An answer: header lines, each with its line end, the body, and the status."""

    headers: bytes
    body: bytes
    status: int = 200


class DirectApplication(Protocol):
    """Answers what it is sure of, and leaves everything else to the application.

    `path` is its own; what is one level below it is offered, too.
    """

    path: bytes

    def begin(
        self, request: DirectRequest
    ) -> DirectAnswer | Coroutine[Any, Any, DirectAnswer] | None:
        """The answer, or what will give it; None for a request of the application."""

    def wait_for(self, head: DirectHead) -> asyncio.Future[Any] | None:
        """After what a request with a judged head, which was not taken, is worth to be offered once more."""


def run_to_end(coming: Coroutine[Any, Any, DirectAnswer]) -> DirectAnswer:
    """The answer of a coroutine that waits for nothing, without a task. Raises RuntimeError if it waits."""
    try:
        coming.send(None)
    except StopIteration as end:
        answer: DirectAnswer = end.value
        return answer
    coming.close()
    raise RuntimeError


class DirectCycle:
    """Stands where uvicorn has the cycle of the request that is being answered."""

    __slots__ = (
        *("disconnected", "keep_alive", "response_complete", "task"),
        "_tasks",
    )

    def __init__(self, tasks: set[asyncio.Task[None]], *, keep_alive: bool = True) -> None:
        """`tasks` are those that the server waits for when it ends."""
        self._tasks = tasks
        self.response_complete = self.disconnected = False
        self.keep_alive = keep_alive
        self.task: asyncio.Task[None] | None = None

    @property
    def message_event(self) -> Self:
        """What uvicorn sets when the client has gone."""
        # As an attribute it would leave each cycle to the collector of garbage.
        return self

    def set(self) -> None:
        """The client has gone, or sends no more: nobody waits for the answer."""
        if self.task is not None and self.disconnected:
            # One that has not begun yet never does, and cannot leave them itself.
            self.task.add_done_callback(self._tasks.discard)
            self.task.cancel()
