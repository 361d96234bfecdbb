"""The pool of a data source whose network is slow, silent or forgetful."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from time import perf_counter

import psycopg
import pytest
import pytest_asyncio

from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from core.errors import DataSourceUnavailableError, DeadlineExceededError
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.chaos.proxy import FaultyProxy
from tests.chaos.stage import eventually
from tests.gateways.postgres.queries import fetch_value, make_query

NAME = "chaos-pool"


@pytest_asyncio.fixture
async def proxy(embedded_postgres: EmbeddedPostgres) -> AsyncIterator[FaultyProxy]:
    async with FaultyProxy(embedded_postgres.port, choose_free_port()) as proxy:
        yield proxy


@pytest.fixture
def settings(embedded_postgres: EmbeddedPostgres, proxy: FaultyProxy) -> PostgresSettings:
    dsn = embedded_postgres.dsn("demo", "demo_reader")
    found = PostgresSettings.from_dsn(dsn, application_name=NAME)
    return replace(found, port=proxy.port)


def count_sessions(postgres: EmbeddedPostgres) -> int:
    with psycopg.connect(postgres.dsn("demo", "superuser")) as other:
        row = other.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [NAME]
        ).fetchone()
    return row[0] if row else 0


async def test_source_is_known_to_be_down_though_the_first_caller_had_less_time(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    proxy.stall()
    async with PostgresSource(replace(settings, connect_timeout_s=0.6)) as source:
        with pytest.raises(DataSourceUnavailableError):
            await source.run(make_query("SELECT 1", timeout_ms=50))
        await asyncio.sleep(0.4)

        with pytest.raises(DataSourceUnavailableError, match="cannot be reached"):
            await source.run(make_query("SELECT 1", timeout_ms=50))


async def test_caller_that_looks_whether_it_is_up_again_is_told_soon(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    proxy.stall()
    async with PostgresSource(replace(settings, connect_timeout_s=0.3)) as source:
        with pytest.raises(DataSourceUnavailableError):
            await fetch_value(source, "SELECT 1")
        source.settings = replace(settings, connect_timeout_s=20)
        await asyncio.sleep(0.15)
        started = perf_counter()

        with pytest.raises(DataSourceUnavailableError):
            await fetch_value(source, "SELECT 1")

        assert perf_counter() - started < 2


async def test_short_fault_is_over_in_a_moment(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    async with PostgresSource(settings) as source:
        await proxy.refuse()
        with pytest.raises(DataSourceUnavailableError):
            await fetch_value(source, "SELECT 1")

        await proxy.listen()
        await asyncio.sleep(0.15)

        assert await fetch_value(source, "SELECT 1") == 1


async def test_connection_of_a_caller_that_left_serves_the_next(
    settings: PostgresSettings, proxy: FaultyProxy, embedded_postgres: EmbeddedPostgres
) -> None:
    proxy.delay_s = 0.05
    async with PostgresSource(replace(settings, pool_size=1)) as source:
        call = asyncio.create_task(fetch_value(source, "SELECT 1"))
        await eventually(lambda: proxy.open_count == 1, within_s=5)
        call.cancel()

        assert await fetch_value(source, "SELECT 2") == 2
        assert count_sessions(embedded_postgres) == 1


async def test_source_closed_while_it_connects_leaves_no_session(
    settings: PostgresSettings, proxy: FaultyProxy, embedded_postgres: EmbeddedPostgres
) -> None:
    proxy.delay_s = 0.05
    source = PostgresSource(settings)
    call = asyncio.create_task(fetch_value(source, "SELECT 1"))
    await eventually(lambda: proxy.open_count == 1, within_s=5)

    await source.close()

    await asyncio.gather(call, return_exceptions=True)
    await eventually(lambda: count_sessions(embedded_postgres) == 0, within_s=5)


async def test_idle_connections_are_not_used_after_one_that_cannot_even_be_stopped(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    async with PostgresSource(replace(settings, pool_size=3)) as source:
        await asyncio.gather(*(fetch_value(source, "SELECT 1") for _ in range(3)))
        proxy.forget()
        with pytest.raises(DeadlineExceededError):
            await source.run(make_query("SELECT 1", timeout_ms=50))
        await eventually(lambda: proxy.open_count == 0, within_s=10)

        assert await fetch_value(source, "SELECT 2") == 2
