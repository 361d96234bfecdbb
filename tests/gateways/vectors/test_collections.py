"""Collections: made, found again, refused when they do not fit, removed."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from core.errors import VectorStoreError
from gateways.vectors.store import VectorStore, VectorStoreSettings
from tests.chroma_server import ChromaAddress
from tests.gateways.vectors.items import (
    DIMENSION,
    MODEL,
    item,
    opened_store,
    store_settings,
    three_items,
)


@pytest.fixture
def settings(chroma: ChromaAddress) -> VectorStoreSettings:
    return store_settings(chroma)


@pytest_asyncio.fixture
async def store(settings: VectorStoreSettings) -> AsyncIterator[VectorStore]:
    async with opened_store(settings) as store:
        yield store


async def test_a_missing_collection_says_how_to_make_it(settings: VectorStoreSettings) -> None:
    async with VectorStore(settings) as store:
        with pytest.raises(VectorStoreError) as caught:
            await store.search([[1.0, 0.0, 0.0]], 1)

        assert str(caught.value) == (
            f"there is no collection {settings.collection} yet; run `manage.py index_documents`"
        )


async def test_open_does_not_make_a_collection_unasked(settings: VectorStoreSettings) -> None:
    async with VectorStore(settings) as store:
        for _ in range(2):
            with pytest.raises(VectorStoreError, match="there is no collection"):
                await store.open(MODEL, DIMENSION)


async def test_a_collection_is_found_without_being_opened(
    store: VectorStore, settings: VectorStoreSettings
) -> None:
    await store.upsert(three_items())

    async with VectorStore(settings) as other:
        [found] = await other.search([[0.0, 0.0, 1.0]], 1)

    assert found[0].id == "up"


@pytest.mark.parametrize(
    ("model", "dimension"),
    [("other-model", DIMENSION), (MODEL, 4), ("other-model", 4)],
    ids=["model", "dimension", "both"],
)
@pytest.mark.parametrize("create", [True, False], ids=["create", "existing"])
async def test_embeddings_that_do_not_fit_are_refused_with_both_named(
    store: VectorStore, model: str, dimension: int, create: bool
) -> None:
    async with VectorStore(store.settings) as other:
        with pytest.raises(VectorStoreError) as caught:
            await other.open(model, dimension, create=create)
        with pytest.raises(VectorStoreError):
            await other.search([[1.0] * dimension], 1)

    assert str(caught.value) == (
        f"the collection {store.settings.collection} holds vectors of 3 numbers each by the model"
        f" small-model, the embeddings are of {dimension} numbers by the model {model};"
        " run `manage.py index_documents --rebuild`"
    )


async def test_a_collection_is_rebuilt_for_another_model(store: VectorStore) -> None:
    await store.upsert(three_items())

    async with VectorStore(store.settings) as other:
        await other.drop()
        await other.open("other-model", 2, create=True)
        await other.upsert([item("flat", (1.0, 0.0))])

        assert await other.count() == 1


async def test_a_missing_collection_is_dropped_without_a_word(
    settings: VectorStoreSettings,
) -> None:
    async with VectorStore(settings) as store:
        await store.drop()


async def test_a_collection_that_was_replaced_is_found_again(store: VectorStore) -> None:
    await store.upsert(three_items())
    async with opened_store(store.settings) as other:
        await other.drop()
        await other.open(MODEL, DIMENSION, create=True)
        await other.upsert([item("new")])

        [found] = await store.search([[1.0, 0.0, 0.0]], 5)
        await store.upsert([item("newer")])

        assert [match.id for match in found] == ["new"]
        assert await other.count() == 2


async def test_a_collection_replaced_by_one_that_does_not_fit_is_refused(
    store: VectorStore,
) -> None:
    await store.upsert(three_items())
    async with VectorStore(store.settings) as other:
        await other.drop()
        await other.open("other-model", DIMENSION, create=True)

    with pytest.raises(VectorStoreError, match="by the model other-model"):
        await store.search([[1.0, 0.0, 0.0]], 5)


async def test_a_collection_that_was_removed_is_missed(store: VectorStore) -> None:
    await store.drop()

    with pytest.raises(VectorStoreError, match="there is no collection"):
        await store.count()
