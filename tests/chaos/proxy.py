"""A TCP proxy that forwards to one local port and disturbs on order: delays, stalls, cuts, forgets."""

import asyncio
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

READ_BYTES = 65_536
# Closing with this option set sends a reset instead of the end of the stream.
_RESET = struct.pack("ii", 1, 0)


@dataclass(eq=False)
class Link:
    """One client's connection and the one made for it; `is_forgotten` ones carry nothing any more."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter | None = None
    is_forgotten: bool = False
    answered_bytes: int = 0

    def reset(self) -> None:
        """End both sides at once, with what was under way."""
        for writer in (self.client, self.server):
            if writer is not None and not writer.transport.is_closing():
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, _RESET
                )
                writer.transport.abort()


@dataclass(eq=False)
class FaultyProxy:
    """Forwards 127.0.0.1:`port` to 127.0.0.1:`target_port`; use it in an `async with` block.

    `delay_s` is added to each piece in both directions. `answer_bytes`, where set, resets a
    connection once the server has sent so much, so in the middle of an answer. `accepted_count` counts
    clients since the beginning.
    """

    target_port: int
    port: int
    delay_s: float = 0.0
    answer_bytes: int | None = None
    accepted_count: int = 0
    _links: set[Link] = field(default_factory=set)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _flowing: asyncio.Event = field(default_factory=asyncio.Event)
    _answering: asyncio.Event = field(default_factory=asyncio.Event)
    _server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self.resume()
        await self.listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.refuse()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def open_count(self) -> int:
        """How many clients are connected now."""
        return len(self._links)

    async def listen(self) -> None:
        """Take connections, again if they were refused."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)

    async def refuse(self) -> None:
        """Take no new connections; the system answers them with a reset."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def stall(self) -> None:
        """Carry nothing until `resume`; new connections are taken and stay silent."""
        self._flowing.clear()

    def mute(self) -> None:
        """Carry requests but no answers until `resume`."""
        self._answering.clear()

    def resume(self) -> None:
        """Carry on, beginning with what was held back."""
        self._flowing.set()
        self._answering.set()

    def forget(self) -> None:
        """Carry nothing over today's connections ever again, without a word; new ones work."""
        for link in self._links:
            link.is_forgotten = True

    def cut(self) -> None:
        """Reset every open connection."""
        for link in list(self._links):
            link.reset()

    def half_close(self) -> None:
        """Tell each client that the server has said everything; their own way stays open."""
        for link in self._links:
            if not link.client.transport.is_closing():
                link.client.write_eof()

    def calm(self) -> None:
        """Undo delays, stalls and limits, and end what was forgotten, as both systems do at last."""
        self.delay_s, self.answer_bytes = 0.0, None
        self.resume()
        for link in [link for link in self._links if link.is_forgotten]:
            link.reset()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted_count += 1
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = Link(writer)
        self._links.add(link)
        try:
            await self._flowing.wait()
            answers, link.server = await asyncio.open_connection("127.0.0.1", self.target_port)
            async with asyncio.TaskGroup() as both:
                both.create_task(self._carry(reader, link.server, link))
                both.create_task(self._answer(answers, writer, link))
        except* (OSError, RuntimeError):
            # A RuntimeError is asyncio's for writing to a side that `half_close` has ended.
            link.reset()
        finally:
            self._links.discard(link)
            for side in (link.client, link.server):
                if side is not None:
                    side.close()

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, link: Link
    ) -> None:
        while piece := await reader.read(READ_BYTES):
            if await self._lets_pass(link):
                writer.write(piece)
                await writer.drain()
        with suppress(OSError, RuntimeError):
            writer.write_eof()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, link: Link
    ) -> None:
        while piece := await reader.read(READ_BYTES):
            is_passed = await self._lets_pass(link)
            await self._answering.wait()
            if self._is_used_up(link, piece):
                writer.write(piece[: len(piece) // 2])
                await writer.drain()
                link.reset()
                return
            if is_passed:
                writer.write(piece)
                await writer.drain()
        # A server that has gone takes the connection with it, as without a proxy.
        if await self._lets_pass(link):
            writer.close()

    def _is_used_up(self, link: Link, piece: bytes) -> bool:
        link.answered_bytes += len(piece)
        return self.answer_bytes is not None and link.answered_bytes > self.answer_bytes

    async def _lets_pass(self, link: Link) -> bool:
        """Whether a piece goes on, as soon as it may; what a forgotten connection carries is dropped."""
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        await self._flowing.wait()
        return not link.is_forgotten
