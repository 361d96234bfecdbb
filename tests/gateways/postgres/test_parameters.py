"""Arguments of every declared type against columns of every kind."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from core.errors import ArgumentsError, DataSourceError
from core.statement import compile_statement
from core.toolspec import ParameterType
from gateways.postgres.parameters import DECLARED_OIDS
from gateways.postgres.source import PostgresSource
from tests.examples import read_example
from tests.gateways.postgres.queries import fetch, fetch_value, make_query

T = ParameterType
FIRST = "00000000-0000-0000-0000-000000000001"
SECOND = "00000000-0000-0000-0000-000000000002"
FIND_ITEM = "SELECT id FROM item WHERE"
JANUARY = datetime(2026, 1, 1, 10, tzinfo=UTC)

COMPARISONS: dict[str, tuple[str, ParameterType, Any]] = {
    "string with text": ("name = :x", T.STRING, "apple"),
    "string with varchar": ("code = :x", T.STRING, "a-1"),
    "string with enum": ("colour = :x", T.STRING, "red"),
    "string with uuid": ("reference = :x", T.STRING, FIRST),
    "string with date": ("day = :x", T.STRING, "2026-01-01"),
    "string with integer": ("id = :x", T.STRING, "1"),
    "string with pattern": ("name ILIKE '%' || :x || '%'", T.STRING, "PPL"),
    "enum with enum": ("colour = :x", T.ENUM, "red"),
    "enum with text": ("name = :x", T.ENUM, "apple"),
    "integer with integer": ("id = :x", T.INTEGER, 1),
    "integer with smallint": ("quantity = :x", T.INTEGER, 2),
    "integer with bigint": ("views = :x", T.INTEGER, 3_000_000_000),
    "integer with numeric": ("price < :x", T.INTEGER, 10),
    "integer with text": ("name || :x = 'apple1'", T.INTEGER, 1),
    "integer too big for its column": ("id < :x AND id = 1", T.INTEGER, 3_000_000_000),
    "number with integer": ("id = :x", T.NUMBER, 1.0),
    "fraction with integer": ("id < :x", T.NUMBER, 1.5),
    "fraction with smallint": ("quantity < :x", T.NUMBER, 2.5),
    "number with numeric": ("price = :x", T.NUMBER, 9.5),
    "number beyond 64 bits": ("views < :x AND id = 1", T.NUMBER, 1e30),
    "true": ("active = :x", T.BOOLEAN, True),
    "boolean alone": (":x AND id = 1", T.BOOLEAN, True),
    "date with date": ("day = :x", T.DATE, date(2026, 1, 1)),
    "date with timestamptz": ("at::date = :x", T.DATE, date(2026, 1, 1)),
    "date less an interval": ("day < :x - interval '1 day'", T.DATE, date(2026, 1, 3)),
    "datetime with timestamptz": ("at = :x", T.DATETIME, JANUARY),
    "datetime with date": ("day = :x", T.DATETIME, JANUARY),
    "truncated datetime": ("day = date_trunc('month', :x)::date", T.DATETIME, JANUARY),
    "strings with text": ("name = ANY(:x)", T.STRING_LIST, ["apple", "x"]),
    "strings with uuid": ("reference = ANY(:x)", T.STRING_LIST, [FIRST]),
    "strings with enum": ("colour = ANY(:x)", T.STRING_LIST, ["red"]),
    "integers with integer": ("id = ANY(:x)", T.INTEGER_LIST, [1, 9]),
    "integers with numeric": ("price < ANY(:x)", T.INTEGER_LIST, [10]),
    "integers too big": ("id = ANY(:x)", T.INTEGER_LIST, [1, 3_000_000_000]),
    "fractions with integer": ("id = ANY(:x)", T.NUMBER_LIST, [1, 1.5]),
    "unnested numbers": ("id IN (SELECT n FROM unnest(:x) AS n)", T.NUMBER_LIST, [1, 2.5]),
    "optional string on uuid": ("(:x IS NULL OR reference = :x)", T.STRING, FIRST),
    "optional string on enum": ("(:x IS NULL OR colour = :x)", T.STRING, "red"),
    "optional date": ("(:x IS NULL OR day = :x)", T.DATE, date(2026, 1, 1)),
    "optional fraction": ("(:x IS NULL OR id < :x)", T.NUMBER, 1.5),
    "optional list": ("(:x IS NULL OR reference = ANY(:x))", T.STRING_LIST, [FIRST]),
    "optional boolean": ("(:x IS NULL OR active = :x)", T.BOOLEAN, True),
    "coalesced": ("id = coalesce(:x, 2)", T.INTEGER, 1),
    "null tested after use": ("(id = :x OR :x IS NULL)", T.INTEGER, 1),
}


@pytest.mark.parametrize(("condition", "kind", "value"), COMPARISONS.values(), ids=COMPARISONS)
async def test_argument_finds_the_first_row(
    source: PostgresSource, condition: str, kind: ParameterType, value: Any
) -> None:
    rows = await fetch(source, " ".join((FIND_ITEM, condition)), x=(kind, value))

    assert rows == [[1]]


@pytest.mark.parametrize("kind", list(ParameterType), ids=str)
async def test_null_leaves_an_optional_filter_open(
    source: PostgresSource, kind: ParameterType
) -> None:
    sql = "SELECT count(*) FROM item WHERE :x IS NULL"

    assert await fetch_value(source, sql, x=(kind, None)) == 3


ECHOES: dict[str, tuple[ParameterType, Any, Any]] = {
    "string": (T.STRING, "it's", "it's"),
    "empty string": (T.STRING, "", ""),
    "null": (T.STRING, None, None),
    "number": (T.NUMBER, 2.5, 2.5),
    "whole number": (T.NUMBER, 5, 5),
    "integer": (T.INTEGER, -3, -3),
    "boolean": (T.BOOLEAN, False, False),
    "date": (T.DATE, date(2026, 1, 1), "2026-01-01"),
    "datetime": (T.DATETIME, JANUARY, "2026-01-01T10:00:00+00:00"),
    "numbers": (T.NUMBER_LIST, [1, 2.5], [1, 2.5]),
    "integers": (T.INTEGER_LIST, [1, 2], [1, 2]),
    "empty list": (T.INTEGER_LIST, [], []),
    "strings": (T.STRING_LIST, ["a", None], ["a", None]),
}


@pytest.mark.parametrize(("kind", "value", "echo"), ECHOES.values(), ids=ECHOES)
async def test_argument_that_stands_alone_keeps_its_type(
    source: PostgresSource, kind: ParameterType, value: Any, echo: Any
) -> None:
    sql = "SELECT (SELECT :x)" if not kind.is_list else "SELECT array_cat(:x, NULL)"

    found = await fetch_value(source, sql, x=(kind, value))

    assert found == echo
    assert type(found) is type(echo)


@pytest.mark.parametrize(
    "text",
    ['a"b', "a\\b", "{a,b}", "a,b", "NULL", "", " ", "한글", "'; DROP TABLE item; --", "\\", '\\"'],
)
async def test_list_items_arrive_as_they_are(source: PostgresSource, text: str) -> None:
    rows = await fetch(source, "SELECT * FROM unnest(:x)", x=(T.STRING_LIST, [text, None, text]))

    assert rows == [[text], [None], [text]]


async def test_numbers_are_divided_as_numbers(source: PostgresSource) -> None:
    arguments = {"a": (T.NUMBER, 5), "b": (T.NUMBER, 2)}

    assert await fetch_value(source, "SELECT :a / :b", **arguments) == 2.5
    assert await fetch_value(source, "SELECT greatest(:a, 10 * :b)", **arguments) == 20


async def test_numbers_are_compared_as_numbers(source: PostgresSource) -> None:
    assert await fetch_value(source, "SELECT :a > :b", a=(T.NUMBER, 10), b=(T.NUMBER, 9)) is True


async def test_number_of_rows_can_be_a_parameter(source: PostgresSource) -> None:
    sql = "SELECT id FROM item ORDER BY id LIMIT :n OFFSET :skip"

    assert await fetch(source, sql, n=(T.NUMBER, 1), skip=(T.INTEGER, 1)) == [[2]]


async def test_only_the_parameter_that_needs_it_takes_its_declared_type(
    source: PostgresSource,
) -> None:
    statement = compile_statement(
        "SELECT id FROM item WHERE reference = :key AND day >= date_trunc('month', :since)"
    )

    description = await source.describe(statement, (T.STRING, T.DATE))

    assert description.parameter_oids == (2950, 1082)


async def test_json_parameter_takes_lists(source: PostgresSource) -> None:
    sql = "SELECT :x::jsonb"

    assert await fetch_value(source, sql, x=(T.STRING, '{"a": [1]}')) == {"a": [1]}
    assert await fetch_value(source, sql, x=(T.STRING_LIST, ["a"])) == ["a"]


@pytest.mark.parametrize(("text", "reason"), [("a\0b", "NUL"), ("\ud800", "surrogate")])
async def test_text_that_postgresql_cannot_hold_is_refused(
    source: PostgresSource, text: str, reason: str
) -> None:
    with pytest.raises(ArgumentsError, match=f"x: .*{reason}"):
        await fetch(source, "SELECT :x", x=(T.STRING, text))
    with pytest.raises(ArgumentsError, match=f"x: .*{reason}"):
        await fetch(source, "SELECT * FROM unnest(:x)", x=(T.STRING_LIST, [text]))


async def test_fraction_where_only_a_whole_number_fits_is_refused(source: PostgresSource) -> None:
    with pytest.raises(ArgumentsError, match="count: must be a whole number"):
        await fetch(source, "SELECT left('abc', :count)", count=(T.NUMBER, 1.5))


async def test_value_that_does_not_fit_is_told_in_the_servers_words(
    source: PostgresSource,
) -> None:
    with pytest.raises(DataSourceError, match='invalid input syntax for type uuid: "apple"'):
        await fetch(source, "SELECT 1 FROM item WHERE reference = :x", x=(T.STRING, "apple"))


async def test_arguments_that_the_statement_does_not_use_are_ignored(
    source: PostgresSource,
) -> None:
    query = make_query("SELECT 1", unused=(T.STRING, "x"))

    assert (await source.run(query)).rows == [(1,)]


@pytest.mark.parametrize("declared", list(T))
async def test_value_that_stands_alone_has_its_types_own_database_type(
    source: PostgresSource, declared: ParameterType
) -> None:
    value = read_example(declared)

    oid = await fetch_value(source, "SELECT pg_typeof(:x)::oid::int4", x=(declared, value))

    assert oid == DECLARED_OIDS[declared]


@pytest.mark.parametrize(
    ("sql", "argument", "expected"),
    [
        pytest.param("SELECT :x ->> 'a'", (T.JSON, {"a": "한글"}), "한글", id="object"),
        pytest.param("SELECT jsonb_array_length(:x)", (T.JSON, [1, [2]]), 2, id="list"),
        pytest.param("SELECT :x::text", (T.JSON, {"a": 1}), '{"a": 1}', id="object as text"),
        pytest.param(f"{FIND_ITEM} reference = :x", (T.UUID, FIRST), 1, id="uuid"),
        pytest.param("SELECT 'x' || :x", (T.UUID, FIRST), f"x{FIRST}", id="uuid as text"),
        pytest.param(
            f"{FIND_ITEM} id = 1 AND id < :x", (T.DECIMAL, Decimal("1.5")), 1, id="fraction"
        ),
        pytest.param(
            "SELECT (:x * 10)::text", (T.DECIMAL, Decimal("0.10")), "1.00", id="exact digits"
        ),
    ],
)
async def test_json_uuid_and_decimal_keep_their_sense(
    source: PostgresSource, sql: str, argument: tuple[ParameterType, Any], expected: object
) -> None:
    assert await fetch_value(source, sql, x=argument) == expected


async def test_value_that_no_socket_takes_at_once_is_sent_whole(source: PostgresSource) -> None:
    text = "한" * 5_000_000

    assert await fetch_value(source, "SELECT length(:a)", a=(T.STRING, text)) == len(text)
    assert await fetch_value(source, "SELECT length(:a)", a=(T.STRING, "b")) == 1
