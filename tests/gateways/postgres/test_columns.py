"""Each type of PostgreSQL as the JSON value that an agent gets."""

import json
import re
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from core.errors import DataSourceError
from gateways.cells import exact_number
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.gateways.postgres.queries import fetch_value, make_query

UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
VALUES: dict[str, tuple[str, Any]] = {
    "smallint": ("7::smallint", 7),
    "integer": ("-7", -7),
    "bigint": ("9223372036854775807", 9223372036854775807),
    "oid": ("26::oid", 26),
    "whole numeric": ("12::numeric", 12),
    "numeric with zeros": ("12.50::numeric(10,2)", 12.5),
    "numeric of 15 declared digits": ("1234567890123.45::numeric(15,2)", 1234567890123.45),
    "numeric of 16 declared digits": ("0.1234567890123456::numeric(16,16)", 0.1234567890123456),
    "numeric of 17 declared digits": (
        "0.10000000000000001::numeric(17,17)",
        "0.10000000000000001",
    ),
    "declared whole numeric": ("12::numeric(10,0)", 12),
    "declared NaN numeric": ("'NaN'::numeric(10,2)", None),
    "declared numeric without a value": ("NULL::numeric(10,2)", None),
    "negative numeric": ("-0.1::numeric", -0.1),
    "numeric of 19 digits": ("9223372036854775807::numeric", 9223372036854775807),
    "numeric of 30 digits": (
        "123456789012345678901234567890::numeric",
        "123456789012345678901234567890",
    ),
    "numeric of 17 exact digits": ("0.10000000000000001::numeric", "0.10000000000000001"),
    "numeric with long zeros": ("0.100000000000000000::numeric", 0.1),
    "NaN numeric": ("'NaN'::numeric", None),
    "infinite numeric": ("'-Infinity'::numeric", None),
    "real": ("0.1::real", 0.1),
    "double": ("1e300::float8", 1e300),
    "NaN": ("'NaN'::float8", None),
    "infinity": ("'Infinity'::float8", None),
    "boolean": ("true", True),
    "null": ("NULL", None),
    "null integer": ("NULL::int", None),
    "null array": ("NULL::int[]", None),
    "null bytea": ("NULL::bytea", None),
    "null timestamp": ("NULL::timestamp", None),
    "text": ("'한글 \"é\" \\ '", '한글 "é" \\ '),
    "char": ("'ab'::char(5)", "ab"),
    "name": ("'pg'::name", "pg"),
    "uuid": (f"'{UUID}'::uuid", UUID),
    "date": ("date '2026-03-01'", "2026-03-01"),
    "infinite date": ("date 'infinity'", "infinity"),
    "timestamp": ("timestamp '2026-03-01 09:30:00.5'", "2026-03-01T09:30:00.5"),
    "timestamptz": ("timestamptz '2026-03-01 09:30+09'", "2026-03-01T00:30:00+00:00"),
    "infinite timestamp": ("timestamptz '-infinity'", "-infinity"),
    "time": ("time '09:30'", "09:30:00"),
    "timetz": ("timetz '09:30+09'", "09:30:00+09"),
    "interval": ("interval '1 year 2 days 03:04:05'", "P1Y2DT3H4M5S"),
    "json": ("""'{"a": [1, 2.5, null]}'::json""", {"a": [1, 2.5, None]}),
    "jsonb": ("""'{"b": "x"}'::jsonb""", {"b": "x"}),
    "json scalar": ("'5'::jsonb", 5),
    "json number beyond a double": ("'1e400'::json", "1e400"),
    "json number of many digits": ("'0.12345678901234567890'::jsonb", "0.12345678901234567890"),
    "json of many levels": (
        "(repeat('[', 100) || '1' || repeat(']', 100))::jsonb",
        json.loads("[" * 100 + "1" + "]" * 100),
    ),
    "json of too many": ("(repeat('[', 500) || repeat(']', 500))::jsonb", "[" * 500 + "]" * 500),
    "json of many brackets": (
        "(SELECT jsonb_agg('{\"a\": []}'::jsonb) FROM generate_series(1, 200))",
        [{"a": []}] * 200,
    ),
    "deep json": ("repeat('[', 3000)::text || repeat(']', 3000)", "[" * 3000 + "]" * 3000),
    "integers": ("ARRAY[1, NULL, 3]", [1, None, 3]),
    "nested array": ("ARRAY[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
    "empty array": ("'{}'::int[]", []),
    "array from zero": ("'[0:1]={5,6}'::int[]", [5, 6]),
    "texts": ("""ARRAY['a"b', 'c,d', '\\', NULL, '']""", ['a"b', "c,d", "\\", None, ""]),
    "dates": ("ARRAY[date '2026-03-01']", ["2026-03-01"]),
    "timestamptzs": ("ARRAY[timestamptz '2026-03-01 00:00Z']", ["2026-03-01T00:00:00+00:00"]),
    "numerics": ("ARRAY[1.50, 0.10000000000000001, 'NaN']", [1.5, "0.10000000000000001", None]),
    "doubles": ("ARRAY[0.1, 'Infinity']::float8[]", [0.1, None]),
    "uuids": (f"ARRAY['{UUID}'::uuid]", [UUID]),
    "jsonbs": ("""ARRAY['{"a": 1}'::jsonb]""", [{"a": 1}]),
    "byteas": (r"ARRAY['\x0102'::bytea, NULL]", ["AQI=", None]),
    "enums": ("ARRAY['red'::colour]", ["red"]),
    "enum": ("'red'::colour", "red"),
    "bytea": (r"'\xdeadbeef'::bytea", "3q2+7w=="),
    "vector": ("'[1,2.5,3]'::vector", [1, 2.5, 3]),
    "range": ("int4range(1, 5)", "[1,5)"),
    "multirange": ("'{[1,3),[5,6)}'::int4multirange", "{[1,3),[5,6)}"),
    "inet": ("inet '10.0.0.1/8'", "10.0.0.1/8"),
    "macaddr": ("macaddr '08:00:2b:01:02:03'", "08:00:2b:01:02:03"),
    "composite": ("ROW(1, 2, 3)::point3", "(1,2,3)"),
    "record": ("ROW(1, 'x')", "(1,x)"),
    "point": ("point '(1,2)'", "(1,2)"),
    "tsvector": ("to_tsvector('simple', 'b a')", "'a':2 'b':1"),
    "bits": ("B'101'", "101"),
    "money": ("1234.5::numeric::money", "$1,234.50"),
    "regclass": ("'item'::regclass", "item"),
    "void": ("(SELECT v FROM (SELECT NULL::void) AS t(v))", None),
}


@pytest.mark.parametrize(("expression", "value"), VALUES.values(), ids=VALUES.keys())
async def test_type_becomes_json_value(source: PostgresSource, expression: str, value: Any) -> None:
    found = await fetch_value(source, f"SELECT {expression}")

    assert found == value
    assert type(found) is type(value)


async def test_xml_is_text_where_the_server_has_it(source: PostgresSource) -> None:
    try:
        assert await fetch_value(source, "SELECT '<a/>'::xml") == "<a/>"
    except DataSourceError as error:
        assert "unsupported XML" in str(error)  # noqa: PT017 - either answer is right


async def test_non_finite_numbers_are_noted(source: PostgresSource) -> None:
    result = await source.run(make_query("SELECT 'NaN'::float8 AS ratio, 1.5::float8 AS other"))

    assert result.rows == [(None, 1.5)]
    assert result.notes == ('NaN or infinite cells of "ratio" are given as null.',)
    assert not result.truncated


async def test_timestamptz_has_the_offset_of_the_source(settings: PostgresSettings) -> None:
    seoul = replace(settings, time_zone="Asia/Seoul")

    async with PostgresSource(seoul) as source:
        value = await fetch_value(source, "SELECT timestamptz '2026-03-01 00:30Z'")

    assert value == "2026-03-01T09:30:00+09:00"


async def test_equal_column_names_stay_apart(source: PostgresSource) -> None:
    result = await source.run(make_query("SELECT 1 AS a, 2 AS a"))

    assert (result.columns, result.rows) == (("a", "a"), [(1, 2)])


async def test_order_of_the_query_is_kept(source: PostgresSource) -> None:
    result = await source.run(make_query("SELECT id FROM item ORDER BY id DESC"))

    assert result.rows == [(3,), (2,), (1,)]


async def test_changed_table_is_described_anew(
    source: PostgresSource, observer: "psycopg.Connection[Any]"
) -> None:
    observer.execute("DROP TABLE IF EXISTS drifting")
    observer.execute("CREATE TABLE drifting AS SELECT 1 AS a, 2 AS b")
    query = make_query("SELECT * FROM drifting")
    await source.run(query)

    observer.execute("ALTER TABLE drifting DROP b, ALTER a TYPE text USING 'one'")
    result = await source.run(query)

    assert (result.columns, result.rows) == (("a",), [("one",)])


@pytest.mark.parametrize("prepares", [True, False])
async def test_numeric_of_more_digits_is_described_anew(
    settings: PostgresSettings, observer: "psycopg.Connection[Any]", prepares: bool
) -> None:
    observer.execute("DROP TABLE IF EXISTS drifting")
    observer.execute("CREATE TABLE drifting AS SELECT 0.1::numeric(10,2) AS a")
    query = make_query("SELECT a FROM drifting")
    async with PostgresSource(replace(settings, prepares_statements=prepares)) as source:
        assert (await source.run(query)).rows == [(0.1,)]

        observer.execute("ALTER TABLE drifting ALTER a TYPE numeric(20,17)")
        observer.execute("UPDATE drifting SET a = a + 0.00000000000000001")

        assert (await source.run(query)).rows == [("0.10000000000000001",)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-12", -12),
        ("999999999999999999", 999999999999999999),
        ("9223372036854775808", "9223372036854775808"),
        ("1" * 5000, "1" * 5000),
        ("1.0", 1.0),
        ("1e2", 100.0),
        ("1e400", "1e400"),
        ("0.30000000000000004", 0.30000000000000004),
        ("0.300000000000000041", "0.300000000000000041"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_exact_number_never_loses_a_digit(text: str, number: float | str) -> None:
    assert exact_number(text) == number


async def test_every_type_of_the_server_can_be_read(
    source: PostgresSource, observer: "psycopg.Connection[Any]"
) -> None:
    rows = observer.execute(
        "SELECT format_type(oid, NULL) FROM pg_type"
        " WHERE typtype IN ('b', 'd', 'r', 'm', 'e') AND typname !~ '^_|^pg_|gtsvector'"
    ).fetchall()
    names = [name for (name,) in rows if not re.match(r"\w+\.", name)]

    columns = ", ".join(f"NULL::{name}" for name in names)

    assert (await source.run(make_query(f"SELECT {columns}"))).rows == [(None,) * len(names)]
