"""Columns and SQL in what models write."""

import pytest
from google.genai import types

from agents.data_search.replies import (
    read_column_names,
    read_sql,
    read_standard_columns,
    reply_text,
)

_NAMES = '{"requested_entity": "매출", "requested_columns": ["지역"]}'


@pytest.mark.parametrize(
    "text",
    [
        _NAMES,
        f"```json\n{_NAMES}\n```",
        f"Sure! {{curly}} Here it is: {_NAMES} Hope it helps.",
        f'{{"thought": 1}} {_NAMES}',
        '{"requested_entity": "매출", "requested_columns": "지역", "inferred_columns": null}',
    ],
    ids=["bare", "fenced", "in-prose", "second-object", "loose-types"],
)
def test_column_names_are_found(text: str) -> None:
    names = read_column_names(text)

    assert names is not None
    assert (names.requested_entity, names.names()) == ("매출", ["지역"])


@pytest.mark.parametrize("text", ["", "I do not know.", "[1, 2]", '{"other": 1}', "{" * 5000])
def test_prose_holds_no_column_names(text: str) -> None:
    assert read_column_names(text) is None


def test_names_of_the_three_lists_come_once_each() -> None:
    names = read_column_names('{"requested_columns": ["a", "b"], "inferred_columns": ["a", " "]}')

    assert names is not None
    assert names.names() == ["a", "b"]


@pytest.mark.parametrize(
    "text",
    [
        '[{"keyword": "k", "table": "public.users", "column": "email"}]',
        'Here:\n```json\n{"columns": [{"keyword": "k", "table": "public.users", "column": "email"}]}\n```',
        '[{"keyword": "k", "column": "public.users.email"}, {"keyword": "no column"}]',
        '{"keyword": "k", "table": "public.users", "column": "email"}',
    ],
    ids=["list", "in-object", "dotted-column", "single"],
)
def test_standard_columns_are_found(text: str) -> None:
    [column] = read_standard_columns(text)

    assert (column.keyword, column.table, column.column) == ("k", "public.users", "email")


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("SELECT 1", "SELECT 1"),
        ("```sql\nSELECT\u00a01;\n```\nThis counts.", "SELECT 1"),
        ("Here is the query:\n\nSELECT a\nFROM t\n\nThis returns all rows.", "SELECT a\nFROM t"),
        ("WITH x AS (SELECT 1)\n\nSELECT * FROM x", "WITH x AS (SELECT 1)\n\nSELECT * FROM x"),
        ("SELECT ';' AS a; DROP TABLE t", "SELECT ';' AS a"),
        ("<think>SELECT wrong</think>SELECT 2", "SELECT 2"),
        ("\ufeffselect\u3000'가'", "select '가'"),
        ("I cannot answer this.", ""),
        ("DELETE FROM t", "DELETE FROM t"),
    ],
    ids=[
        "bare",
        "fence-and-nbsp",
        "prose-around",
        "blank-line-inside",
        "semicolon-in-text",
        "thoughts",
        "exotic-blanks",
        "prose-only",
        "write-is-left-to-the-server",
    ],
)
def test_statement_is_cut_out(text: str, statement: str) -> None:
    assert read_sql(text) == statement


def test_thoughts_are_not_the_answer() -> None:
    parts = [types.Part(text="hm", thought=True), types.Part(text="<think>x</think> yes")]

    assert reply_text(types.Content(role="model", parts=parts)) == "yes"
