"""The caps of a run on an SQLite file: rows, bytes, cells, time, memory."""
# ruff: noqa: S608

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec import structs

from core.errors import DataSourceBusyError, DataSourceError, DeadlineExceededError
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tests.gateways.sqlite.queries import TABLES, describe, fetch, make_query, write

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
BOMBS = {
    "recursion": f"{ENDLESS} SELECT count(*) FROM n",
    "sort": f"{ENDLESS} SELECT i FROM n ORDER BY i DESC",
    "cross join": f"{ENDLESS} SELECT max(a.i + b.i) FROM n AS a, n AS b",
    "distinct": f"{ENDLESS} SELECT count(DISTINCT i) FROM n",
    "no row": f"{ENDLESS} SELECT i FROM n WHERE i < 0",
    "materialized": f"{ENDLESS}, m AS MATERIALIZED (SELECT i FROM n) SELECT 1 FROM m, m AS o",
}
LARGE = {
    "zeroblob": "SELECT zeroblob(900000000)",
    "hex": "SELECT hex(zeroblob(900000))",
    "doubling": "WITH RECURSIVE n(x) AS (SELECT 'ab' UNION ALL SELECT x || x FROM n) SELECT x FROM n",
    "group": f"{ENDLESS} SELECT group_concat(i) FROM (SELECT i FROM n LIMIT 300000)",
}
PEAK = """
import asyncio, resource, sys
from pathlib import Path
from core.errors import ToolboxError
from gateways.sqlite.source import SqliteSource
from gateways.sqlite.settings import SqliteSettings
from tests.gateways.sqlite.queries import make_query

async def main():
    async with SqliteSource(SqliteSettings(path=Path(sys.argv[1]))) as source:
        await source.run(make_query("SELECT 1"))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            await source.run(make_query(sys.argv[2]))
            outcome = "rows"
        except ToolboxError as error:
            outcome = str(error)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print((after - before) // 1024, outcome)

asyncio.run(main())
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    write(path, TABLES)
    return path


@pytest_asyncio.fixture
async def source(path: Path) -> AsyncIterator[SqliteSource]:
    async with SqliteSource(SqliteSettings(path=path)) as source:
        yield source


async def test_rows_end_at_the_limit(source: SqliteSource) -> None:
    result = await source.run(make_query(f"{ENDLESS} SELECT i FROM n", row_limit=3))

    assert (result.rows, result.truncated, result.applied_limit) == ([(1,), (2,), (3,)], True, 3)


async def test_as_many_rows_as_the_limit_are_all(source: SqliteSource) -> None:
    result = await source.run(make_query("SELECT id FROM item", row_limit=3))

    assert (len(result.rows), result.truncated) == (3, False)


async def test_source_lowers_the_limits_of_a_query(path: Path) -> None:
    async with SqliteSource(SqliteSettings(path=path, row_limit=2, byte_limit=8)) as source:
        result = await source.run(make_query("SELECT id * 100 FROM item"))

    assert (result.rows, result.truncated, result.applied_limit) == ([(100,)], True, 2)


async def test_rows_end_at_the_bytes_and_are_whole(source: SqliteSource) -> None:
    result = await source.run(make_query(f"{ENDLESS} SELECT i FROM n", byte_limit=20))

    assert (result.rows, result.truncated) == ([(1,), (2,), (3,), (4,)], True)
    assert "20 bytes" in result.notes[0]


async def test_truncated_query_leaves_no_lock(source: SqliteSource, path: Path) -> None:
    await source.run(make_query("SELECT id FROM item", row_limit=1))

    write(path, "DELETE FROM item")

    assert await fetch(source, "SELECT id FROM item") == []


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("'한' || printf('%.*c', 20000, 'x')", "한" + "x" * 8191),
        ("printf('%.*c', 900000, 'x')", "x" * 8192),
        ("zeroblob(30000)", "AAAA" * 2048),
        ("zeroblob(900000)", "AAAA" * 2048),
    ],
    ids=["text", "long text", "bytes", "long bytes"],
)
async def test_long_cell_is_cut(source: SqliteSource, value: str, shown: str) -> None:
    result = await source.run(make_query(f"SELECT 7 AS number, NULL AS missing, {value} AS cell"))

    assert result.rows == [(7, None, shown)]
    assert result.truncated
    assert result.notes == ('Long cells of "cell" were cut to 8192 characters.',)


async def test_cell_of_the_limit_is_whole(source: SqliteSource) -> None:
    result = await source.run(make_query("SELECT replace(hex(zeroblob(4096)), '0', '한') AS cell"))

    assert (result.rows, result.notes) == ([("한" * 8192,)], ())


async def test_long_text_inside_a_view_is_not_lost(source: SqliteSource, path: Path) -> None:
    write(path, "CREATE VIEW long AS SELECT printf('%.*c', 50000, 'x') AS cell")

    assert await fetch(source, "SELECT length(cell) FROM long") == [[50_000]]


async def test_long_document_can_be_searched(source: SqliteSource, path: Path) -> None:
    write(
        path,
        "CREATE VIRTUAL TABLE words USING fts5(text);"
        " INSERT INTO words SELECT 'start ' || replace(hex(zeroblob(100000)), '00', 'word ') || 'end'",
    )

    sql = "SELECT snippet(words, 0, '', '', '...', 2), length(text) FROM words('start')"

    [[snippet, length]] = await fetch(source, sql)

    assert snippet.startswith("start")
    assert length == 500_009


async def test_columns_of_long_cells_keep_their_names_and_order(source: SqliteSource) -> None:
    sql = "SELECT id, hex(zeroblob(50000)) AS cell, id FROM item ORDER BY id DESC"

    result = await source.run(make_query(sql))

    assert result.columns == ("id", "cell", "id")
    assert [row[0] for row in result.rows] == [3, 2, 1]


@pytest.mark.parametrize("sql", LARGE.values(), ids=LARGE.keys())
async def test_value_beyond_the_limit_is_an_error(source: SqliteSource, sql: str) -> None:
    with pytest.raises(DataSourceError, match="more than 1,000,000 bytes"):
        await source.run(make_query(sql))


@pytest.mark.parametrize("sql", BOMBS.values(), ids=BOMBS.keys())
async def test_bomb_ends_at_the_deadline(source: SqliteSource, sql: str) -> None:
    with pytest.raises(DeadlineExceededError, match=r"longer than 0\.2 s and was stopped"):
        await source.run(make_query(sql, timeout_ms=200))

    assert await fetch(source, "SELECT 1") == [[1]]


@pytest.mark.parametrize(
    "sql",
    [bomb for name, bomb in BOMBS.items() if name != "materialized"],
    ids=[name for name in BOMBS if name != "materialized"],
)
async def test_describing_does_not_run_the_statement(path: Path, sql: str) -> None:
    settings = SqliteSettings(path=path, statement_timeout_ms=60_000)

    async with SqliteSource(settings) as source, asyncio.timeout(30):
        assert len((await describe(source, sql)).columns) == 1


@pytest.mark.parametrize("is_stored", [True, False], ids=["stored", "made"])
def test_huge_cells_stay_out_of_memory(path: Path, is_stored: bool) -> None:
    write(path, "CREATE TABLE huge (cell BLOB)")
    if is_stored:
        with closing(sqlite3.connect(path)) as connection:
            connection.executemany("INSERT INTO huge VALUES (zeroblob(?))", [(20_000_000,)] * 5)
            connection.commit()
    made = "WITH n AS (VALUES (1), (2), (3), (4), (5)) SELECT zeroblob(100000000) FROM n"
    query = "SELECT cell FROM huge" if is_stored else made

    grown, outcome = peak_of(path, query)

    assert "more than 1,000,000 bytes" in outcome
    assert grown < 30


def test_many_long_cells_stay_out_of_memory(path: Path) -> None:
    sql = f"{ENDLESS} SELECT hex(zeroblob(499000)), hex(zeroblob(498000)) FROM n LIMIT 1000"

    grown, outcome = peak_of(path, sql)

    assert outcome == "rows"
    assert grown < 60


def peak_of(path: Path, sql: str) -> tuple[int, str]:
    """Megabytes by which a query raises the peak of a fresh process, and how it ended."""
    ended = subprocess.run(
        [sys.executable, "-c", PEAK, str(path), sql],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    grown, outcome = ended.stdout.strip().split(" ", 1)
    return int(grown), outcome


async def test_callers_that_wait_too_long_are_told_that_it_is_busy(path: Path) -> None:
    settings = SqliteSettings(path=path, pool_size=4, max_wait_ms=300)
    sleeper = make_query(BOMBS["recursion"], timeout_ms=3_000)

    async with SqliteSource(settings) as source:
        await asyncio.gather(*(fetch(source, "SELECT 1") for _ in range(4)))
        results = await asyncio.gather(
            *(source.run(sleeper) for _ in range(20)), return_exceptions=True
        )
        assert await fetch(source, "SELECT 1") == [[1]]

    kinds = [type(result) for result in results]
    assert kinds.count(DeadlineExceededError) == 4
    assert kinds.count(DataSourceBusyError) == 16
    assert "every connection of the data source was in use for 0.3 s" in str(results[-1])


async def test_callers_take_turns(path: Path) -> None:
    settings = SqliteSettings(path=path, pool_size=1, max_wait_ms=60_000)
    served: list[str] = []

    async def ask(single: SqliteSource, caller: str) -> None:
        await single.run(structs.replace(make_query("SELECT 1", timeout_ms=60_000), caller=caller))
        served.append(caller)

    async with SqliteSource(settings) as single:
        await fetch(single, "SELECT 1")
        await asyncio.gather(*(ask(single, caller) for caller in "aaaaabb"))

    # What a call of "b" takes is known after both were served.
    assert "".join(served) == "aabbaaa"


async def test_cancelled_call_returns_and_stops_its_query(source: SqliteSource) -> None:
    settings = replace(source.settings, pool_size=1)
    async with SqliteSource(settings) as single:
        await fetch(single, "SELECT 1")
        task = asyncio.create_task(single.run(make_query(BOMBS["recursion"], timeout_ms=9_000)))
        await asyncio.sleep(0.1)

        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        # The query had 9 s to go, and the only connection is free.
        assert await fetch(single, "SELECT 1") == [[1]]
        assert single._pool._slots_taken == 1


async def test_step_that_cannot_be_interrupted_holds_nobody(path: Path) -> None:
    # Each of 250,000 places is right but for the last of as many characters.
    long_step = "SELECT instr(printf('%.*c', 500000, 'a'), printf('%.*c', 250000, 'a') || 'b')"

    async with SqliteSource(SqliteSettings(path=path)) as source:
        with pytest.raises(DeadlineExceededError):
            await source.run(make_query(long_step, timeout_ms=100))
        assert await fetch(source, "SELECT 1") == [[1]]
