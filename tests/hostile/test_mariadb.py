"""MariaDB: no statement hurts the database or those who wait, and honest ones are served."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import pytest_asyncio

from core.errors import ToolboxError
from core.toolspec import Dialect
from gateways.mysql.questions import fetch
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.source import MysqlSource
from tests.hostile.mariadb_statements import BY_OUR_LEXER_ALONE, HONEST, HOSTILE, TABLES
from tests.hostile.running import (
    SHORT_MS,
    Honest,
    limit_for,
    make_query,
    make_unchecked_query,
    serve,
)
from tests.mariadb_server import MariadbServer
from tests.waiting import eventually

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("unharmed")]

WITHOUT_LEXER = {name: sql for name, (sql, _) in HOSTILE.items() if name not in BY_OUR_LEXER_ALONE}
# What others can see: rows, tables, accounts, settings and locks.
_WORLD = """
SELECT (SELECT group_concat(id, name, coalesce(price, '')) FROM item), (SELECT count(*) FROM plain),
    (SELECT next_not_cached_value FROM counter), IS_FREE_LOCK('hostile'), @@global.max_connections,
    (SELECT count(*) FROM mysql.global_priv),
    (SELECT group_concat(table_name ORDER BY table_name) FROM information_schema.tables
        WHERE table_schema = DATABASE())"""
# For a moment the server counts a session as busy whose answer is there already.
_RUNNING = """
SELECT id FROM information_schema.processlist
WHERE db = DATABASE() AND command <> 'Sleep' AND id <> CONNECTION_ID()"""
_SESSION = """
SELECT @@sql_mode, @@tx_read_only, @@autocommit, @@max_statement_time, @@time_zone, LAST_INSERT_ID(),
    @@in_transaction, DATABASE()"""


@dataclass(frozen=True)
class Sources:
    """The reader as it should be, and a role that may do everything; `world` looks from outside."""

    reader: MysqlSource
    owner: MysqlSource
    world: MysqlSource


@pytest.fixture(scope="module")
def shop(mariadb: MariadbServer) -> MysqlSettings:
    return mariadb.make_database("hostile", *TABLES)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def sources(shop: MysqlSettings, mariadb: MariadbServer) -> AsyncIterator[Sources]:
    one = replace(shop, pool_size=1, max_wait_ms=10_000)
    owner = replace(mariadb.admin, database=shop.database, pool_size=1, max_wait_ms=10_000)
    async with (
        MysqlSource(one) as reader,
        MysqlSource(owner) as powerful,
        MysqlSource(owner) as world,
    ):
        yield Sources(reader, powerful, world)


@pytest_asyncio.fixture(loop_scope="session")
async def unharmed(sources: Sources) -> AsyncIterator[None]:
    """Fails the test whose statement has changed what others see, or left anything to the next caller."""
    before = await _read_all(sources)
    yield

    async def is_as_before() -> bool:
        is_idle = not await _look(sources.world, _RUNNING)
        return is_idle and await _read_all(sources) == before

    await eventually(is_as_before, within_s=20)


@pytest.mark.parametrize(("sql", "text"), HOSTILE.values(), ids=HOSTILE)
async def test_hostile_statement_is_refused(sources: Sources, sql: str, text: str) -> None:
    async def try_on(source: MysqlSource) -> None:
        query = make_query(sql, dialect=Dialect.MYSQL, timeout_ms=limit_for(text))
        await serve(source, query)

    for source in (sources.reader, sources.owner):
        with pytest.raises(ToolboxError, match=text):
            await try_on(source)
        next_query = make_query("SELECT count(*) FROM item", dialect=Dialect.MYSQL)
        assert (await source.run(next_query)).rows == [(4,)]


@pytest.mark.parametrize("sql", WITHOUT_LEXER.values(), ids=WITHOUT_LEXER)
async def test_a_reader_does_no_harm_without_our_lexer_too(sources: Sources, sql: str) -> None:
    try:
        await sources.reader.run(make_unchecked_query(sql, timeout_ms=SHORT_MS))
    except ToolboxError:
        return


@pytest.mark.parametrize("honest", HONEST.values(), ids=HONEST)
async def test_honest_query_gives_its_rows(sources: Sources, honest: Honest) -> None:
    query = make_query(honest.sql, honest.arguments, dialect=Dialect.MYSQL)

    result = await serve(sources.reader, query)

    assert list(map(list, result.rows)) == honest.rows
    assert not result.truncated


async def _read_all(sources: Sources) -> list[Any]:
    return [
        await _look(sources.world, _WORLD),
        await _look(sources.reader, _SESSION),
        await _look(sources.owner, _SESSION),
    ]


async def _look(source: MysqlSource, sql: str) -> list[tuple[Any, ...]]:
    return await source.ask(lambda connection: fetch(connection, sql))
