"""The pool of a data source whose network is slow, silent or forgetful."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
import pytest_asyncio
import uvloop

from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from core.errors import DataSourceUnavailableError, DeadlineExceededError
from gateways.connection_pool import FIRST_DOWN_S
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.chaos.proxy import FaultyProxy
from tests.gateways.postgres.queries import fetch_value, make_query
from tests.waiting import eventually

NAME = "chaos-pool"
THREE_THOUSAND = "SELECT step FROM generate_series(1, 3000) AS step"


@pytest_asyncio.fixture
async def proxy(embedded_postgres: EmbeddedPostgres) -> AsyncIterator[FaultyProxy]:
    async with FaultyProxy(embedded_postgres.port, choose_free_port()) as proxy:
        yield proxy


@pytest.fixture
def settings(embedded_postgres: EmbeddedPostgres, proxy: FaultyProxy) -> PostgresSettings:
    dsn = embedded_postgres.dsn("demo", "demo_reader")
    found = PostgresSettings.from_dsn(dsn, application_name=NAME)
    return replace(found, port=proxy.port)


def patient(settings: PostgresSettings) -> PostgresSettings:
    """The settings of a source that gives up for a fault alone, however slow the machine is."""
    slow = 60_000
    return replace(settings, connect_timeout_s=60, max_wait_ms=slow, statement_timeout_ms=slow)


async def fail_once(source: PostgresSource, proxy: FaultyProxy) -> None:
    """Have the source refused once, and wait until it may be asked again."""
    await proxy.refuse()
    with pytest.raises(DataSourceUnavailableError, match="cannot be reached"):
        await fetch_value(source, "SELECT 1")
    await proxy.listen()
    await asyncio.sleep(1.5 * FIRST_DOWN_S)


def count_sessions(postgres: EmbeddedPostgres) -> int:
    with psycopg.connect(postgres.dsn("demo", "superuser")) as other:
        row = other.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [NAME]
        ).fetchone()
    return row[0] if row else 0


async def test_source_is_known_to_be_down_though_the_first_caller_had_less_time(
    settings: PostgresSettings, proxy: FaultyProxy, caplog: pytest.LogCaptureFixture
) -> None:
    proxy.stall()
    async with PostgresSource(replace(settings, connect_timeout_s=0.6)) as source:
        with pytest.raises(DataSourceUnavailableError, match=r"no connection .* was made in time"):
            await source.run(make_query("SELECT 1", timeout_ms=50))
        # The attempt goes on without its caller; once it has failed, that is known.
        await eventually(lambda: "No connection to" in caplog.text)

        with pytest.raises(DataSourceUnavailableError, match="cannot be reached"):
            await source.run(make_query("SELECT 1", timeout_ms=50))


async def test_caller_waits_for_a_slow_connection_after_a_fault(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    async with PostgresSource(patient(settings)) as source:
        await fail_once(source, proxy)
        proxy.delay_s = 0.1

        assert await fetch_value(source, "SELECT 1", timeout_ms=60_000) == 1


async def test_callers_wait_for_the_one_that_finds_out(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    async with PostgresSource(patient(settings)) as source:
        await fail_once(source, proxy)
        proxy.delay_s = 0.05

        calls = (fetch_value(source, f"SELECT {number}", timeout_ms=60_000) for number in range(20))
        assert await asyncio.gather(*calls) == list(range(20))


async def test_callers_are_told_together_when_it_is_still_down(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    source = PostgresSource(replace(settings, connect_timeout_s=0.5))
    async with source:
        await fail_once(source, proxy)
        proxy.stall()

        calls = (fetch_value(source, "SELECT 1", timeout_ms=60_000) for _ in range(20))
        results = await asyncio.gather(*calls, return_exceptions=True)

    assert {type(result) for result in results} == {DataSourceUnavailableError}


async def test_loop_that_is_held_up_while_it_connects_is_no_fault_of_the_source(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    proxy.delay_s = 0.02
    async with PostgresSource(replace(patient(settings), connect_timeout_s=1)) as source:
        call = asyncio.create_task(fetch_value(source, "SELECT 1", timeout_ms=60_000))
        await eventually(lambda: proxy.open_count == 1)

        time.sleep(1.5)  # noqa: ASYNC251 - what holds up the loop is the subject

        assert await call == 1


async def test_short_fault_is_over_in_a_moment(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    async with PostgresSource(patient(settings)) as source:
        await fail_once(source, proxy)

        assert await fetch_value(source, "SELECT 1", timeout_ms=60_000) == 1


async def test_connection_of_a_caller_that_left_serves_the_next(
    settings: PostgresSettings, proxy: FaultyProxy, embedded_postgres: EmbeddedPostgres
) -> None:
    proxy.delay_s = 0.05
    async with PostgresSource(replace(settings, pool_size=1)) as source:
        call = asyncio.create_task(fetch_value(source, "SELECT 1"))
        await eventually(lambda: proxy.open_count == 1)
        call.cancel()

        assert await fetch_value(source, "SELECT 2") == 2
        assert count_sessions(embedded_postgres) == 1


async def test_source_closed_while_it_connects_leaves_no_session(
    settings: PostgresSettings, proxy: FaultyProxy, embedded_postgres: EmbeddedPostgres
) -> None:
    proxy.delay_s = 0.05
    source = PostgresSource(settings)
    call = asyncio.create_task(fetch_value(source, "SELECT 1"))
    await eventually(lambda: proxy.open_count == 1)

    await source.close()

    await asyncio.gather(call, return_exceptions=True)
    await eventually(lambda: count_sessions(embedded_postgres) == 0)


async def test_caller_waits_for_a_connection_that_does_not_come_no_longer_than_for_its_turn(
    settings: PostgresSettings,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        async with PostgresSource(replace(patient(settings), port=port, max_wait_ms=50)) as source:
            asked = asyncio.create_task(fetch_value(source, "SELECT 1", timeout_ms=60_000))

            done, _ = await asyncio.wait([asked], timeout=20)

            assert done
            with pytest.raises(DataSourceUnavailableError):
                await asked


async def test_idle_connections_are_not_used_after_one_that_cannot_even_be_stopped(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    async with PostgresSource(replace(settings, pool_size=3)) as source:
        await asyncio.gather(*(fetch_value(source, "SELECT 1") for _ in range(3)))
        proxy.forget()
        with pytest.raises(DeadlineExceededError):
            await source.run(make_query("SELECT 1", timeout_ms=50))
        await eventually(lambda: proxy.open_count == 0)

        assert await fetch_value(source, "SELECT 2") == 2


async def test_reset_connection_is_noticed_on_the_loop_of_the_server(
    settings: PostgresSettings, proxy: FaultyProxy
) -> None:
    async def ask() -> None:
        async with PostgresSource(patient(settings)) as source:
            for _ in range(5):
                with pytest.raises(DataSourceUnavailableError, match="was lost twice"):
                    await source.run(make_query(THREE_THOUSAND, timeout_ms=20_000))

    proxy.answer_bytes = 5_000
    # uvloop tells nobody of a socket with an error.
    await asyncio.to_thread(uvloop.run, ask())
