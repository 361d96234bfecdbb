"""The tools that embed and search, over MCP with a real model and a real Chroma."""

import asyncio
import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from access.models import CallRecord
from catalog.documents.indexing import index_changed
from catalog.documents.rows import Document
from catalog.documents.stored import load_documents
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from catalog.models import CatalogScan, DocumentKind, ScanState
from config.services.embeddings import EmbeddedEmbeddings
from config.services.processes import Keeper
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore
from tests.chroma_server import ChromaAddress, ChromaServer
from tests.mcp_runtime.conftest import ERAS, Serve, Served
from tests.plugin import DIRECTORY
from tests.waiting import LIMIT_S, eventually
from tools.builtin import documents
from tools.builtin.embedding_tools import EMBEDDING, REFERENCES, SIMILARITY

pytestmark = pytest.mark.django_db(transaction=True)

EMAIL = "table: users, column: email, type: VARCHAR(255), description: 사용자 이메일 주소"
AMOUNT = "table: sales, column: amount, type: NUMERIC, description: Sales amount in won"
CITY = "table: stores, column: city, type: TEXT, description: 店舗がある都市"
DOCUMENTS = (EMAIL, AMOUNT, CITY)
CLOSED_PORT = 9


@pytest.fixture
def services(settings: Any, embedded_model: EmbeddedEmbeddings, chroma: ChromaAddress) -> Any:
    """Settings that name the run's real servers, and a collection of the test's own."""
    settings.TEXT_EMBEDDING_MODEL_URL = embedded_model.url
    settings.TEXT_EMBEDDING_MODEL_NAME = embedded_model.model
    settings.TEXT_EMBEDDING_ROLE_STYLE = "input_type"
    settings.CHROMADB_HOST, settings.CHROMADB_PORT = chroma.host, chroma.port
    settings.CHROMADB_COLLECTION_NAME = f"test-{uuid.uuid4().hex}"
    # With the search for tools each runtime would embed the descriptions of all, for two seconds.
    settings.MCP_BUILTIN_TOOLS = [SIMILARITY.name, REFERENCES.name, EMBEDDING.name]
    return settings


@pytest.fixture
def stored(transactional_db: None) -> None:
    """Three documents as rows, in as many languages."""
    load_documents("test", [as_document(text) for text in DOCUMENTS])


