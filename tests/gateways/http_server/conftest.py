"""Real connections to a real uvicorn with our protocol."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn

from gateways.http_server.direct import DirectAnswer, DirectHead, DirectRequest
from gateways.http_server.limits import HttpLimits
from gateways.http_server.protocol import HttpProtocol
from gateways.http_server.serving import server_options

# What is not the subject of a test takes longer than any test may.
PATIENT = HttpLimits(head_timeout_s=600, body_timeout_s=600, idle_timeout_s=600)
# A hang, not a measure.
HANG_S = 60


@dataclass
class Application:
    """Answers with what it was sent; `/long` when `go_on` is set, `/stream` line by line until then."""

    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    scopes: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    cut: int = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.cut += 1
                return
            body, more = body + message["body"], message["more_body"]
        self.bodies.append(body)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        if scope["path"] == "/stream":
            await send({"type": "http.response.body", "body": b"begun\n", "more_body": True})
        if scope["path"] in {"/long", "/stream"}:
            await self.go_on.wait()
        await send({"type": "http.response.body", "body": scope["path"].encode()})


@dataclass
class Direct:
    """Takes every request to `/` that is offered, or none of them; counts them, and those cut short.

    Heads are judged, so that each is known when it comes again.
    """

    answers: bool = True
    path: bytes = b"/"
    offered: list[bytes] = field(default_factory=list)
    heads: list[DirectHead] = field(default_factory=list)
    cut: int = 0
    # Where there is one, answers come when it is set.
    go_on: asyncio.Event | None = None
    # Where there is one, what was declined is offered again after it.
    waits: asyncio.Future[None] | None = None

    def wait_for(self, _head: DirectHead) -> asyncio.Future[None] | None:
        return self.waits

    def begin(
        self, request: DirectRequest
    ) -> DirectAnswer | Coroutine[Any, Any, DirectAnswer] | None:
        self.offered.append(request.body)
        self.heads.append(request.head)
        request.head.judged = True
        if request.body == b"bad":
            raise ValueError
        if not self.answers:
            return None
        answer = DirectAnswer(b"x-way: direct\r\n", b"direct " + request.body)
        return answer if self.go_on is None else self._answer_later(self.go_on, answer)

    async def _answer_later(self, go_on: asyncio.Event, answer: DirectAnswer) -> DirectAnswer:
        try:
            await go_on.wait()
        except asyncio.CancelledError:
            self.cut += 1
            raise
        if answer.body == b"direct worse":
            raise ValueError
        return answer


@dataclass
class Stage:
    """A server that listens on `port`, and its application."""

    port: int
    application: Application
    server: uvicorn.Server

    @property
    def connections(self) -> list[HttpProtocol]:
        found = self.server.server_state.connections
        return [each for each in found if isinstance(each, HttpProtocol)]

    @asynccontextmanager
    async def sent(
        self, *pieces: bytes
    ) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A new connection on which these pieces were sent, each in a packet of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.01)
            async with asyncio.timeout(HANG_S):
                yield reader, writer
        finally:
            writer.close()

    async def ask(self, *pieces: bytes) -> bytes:
        """All that comes until the server closes."""
        async with self.sent(*pieces) as (reader, _):
            return await reader.read()


@asynccontextmanager
async def serving(limits: HttpLimits, direct: Direct | None) -> AsyncIterator[Stage]:
    """A server within these limits."""
    application = Application()
    options = server_options(limits, lambda: direct)
    server = uvicorn.Server(uvicorn.Config(application, lifespan="off", **options))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = asyncio.create_task(server.serve([listener]))
        await eventually(lambda: server.started)
        yield Stage(listener.getsockname()[1], application, server)
        application.go_on.set()
        server.should_exit = server.force_exit = True
        await task


async def eventually(claim: Callable[[], bool]) -> None:
    async with asyncio.timeout(HANG_S):
        while not claim():  # noqa: ASYNC110 - nobody tells of it
            await asyncio.sleep(0.01)


Serve = Callable[[HttpLimits], AbstractAsyncContextManager[Stage]]


@pytest.fixture(params=[None, False, True], ids=["application", "declined", "direct"])
def serve(request: pytest.FixtureRequest) -> Serve:
    """Every limit holds the same with a direct application before, whether it takes requests or not."""
    direct = None if request.param is None else Direct(answers=request.param)
    return lambda limits: serving(limits, direct)
