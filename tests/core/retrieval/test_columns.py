"""Columns are found by words, meaning and their tables, and come with the keys that join these."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import EmbeddingError
from core.retrieval.column_texts import ColumnDocument, ColumnTable, column_text
from core.retrieval.columns import MAX_COLUMNS, ColumnIndex, ColumnRanker, ColumnsFound
from core.retrieval.glossary import Concept, Glossary

ORDERS = ColumnTable("orders", "受注", "1行が1注文。")
STORES = ColumnTable("stores", "매장", "모든 매장")
COLUMNS = (
    ColumnDocument(table=ORDERS, name="order_no", description="注文番号", is_key=True),
    ColumnDocument(table=ORDERS, name="store_id", description="受注した店舗", is_key=True),
    ColumnDocument(table=ORDERS, name="total_amount", description="税込合計金額"),
    ColumnDocument(table=STORES, name="store_id", description="매장 코드", is_key=True),
    ColumnDocument(table=STORES, name="city", description="매장이 있는 도시"),
)
GLOSSARY = Glossary([Concept("city", {"en": ("city",), "ko": ("도시",), "ja": ("街",)})])


def paths(found: ColumnsFound) -> list[str]:
    return [each.document.path for each in found.columns]


def with_vector(name: str, numbers: list[float], table: ColumnTable = ORDERS) -> ColumnDocument:
    return ColumnDocument(table=table, name=name, description="text", vector=numbers)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("total amount", "orders.total_amount", id="name"),
        pytest.param("合計金額はいくら", "orders.total_amount", id="description"),
        pytest.param("街", "stores.city", id="another language"),
        pytest.param("都市", "stores.city", id="the same word in kanji"),
    ],
)
def test_column_is_found_by_what_is_told_of_it(text: str, path: str) -> None:
    assert paths(ColumnRanker(COLUMNS, GLOSSARY).rank(text))[0] == path


def test_keys_of_the_tables_come_with_the_columns() -> None:
    found = ColumnRanker(COLUMNS).rank("total amount", limit=1)

    assert paths(found) == ["orders.total_amount"]
    assert [each.path for each in found.keys] == ["orders.order_no", "orders.store_id"]


def test_tables_that_only_a_third_joins_come_with_its_keys() -> None:
    products = ColumnTable("products")
    lines = ColumnTable("order_lines")
    columns = (
        *(replace(column, refers_to=()) for column in COLUMNS),
        ColumnDocument(table=products, name="sku", is_key=True),
        ColumnDocument(table=products, name="brand"),
        ColumnDocument(table=lines, name="line_no", is_key=True),
        ColumnDocument(table=lines, name="sku", is_key=True, refers_to=("products",)),
        ColumnDocument(table=lines, name="order_no", is_key=True, refers_to=("orders",)),
    )

    found = ColumnRanker(columns).rank("total amount brand", limit=2)

    assert sorted(paths(found)) == ["orders.total_amount", "products.brand"]
    assert {each.path for each in found.first(10)[2:4]} == {
        "order_lines.sku",
        "order_lines.order_no",
    }


def test_key_that_is_found_itself_stands_once() -> None:
    found = ColumnRanker(COLUMNS).rank("order no", limit=1)

    assert paths(found) == ["orders.order_no"]
    assert [each.path for each in found.keys] == ["orders.store_id"]


def test_column_gains_by_the_best_of_its_table() -> None:
    wanted, other = ColumnTable("a"), ColumnTable("b")
    columns = [
        ColumnDocument(table=wanted, name="amount", description="paid amount"),
        ColumnDocument(table=wanted, name="day", description="some day"),
        ColumnDocument(table=other, name="day", description="some day"),
    ]

    scores = {
        each.document.path: each.score for each in ColumnRanker(columns).rank("amount day").columns
    }

    assert scores["a.day"] > scores["b.day"]


def test_meaning_finds_what_shares_no_word() -> None:
    columns = [with_vector("x", [1.0, 0.0]), with_vector("y", [0.0, 1.0])]

    assert paths(ColumnRanker(columns).rank("other", [0.1, 0.9])) == ["orders.y", "orders.x"]


def test_columns_of_the_language_of_the_question_have_no_head_start() -> None:
    korean, english = ColumnTable("ko", "매장"), ColumnTable("en", "Shops")
    columns = [
        *(
            ColumnDocument(table=korean, name=f"k{n}", description="날짜", vector=[0.9, 0.1, n])
            for n in (0.0, 0.01, 0.02) * 10
        ),
        *(
            ColumnDocument(table=english, name=f"e{n}", description="day", vector=[0.1, 0.9, n])
            for n in (0.0, 0.01, 0.02) * 10
        ),
        ColumnDocument(table=english, name="y", description="wanted", vector=[0.4, 0.9, 0.0]),
    ]

    assert paths(ColumnRanker(columns).rank("?질문", [1.0, 0.0, 0.0]))[0] == "en.y"


@pytest.mark.parametrize(
    "text", ["", " \n", "?!", "🎉"], ids=["nothing", "blank", "marks", "emoji"]
)
def test_question_without_words_finds_nothing(text: str) -> None:
    assert ColumnRanker(COLUMNS).rank(text) == ColumnsFound()


def test_column_without_any_word_of_the_question_is_not_found() -> None:
    assert ColumnRanker(COLUMNS).rank("weather") == ColumnsFound()


def test_columns_of_a_table_that_was_found_come_after_those_with_a_word() -> None:
    found = paths(ColumnRanker(COLUMNS).rank("city"))

    assert found == ["stores.city", "stores.store_id"]


def test_column_that_refers_to_a_table_speaks_for_the_name_there() -> None:
    things = ColumnTable("parts")
    columns = (
        ColumnDocument(table=ORDERS, name="shop", is_key=True, refers_to=("parts",)),
        ColumnDocument(table=ORDERS, name="memo", description="shop"),
        ColumnDocument(table=things, name="id", description="number", is_key=True),
        ColumnDocument(table=things, name="title"),
        ColumnDocument(table=things, name="weight"),
    )

    found = paths(ColumnRanker(columns).rank("shop"))
    counted = paths(ColumnRanker(columns).rank("how many shop"))

    assert found[0] == "orders.memo"
    assert found.index("parts.title") < found.index("parts.id") < found.index("parts.weight")
    assert counted.index("parts.id") < counted.index("parts.weight")


def test_no_columns_find_nothing() -> None:
    assert ColumnRanker([]).rank("total amount", [1.0]) == ColumnsFound()


@pytest.mark.parametrize(("limit", "count"), [(-1, 0), (0, 0), (2, 2), (10_000, MAX_COLUMNS)])
def test_limit_is_held_within_bounds(limit: int, count: int) -> None:
    ranker = ColumnRanker(ColumnDocument(table=ORDERS, name=f"amount_{n}") for n in range(250))

    assert len(ranker.rank("amount", limit=limit).columns) == count


def test_ties_are_ordered_by_path() -> None:
    columns = [ColumnDocument(table=ORDERS, name=name, description="same") for name in "dbca"]

    assert paths(ColumnRanker(columns).rank("same")) == [f"orders.{name}" for name in "abcd"]


def test_columns_without_vectors_are_ranked_with_those_that_have_some() -> None:
    columns = [with_vector("x", [1.0, 0.0]), *COLUMNS]

    assert paths(ColumnRanker(columns).rank("total amount", [0.0, 1.0]))[0] == "orders.total_amount"


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        pytest.param([1.0, 0.0, 0.0], "must have 2 numbers", id="dimension"),
        pytest.param([0.0, 0.0], "not all of them 0", id="zero"),
        pytest.param([float("nan"), 1.0], "a list of numbers", id="NaN"),
    ],
)
def test_vector_that_does_not_fit_is_refused(vector: list[float], message: str) -> None:
    ranker = ColumnRanker([with_vector("x", [1.0, 0.0])])

    with pytest.raises(EmbeddingError, match=message):
        ranker.rank("x", vector)


def test_vectors_of_two_models_are_refused() -> None:
    with pytest.raises(EmbeddingError, match="from one model"):
        ColumnRanker([with_vector("x", [1.0]), with_vector("y", [1.0, np.pi])])


def test_embedded_text_begins_with_the_table() -> None:
    assert column_text(COLUMNS[2]) == "orders 受注: total amount: 税込合計金額"
    assert column_text(ColumnDocument(table=ColumnTable("t"), name="userId")) == "t: user id"


changes = st.lists(st.tuples(st.sampled_from(range(len(COLUMNS))), st.booleans()), max_size=8)
QUESTION = ("city of the 店舗 total amount store", [0.2, -0.4, 0.9])
VECTORS = np.random.default_rng(2).standard_normal((len(COLUMNS), 3))


def with_own_vector(number: int) -> ColumnDocument:
    return replace(COLUMNS[number], vector=VECTORS[number])


@settings(max_examples=12, deadline=None)
@given(changes)
def test_changed_index_ranks_as_a_new_one(given_changes: list[tuple[int, bool]]) -> None:
    index, present = ColumnIndex(GLOSSARY), set[int]()
    for number, is_put in given_changes:
        index = index.copy()
        column = with_own_vector(number)
        index.put(column) if is_put else index.remove(column.identity)
        (present.add if is_put else present.discard)(number)

    fresh = ColumnRanker((with_own_vector(number) for number in sorted(present)), GLOSSARY)
    changed, anew = ColumnRanker(index).rank(*QUESTION), fresh.rank(*QUESTION)

    assert paths(changed) == paths(anew)
    assert [each.score for each in changed.columns] == pytest.approx(
        [each.score for each in anew.columns], abs=1e-4
    )


def test_copy_and_original_change_apart() -> None:
    index = ColumnIndex(GLOSSARY)
    index.put(with_own_vector(2))
    twin = index.copy()
    twin.put(replace(COLUMNS[2], description="weather"))
    twin.put_vector(COLUMNS[2].identity, [1.0, 0.0, 0.0])

    assert ColumnRanker(index).rank("weather") == ColumnsFound()
    assert paths(ColumnRanker(twin).rank("weather")) == ["orders.total_amount"]
    assert ColumnRanker(index).rank("?x", VECTORS[2]) != ColumnRanker(twin).rank("?x", VECTORS[2])


def test_other_glossary_is_looked_up_in_the_same_columns() -> None:
    index = ColumnIndex()
    for number in range(len(COLUMNS)):
        index.put(with_own_vector(number))
    twin = index.with_glossary(GLOSSARY)

    assert ColumnRanker(index).rank("街") == ColumnsFound()
    assert paths(ColumnRanker(twin).rank("街"))[0] == "stores.city"
    assert twin.vectors.has_vectors


def test_candidates_are_ranked_as_among_all() -> None:
    ranker = ColumnRanker([with_own_vector(number) for number in range(len(COLUMNS))])
    bare = ColumnIndex()
    for column in COLUMNS:
        bare.put(column)
    candidates = {column.identity: VECTORS[number] for number, column in enumerate(COLUMNS)}

    found = ColumnRanker(bare).rank_among(*QUESTION, candidates)

    assert paths(found)[:2] == paths(ranker.rank(*QUESTION))[:2]
    assert ColumnRanker(bare).best_by_words("total amount", 1) == ["orders.total_amount"]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        pytest.param(1, ["total_amount"], id="no room for a key"),
        pytest.param(5, ["total_amount", "order_no", "store_id"], id="room is left"),
    ],
)
def test_answer_of_so_many_documents_keeps_places_for_keys(count: int, expected: list[str]) -> None:
    found = ColumnRanker(COLUMNS).rank("total amount", limit=count)

    assert [each.name for each in found.first(count)] == expected


def test_fifth_of_a_full_answer_is_for_keys() -> None:
    wide = [ColumnDocument(table=ORDERS, name=f"total_amount_{n}") for n in range(9)]
    found = ColumnRanker([*COLUMNS, *wide]).rank("total amount", limit=5)

    assert [each.is_key for each in found.first(5)] == [False] * 4 + [True]
