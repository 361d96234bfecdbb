"""What answers a request before the ASGI application, and the place it takes among uvicorn's cycles."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

MAX_BODY_BYTES = 65_536


@dataclass(slots=True)
class DirectRequest:
    """A POST whose headers are there once each.

    `path` is below the application's own, `server` the address that it came to, as ASGI has it, and
    `peer` that of the other end of the connection, '' if unknown.
    """

    headers: dict[bytes, bytes]
    body: bytes
    server: tuple[str, int | None] | None
    path: bytes = b""
    peer: str = ""


class DirectAnswer(NamedTuple):
    """An answer with status 200: header lines, each with its line end, and the body."""

    headers: bytes
    body: bytes


class DirectApplication(Protocol):
    """Answers what it is sure of, and leaves everything else to the application.

    `path` is its own; what is one level below it is offered, too.
    """

    path: bytes

    def begin(
        self, request: DirectRequest
    ) -> DirectAnswer | Coroutine[Any, Any, DirectAnswer] | None:
        """The answer, or what will give it; None for a request of the application."""


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

    __slots__ = ("disconnected", "keep_alive", "message_event", "response_complete", "task")

    def __init__(self) -> None:
        self.response_complete = self.disconnected = False
        self.keep_alive = True
        self.task: asyncio.Task[None] | None = None
        # uvicorn sets it when the client has gone.
        self.message_event = self

    def set(self) -> None:
        """The client has gone, or sends no more: nobody waits for the answer."""
        if self.task is not None and self.disconnected:
            self.task.cancel()
