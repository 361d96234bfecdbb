"""Exact limits on rows, bytes and cells."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.gateways.postgres.queries import fetch, fetch_value, make_query

CELL_LIMIT = 20


@pytest_asyncio.fixture
async def narrow(settings: PostgresSettings) -> AsyncIterator[PostgresSource]:
    """A source with small ceilings."""
    small = replace(settings, cell_limit=CELL_LIMIT, row_limit=50, pool_size=1)
    async with PostgresSource(small) as source:
        yield source


@pytest.mark.parametrize(
    ("available", "is_truncated"), [(9, False), (10, False), (11, True), (5000, True)]
)
async def test_row_limit_is_exact(
    source: PostgresSource, available: int, is_truncated: bool
) -> None:
    query = make_query(f"SELECT generate_series(1, {available})", row_limit=10)

    result = await source.run(query)

    assert result.rows == [(number,) for number in range(1, min(available, 10) + 1)]
    assert (result.truncated, result.applied_limit) == (is_truncated, 10)


async def test_row_limit_of_the_source_is_a_ceiling(narrow: PostgresSource) -> None:
    result = await narrow.run(make_query("SELECT generate_series(1, 60)", row_limit=1_000))

    assert (len(result.rows), result.applied_limit, result.truncated) == (50, 50, True)


async def test_many_chunks_are_put_together(source: PostgresSource) -> None:
    query = make_query("SELECT n, 'x' FROM generate_series(1, 3000) AS n", row_limit=3_000)

    result = await source.run(query)

    assert [row[0] for row in result.rows] == list(range(1, 3001))
    assert not result.truncated


async def test_byte_limit_keeps_whole_rows(source: PostgresSource) -> None:
    rows = [("x" * 100,) for _ in range(10)]
    exact = len(json.dumps(rows, separators=(",", ":")))
    sql = "SELECT repeat('x', 100) FROM generate_series(1, 10)"

    full = await source.run(make_query(sql, byte_limit=exact))
    cut = await source.run(make_query(sql, byte_limit=exact - 1))

    assert (full.rows, full.truncated) == (rows, False)
    assert (cut.rows, cut.truncated) == (rows[:-1], True)
    assert "9 rows" in cut.notes[0]


async def test_connection_serves_again_after_the_byte_limit(settings: PostgresSettings) -> None:
    sql = "SELECT pg_backend_pid(), repeat('x', 5000) FROM generate_series(1, 9000)"

    async with PostgresSource(replace(settings, pool_size=1)) as source:
        first = await source.run(make_query(sql, row_limit=9_000, byte_limit=20_000))
        process_id = await fetch_value(source, "SELECT pg_backend_pid()")

    assert first.truncated
    assert process_id == first.rows[0][0]


@pytest.mark.parametrize(
    ("expression", "whole", "cut"),
    [
        ("repeat('한', {n})", "한" * 20, "한" * 20),
        ("repeat('1', {n})::numeric", "1" * 20, "1" * 20),
        ("('\"' || repeat('x', {n} - 2) || '\"')::jsonb", "x" * 18, '"' + "x" * 19),
        ("array_fill('abcd'::text, ARRAY[({n} + 4) / 7])", None, '["abcd","abcd","abcd'),
        ("decode(repeat('00', {n} - 5), 'hex')", "A" * 20, "A" * 20),
    ],
    ids=["text", "numeric", "json", "array", "bytea"],
)
async def test_cell_limit_is_exact(
    narrow: PostgresSource, expression: str, whole: object, cut: str
) -> None:
    fits = await narrow.run(make_query(f"SELECT {expression.format(n=20)} AS cell"))
    over = await narrow.run(make_query(f"SELECT {expression.format(n=21)} AS cell"))

    if whole is not None:
        assert (fits.rows, fits.truncated, fits.notes) == ([(whole,)], False, ())
    assert (over.rows, over.truncated) == ([(cut,)], True)
    assert over.notes == ('Long cells of "cell" were cut to 20 characters.',)


async def test_cells_of_the_row_left_out_are_not_noted(narrow: PostgresSource) -> None:
    sql = "SELECT repeat('x', 15 * n) FROM generate_series(1, 2) AS n"

    result = await narrow.run(make_query(sql, row_limit=1))

    assert (result.rows, result.notes) == ([("x" * 15,)], ())


async def test_huge_cells_never_reach_the_client(source: PostgresSource) -> None:
    sql = "SELECT repeat('x', 50000000) FROM generate_series(1, 3)"

    assert await fetch(source, sql) == [["x" * 8192]] * 3


async def test_rows_beyond_the_limit_are_not_computed(source: PostgresSource) -> None:
    result = await source.run(make_query("SELECT generate_series(1, 3000000000)", row_limit=5))

    assert len(result.rows) == 5


async def test_chunks_of_one_query_say_nothing_of_the_next(settings: PostgresSettings) -> None:
    wide = "SELECT pg_backend_pid(), repeat('x', 10) FROM generate_series(1, 300)"

    async with PostgresSource(replace(settings, pool_size=1)) as source:
        rows = await fetch(source, wide, row_limit=5_000)
        # It is described on the same connection first.
        process_id = await fetch_value(source, "SELECT pg_backend_pid()")

    assert rows == [[process_id, "x" * 10]] * 300
