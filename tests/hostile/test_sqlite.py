"""SQLite: no statement hurts the file or those who wait, and honest ones are served."""

import hashlib
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from core.errors import DataSourceError, ToolboxError
from core.toolspec import Dialect
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tests.hostile.running import (
    SHORT_MS,
    Honest,
    limit_for,
    make_query,
    make_unchecked_query,
    serve,
)
from tests.hostile.sqlite_statements import HONEST, HOSTILE, TABLES

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("unharmed")]

BY_OUR_LEXER_ALONE = {"behind a NUL", "question mark", "own parameter", "at parameter"}
WITHOUT_LEXER = {name: sql for name, (sql, _) in HOSTILE.items() if name not in BY_OUR_LEXER_ALONE}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with tables, alone in its folder."""
    path = tmp_path_factory.mktemp("hostile") / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
    return path


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def source(path: Path) -> AsyncIterator[SqliteSource]:
    async with SqliteSource(SqliteSettings(path=path, pool_size=1)) as source:
        yield source


@pytest.fixture
def unharmed(path: Path) -> Iterator[None]:
    """Fails the test whose statement has changed a byte, or left a file."""
    before = _digest(path)
    yield
    assert _digest(path) == before


@pytest.mark.parametrize(("sql", "text"), HOSTILE.values(), ids=HOSTILE)
async def test_hostile_statement_is_refused(source: SqliteSource, sql: str, text: str) -> None:
    with pytest.raises(ToolboxError, match=text):
        await serve(source, make_query(sql, dialect=Dialect.SQLITE, timeout_ms=limit_for(text)))

    next_query = make_query("SELECT count(*) FROM item", dialect=Dialect.SQLITE)
    assert (await source.run(next_query)).rows == [(4,)]


@pytest.mark.parametrize("sql", WITHOUT_LEXER.values(), ids=WITHOUT_LEXER)
async def test_text_is_refused_without_our_lexer_too(source: SqliteSource, sql: str) -> None:
    with pytest.raises((DataSourceError, ToolboxError)):
        await source.run(make_unchecked_query(sql, timeout_ms=SHORT_MS))


@pytest.mark.parametrize("honest", HONEST.values(), ids=HONEST)
async def test_honest_query_gives_its_rows(source: SqliteSource, honest: Honest) -> None:
    query = make_query(honest.sql, honest.arguments, dialect=Dialect.SQLITE)

    result = await serve(source, query)

    assert list(map(list, result.rows)) == honest.rows
    assert not result.truncated


def _digest(path: Path) -> list[tuple[str, int, str]]:
    return [
        (file.name, file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in sorted(path.parent.iterdir())
    ]
