"""What Chroma's own client sees of our collections, and we of its."""

from typing import Any

import pytest

from core.errors import VectorStoreError
from gateways.vectors.store import VectorStore, VectorStoreSettings
from tests.chroma_server import ChromaAddress
from tests.gateways.vectors.items import MODEL, item, opened_store, store_settings, three_items


@pytest.fixture
def settings(chroma: ChromaAddress) -> VectorStoreSettings:
    return store_settings(chroma)


@pytest.fixture
def official(chroma: ChromaAddress) -> Any:
    # Imported late: it takes seconds, which only these tests need to wait.
    import chromadb

    return chromadb.HttpClient(host=chroma.host, port=chroma.port)


async def test_the_official_client_reads_what_we_write(
    settings: VectorStoreSettings, official: Any
) -> None:
    async with opened_store(settings) as store:
        await store.upsert(three_items())

    collection = official.get_collection(settings.collection, embedding_function=None)
    found = collection.query(query_embeddings=[[0.0, 1.0, 0.0]], n_results=1)

    assert collection.metadata == {"model": MODEL, "dimension": 3, "made_by": "toolbuilder"}
    assert collection.configuration_json["hnsw"]["space"] == "cosine"
    assert collection.configuration_json["hnsw"]["ef_search"] == 250
    assert collection.configuration_json["embedding_function"] is None
    assert (found["ids"], found["documents"]) == ([["north"]], [["about north"]])
    assert found["metadatas"] == [[{"content_hash": "hash-north"}]]
    stored = collection.get(include=["embeddings"])["embeddings"]
    assert stored.tolist() == [list(one.vector) for one in three_items()]


async def test_a_collection_of_the_official_client_is_searched(
    settings: VectorStoreSettings, official: Any
) -> None:
    collection = official.create_collection(settings.collection, embedding_function=None)
    collection.add(ids=["a", "b"], embeddings=[[1, 0, 0], [0, 1, 0]], documents=["x", "y"])
    collection.add(ids=["c"], embeddings=[[0, 0, 1]], metadatas=[{"k": "v"}])

    async with VectorStore(settings) as store:
        await store.open(MODEL, 3)
        found = await store.search([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 1)

    assert [(match.id, match.document) for [match] in found] == [("b", "y"), ("c", "")]
    assert found[1][0].metadata == {"k": "v"}


async def test_a_collection_of_others_with_another_dimension_is_refused(
    settings: VectorStoreSettings, official: Any
) -> None:
    collection = official.create_collection(settings.collection, embedding_function=None)
    collection.add(ids=["a"], embeddings=[[1, 0]])

    async with VectorStore(settings) as store:
        with pytest.raises(VectorStoreError) as caught:
            await store.open(MODEL, 3)

    assert str(caught.value) == (
        f"the collection {settings.collection} holds vectors of 2 numbers each, the embeddings are"
        " of 3 numbers by the model small-model; use the embedding model that it was made with"
    )


async def test_a_collection_of_others_is_never_written_to_nor_removed(
    settings: VectorStoreSettings, official: Any
) -> None:
    collection = official.create_collection(settings.collection, embedding_function=None)
    collection.add(ids=["a"], embeddings=[[1, 0, 0]], metadatas=[{"content_hash": "theirs"}])

    async with VectorStore(settings) as store:
        for attempt in (
            store.open(MODEL, 3, create=True),
            store.upsert([item("a")]),
            store.delete(["a"]),
            store.drop(),
        ):
            with pytest.raises(VectorStoreError, match="was not made by Toolbuilder"):
                await attempt

    assert collection.get(include=["metadatas"])["metadatas"] == [{"content_hash": "theirs"}]
