"""The proxy itself: it forwards what it is given and disturbs as it is told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress

import pytest
import pytest_asyncio

from config.services.ports import choose_free_port
from tests.chaos.proxy import FaultyProxy

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError), closing(writer):
        while piece := await reader.read(1_000):
            writer.write(piece)


@pytest_asyncio.fixture
async def proxy() -> AsyncIterator[FaultyProxy]:
    """In front of a server that says everything again."""
    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        target = server.sockets[0].getsockname()[1]
        async with FaultyProxy(target, choose_free_port()) as proxy:
            yield proxy


@asynccontextmanager
async def connected(proxy: FaultyProxy) -> AsyncIterator[Streams]:
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    with closing(writer):
        yield reader, writer


async def ask(streams: Streams, text: bytes = b"hello") -> bytes:
    """What comes back within a moment; nothing when the connection is silent."""
    reader, writer = streams
    writer.write(text)
    try:
        async with asyncio.timeout(0.3):
            return await reader.read(len(text))
    except TimeoutError:
        return b"(silence)"


async def test_everything_is_forwarded(proxy: FaultyProxy) -> None:
    async with connected(proxy) as streams:
        assert await ask(streams) == b"hello"


async def test_stalled_proxy_is_silent_and_goes_on_with_what_it_held(proxy: FaultyProxy) -> None:
    async with connected(proxy) as streams:
        proxy.stall()
        assert await ask(streams) == b"(silence)"

        proxy.resume()

        assert await streams[0].readexactly(5) == b"hello"


async def test_muted_proxy_carries_requests_and_no_answers(proxy: FaultyProxy) -> None:
    async with connected(proxy) as streams:
        proxy.mute()
        assert await ask(streams) == b"(silence)"

        proxy.resume()

        assert await streams[0].readexactly(5) == b"hello"


async def test_cut_connection_is_reset(proxy: FaultyProxy) -> None:
    async with connected(proxy) as streams:
        await ask(streams)

        proxy.cut()

        with pytest.raises(ConnectionResetError):
            await streams[0].read()


async def test_half_closed_connection_ends_for_the_client_alone(proxy: FaultyProxy) -> None:
    async with connected(proxy) as streams:
        await ask(streams)

        proxy.half_close()

        assert await streams[0].read() == b""
        assert proxy.open_count == 1


async def test_forgotten_connection_is_silent_and_a_new_one_works(proxy: FaultyProxy) -> None:
    async with connected(proxy) as streams, connected(proxy) as others:
        await ask(streams)
        await ask(others)

        proxy.forget()

        assert await ask(streams) == b"(silence)"
        async with connected(proxy) as new:
            assert await ask(new) == b"hello"


async def test_refused_connection(proxy: FaultyProxy) -> None:
    await proxy.refuse()

    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", proxy.port)


async def test_connection_is_reset_in_the_middle_of_an_answer(proxy: FaultyProxy) -> None:
    proxy.answer_bytes = 10
    async with connected(proxy) as streams:
        assert await ask(streams) == b"hello"

        streams[1].write(b"more than ten bytes")

        with pytest.raises(ConnectionResetError):
            await streams[0].read()
