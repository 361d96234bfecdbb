"""What is stored is found: nearness, filters, texts, metadata, batches, refusals."""

import math
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
import uvloop

from core.errors import ConfigurationError, VectorStoreError
from gateways.vectors.batches import BATCH_ITEMS, make_batches
from gateways.vectors.store import VectorItem, VectorStore, VectorStoreSettings
from tests.chroma_server import ChromaAddress
from tests.gateways.vectors.items import (
    MODEL,
    item,
    opened_store,
    store_settings,
    three_items,
)

ODD_TEXTS = {
    "korean": "고객 이름",
    "emoji": "👩‍👩‍👧 family",
    "nul": "a\x00b",
    "quotes": '"it\'s" {$in: []} \\ /../ %2f',
    "newline": "a\r\nb\u2028c",
    "right_to_left": "\u202eabc",
    "combining": "e\u0301",
    "beyond_bmp": "\U0010ffff",
    "very_long": "x" * 20_000,
}


@pytest.fixture
def settings(chroma: ChromaAddress) -> VectorStoreSettings:
    return store_settings(chroma)


@pytest_asyncio.fixture
async def store(settings: VectorStoreSettings) -> AsyncIterator[VectorStore]:
    async with opened_store(settings) as store:
        yield store


async def test_nearest_documents_come_first(store: VectorStore) -> None:
    await store.upsert(three_items())

    [found] = await store.search([[1.0, 0.5, 0.1]], 2)

    assert [(match.id, match.document) for match in found] == [
        ("east", "about east"),
        ("north", "about north"),
    ]
    assert found[0].metadata == {"content_hash": "hash-east"}


async def test_distance_is_that_of_cosine(store: VectorStore) -> None:
    await store.upsert(
        [item("same", (2, 0, 0)), item("across", (0, 3, 0)), item("back", (-1, 0, 0))]
    )

    [found] = await store.search([[5.0, 0.0, 0.0]], 3)

    assert [match.distance for match in found] == pytest.approx([0, 1, 2])


async def test_each_vector_gets_its_own_matches(store: VectorStore) -> None:
    await store.upsert(three_items())
    directions = [list(one.vector) for one in three_items()]

    found = await store.search(directions * 30, 1)

    assert [match.id for [match] in found] == ["east", "north", "up"] * 30


async def test_equally_near_documents_are_in_order_of_their_ids(store: VectorStore) -> None:
    await store.upsert([item("c"), item("a"), item("b")])

    [found] = await store.search([[1.0, 0.0, 0.0]], 3)

    assert [match.id for match in found] == ["a", "b", "c"]


@pytest.mark.parametrize("n_results", [4, 10_000, 2**40])
async def test_more_results_than_documents_are_all_documents(
    store: VectorStore, n_results: int
) -> None:
    await store.upsert(three_items())

    [found] = await store.search([[1.0, 0.0, 0.0]], n_results)

    assert len(found) == 3


async def test_an_empty_collection_has_no_matches(store: VectorStore) -> None:
    assert await store.search([[1.0, 0.0, 0.0]] * 2, 5) == [[], []]
    assert await store.count() == 0
    assert await store.hashes() == {}


