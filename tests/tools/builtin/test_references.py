"""Reference documents are found by words, meaning and tables, as they are now."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from catalog.documents.indexing import index_changed
from catalog.documents.rows import read_row
from catalog.documents.stored import load_documents
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from catalog.glossary.concepts import add_concept
from catalog.models import ReferenceDocument
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore
from tests.chroma_server import ChromaAddress
from tests.gateways.embeddings.scripted_server import ScriptedServer, scripted, silence
from tests.tools.finding.meanings import meanings
from tests.waiting import eventually
from tools.builtin.documents import DocumentSearch

pytestmark = pytest.mark.django_db(transaction=True)

USERS: list[dict[str, Any]] = [
    {
        "kind": "table",
        "table": "users",
        "display_name": "회원 명부",
        "description": "One row a member",
    },
    {"table": "users", "column_name": "user_no", "description": "ID", "metadata": {"is_key": True}},
    {"table": "users", "column_name": "email", "description": "사용자 이메일 주소"},
    {"table": "users", "column_name": "joined_on", "description": "day of joining"},
]
OTHERS: list[dict[str, Any]] = [
    {"table": "climate", "column_name": "rain_mm", "description": "millimetres of rain"},
    {"question": "How much was paid back?", "sql": "SELECT sum(amount) FROM refunds"},
    {"text": "Prices are yen including tax."},
]


@pytest.fixture(autouse=True)
async def model(settings: Any, chroma: ChromaAddress) -> AsyncIterator[ScriptedServer]:
    """The embedding server of the settings, and a collection of the test's own."""
    settings.CHROMADB_HOST, settings.CHROMADB_PORT = chroma.host, chroma.port
    settings.CHROMADB_COLLECTION_NAME = f"test-{uuid.uuid4().hex}"
    async with scripted(meanings) as server:
        settings.TEXT_EMBEDDING_MODEL_URL = server.url
        settings.TEXT_EMBEDDING_MODEL_NAME = "meanings"
        yield server


@asynccontextmanager
async def opened(most_vector_bytes: int = 1_000_000) -> AsyncIterator[DocumentSearch]:
    """A search as a runtime has it, with nothing to fall back on before the rows are read."""
    embedder, store = EmbeddingClient(embedding_settings()), VectorStore(vector_store_settings())

    async def find_nothing(_query: str, _limit: int) -> list[str]:
        return []

    search = DocumentSearch(embedder, store, find_nothing, most_vector_bytes=most_vector_bytes)
    try:
        yield search
    finally:
        await search.close()
        await embedder.close()
        await store.close()


async def index() -> None:
    embedder, store = EmbeddingClient(embedding_settings()), VectorStore(vector_store_settings())
    try:
        await index_changed(embedder, store)
    finally:
        await embedder.close()
        await store.close()


@sync_to_async
def load(*rows: dict[str, Any], source: str = "test") -> None:
    load_documents(source, [read_row(row) for row in rows])


async def first(search: DocumentSearch, query: str, n_results: int = 1) -> list[str]:
    return (await search.find_or_degrade(query, n_results))[0]


def becomes(search: DocumentSearch, query: str, part: str) -> Callable[[], Awaitable[bool]]:
    """Whether the first document for a query says this."""

    async def check() -> bool:
        return any(part in text for text in await first(search, query))

    return check


async def test_columns_come_with_the_keys_of_their_tables_and_others_are_found_too() -> None:
    await load(*USERS, *OTHERS)
    await index()

    async with opened() as search:
        found, is_degraded = await search.find_or_degrade("email of members", 5)

        assert not is_degraded
        assert len(found) == 5
        assert "column: email" in found[0]
        assert any("user_no" in text for text in found)
        assert "SELECT sum(amount)" in (await first(search, "money back"))[0]
        assert "rain_mm" in (await first(search, "weather"))[0]
        assert (await first(search, "tax of prices")) == ["Prices are yen including tax."]


async def test_title_of_the_table_leads_to_its_columns() -> None:
    await load(*USERS, *OTHERS)

    async with opened() as search:
        await eventually(becomes(search, "명부", "table: users"))
        found = await first(search, "명부", 5)

    assert {text.split(",")[0] for text in found} == {"table: users"}
    assert len(found) == 4


async def test_edits_of_documents_and_of_the_glossary_are_found() -> None:
    await load(*USERS, *OTHERS)

    async with opened() as search:
        await eventually(becomes(search, "millimetres", "rain_mm"))
        assert await first(search, "물류거점") == []
        await sync_to_async(add_concept)("hub", {"ko": "물류거점", "en": "climate"}, "ann")
        await eventually(becomes(search, "물류거점", "rain_mm"))

        await load(*USERS, {"text": "The warehouse is in 물류거점."})
        await eventually(becomes(search, "warehouse", "물류거점"))
        assert await first(search, "millimetres") == []


async def test_vectors_that_are_made_later_are_followed() -> None:
    await load(*USERS, *OTHERS)

    async with opened() as search:
        await eventually(becomes(search, "email", "email"))
        assert (await search.find_or_degrade("money", 3))[1]
        await index()
        await eventually(becomes(search, "money", "refunds"))
        await load(*USERS, *OTHERS, {"text": "환불 규정"})
        await index()

        async def is_found_too() -> bool:
            return "환불 규정" in await first(search, "money", 2)

        await eventually(is_found_too)


async def test_more_vectors_than_are_kept_are_compared_where_it_counts() -> None:
    await load(*USERS, *OTHERS)
    await index()

    async with opened(most_vector_bytes=12) as search:
        await eventually(becomes(search, "email", "email"))
        await eventually(lambda: is_sampled(search))
        found, is_degraded = await search.find_or_degrade("money", 2)

    assert "refunds" in found[0]
    assert not is_degraded


def is_sampled(search: DocumentSearch) -> bool:
    state = search.references._state
    return state is not None and state.is_sampled


async def test_rows_of_other_programs_are_found_whatever_they_hold() -> None:
    rows = [
        ReferenceDocument(key="a", kind="column", text="plain words", content=[], metadata=[]),
        ReferenceDocument(key="b", kind="column", text="more words", content={"table": 5}),
    ]
    await ReferenceDocument.objects.abulk_create(rows)

    async with opened() as search:
        await eventually(becomes(search, "more", "more words"))
        assert sorted(await first(search, "words", 5)) == ["more words", "plain words"]


async def test_silent_model_leaves_words(model: ScriptedServer) -> None:
    await load(*USERS, *OTHERS)
    await index()

    async with opened() as search:
        await eventually(becomes(search, "email", "email"))
        model.replies[:] = [silence]

        found, is_degraded = await search.find_or_degrade("사용자 이메일", 1)

        assert (len(found), is_degraded) == (1, True)
        assert "column: email" in found[0]
