"""Describing, running, stopping: what a caller meets on a real MariaDB."""

import asyncio
from dataclasses import replace

import pytest

from core.errors import (
    DataSourceBusyError,
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
)
from core.statement import compile_statement
from core.toolspec import Dialect
from gateways.fair_queue import PoolState
from gateways.mysql.questions import fetch
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.source import MysqlSource
from tests.gateways.mysql.queries import make_query
from tests.mariadb_server import MariadbServer
from tests.waiting import eventually

# It reads no table, so nothing but the server's timer or a KILL ends it.
ENDLESS = "SELECT count(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq + b.seq = 1"
_IDLE = PoolState(4, 0, 0)


async def _inspect(source: MysqlSource, sql: str) -> tuple[tuple[str, str], ...]:
    found = await source.inspect(compile_statement(sql, dialect=Dialect.MYSQL), ())
    return found.columns


async def test_columns_are_known_without_running(source: MysqlSource) -> None:
    columns = await _inspect(source, f"SELECT id, total, note, ({ENDLESS}) n FROM orders")  # noqa: S608

    assert columns == (
        ("id", "bigint"),
        ("total", "decimal(10,2)"),
        ("note", "text"),
        ("n", "bigint"),
    )


@pytest.mark.parametrize(
    ("sql", "code", "place"),
    [
        pytest.param("SELECT id, nme FROM stores", "42703", "nme", id="column"),
        pytest.param("SELECT 1\nFROM\n  shops s", "42P01", "shops", id="table"),
        pytest.param("SELECT `no such`(1)", "42883", "", id="function"),
        pytest.param("SELECT :a, 1 frm stores x", "42000", "stores x", id="syntax"),
        pytest.param("WITH a AS (SELECT 1)\nSELECT * FORM a", "42000", "FORM", id="behind WITH"),
        pytest.param("SELECT 1 WHERE", "42000", "", id="end"),
    ],
)
async def test_a_fault_is_told_at_its_place(
    source: MysqlSource, sql: str, code: str, place: str
) -> None:
    with pytest.raises(StatementError) as caught:
        await _inspect(source, sql)

    assert caught.value.code == code
    assert "LIMIT" not in str(caught.value)
    assert "reader" not in str(caught.value)
    assert not place or sql[caught.value.position :].startswith(place)


async def test_rows_keep_their_order_and_their_limit(source: MysqlSource) -> None:
    query = make_query("SELECT seq FROM seq_1_to_5000 ORDER BY seq DESC", row_limit=3)

    result = await source.run(query)

    assert result.rows == [(5000,), (4999,), (4998,)]
    assert result.truncated


async def test_bytes_are_bounded_and_the_connection_serves_on(source: MysqlSource) -> None:
    sql = "SELECT seq, LPAD('x', 8000, 'x') FROM seq_1_to_1000000"

    result = await source.run(make_query(sql, row_limit=10_000, byte_limit=50_000))

    assert len(result.rows) == 6
    assert result.truncated
    assert (await source.run(make_query("SELECT 1"))).rows == [(1,)]


@pytest.mark.parametrize("limit_ms", [300, 1_000], ids=["the query's time", "the source's time"])
async def test_a_late_query_is_stopped_on_the_server(
    shop: MysqlSettings, mariadb: MariadbServer, limit_ms: int
) -> None:
    async with MysqlSource(replace(shop, statement_timeout_ms=1_000)) as source:
        with pytest.raises(DeadlineExceededError, match="took longer than"):
            await source.run(make_query(ENDLESS, timeout_ms=limit_ms))

        await _nothing_runs(mariadb)
        assert source.pool_state == _IDLE


async def test_a_cancelled_query_is_stopped_and_its_connection_serves_on(
    source: MysqlSource, mariadb: MariadbServer
) -> None:
    before = await _thread(source)
    call = asyncio.create_task(source.run(make_query(ENDLESS)))
    await _something_runs(mariadb)

    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    await _nothing_runs(mariadb)
    await eventually(lambda: source.pool_state == _IDLE)
    assert await _thread(source) == before


