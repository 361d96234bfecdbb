"""Which tables and columns a statement on an SQLite file reads."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from core.errors import StatementError
from core.statement import compile_statement
from core.toolspec import Dialect
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tests.gateways.sqlite.queries import TABLES, write


@pytest_asyncio.fixture
async def source(tmp_path: Path) -> AsyncIterator[SqliteSource]:
    path = tmp_path / "shop.db"
    write(path, TABLES + 'CREATE TABLE "Odd ""name" ("매출 📈" TEXT)')
    async with SqliteSource(SqliteSettings(path=path)) as source:
        yield source


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("SELECT name FROM item WHERE id = :id", {("item", "name"), ("item", "id")}),
        ("SELECT title FROM priced", {("priced", "title"), ("priced", ""), ("item", "name")}),
        ("SELECT count(*) FROM item", {("item", "")}),
        (
            "WITH cheap AS (SELECT id FROM item WHERE price < 5) SELECT count(*) FROM cheap",
            {("item", "price"), ("item", "id")},
        ),
        ('SELECT "매출 📈" FROM "Odd ""name"', {('Odd "name', "매출 📈")}),
        ("SELECT 1 -- the end", set()),
    ],
    ids=["where", "view", "count", "with", "odd", "none"],
)
async def test_reads_are_told_each_time(
    source: SqliteSource, sql: str, reads: set[tuple[str, str]]
) -> None:
    statement = compile_statement(sql, dialect=Dialect.SQLITE)

    first = await source.describe_reads(statement)
    second = await source.describe_reads(statement)

    assert reads <= first
    assert {table for table, _ in first} == {table for table, _ in reads}
    assert second == first


async def test_statement_that_cannot_be_prepared_is_refused(source: SqliteSource) -> None:
    with pytest.raises(StatementError, match="no such column: nosuch"):
        await source.describe_reads(compile_statement("SELECT nosuch FROM item"))
