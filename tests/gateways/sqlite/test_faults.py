"""Files that are missing, locked, replaced, damaged or oddly named."""
# ruff: noqa: ASYNC240

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import (
    DataSourceBusyError,
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
)
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tests.gateways.sqlite.queries import TABLES, describe, fetch, fetch_value, make_query, write

COUNT = "SELECT count(*) FROM item"
FAIL_FAST_S = 1.1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    write(path, TABLES)
    return path


@pytest.mark.parametrize(
    "name",
    ["a ?mode=rwc.db", "a#b.db", "100%25.db", "한글 データ.db", "a&b=c;'\".db", "-x.db"],
    ids=["question", "hash", "percent", "unicode", "quotes", "dash"],
)
async def test_file_of_any_name_is_opened(path: Path, name: str) -> None:
    odd = path.rename(path.with_name(name))

    async with SqliteSource(SqliteSettings(path=odd)) as source:
        assert await fetch_value(source, COUNT) == 3

    assert [file.name for file in odd.parent.iterdir()] == [name]


def make_nothing(path: Path) -> None:
    path.unlink()


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_text(path: Path) -> None:
    path.write_bytes(b"id,name\n1,apple\n" * 100)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (make_nothing, "the database file does not exist"),
        (make_folder, "the path is a folder; it must be a database file"),
        (make_text, "no SQLite database, or it is encrypted"),
    ],
    ids=["missing", "folder", "text"],
)
async def test_path_that_is_no_database_is_told(
    path: Path, change: Callable[[Path], None], message: str
) -> None:
    change(path)

    async with SqliteSource(SqliteSettings(path=path)) as source:
        with pytest.raises(DataSourceUnavailableError, match=message) as caught:
            await fetch(source, COUNT)
        with pytest.raises(DataSourceUnavailableError, match=message):
            await describe(source, COUNT)
        with pytest.raises(DataSourceUnavailableError, match=message):
            await source.server_version()

    assert str(path.parent) not in str(caught.value)
    assert not path.is_file() or change is make_text


async def test_empty_file_is_an_empty_database(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()

    async with SqliteSource(SqliteSettings(path=path)) as source:
        assert await fetch(source, "SELECT 1") == [[1]]


async def test_removed_file_is_unavailable_until_it_is_back(path: Path) -> None:
    async with SqliteSource(SqliteSettings(path=path)) as source:
        await fetch(source, COUNT)
        away = path.rename(path.with_name("away.db"))
        for _ in range(6):
            with pytest.raises(DataSourceUnavailableError, match="does not exist"):
                await fetch(source, COUNT)

        away.rename(path)
        await asyncio.sleep(FAIL_FAST_S)

        assert await fetch_value(source, COUNT) == 3


async def test_replaced_file_is_seen_at_once(path: Path) -> None:
    async with SqliteSource(SqliteSettings(path=path)) as source:
        await fetch(source, COUNT)
        write(
            path.with_name("new.db"), "CREATE TABLE item (only TEXT); INSERT INTO item VALUES ('x')"
        )

        path.with_name("new.db").replace(path)

        assert await fetch(source, "SELECT * FROM item") == [["x"]]


async def test_file_copied_over_the_old_one_is_seen_at_once(path: Path) -> None:
    copy = path.with_name("new.db")
    write(copy, TABLES.replace("apple", "grape"))
    async with SqliteSource(SqliteSettings(path=path)) as source:
        await fetch(source, COUNT)

        shutil.copyfile(copy, path)

        assert await fetch_value(source, "SELECT name FROM item WHERE id = 1") == "grape"


async def test_new_column_is_seen(path: Path) -> None:
    async with SqliteSource(SqliteSettings(path=path)) as source:
        await fetch(source, "SELECT * FROM item")

        write(path, "ALTER TABLE item ADD COLUMN extra INT DEFAULT 5")
        result = await source.run(make_query("SELECT * FROM item WHERE id = 1"))

    assert (result.columns[-1], result.rows[0][-1]) == ("extra", 5)


async def test_dropped_table_is_told(path: Path) -> None:
    async with SqliteSource(SqliteSettings(path=path)) as source:
        await fetch(source, COUNT)

        write(path, "DROP VIEW priced; DROP TABLE item")

        with pytest.raises(DataSourceError, match="no such table: item"):
            await fetch(source, COUNT)


async def test_locked_file_is_busy_and_then_served(path: Path) -> None:
    settings = SqliteSettings(path=path, lock_timeout_ms=100)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        async with SqliteSource(settings) as source:
            await fetch(source, COUNT)
            writer.execute("BEGIN EXCLUSIVE")
            with pytest.raises(DataSourceBusyError, match="locked by a writer; retry"):
                await fetch(source, COUNT)
            with pytest.raises(DataSourceBusyError, match="locked by a writer; retry"):
                await describe(source, "SELECT id FROM item")

            writer.execute("ROLLBACK")

            assert await fetch_value(source, COUNT) == 3


async def test_locked_file_is_waited_for(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        async with SqliteSource(SqliteSettings(path=path)) as source:
            writer.execute("BEGIN EXCLUSIVE")
            count = asyncio.create_task(fetch_value(source, COUNT))
            await asyncio.sleep(0.1)
            assert not count.done()

            writer.execute("COMMIT")

            assert await count == 3


async def test_waiting_for_a_lock_ends_at_the_deadline(path: Path) -> None:
    settings = SqliteSettings(path=path, lock_timeout_ms=60_000)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        async with SqliteSource(settings) as source:
            await fetch(source, COUNT)
            writer.execute("BEGIN EXCLUSIVE")

            with pytest.raises(DeadlineExceededError):
                await source.run(make_query(COUNT, timeout_ms=100))


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
async def test_file_in_wal_mode_is_read(path: Path, is_open: bool) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO item (id) VALUES (4)")
        if not is_open:
            writer.close()
        async with SqliteSource(SqliteSettings(path=path)) as source:
            assert await fetch_value(source, COUNT) == 4
            if is_open:
                writer.execute("BEGIN IMMEDIATE")
                writer.execute("INSERT INTO item (id) VALUES (5)")
                assert await fetch_value(source, COUNT) == 4
                writer.execute("COMMIT")
                assert await fetch_value(source, COUNT) == 5


async def test_damaged_file_is_told(path: Path) -> None:
    write(
        path,
        "CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
        " LIMIT 20000) SELECT i, hex(i) AS text FROM n",
    )
    content = bytearray(path.read_bytes())
    content[20_000:200_000] = b"\xa5" * 180_000
    path.write_bytes(content)

    async with SqliteSource(SqliteSettings(path=path)) as source:
        with pytest.raises(DataSourceError, match="the database file is damaged"):
            await fetch(source, "SELECT sum(length(text)) FROM big")
        assert await fetch(source, "SELECT 1") == [[1]]


async def test_file_cut_short_is_told(path: Path) -> None:
    async with SqliteSource(SqliteSettings(path=path)) as source:
        await fetch(source, COUNT)

        path.write_bytes(path.read_bytes()[:4_096])

        with pytest.raises(DataSourceError, match=r"damaged|cannot be read"):
            await fetch(source, "SELECT * FROM item")


async def test_closed_source_is_told(path: Path) -> None:
    source = SqliteSource(SqliteSettings(path=path))
    await fetch(source, COUNT)

    await source.close()

    with pytest.raises(DataSourceUnavailableError, match="was closed"):
        await fetch(source, COUNT)