async def test_a_query_that_cannot_be_stopped_is_given_up_and_counts_until_it_ends(
    mariadb: MariadbServer, shop: MysqlSettings
) -> None:
    # No role but this one may be asked to stop it: it has no connection left for a KILL.
    sql = (
        "CREATE USER IF NOT EXISTS lonely@127.0.0.1 IDENTIFIED BY '{}' WITH MAX_USER_CONNECTIONS 1"
    )
    await mariadb.execute(
        sql.format(shop.password), f"GRANT SELECT ON {shop.database}.* TO lonely@127.0.0.1"
    )
    settings = replace(shop, user="lonely", pool_size=1, max_wait_ms=50)
    async with MysqlSource(settings) as source:
        with pytest.raises(DeadlineExceededError):
            await source.run(make_query(ENDLESS, timeout_ms=200))
        with pytest.raises(DataSourceBusyError):
            await source.run(make_query("SELECT 1", timeout_ms=200))

        await mariadb.execute("KILL USER lonely")
        await eventually(lambda: source.pool_state == PoolState(1, 0, 0))

        assert (await source.run(make_query("SELECT 1"))).rows == [(1,)]


async def test_locks_of_a_view_are_released_behind_the_query(
    mariadb: MariadbServer, shop: MysqlSettings, source: MysqlSource
) -> None:
    await mariadb.execute(
        "CREATE OR REPLACE VIEW locking AS SELECT GET_LOCK('toolbuilder', 0) AS got",
        database=shop.database,
    )
    answers = await asyncio.gather(
        *(source.run(make_query("SELECT got FROM locking")) for _ in range(3))
    )
    again = await source.run(make_query("SELECT got FROM locking"))

    assert again.rows == [(1,)]
    assert (1,) in [answer.rows[0] for answer in answers]


async def test_a_changed_table_is_described_again(
    mariadb: MariadbServer, shop: MysqlSettings, source: MysqlSource
) -> None:
    await mariadb.execute("CREATE OR REPLACE TABLE moving (a int)", database=shop.database)
    long, short = make_query("SELECT * FROM moving"), make_query("SELECT a FROM moving")
    await mariadb.execute("INSERT INTO moving VALUES (1)", database=shop.database)
    first = await source.run(long)
    await source.run(short)

    await mariadb.execute(
        "ALTER TABLE moving ADD b longtext DEFAULT 'b', MODIFY a varchar(9)", database=shop.database
    )

    assert (first.columns, first.rows) == (("a",), [(1,)])
    assert (await source.run(short)).rows == [("1",)]
    again = await source.run(long)
    assert (again.columns, again.rows) == (("a", "b"), [("1", "b")])
    await mariadb.execute("DROP TABLE moving", database=shop.database)
    with pytest.raises(DataSourceError, match="does not fit"):
        await source.run(short)


async def test_a_lost_connection_is_made_again(mariadb: MariadbServer, source: MysqlSource) -> None:
    thread = await _thread(source)

    await mariadb.execute(f"KILL {thread}")

    assert await _thread(source) != thread


async def test_a_server_that_is_away_is_told_from_a_busy_one(shop: MysqlSettings) -> None:
    async with MysqlSource(replace(shop, port=1)) as source:
        with pytest.raises(DataSourceUnavailableError):
            await source.run(make_query("SELECT 1"))


async def test_a_plan_names_tables_and_indexes(source: MysqlSource) -> None:
    plan = await source.explain(
        make_query(
            "SELECT o.id FROM orders o JOIN stores s ON s.id = o.store_id WHERE total > :x",
            {"x": 1},
        )
    )

    steps = [step for node in plan.nodes for step in node.walk()]
    assert {step.table for step in steps} >= {"o", "s"}
    assert any(step.index for step in steps)
    assert plan.text.startswith("{")


async def _thread(source: MysqlSource) -> int:
    [[number]] = (await source.run(make_query("SELECT CONNECTION_ID()"))).rows
    return int(number)


async def _count_running(mariadb: MariadbServer) -> int:
    """How many queries of tests, that end by being stopped alone, run now."""
    sql = "SELECT count(*) FROM information_schema.processlist WHERE info LIKE ?"
    async with MysqlSource(mariadb.admin) as source:
        [[count]] = await source.ask(
            lambda connection: fetch(connection, sql, ("%seq_1_to_1000000 a, seq_1_to_1000000 b%",))
        )
    return int(count)


async def _nothing_runs(mariadb: MariadbServer) -> None:
    async def is_idle() -> bool:
        return not await _count_running(mariadb)

    await eventually(is_idle)


async def _something_runs(mariadb: MariadbServer) -> None:
    await eventually(lambda: _count_running(mariadb))