@pytest.mark.parametrize(
    ("vectors", "n_results", "found"),
    [([], 3, []), ([[1.0, 0.0, 0.0]], 0, [[]]), ([[1.0, 0.0, 0.0]], -1, [[]])],
    ids=["no_vectors", "none_wanted", "fewer_than_none_wanted"],
)
async def test_nothing_asked_is_nothing_found(
    store: VectorStore, vectors: list[list[float]], n_results: int, found: list[object]
) -> None:
    await store.upsert(three_items())

    assert await store.search(vectors, n_results) == found


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"kind": "column"}, ["a", "b"]),
        ({"rank": {"$gte": 2}}, ["b", "c"]),
        ({"table": {"$in": ["users"]}}, ["a"]),
        ({"$and": [{"kind": "column"}, {"hidden": True}]}, ["b"]),
        ({"share": 0.5}, ["c"]),
        ({}, ["a", "b", "c"]),
    ],
    ids=["equal", "at_least", "one_of", "and", "float", "empty"],
)
async def test_where_filters_by_metadata(
    store: VectorStore, where: dict[str, object], expected: list[str]
) -> None:
    await store.upsert(
        [
            item("a", kind="column", rank=1, table="users"),
            item("b", kind="column", rank=2, hidden=True),
            item("c", kind="text", rank=3, share=0.5),
        ]
    )

    [found] = await store.search([[1.0, 0.0, 0.0]], 9, where)

    assert [match.id for match in found] == expected


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
async def test_any_text_is_an_id_and_a_document(store: VectorStore, text: str) -> None:
    await store.upsert([VectorItem(text, text, (1, 0, 0), {"content_hash": text, text[:60]: text})])

    [[match]] = await store.search([[1.0, 0.0, 0.0]], 1)

    assert (match.id, match.document) == (text, text)
    assert match.metadata == {"content_hash": text, text[:60]: text}
    assert await store.hashes() == {text: text}
    await store.delete([text])
    assert await store.count() == 0


async def test_lone_surrogates_in_a_document_are_replaced(store: VectorStore) -> None:
    await store.upsert([VectorItem("a", "x\ud800y", (1, 0, 0), {"note": "\udfff"})])

    [[match]] = await store.search([[1.0, 0.0, 0.0]], 1)

    assert match.document == "x\ufffdy"
    assert match.metadata == {"note": "\ufffd"}


async def test_metadata_keep_their_types(store: VectorStore) -> None:
    metadata: dict[str, Any] = {
        "text": "1",
        "whole": 2**62,
        "part": 1.5,
        "yes": True,
        "no": False,
        "empty": "",
    }

    await store.upsert([item("a", **metadata)])

    [[match]] = await store.search([[1.0, 0.0, 0.0]], 1)
    assert match.metadata == metadata
    assert {key: type(value) for key, value in match.metadata.items()} == {
        key: type(value) for key, value in metadata.items()
    }


async def test_metadata_without_a_value_is_absent(store: VectorStore) -> None:
    await store.upsert([item("a", kept=1, none=None, nan=math.nan), item("b")])

    [found] = await store.search([[1.0, 0.0, 0.0]], 2)

    assert [match.metadata for match in found] == [{"kept": 1}, {}]


async def test_upsert_replaces_document_vector_and_all_metadata(store: VectorStore) -> None:
    await store.upsert([item("a", (1, 0, 0), old="o", both=1), item("b", only="b")])

    await store.upsert([VectorItem("a", "new", (0, 1, 0), {"both": 2}), item("b")])

    [[match]] = await store.search([[0.0, 1.0, 0.0]], 1)
    assert (match.id, match.document, match.metadata) == ("a", "new", {"both": 2})
    assert match.distance == pytest.approx(0)
    [found] = await store.search([[1.0, 0.0, 0.0]], 1)
    assert found[0].metadata == {}
    assert await store.count() == 2


async def test_the_last_item_of_an_id_counts(store: VectorStore) -> None:
    await store.upsert([item("a", old=1), VectorItem("a", "last", (0, 1, 0))])

    [[match]] = await store.search([[0.0, 1.0, 0.0]], 5)

    assert (match.document, match.metadata) == ("last", {})


async def test_deleted_documents_are_no_longer_found(store: VectorStore) -> None:
    await store.upsert(three_items())

    await store.delete(["east", "never there"])
    await store.delete([])

    [found] = await store.search([[1.0, 0.0, 0.0]], 5)
    assert sorted(match.id for match in found) == ["north", "up"]


async def test_more_items_than_one_batch_are_all_stored_listed_and_deleted(
    store: VectorStore,
) -> None:
    keys = [f"key-{number}" for number in range(2 * BATCH_ITEMS + 1_500)]

    await store.upsert(item(key, (1.0, 0.1, 0.0), content_hash=key) for key in keys)

    assert await store.hashes() == {key: key for key in keys}
    await store.delete(keys[1:])
    assert await store.hashes() == {keys[0]: keys[0]}


