"""Test cases as documents: read, written, and what differs in an outcome."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answer_differences import ComparedAnswer
from core.bindings import CallerFacts
from core.cases.documents import (
    MAX_GOLDEN_BYTES,
    CaseDocument,
    GoldenAnswer,
    read_case,
    read_cases,
)
from core.cases.outcomes import CaseOutcome, CaseState
from core.errors import DefinitionError
from core.messages import foreign

STORES = ComparedAnswer(
    columns=("store", "sales", "opened"),
    rows=(("강남점", 12, None), ("Yeoju", 7.5, "2020-01-01")),
)
EXPECTS: list[dict[str, Any]] = [
    {"check": "rows", "is": ">=", "count": 1},
    {"check": "columns", "columns": [{"name": "store", "type": "text"}]},
    {"check": "value", "path": "$[0].store", "is": "=", "value": "강남점"},
    {"check": "contains", "text": "Yeoju"},
    {"check": "row", "values": {"sales": 12, "store": "강남점"}},
    {"check": "sorted", "column": "sales", "order": "desc"},
    {"check": "ms", "at_most": 50},
    {"check": "bytes", "at_most": 64_000},
    {"check": "tokens", "at_most": 300},
]


def stores(*, elapsed_ms: float = 4, text: str = '[{"store": "Yeoju"}]') -> CaseOutcome:
    return CaseOutcome(answer=STORES, texts=(text,), elapsed_ms=elapsed_ms)


def judge(expectation: dict[str, Any], outcome: CaseOutcome) -> tuple[CaseState, str]:
    verdict = read_case({"name": "case", "expects": [expectation]}, "cases[0]").judge(outcome)
    return verdict.state, str(verdict.sentence or "")


def test_a_case_is_read_as_it_was_written() -> None:
    document = {
        "name": "Korea, whole year",
        "source": "call",
        "arguments": {"region": "KR", "top_n": None},
        "caller": {"key_id": "k1", "owner": "sales-agent", "claims": {"region": "KR"}},
        "expects": EXPECTS,
        "golden": {"at": "2026-11-18", "by": "ann", "version": 3, "answer": STORES.to_document()},
    }

    case = read_case(document, "cases[0]")

    assert case.to_document() == document
    assert case.caller == CallerFacts(key_id="k1", owner="sales-agent", claims={"region": "KR"})


@given(
    name=st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=100),
    arguments=st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text()),
    expects=st.lists(st.sampled_from(EXPECTS), max_size=9),
)
def test_every_document_survives_the_way_there_and_back(
    name: str, arguments: dict[str, Any], expects: list[dict[str, Any]]
) -> None:
    case = read_case({"name": name, "arguments": arguments, "expects": expects}, "cases[0]")

    assert read_case(case.to_document(), "cases[0]") == case


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        pytest.param({"name": " "}, "cases[2].name: must be a text", id="no-name"),
        pytest.param({"name": "a\nb"}, "cases[2].name: must be visible characters", id="two-lines"),
        pytest.param({"argument": {}}, "cases[2]: argument is no field of it", id="unknown-field"),
        pytest.param({"arguments": [1]}, "cases[2].arguments: must be an object", id="arguments"),
        pytest.param({"source": "x"}, "cases[2].source: must be one of trial, call", id="source"),
        pytest.param({"expects": {}}, "cases[2].expects: must be a list of at most 50", id="list"),
        pytest.param(
            {"expects": [{"check": "colour"}]}, "cases[2].expects[0].check: must be", id="check"
        ),
        pytest.param({"expects": ["rows"]}, "cases[2].expects[0]: must be an object", id="text"),
        pytest.param(
            {"expects": [{"check": "rows", "count": -1}]},
            "cases[2].expects[0].count: must be a whole number",
            id="count",
        ),
        pytest.param(
            {"expects": [{"check": "value", "path": "store", "value": 1}]},
            "store is no path; write $",
            id="path",
        ),
        pytest.param(
            {"expects": [{"check": "error", "text": ""}, {"check": "rows", "count": 1}]},
            "cases[2].expects: cannot expect an error and an answer",
            id="error-and-rows",
        ),
        pytest.param(
            {"golden": {"answer": {"rows": []}}}, "cases[2].golden.answer: an answer is", id="gold"
        ),
        pytest.param(
            {"golden": {"answer": {"value": "x" * MAX_GOLDEN_BYTES}}},
            "the answer is larger than 1,000,000 bytes",
            id="large-gold",
        ),
    ],
)
def test_a_fault_names_its_place(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        read_case({"name": "case", **change}, "cases[2]")

    assert fault in str(raised.value)


def test_two_cases_of_one_name_are_refused() -> None:
    with pytest.raises(DefinitionError, match="cases: there are two cases called first"):
        read_cases([{"name": "first"}, {"name": "first"}], "cases")


@pytest.mark.parametrize("expectation", EXPECTS[:1] + EXPECTS[2:], ids=lambda entry: entry["check"])
def test_what_is_as_expected_is_green(expectation: dict[str, Any]) -> None:
    assert judge(expectation, stores()) == (CaseState.GREEN, "")


@pytest.mark.parametrize(
    ("expectation", "sentence"),
    [
        ({"check": "rows", "count": 3}, "Expected 3 rows; got 2 rows."),
        ({"check": "rows", "is": ">=", "count": 3}, "Expected ≥ 3 rows; got 2 rows."),
        (
            {"check": "columns", "columns": [{"name": "store"}]},
            "Expected columns store; got store text, sales number, opened text.",
        ),
        (
            {"check": "value", "path": "$[1].sales", "is": ">=", "value": 8},
            "Expected $[1].sales ≥ 8; got 7.5.",
        ),
        ({"check": "value", "path": "$[5].x", "value": 1}, "got nothing at $[5].x."),
        ({"check": "contains", "text": "Busan"}, "Expected contains “Busan”; got a text without"),
        ({"check": "row", "values": {"store": "Busan"}}, 'a row with store = "Busan"; got no such'),
        ({"check": "sorted", "column": "sales"}, "sorted by sales; got row 2 out of order."),
        ({"check": "sorted", "column": "price"}, "got no column price."),
        ({"check": "error", "text": "date"}, "Expected error with “date”; got an answer."),
    ],
)
def test_what_is_not_is_red_and_says_so(expectation: dict[str, Any], sentence: str) -> None:
    state, text = judge(expectation, stores())

    assert state is CaseState.RED
    assert sentence in text


@pytest.mark.parametrize(
    ("expectation", "sentence"),
    [
        ({"check": "ms", "at_most": 200}, "Expected ≤ 200 ms; got 231 ms."),
        ({"check": "bytes", "at_most": 5}, "Expected ≤ 5 bytes; got 20 bytes."),
        ({"check": "tokens", "at_most": 1}, "Expected ≤ 1 token; got 7 tokens."),
    ],
)
def test_what_only_costs_too_much_blocks_nothing(
    expectation: dict[str, Any], sentence: str
) -> None:
    state, text = judge(expectation, stores(elapsed_ms=231))

    assert (state, text) == (CaseState.SLOW, sentence)
    assert not state.blocks


def test_an_expected_error_is_green_and_any_other_red() -> None:
    outcome = CaseOutcome.of_error(foreign("since: must be a DATE"), 1)

    assert judge({"check": "error", "text": "must be a date"}, outcome)[0] is CaseState.GREEN
    assert judge({"check": "error", "text": "region"}, outcome)[0] is CaseState.RED
    assert judge({"check": "rows", "count": 1}, outcome) == (
        CaseState.RED,
        "Expected 1 row; the call failed: since: must be a DATE",
    )


def test_the_difference_to_the_golden_answer_is_told_with_its_rows() -> None:
    golden = GoldenAnswer(answer=STORES)
    case = CaseDocument(name="case", golden=golden)
    changed = ComparedAnswer(STORES.columns, (STORES.rows[0], ("Yeoju", 8, "2020-01-01")))

    same, other = case.judge(stores()), case.judge(CaseOutcome(answer=changed))

    assert (same.state, same.difference) == (CaseState.GREEN, None)
    assert str(other.sentence) == "1 of 2 rows differs from the golden answer."
    assert other.difference
    assert other.difference.rows[0].cells == {1}


def test_an_accepted_answer_replaces_what_no_longer_holds() -> None:
    first = {"check": "value", "path": "$[0].store", "is": "=", "value": "Busan"}
    contains, sorted_by, cost = EXPECTS[3], EXPECTS[5], EXPECTS[6]
    before = [{"check": "rows", "is": "=", "count": 9}, first, contains, sorted_by, cost]
    case = read_case({"name": "case", "expects": before}, "cases[0]")

    accepted = case.accept(GoldenAnswer(answer=STORES))

    rows = {"check": "rows", "is": "=", "count": 2}
    assert accepted.to_document()["expects"] == [rows, contains, sorted_by, cost]
    assert accepted.judge(stores()).state is CaseState.GREEN


def test_texts_are_sorted_in_any_case_of_letters_and_nulls_stand_anywhere() -> None:
    rows = (("alpha",), (None,), ("Beta",), ("gamma",))
    outcome = CaseOutcome(answer=ComparedAnswer(("name",), rows))

    assert judge({"check": "sorted", "column": "name"}, outcome)[0] is CaseState.GREEN
