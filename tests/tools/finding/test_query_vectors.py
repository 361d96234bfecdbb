"""Vectors of queries: remembered, and never waited for long."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings
from tests.gateways.embeddings.scripted_server import Exchange, ScriptedServer, scripted, silence
from tests.tools.finding.meanings import meanings
from tests.waiting import LIMIT_S, eventually
from tools.finding import query_vectors
from tools.finding.query_vectors import MOST_AT_ONCE, QueryVectors


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with scripted(meanings) as server:
        yield server


@pytest.fixture
async def queries(server: ScriptedServer) -> AsyncIterator[QueryVectors]:
    # Only what the queries themselves wait for ends early, on a busy machine too.
    settings = EmbeddingSettings(
        url=server.url,
        model="meanings",
        connect_timeout_s=LIMIT_S,
        timeout_s=LIMIT_S,
        total_timeout_s=LIMIT_S,
    )
    embedder = EmbeddingClient(settings)
    queries = QueryVectors(embedder)
    yield queries
    await queries.close()
    await embedder.close()


async def test_searches_at_the_same_time_share_one_question(
    queries: QueryVectors, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_vectors, "DEADLINE_S", LIMIT_S)
    found = await asyncio.gather(*(queries.find("money") for _ in range(5)))

    assert [list(vector) for vector in found if vector is not None] == [
        pytest.approx([1, 0, 0.1])
    ] * 5
    assert len(server.asked) == 1


async def test_late_vector_is_there_the_next_time(
    queries: QueryVectors, server: ScriptedServer
) -> None:
    may_answer = asyncio.Event()

    async def wait(exchange: Exchange) -> None:
        await may_answer.wait()
        await meanings(exchange)

    server.replies[:] = [wait]

    assert await queries.find("money") is None
    may_answer.set()
    await eventually(lambda: "money" in queries._known)
    assert await queries.find("money") is not None


async def test_no_more_is_asked_than_can_be_answered(
    queries: QueryVectors, server: ScriptedServer
) -> None:
    server.replies[:] = [silence]
    waiting = [asyncio.create_task(queries.find(f"query {n}")) for n in range(MOST_AT_ONCE)]
    await eventually(lambda: len(queries._pending) == MOST_AT_ONCE)

    assert await queries.find("one more") is None
    assert len(queries._pending) == MOST_AT_ONCE
    assert await asyncio.gather(*waiting) == [None] * MOST_AT_ONCE


async def test_query_that_cannot_be_embedded_has_no_vector(queries: QueryVectors) -> None:
    assert await queries.find("\0") is None
