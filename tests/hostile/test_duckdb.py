"""DuckDB: no statement hurts the file or those who wait, and honest ones are served."""

import hashlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import duckdb
import pytest
import pytest_asyncio

from core.errors import ToolboxError
from core.toolspec import Dialect
from gateways.duckdb.settings import DuckdbSettings
from gateways.duckdb.source import DuckdbSource
from tests.hostile.duckdb_statements import HONEST, HOSTILE, TABLES
from tests.hostile.running import (
    SHORT_MS,
    Honest,
    limit_for,
    make_query,
    make_unchecked_query,
    serve,
)

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("unharmed")]

BY_OUR_LEXER_ALONE = {"behind a NUL", "question mark", "own parameter", "named parameter"}
# Statements without an end are stopped in one way, however they are written.
WITHOUT_LEXER = {
    name: sql
    for name, (sql, text) in HOSTILE.items()
    if name not in BY_OUR_LEXER_ALONE and "took longer" not in text
}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with tables, alone in its folder."""
    path = tmp_path_factory.mktemp("hostile") / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES)
    return path


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def source(path: Path) -> AsyncIterator[DuckdbSource]:
    async with DuckdbSource(DuckdbSettings(path=path, pool_size=2)) as source:
        yield source


@pytest.fixture
def unharmed(path: Path) -> Iterator[None]:
    """Fails the test whose statement has changed a byte, or left a file."""
    before = _digest(path)
    yield
    assert _digest(path) == before


@pytest.mark.parametrize(("sql", "text"), HOSTILE.values(), ids=HOSTILE)
async def test_hostile_statement_is_refused(source: DuckdbSource, sql: str, text: str) -> None:
    with pytest.raises(ToolboxError, match=text):
        await serve(source, make_query(sql, dialect=Dialect.DUCKDB, timeout_ms=limit_for(text)))

    next_query = make_query("SELECT count(*) FROM item", dialect=Dialect.DUCKDB)
    assert (await source.run(next_query)).rows == [(4,)]


@pytest.mark.parametrize("sql", WITHOUT_LEXER.values(), ids=WITHOUT_LEXER)
async def test_text_is_refused_without_our_lexer_too(source: DuckdbSource, sql: str) -> None:
    with pytest.raises(ToolboxError):
        await source.run(make_unchecked_query(sql, timeout_ms=SHORT_MS))


async def test_nothing_is_left_of_what_no_rule_has_seen(source: DuckdbSource) -> None:
    for name, sql in WITHOUT_LEXER.items():
        if "sleep" not in name:
            await source.attempt(sql)

    for name in ("loot", "p"):
        assert await source.attempt(f'SELECT * FROM "{name}"')  # noqa: S608
    next_query = make_query("SELECT count(*), lower('X') FROM item", dialect=Dialect.DUCKDB)
    assert (await source.run(next_query)).rows == [(4, "x")]


@pytest.mark.parametrize("honest", HONEST.values(), ids=HONEST)
async def test_honest_query_gives_its_rows(source: DuckdbSource, honest: Honest) -> None:
    query = make_query(honest.sql, honest.arguments, dialect=Dialect.DUCKDB)

    result = await serve(source, query)

    assert list(map(list, result.rows)) == honest.rows
    assert not result.truncated


def _digest(path: Path) -> list[tuple[str, int, str]]:
    return [
        (file.name, file.stat().st_mtime_ns, hashlib.sha256(file.read_bytes()).hexdigest())
        for file in sorted(path.parent.iterdir())
    ]