@pytest.fixture
def indexed(services: Any, stored: None, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The three documents as vectors too; gives the settings."""
    # A busy machine answers as well, only later.
    monkeypatch.setattr(documents, "MEANING_TIMEOUT_S", LIMIT_S)
    async_to_sync(_index)()
    return services


@pytest.fixture
def own_chroma(services: Any, stored: None, keeper: Keeper) -> Iterator[ChromaServer]:
    """A Chroma with the documents' vectors that the test may end, instead of the run's."""
    server = ChromaServer(DIRECTORY / f"chroma-{uuid.uuid4().hex}", keeper)
    server.start()
    services.CHROMADB_HOST, services.CHROMADB_PORT = server.host, server.port
    async_to_sync(_index)()
    yield server
    server.kill()


def as_document(text: str) -> Document:
    return Document(key=text, kind=DocumentKind.TEXT, content={"text": text}, metadata={})


async def _index() -> None:
    embedder, store = EmbeddingClient(embedding_settings()), VectorStore(vector_store_settings())
    try:
        await index_changed(embedder, store)
    finally:
        await embedder.close()
        await store.close()


def without_model(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = f"http://127.0.0.1:{CLOSED_PORT}"


def without_any_model(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = ""


def without_store(settings: Any) -> None:
    settings.CHROMADB_PORT = CLOSED_PORT


def without_collection(settings: Any) -> None:
    settings.CHROMADB_COLLECTION_NAME = f"test-{uuid.uuid4().hex}"


Remove = Callable[[Any], None]


@pytest.mark.parametrize("era", ERAS)
async def test_each_text_gets_its_vector_in_order(services: Any, serve: Serve, era: str) -> None:
    texts = ["사용자 이름을 조회해줘", "recent orders", "最近の注文"]

    async with serve() as served, served.client(era) as client:
        together = await client.call_tool("get_text_embedding", {"text_list": texts})
        alone = await client.call_tool("get_text_embedding", {"text_list": texts[1:2]})

    assert together.structured_content.keys() == {"embeddings"}
    assert [len(vector) for vector in together.structured_content["embeddings"]] == [384] * 3
    [vector] = alone.structured_content["embeddings"]
    assert vector == pytest.approx(together.structured_content["embeddings"][1], abs=1e-3)
    assert json.loads(together.content[0].text) == together.structured_content


async def test_no_texts_give_no_vectors(services: Any, serve: Serve) -> None:
    async with serve() as served:
        result = await served.call("get_text_embedding", text_list=[])

    assert result.structured_content == {"embeddings": []}


async def test_text_that_is_cut_is_named(services: Any, serve: Serve) -> None:
    services.TEXT_EMBEDDING_MAX_CHARACTERS = 20

    async with serve() as served:
        result = await served.call("get_text_embedding", text_list=["short", "long " * 10])

    assert result.structured_content["notes"] == [
        "text_list[1] is too long; only its beginning was embedded"
    ]


@pytest.mark.parametrize("era", ERAS)
async def test_documents_come_for_each_query_most_similar_first(
    indexed: Any, serve: Serve, era: str
) -> None:
    queries = ["사용자 테이블의 이메일 칼럼", "which city is the store in", "売上金額"]

    async with serve() as served, served.client(era) as client:
        result = await client.call_tool(
            "search_similar_documents", {"query_list": queries, "n_results": 2}
        )

    documents = result.structured_content["documents"]
    assert [found[0] for found in documents] == [EMAIL, CITY, AMOUNT]
    assert [len(found) for found in documents] == [2, 2, 2]
    assert json.loads(result.content[0].text) == result.structured_content


async def test_three_documents_are_found_when_no_number_is_given(
    indexed: Any, serve: Serve
) -> None:
    async with serve() as served:
        result = await served.call("search_similar_documents", query_list=["email"])
        nothing = await served.call("search_similar_documents", query_list=[])

    assert sorted(result.structured_content["documents"][0]) == sorted(DOCUMENTS)
    assert nothing.structured_content == {"documents": []}


@pytest.mark.parametrize("era", ERAS)
async def test_reference_documents_answer_a_question(indexed: Any, serve: Serve, era: str) -> None:
    question = "2024년 1월 이후 가입한 사용자의 이메일 주소를 알려줘"

    async with serve() as served, served.client(era) as client:
        result = await client.call_tool("get_sql_reference_documents", {"user_query": question})

    assert result.structured_content.keys() == {"reference_docs"}
    assert result.structured_content["reference_docs"][0] == EMAIL
    assert len(result.structured_content["reference_docs"]) == 3
    assert json.loads(result.content[0].text) == result.structured_content


@pytest.mark.parametrize(
    "remove",
    [
        pytest.param(without_model, id="model down"),
        pytest.param(without_any_model, id="no model"),
        pytest.param(without_store, id="store down"),
        pytest.param(without_collection, id="not indexed"),
    ],
)
async def test_reference_documents_are_found_by_words_where_a_server_is_away(
    indexed: Any, serve: Serve, remove: Remove
) -> None:
    remove(indexed)

    async with serve() as served:
        result = await served.call(
            "get_sql_reference_documents", user_query="사용자 이메일 주소", n_results=1
        )

    assert result.structured_content == {"reference_docs": [EMAIL], "degraded": True}


@pytest.mark.parametrize(
    ("remove", "call", "words"),
    [
        pytest.param(
            without_model,
            ("get_text_embedding", {"text_list": ["a"]}),
            "the embedding server",
            id="embedding without its server",
        ),
        pytest.param(
            without_any_model,
            ("get_text_embedding", {"text_list": ["a"]}),
            "there is no embedding server; set TEXT_EMBEDDING_MODEL_URL and",
            id="embedding without a setting",
        ),
        pytest.param(
            without_model,
            ("search_similar_documents", {"query_list": ["a"]}),
            "the embedding server",
            id="search without embedding server",
        ),
        pytest.param(
            without_store,
            ("search_similar_documents", {"query_list": ["a"]}),
            "the vector store",
            id="search without store",
        ),
        pytest.param(
            without_collection,
            ("search_similar_documents", {"query_list": ["a"]}),
            "there are no reference documents yet: no data source was scanned",
            id="search before indexing",
        ),
    ],
)
async def test_tool_whose_server_is_away_says_so(
    services: Any, serve: Serve, remove: Remove, *, call: tuple[str, Any], words: str
) -> None:
    remove(services)

    async with serve() as served:
        result = await served.call(call[0], **call[1])

    text = result.content[0].text
    assert result.is_error
    assert text.startswith(words)
    assert "127.0.0.1" not in text


@pytest.fixture
async def empty_collection(services: Any) -> None:
    """What an indexing run has made before its first document."""
    async with VectorStore(vector_store_settings()) as store:
        await store.open(services.TEXT_EMBEDDING_MODEL_NAME, 384, create=True)


BEING_BUILT = "the index of reference documents is being built; try again in a few seconds"


@pytest.mark.usefixtures("empty_collection", "stored")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_similar_documents", {"query_list": ["e-mail", "city"]}),
        ("get_sql_reference_documents", {"user_query": "zzz qqq"}),
    ],
    ids=["similar", "references"],
)
async def test_index_that_is_being_built_is_no_empty_success(
    serve: Serve, name: str, arguments: dict[str, Any]
) -> None:
    async with serve() as served:
        result = await served.call(name, **arguments)

    assert (result.is_error, result.content[0].text) == (True, BEING_BUILT)


@pytest.mark.usefixtures("empty_collection")
@pytest.mark.parametrize("is_scanned", [False, True], ids=["before the first scan", "after it"])
async def test_having_no_documents_is_an_error_until_a_scan_was_done(
    serve: Serve, is_scanned: bool
) -> None:
    if is_scanned:
        await CatalogScan.objects.acreate(state=ScanState.DONE)

    async with serve() as served:
        result = await served.call("get_sql_reference_documents", user_query="email")

    assert result.is_error is not is_scanned
    assert ("no data source was scanned" in result.content[0].text) is not is_scanned


async def test_store_that_hangs_or_dies_is_not_missed_once_vectors_are_read(
    own_chroma: ChromaServer, serve: Serve
) -> None:
    async with serve() as served:
        await eventually(lambda: _is_whole(served))
        own_chroma.freeze()
        await eventually(lambda: _is_whole(served))
        own_chroma.thaw()
        own_chroma.kill()
        await eventually(lambda: _is_whole(served))


@pytest.mark.parametrize("away", ["hangs", "is down"])
async def test_store_that_was_away_at_first_is_read_when_it_is_back(
    own_chroma: ChromaServer, serve: Serve, away: str
) -> None:
    own_chroma.freeze() if away == "hangs" else own_chroma.kill()

    async with serve() as served:
        assert await is_degraded(served)
        own_chroma.thaw() if away == "hangs" else await asyncio.to_thread(own_chroma.start)
        await eventually(lambda: _is_whole(served))


async def is_degraded(served: Served) -> bool:
    """Whether the answer was found by words alone."""
    result = await served.call("get_sql_reference_documents", user_query="email", n_results=1)
    assert result.structured_content["reference_docs"] == [EMAIL]
    return bool(result.structured_content.get("degraded", False))


async def _is_whole(served: Served) -> bool:
    return not await is_degraded(served)


async def test_number_of_results_may_be_written_as_text(indexed: Any, serve: Serve) -> None:
    async with serve() as served:
        result = await served.call("get_sql_reference_documents", user_query="email", n_results="2")

    assert len(result.structured_content["reference_docs"]) == 2


async def test_call_without_its_server_is_recorded(services: Any, serve: Serve) -> None:
    without_model(services)

    async with serve() as served:
        await served.call("get_text_embedding", text_list=["a"])
    record = await CallRecord.objects.aget()

    assert record.tool_name == "get_text_embedding"
    assert record.outcome == "unavailable"
