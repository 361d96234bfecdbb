"""A real HTTP server that answers each request as the test says, good or bad."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Reply = Callable[["Exchange"], Awaitable[None]]


@dataclass
class Exchange:
    """One request and the way back to its sender."""

    path: str
    headers: dict[str, str]
    content: dict[str, Any]
    writer: asyncio.StreamWriter

    async def send(
        self, body: bytes, status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.writer.write("\r\n".join((*lines, "", "")).encode() + body)
        await self.writer.drain()


@dataclass
class ScriptedServer:
    """Plays `replies` in order, the last one for ever; keeps what was asked."""

    replies: list[Reply] = field(default_factory=list)
    asked: list[Exchange] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._serve_one(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (s.partition(":") for s in lines)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        exchange = Exchange(first.split()[1], headers, json.loads(body or b"{}"), writer)
        reply = self.replies[min(len(self.asked), len(self.replies) - 1)]
        self.asked.append(exchange)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await reply(exchange)
        finally:
            self.in_flight -= 1


@asynccontextmanager
async def scripted(
    *replies: Reply, tls: ssl.SSLContext | None = None
) -> AsyncIterator[ScriptedServer]:
    """A server on a free port; `url` is its base."""
    script = ScriptedServer(list(replies))
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(script.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    script.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield script
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def length_vectors(texts: Sequence[str]) -> list[list[float]]:
    """A vector for each text that tells the texts apart."""
    return [[float(len(text)), float(ord(text[-1])), 1.0] for text in texts]


async def vectors(exchange: Exchange) -> None:
    """A right answer."""
    data = [
        {"index": index, "embedding": vector}
        for index, vector in enumerate(length_vectors(exchange.content["input"]))
    ]
    await exchange.send(json.dumps({"data": data}).encode())


async def reversed_vectors(exchange: Exchange) -> None:
    """A right answer, the last text first."""
    data = [
        {"index": index, "embedding": vector}
        for index, vector in enumerate(length_vectors(exchange.content["input"]))
    ]
    await exchange.send(json.dumps({"data": data[::-1]}).encode())


async def cut_connection(exchange: Exchange) -> None:
    """Half an answer."""
    exchange.writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"data": [')
    await exchange.writer.drain()
    exchange.writer.close()


async def silence(exchange: Exchange) -> None:
    """No answer at all."""
    await asyncio.Event().wait()


def slowly(seconds: float) -> Reply:
    """A right answer after a while."""

    async def reply(exchange: Exchange) -> None:
        await asyncio.sleep(seconds)
        await vectors(exchange)

    return reply


def answer(body: str, status: int = 200, **headers: str) -> Reply:
    """These very bytes; `_` in a header's name is `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}

    async def reply(exchange: Exchange) -> None:
        await exchange.send(body.encode(), status, named)

    return reply


def data(*embeddings: object, indexes: Sequence[object] | None = None) -> Reply:
    """An answer of this form with these vectors, NaN and infinities as Python writes them."""
    numbers = range(len(embeddings)) if indexes is None else indexes
    pairs = zip(numbers, embeddings, strict=True)
    entries = [{"index": index, "embedding": embedding} for index, embedding in pairs]
    return answer(json.dumps({"data": entries}))
