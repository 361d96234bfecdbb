"""A Chroma that dies, hangs or is something else, and callers that go away."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from config.services.processes import Keeper
from core.errors import VectorStoreError, VectorStoreUnavailableError
from gateways import circuit
from gateways.vectors.store import VectorStore
from tests.chroma_server import ChromaAddress, ChromaServer
from tests.gateways.vectors.items import (
    MODEL,
    item,
    opened_store,
    store_settings,
    three_items,
)
from tests.waiting import LIMIT_S, eventually

EAST = [[1.0, 0.0, 0.0]]
DESCRIBED = '{"id":"1","name":"x","dimension":3,"metadata":null}'
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
def server(tmp_path: Path, keeper: Keeper) -> Iterator[ChromaServer]:
    server = ChromaServer(tmp_path / "chroma", keeper)
    server.start()
    yield server
    server.kill()


async def until_it_answers(store: VectorStore) -> int:
    """The count, once the store says it; tries as an agent would."""
    async with asyncio.timeout(LIMIT_S):
        while True:
            try:
                return await store.count()
            except VectorStoreUnavailableError:
                await asyncio.sleep(0.05)


def is_busy(store: VectorStore) -> bool:
    """Whether each of its connections waits for an answer."""
    return store._requests._pool._slots.locked()


async def test_a_killed_server_is_missed_clearly_and_found_again(server: ChromaServer) -> None:
    async with opened_store(store_settings(server)) as store:
        await store.upsert(three_items())
        server.kill()

        with pytest.raises(VectorStoreUnavailableError) as caught:
            await store.search(EAST, 1)
        server.start()

        assert str(caught.value) == (
            "the vector store cannot be reached; retry shortly, or see whether Chroma runs"
        )
        assert await until_it_answers(store) == 3


async def test_a_restart_between_two_calls_is_not_noticed(server: ChromaServer) -> None:
    async with opened_store(store_settings(server)) as store:
        await store.upsert(three_items())
        server.stop()
        server.start()

        [found] = await store.search(EAST, 1)

    assert found[0].id == "east"


async def test_calls_in_the_middle_of_a_kill_fail_clearly_and_work_again(
    server: ChromaServer,
) -> None:
    async with opened_store(store_settings(server)) as store:
        await store.upsert(item(str(number)) for number in range(2_000))
        await store.search(EAST * 30, 500)
        server.freeze()
        searches = [asyncio.create_task(store.search(EAST * 30, 500)) for _ in range(30)]
        await eventually(lambda: is_busy(store))
        server.kill()

        results = await asyncio.gather(*searches, return_exceptions=True)
        server.start()

        failures = [result for result in results if isinstance(result, BaseException)]
        assert failures
        assert all(isinstance(failure, VectorStoreUnavailableError) for failure in failures)
        assert await until_it_answers(store) == 2_000


async def test_a_server_that_lost_its_data_says_how_to_index_again(
    server: ChromaServer, tmp_path: Path
) -> None:
    async with opened_store(store_settings(server)) as store:
        server.stop()
        server.directory = tmp_path / "empty"
        server.start()

        with pytest.raises(VectorStoreError, match=r"run `manage\.py index_documents`"):
            await store.search(EAST, 1)


async def test_after_a_failure_callers_are_told_at_once(
    server: ChromaServer, never_held_up: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened_store(store_settings(server, timeout_s=3.0)) as store:
        server.freeze()
        with pytest.raises(VectorStoreUnavailableError, match=r"did not answer within 3 s"):
            await store.search(EAST, 1)

        with monkeypatch.context() as patched:
            # From here on a question would be answered.
            patched.setattr(circuit, "monotonic", lambda: 0.0)
            server.thaw()
            for _ in range(100):
                with pytest.raises(VectorStoreUnavailableError):
                    await store.search(EAST, 1)

        assert await until_it_answers(store) == 0


async def test_a_caller_that_goes_away_hurts_nobody(server: ChromaServer) -> None:
    async with opened_store(store_settings(server)) as store:
        await store.upsert(three_items())
        server.freeze()
        leaving = [asyncio.create_task(store.search(EAST, 1)) for _ in range(40)]
        await eventually(lambda: is_busy(store))
        for task in leaving:
            task.cancel()
        ended = await asyncio.gather(*leaving, return_exceptions=True)
        server.thaw()

        [found] = await store.search(EAST, 1)

        assert all(isinstance(one, asyncio.CancelledError) for one in ended)
        assert found[0].id == "east"


async def test_more_callers_than_connections_are_all_served(chroma: ChromaAddress) -> None:
    async with opened_store(store_settings(chroma, max_connections=2)) as store:
        await store.upsert(three_items())

        found = await asyncio.gather(*(store.search(EAST, 1) for _ in range(100)))

    assert {match.id for [[match]] in found} == {"east"}


async def test_a_closed_store_says_so(chroma: ChromaAddress) -> None:
    store = VectorStore(store_settings(chroma))
    await store.open(MODEL, 3, create=True)

    await store.close()

    with pytest.raises(VectorStoreUnavailableError, match="was closed"):
        await store.count()


async def test_a_host_without_a_name_is_unavailable() -> None:
    async with VectorStore(store_settings(ChromaAddress("no-such-host.invalid", 8000))) as store:
        with pytest.raises(VectorStoreUnavailableError) as caught:
            await store.count()

    assert "invalid" not in str(caught.value)


@asynccontextmanager
async def served(serve: Serve) -> AsyncIterator[VectorStore]:
    """A store whose server is `serve`."""
    listener = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = ChromaAddress("127.0.0.1", listener.sockets[0].getsockname()[1])
    async with listener, VectorStore(store_settings(address, timeout_s=30.0)) as store:
        yield store


def answering(*answers: bytes) -> Serve:
    """Gives the answers one after the other, one a connection, the last one for ever."""
    remaining = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(remaining.pop(0) if len(remaining) > 1 else remaining[0])
        writer.close()

    return serve


def http(status: int, body: str, headers: str = "") -> bytes:
    return (
        f"HTTP/1.1 {status} Said\r\nContent-Length: {len(body)}\r\n{headers}\r\n{body}"
    ).encode()


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (http(200, "<html>"), "is not a Chroma server"),
        (http(200, "[]"), "is not a Chroma server"),
        (http(200, "null"), "is not a Chroma server"),
        (http(404, "<h1>404</h1>"), "is not a Chroma server"),
        (http(302, "", "Location: /login\r\n"), "is not a Chroma server"),
        (http(101, "", "Upgrade: x\r\nConnection: upgrade\r\n"), "is not a Chroma server"),
        (b"SSH-2.0-OpenSSH\r\n", "is not a Chroma server"),
        (http(401, "{}"), "refused access"),
        (http(500, '{"error":"InternalError","message":"/data/x"}'), "failed; its log says why"),
        (http(503, "starting"), "is busy or starting"),
        (http(429, "{}"), "is busy or starting"),
        (http(200, '{"id"')[:-3], "cannot be reached"),
        (b"", "cannot be reached"),
    ],
    ids=[
        *("html", "list", "null", "html_404", "redirect", "upgrade", "ssh", "forbidden"),
        *("internal", "starting", "too_many", "half", "nothing"),
    ],
)
async def test_what_is_not_a_working_chroma_is_told_clearly(answer: bytes, message: str) -> None:
    async with served(answering(answer)) as store:
        with pytest.raises(VectorStoreError) as caught:
            await store.count()

    assert message in str(caught.value)
    assert "/data" not in str(caught.value)


@pytest.mark.parametrize(
    "lost", [b"", b"HTTP/1.1 200 OK\r\nContent-Le"], ids=["before", "in_the_middle"]
)
async def test_an_answer_that_was_lost_is_asked_for_once_more(lost: bytes) -> None:
    described = http(200, DESCRIBED, "Connection: close\r\n")

    async with served(answering(lost, described, lost, http(200, "7"))) as store:
        assert await store.count() == 7


async def test_answers_in_pieces_are_put_together() -> None:
    interim = b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    described = DESCRIBED.encode()
    pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in described)

    async with served(answering(interim + head + pieces + b"0\r\n\r\n", http(200, "7"))) as store:
        assert await store.count() == 7
