"""Arguments as SQLite takes them, and its cells as the JSON values that an agent gets."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from core.errors import ArgumentsError
from core.toolspec import ParameterType
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tests.examples import read_example
from tests.gateways.sqlite.queries import TABLES, fetch, fetch_value, make_query, write

T = ParameterType
SEOUL = timezone(timedelta(hours=9))
ARGUMENTS: dict[str, tuple[ParameterType, Any, list[Any]]] = {
    "text": (T.STRING, "한글 'x'", ["한글 'x'", "text"]),
    "empty text": (T.STRING, "", ["", "text"]),
    "null": (T.STRING, None, [None, "null"]),
    "integer": (T.INTEGER, -(2**63), [-(2**63), "integer"]),
    "whole number": (T.NUMBER, 5, [5, "integer"]),
    "number": (T.NUMBER, 2.5, [2.5, "real"]),
    "true": (T.BOOLEAN, True, [1, "integer"]),
    "false": (T.BOOLEAN, False, [0, "integer"]),
    "date": (T.DATE, date(2026, 3, 1), ["2026-03-01", "text"]),
    "datetime": (
        T.DATETIME,
        datetime(2026, 3, 1, 9, 30, tzinfo=SEOUL),
        ["2026-03-01 00:30:00", "text"],
    ),
    "fraction": (
        T.DATETIME,
        datetime(2026, 3, 1, 9, 30, 0, 500, tzinfo=UTC),
        ["2026-03-01 09:30:00.000500", "text"],
    ),
    "texts": (T.STRING_LIST, ['a"b', "한"], ['["a\\"b", "한"]', "text"]),
    "numbers": (T.NUMBER_LIST, [1, 2.5], ["[1, 2.5]", "text"]),
    "no texts": (T.STRING_LIST, [], ["[]", "text"]),
    "object": (T.JSON, {"a": [1, {"b": None}]}, ['{"a": [1, {"b": null}]}', "text"]),
    "nested list": (T.JSON, [{"a": "한"}, [True]], ['[{"a": "한"}, [true]]', "text"]),
    "decimal": (T.DECIMAL, Decimal("0.10"), ["0.10", "text"]),
}
VALUES: dict[str, tuple[str, Any]] = {
    "integer": ("-7", -7),
    "64 bits": ("9223372036854775807", 9223372036854775807),
    "beyond 64 bits": ("9223372036854775808", 9223372036854775808.0),
    "real": ("0.1", 0.1),
    "whole real": ("2.0", 2.0),
    "infinity": ("9e999", None),
    "not a number": ("9e999 - 9e999", None),
    "null": ("NULL", None),
    "text": ("'한글 \"é\" \\ '", '한글 "é" \\ '),
    "number as text": ("'007'", "007"),
    "bytes": ("x'deadbeef'", "3q2+7w=="),
    "no bytes": ("x''", ""),
    "boolean": ("TRUE", 1),
    "json": ("""json('{"a": 1}')""", '{"a":1}'),
    "date": ("date('2026-03-01')", "2026-03-01"),
    "broken text": ("CAST(x'61ff62' AS TEXT)", "a\ufffdb"),
    "half a character": ("CAST(x'eda080' AS TEXT)", "\ufffd\ufffd\ufffd"),
    "text with a NUL": ("'a' || char(0) || 'b'", "a\0b"),
}


@pytest_asyncio.fixture
async def source(tmp_path: Path) -> AsyncIterator[SqliteSource]:
    path = tmp_path / "shop.db"
    write(path, TABLES)
    async with SqliteSource(SqliteSettings(path=path)) as source:
        yield source


@pytest.mark.parametrize(("declared", "value", "row"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
async def test_argument_arrives(
    source: SqliteSource, declared: ParameterType, value: Any, row: list[Any]
) -> None:
    sql = "SELECT {{value}}, typeof({{value}})"
    if declared.is_list:
        sql = "SELECT * FROM (SELECT {{value}} AS a, typeof({{value}}) AS b)"

    assert await fetch(source, sql, value=(declared, value)) == [row]


@pytest.mark.parametrize(("expression", "value"), VALUES.values(), ids=VALUES.keys())
async def test_cell_becomes_json_value(source: SqliteSource, expression: str, value: Any) -> None:
    found = await fetch_value(source, f"SELECT {expression}")

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("declared", "value", "message"),
    [
        (T.INTEGER, 2**63, "value: must be a whole number of at most 64 bits"),
        (T.INTEGER_LIST, [1, -(2**63) - 1], "value: must be a whole number of at most 64 bits"),
        (T.STRING, "a\ud800", "value: must not contain half a character"),
        (T.STRING_LIST, ["a\ud800"], "value: must not contain half a character"),
        (T.STRING, "a\0b", "value: must not contain the NUL character"),
        (T.STRING_LIST, ["a\0b"], "value: must not contain the NUL character"),
    ],
    ids=["integer", "integers", "half", "half in list", "NUL", "NUL in list"],
)
async def test_argument_that_cannot_be_held_is_refused(
    source: SqliteSource, declared: ParameterType, value: Any, message: str
) -> None:
    with pytest.raises(ArgumentsError, match=message):
        await fetch(source, "SELECT {{value}}", value=(declared, value))


@pytest.mark.parametrize(
    ("declared", "value", "ids"),
    [
        (T.INTEGER_LIST, [1, 3], [[1], [3]]),
        (T.INTEGER_LIST, [], []),
        (T.NUMBER_LIST, [2.0, 9.5], [[2]]),
    ],
    ids=["some", "none", "floats"],
)
async def test_list_is_one_parameter(
    source: SqliteSource, declared: ParameterType, value: Any, ids: Any
) -> None:
    sql = "SELECT id FROM item WHERE id IN (:ids) ORDER BY id"

    assert await fetch(source, sql, ids=(declared, value)) == ids


async def test_parameters_are_bound_by_number(source: SqliteSource) -> None:
    sql = "SELECT :b, :a, :b || :a, :c"

    rows = await fetch(source, sql, a=(T.STRING, "x"), b=(T.STRING, "y"), c=(T.INTEGER, 3))

    assert rows == [["y", "x", "yx", 3]]


async def test_text_of_an_argument_is_never_sql(source: SqliteSource) -> None:
    hostile = "x'); DROP TABLE item; --"

    assert await fetch_value(source, "SELECT {{name}}", name=(T.STRING, hostile)) == hostile


async def test_argument_longer_than_a_cell_is_taken(source: SqliteSource) -> None:
    text = "x" * 100_000

    assert await fetch(source, "SELECT length(:text)", text=(T.STRING, text)) == [[100_000]]


async def test_changes_of_cells_are_noted(source: SqliteSource) -> None:
    sql = "SELECT 9e999 AS ratio, CAST(x'ff' AS TEXT) AS name, 'ok' AS other"

    result = await source.run(make_query(sql))

    assert result.rows == [(None, "\ufffd", "ok")]
    assert result.notes == (
        'NaN or infinite cells of "ratio" are given as null.',
        'Cells of "name" that are not valid UTF-8 are given with U+FFFD.',
    )
    assert not result.truncated


async def test_column_may_mix_types(source: SqliteSource) -> None:
    rows = await fetch(source, "VALUES (1), (2.5), ('x'), (NULL), (x'00')")

    assert rows == [[1], [2.5], ["x"], [None], ["AA=="]]


async def test_boolean_column_stays_a_number(source: SqliteSource) -> None:
    assert await fetch(source, "SELECT active FROM item ORDER BY id") == [[1], [0], [None]]


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT 1 AS a, 2 AS a, 3 AS A", ("a", "a", "A")),
        ("SELECT one.id, two.id FROM item one JOIN item two USING (id)", ("id", "id")),
        ("SELECT *, id FROM item", ("id", "name", "price", "active", "data", "id")),
        ('SELECT 1 AS "a:1", 2 AS "b b"', ("a:1", "b b")),
        ("SELECT count(*), price * 2 FROM item", ("count(*)", "price * 2")),
        ("VALUES (1, 2)", ("column1", "column2")),
    ],
    ids=["equal", "joined", "star", "odd", "expressions", "values"],
)
async def test_columns_have_the_names_of_the_statement(
    source: SqliteSource, sql: str, columns: tuple[str, ...]
) -> None:
    assert (await source.run(make_query(sql))).columns == columns


STORAGE_CLASSES = {T.BOOLEAN: "integer", T.INTEGER: "integer", T.NUMBER: "real"}


@pytest.mark.parametrize("declared", list(T))
async def test_value_has_its_types_own_storage_class(
    source: SqliteSource, declared: ParameterType
) -> None:
    value = read_example(declared)

    name = await fetch_value(source, "SELECT typeof({{value}})", value=(declared, value))

    assert name == STORAGE_CLASSES.get(declared, "text")
