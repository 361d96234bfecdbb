"""Differences of answers: what counts as the same, and what is said of the rest."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answer_differences import (
    ComparedAnswer,
    RowKind,
    ValueDifference,
    column_types,
    compare_answers,
    read_compared_answer,
)
from core.errors import DefinitionError
from core.results import QueryResult, query_answer, value_answer
from core.toolspec import ResultFormat


def rows_of(columns: str, *rows: tuple[Any, ...]) -> ComparedAnswer:
    return ComparedAnswer(tuple(columns.split()), rows)


STORES = rows_of("store sales", ("여주", 760), ("홍대", 571), ("강남", 544))


def test_a_changed_cell_is_found_in_its_row() -> None:
    new = rows_of("store sales", ("여주", 760), ("홍대", 570), ("강남", 544))

    found = compare_answers(STORES, new)

    [row] = found.rows
    assert (row.kind, row.number, row.cells) == (RowKind.CHANGED, 2, frozenset({1}))
    assert found.same_rows == 2
    assert str(found.explain()) == "1 of 3 rows differs."


def test_a_row_in_the_middle_moves_no_other() -> None:
    new = rows_of("store sales", ("여주", 760), ("대구", 600), ("홍대", 571), ("강남", 544))

    [row] = compare_answers(STORES, new).rows

    assert (row.kind, row.number, row.new) == (RowKind.ADDED, 2, ("대구", 600))


def test_the_same_rows_in_another_order_are_said_to_be_so() -> None:
    found = compare_answers(STORES, rows_of("store sales", *reversed(STORES.rows)))

    assert found.is_reordered
    assert not found.rows
    assert str(found.explain()) == "The same is there in another order."


def test_columns_that_come_and_go_leave_the_others_comparable() -> None:
    new = rows_of("store city", ("여주", "Yeoju"), ("홍대", "Seoul"), ("강남", "Seoul"))

    found = compare_answers(STORES, new)

    assert (found.removed_columns, found.added_columns) == (("sales",), ("city",))
    assert found.same_rows == 3
    assert not found.rows


def test_columns_of_one_name_are_told_apart() -> None:
    old, new = rows_of("id id", (1, 2)), rows_of("id id", (1, 3))

    [row] = compare_answers(old, new).rows

    assert row.cells == {1}


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        pytest.param(0.1 + 0.2, 0.3, True, id="sum"),
        pytest.param(15, 15.0, True, id="whole"),
        pytest.param(1, True, False, id="boolean"),
        pytest.param("1", 1, False, id="text"),
        pytest.param(None, "", False, id="null"),
        pytest.param({"a": 1, "b": [2.0]}, {"b": [2], "a": 1}, True, id="object"),
    ],
)
def test_what_counts_as_the_same_value(old: Any, new: Any, is_same: bool) -> None:
    found = compare_answers(rows_of("value", (old,)), rows_of("value", (new,)))

    assert bool(found) is not is_same


def test_values_are_compared_by_their_paths() -> None:
    old = ComparedAnswer(value={"result": [{"name": "a", "n": 1}, 2]})
    new = ComparedAnswer(value={"result": [{"name": "b", "n": 1}]})

    assert compare_answers(old, new).values == (
        ValueDifference("$.result[0].name", "a", "b"),
        ValueDifference("$.result[1]", 2, None),
    )


def test_rows_and_a_value_are_other_kinds() -> None:
    found = compare_answers(STORES, ComparedAnswer(value={"result": 3}))

    assert str(found.explain()) == "One answer has rows and the other a value."


def test_an_answer_that_was_cut_differs_from_one_that_was_not() -> None:
    cut = ComparedAnswer(STORES.columns, STORES.rows, truncated=True)

    assert compare_answers(STORES, cut).is_other_truncation


def test_very_long_answers_are_compared_place_by_place() -> None:
    old = rows_of("n", *((n,) for n in range(5_000)))
    new = rows_of("n", *((n if n != 70 else -1,) for n in range(5_001)))

    found = compare_answers(old, new)

    assert [(row.kind, row.number) for row in found.rows] == [
        (RowKind.CHANGED, 71),
        (RowKind.ADDED, 5_001),
    ]
    assert found.same_rows == 4_999


@given(st.lists(st.tuples(st.integers(0, 3), st.text("ab", max_size=2)), max_size=8))
def test_an_answer_never_differs_from_itself_after_storage(rows: list[tuple[int, str]]) -> None:
    answer = rows_of("n name", *rows)

    stored = read_compared_answer(json.loads(json.dumps(answer.to_document())))

    assert not compare_answers(answer, stored)


@given(*[st.lists(st.tuples(st.integers(0, 2)), max_size=6)] * 2)
def test_every_row_is_accounted_for(old: list[tuple[int]], new: list[tuple[int]]) -> None:
    found = compare_answers(rows_of("n", *old), rows_of("n", *new))

    kinds = [row.kind for row in found.rows]
    assert found.same_rows + kinds.count(RowKind.CHANGED) + kinds.count(RowKind.REMOVED) == len(old)
    assert found.same_rows + kinds.count(RowKind.CHANGED) + kinds.count(RowKind.ADDED) == len(new)


def test_a_call_is_compared_by_what_agents_use_of_it() -> None:
    result = QueryResult(columns=("n",), rows=[(float("nan"),)], elapsed_ms=3.0)

    rows = ComparedAnswer.of_answer(query_answer(result, ResultFormat.CSV))
    value = ComparedAnswer.of_answer(value_answer(7))

    assert rows == rows_of("n", (None,))
    assert value == ComparedAnswer(value={"result": 7})


@pytest.mark.parametrize(
    "document", [3, {}, {"columns": ["a"]}, {"columns": ["a"], "rows": [[1, 2]]}]
)
def test_what_is_no_answer_is_refused(document: Any) -> None:
    with pytest.raises(DefinitionError, match="each row as long as the columns"):
        read_compared_answer(document)


def test_types_of_columns_are_those_of_their_values() -> None:
    answer = rows_of("a b c d", (1, "x", None, 1), (2.5, None, None, "x"))

    assert column_types(answer) == {"a": "number", "b": "text", "c": "null", "d": "mixed"}
