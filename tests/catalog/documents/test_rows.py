"""A row of a file becomes a document, or says everything that is wrong with it."""

import json
from typing import Any

import pytest

from catalog.documents.rows import RowError, read_row
from catalog.models import DocumentKind
from tests.catalog.documents.conftest import EMAIL

QUERY = {"question": "How many\n users?", "sql": "SELECT count(*) -- all\nFROM users"}


def faults_of(row: dict[str, Any]) -> list[str]:
    with pytest.raises(RowError) as caught:
        read_row(row)
    return caught.value.faults


@pytest.mark.parametrize(
    ("row", "text"),
    [
        pytest.param(
            EMAIL,
            "table: users, column: email, type: VARCHAR(255), description: 사용자 이메일 주소",
            id="column",
        ),
        pytest.param(
            EMAIL | {"example": "john@example.com"},
            "table: users, column: email, type: VARCHAR(255), description: 사용자 이메일 주소,"
            " example: john@example.com",
            id="with an example",
        ),
        pytest.param(
            {"table": "t", "column": "c", "description": " two\n words "},
            "table: t, column: c, description: two words",
            id="without a type",
        ),
        pytest.param(
            {"table_name": "t", "column": "c", "type": "INTEGER", "description": "d"},
            "table: t, column: c, type: INTEGER, description: d",
            id="other names of keys",
        ),
        pytest.param(
            EMAIL | {"data_type": None, "example": ["a", {"한": 1}]},
            'table: users, column: email, description: 사용자 이메일 주소, example: ["a", {"한": 1}]',
            id="JSON as example",
        ),
        pytest.param(
            QUERY,
            "question: How many users?, sql: SELECT count(*) -- all\nFROM users",
            id="query keeps its lines",
        ),
        pytest.param({"text": " Prices are yen.\n"}, "Prices are yen.", id="text"),
    ],
)
def test_text_form(row: dict[str, Any], text: str) -> None:
    assert read_row(row).render("text") == text


@pytest.mark.parametrize("row", [EMAIL, QUERY, {"text": "Prices are yen."}], ids=str)
def test_json_form_has_the_keys_of_the_file(row: dict[str, Any]) -> None:
    assert set(json.loads(read_row(row).render("json"))) == set(row)


def test_json_form_keeps_the_letters() -> None:
    assert "사용자 이메일 주소" in read_row(EMAIL).render("json")


@pytest.mark.parametrize(
    ("row", "kind", "key"),
    [
        pytest.param(EMAIL, DocumentKind.COLUMN, "column:users.email", id="column"),
        pytest.param(QUERY, DocumentKind.QUERY, "query:", id="query"),
        pytest.param({"text": "yen"}, DocumentKind.TEXT, "text:", id="text"),
        pytest.param({"text": "yen", "key": "money"}, DocumentKind.TEXT, "money", id="own key"),
    ],
)
def test_kind_and_key_follow_from_the_row(
    row: dict[str, Any], kind: DocumentKind, key: str
) -> None:
    document = read_row(row)

    assert document.kind is kind
    assert document.key.startswith(key)


def test_better_statement_does_not_change_the_key() -> None:
    assert read_row(QUERY).key == read_row(QUERY | {"sql": "SELECT 1"}).key


def test_letters_of_hangul_apart_are_composed() -> None:
    assert read_row(EMAIL | {"description": "한글"}).content["description"] == "한글"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        pytest.param(
            {"table": "users"},
            "column_name and description missing; a column has table, column_name and"
            " description, and may have data_type, example, table_title, values and refers_to",
            id="missing",
        ),
        pytest.param(EMAIL | {"description": " "}, "description missing", id="blank"),
        pytest.param({"question": "q"}, "sql missing; an example query has question", id="query"),
        pytest.param(EMAIL | {"exmaple": "a"}, "did you mean example?", id="misspelt"),
        pytest.param(EMAIL | {"owner": "a"}, '"owner" is unknown', id="unknown"),
        pytest.param(EMAIL | {"column": "a"}, "column_name is given twice", id="twice"),
        pytest.param(
            EMAIL | {"kind": "view"}, "kind must be one of table, column, query", id="kind"
        ),
        pytest.param(EMAIL | {"description": ["a"]}, "description must be a text", id="list"),
        pytest.param(EMAIL | {"description": "a\0"}, "U+0000", id="NUL"),
        pytest.param(EMAIL | {"example": "\ud800"}, "half a surrogate", id="surrogate"),
        pytest.param(EMAIL | {"table": "t" * 256}, "table has 256 characters", id="long name"),
        pytest.param(EMAIL | {"description": "d" * 20_001}, "at most 20,000", id="long text"),
        pytest.param(EMAIL | {"metadata": "a"}, "metadata must be an object", id="metadata"),
        pytest.param(
            EMAIL | {"metadata": {"tags": ["a"]}}, "metadata.tags must be a text", id="nested"
        ),
        pytest.param(
            EMAIL | {"metadata": {"weight": float("nan")}}, "metadata.weight must be", id="NaN"
        ),
        pytest.param(EMAIL | {"metadata": {"big": 2**63}}, "metadata.big must be", id="big"),
        pytest.param(
            EMAIL | {"metadata": {"source": "a"}}, 'cannot hold the name "source"', id="reserved"
        ),
    ],
)
def test_fault_says_what_would_be_right(row: dict[str, Any], fault: str) -> None:
    assert fault in "; ".join(faults_of(row))


def test_all_faults_of_a_row_are_said_at_once() -> None:
    faults = faults_of({"table": 1.5, "column_name": {}, "colour": "red", "metadata": 1})

    assert len(faults) == 4