async def test_hashes_leave_out_documents_without_one(store: VectorStore) -> None:
    await store.upsert([item("ours", content_hash="1"), item("other")])

    assert await store.hashes() == {"ours": "1"}


def test_batches_take_from_their_source_as_needed() -> None:
    taken: list[int] = []

    def source() -> Iterator[VectorItem]:
        for number in range(100):
            taken.append(number)
            yield item(str(number))

    first = next(make_batches(source(), 10))

    assert len(first) == 10
    assert len(taken) == 11


def test_long_documents_go_in_smaller_batches() -> None:
    long = [VectorItem(str(number), "x" * 1_000_000, (1.0,)) for number in range(5)]

    assert [len(batch) for batch in make_batches(long, 500)] == [2, 2, 1]


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ((1.0, 0.0), "holds vectors of 3 numbers (got 2)"),
        ((), "holds vectors of 3 numbers (got 0)"),
        ((math.nan, 0.0, 0.0), "neither NaN nor infinity"),
        ((math.inf, -math.inf, 0.0), "neither NaN nor infinity"),
        ((1e300, 0.0, 0.0), "numbers that fit 32 bits"),
    ],
    ids=["short", "empty", "nan", "infinite", "too_large"],
)
async def test_a_vector_that_cannot_be_stored_is_refused(
    store: VectorStore, vector: tuple[float, ...], message: str
) -> None:
    with pytest.raises(VectorStoreError) as caught:
        await store.upsert([item("a", vector)])

    assert message in str(caught.value)
    assert await store.count() == 0


@pytest.mark.parametrize("key", ["", "\ud800"], ids=["empty", "lone_surrogate"])
async def test_an_id_that_cannot_be_stored_is_refused(store: VectorStore, key: str) -> None:
    with pytest.raises(VectorStoreError, match="id of a document is text that is not empty"):
        await store.upsert([item(key)])


async def test_a_number_beyond_64_bits_is_refused(store: VectorStore) -> None:
    with pytest.raises(VectorStoreError, match="exceeds 64-bit"):
        await store.upsert([item("a", number=2**64)])


async def test_a_query_of_another_dimension_is_refused(store: VectorStore) -> None:
    with pytest.raises(VectorStoreError, match=r"vectors of 3 numbers \(got 2\)"):
        await store.search([[1.0, 0.0]], 1)


async def test_a_wrong_filter_is_refused_in_the_words_of_chroma(store: VectorStore) -> None:
    with pytest.raises(VectorStoreError, match="refused the request: Invalid where clause"):
        await store.search([[1.0, 0.0, 0.0]], 1, {"kind": {"$like": "c%"}})


async def test_a_document_that_is_too_long_is_refused(store: VectorStore) -> None:
    with pytest.raises(VectorStoreError, match="too long; shorten it"):
        await store.upsert([VectorItem("a", "x" * 45_000_000, (1.0, 0.0, 0.0))])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"host": "http://chroma:8000"}, "without http:// and port"),
        ({"host": "a\r\nX: y"}, "without http:// and port"),
        ({"host": ""}, "without http:// and port"),
        ({"port": 0}, "from 1 to 65535"),
        ({"port": 70_000}, "from 1 to 65535"),
        ({"collection": "ab"}, "has 3 to 512 letters"),
        ({"collection": "칼럼_정보"}, "has 3 to 512 letters"),
        ({"collection": "../columns"}, "has 3 to 512 letters"),
    ],
    ids=["url", "header", "no_host", "no_port", "port", "short", "korean", "path"],
)
def test_settings_that_cannot_work_are_refused(wrong: dict[str, object], message: str) -> None:
    right: dict[str, object] = {"host": "localhost", "port": 8000, "collection": "columns"}

    with pytest.raises(ConfigurationError) as caught:
        VectorStoreSettings(**right | wrong)  # type: ignore[arg-type]

    assert message in str(caught.value)


def test_store_works_on_the_loop_of_the_runtime(settings: VectorStoreSettings) -> None:
    async def count() -> int:
        async with VectorStore(settings) as store:
            await store.open(MODEL, 3, create=True)
            return await store.count()

    assert uvloop.run(count()) == 0
