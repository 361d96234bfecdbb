"""Faults around a query: time, cancellation, a full pool, lost connections, a server that is down."""

import asyncio
import logging
import socket
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from msgspec import structs

from core.errors import (
    DataSourceBusyError,
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
)
from core.results import QueryResult
from gateways.fair_queue import QUICK_TURNS
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.factories import ENDLESS_SQL
from tests.gateways.postgres.queries import fetch_value, make_query, wait_for_rows
from tests.waiting import eventually

Observer = psycopg.Connection[Any]
SLOW = f"SELECT n FROM ({ENDLESS_SQL}) AS slow"  # noqa: S608 - ours
ACTIVE = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%AS slow%'"
ACTIVE += " AND pid <> pg_backend_pid()"
SESSIONS = """SELECT pid FROM pg_stat_activity
WHERE application_name = 'toolbuilder' AND datname = current_database()"""


async def start_slow(source: PostgresSource, observer: Observer) -> "asyncio.Task[QueryResult]":
    """A call that holds a connection; no other is running such a query."""
    query = make_query(SLOW, timeout_ms=60_000)
    await wait_for_rows(observer, ACTIVE, 0)
    call = asyncio.create_task(source.run(query))
    await wait_for_rows(observer, ACTIVE, 1)
    return call


async def until_up(source: PostgresSource) -> None:
    """Ask until it answers, half a minute at most."""
    async with asyncio.timeout(30):
        while True:
            with suppress(DataSourceUnavailableError):
                await fetch_value(source, "SELECT 1")
                return
            await asyncio.sleep(0.02)


async def test_server_ends_a_query_that_takes_too_long(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(replace(settings, statement_timeout_ms=2_000)) as source:
        with pytest.raises(DeadlineExceededError, match=r"longer than 2 s and was stopped"):
            await source.run(make_query(SLOW))

        assert await fetch_value(source, "SELECT 1") == 1
        assert await wait_for_rows(observer, ACTIVE, 0) == []


async def test_shorter_deadline_of_a_call_ends_it_too(
    source: PostgresSource, observer: Observer
) -> None:
    with pytest.raises(DeadlineExceededError, match=r"longer than 2 s"):
        await source.run(make_query(SLOW, timeout_ms=2_000))

    assert await wait_for_rows(observer, ACTIVE, 0) == []


async def test_cancelled_call_leaves_nothing_active(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(replace(settings, pool_size=1)) as source:
        call = asyncio.create_task(source.run(make_query(SLOW)))
        [(process_id,)] = await wait_for_rows(observer, ACTIVE, 1)

        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

        assert await wait_for_rows(observer, ACTIVE, 0) == []
        assert await fetch_value(source, "SELECT pg_backend_pid()") == process_id


async def test_wait_for_a_connection_is_bounded(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(replace(settings, pool_size=1, max_wait_ms=100)) as source:
        running = await start_slow(source, observer)

        with pytest.raises(DataSourceBusyError, match=r"in use for 0\.1 s; retry in a few seconds"):
            await source.run(make_query("SELECT 1", timeout_ms=60_000))
        running.cancel()


async def test_query_that_was_stopped_counts_as_a_turn(
    settings: PostgresSettings, observer: Observer
) -> None:
    served: list[str] = []

    async def ask(source: PostgresSource, name: str, caller: str) -> None:
        await source.run(structs.replace(make_query("SELECT 1"), caller=caller))
        served.append(name)

    async with PostgresSource(replace(settings, pool_size=1)) as source:
        await fetch_value(source, "SELECT 1")
        running = await start_slow(source, observer)
        order = {"a": "", "b": "fast", "c": "", "d": "fast"}
        asking = [asyncio.create_task(ask(source, *pair)) for pair in order.items()]
        await asyncio.sleep(0)

        running.cancel()
        await asyncio.gather(*asking)

    assert served == ["a", "b", "d", "c"]


async def test_caller_whose_time_is_over_before_its_turn_is_told_that_it_is_busy(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(replace(settings, pool_size=1)) as source:
        running = await start_slow(source, observer)

        with pytest.raises(DataSourceBusyError, match="was in use for"):
            await source.run(make_query("SELECT 1", timeout_ms=200))
        running.cancel()


async def test_wait_counts_as_time_of_the_query(settings: PostgresSettings) -> None:
    async with PostgresSource(replace(settings, pool_size=1)) as source:
        await fetch_value(source, "SELECT 1")
        first = asyncio.create_task(source.run(make_query(SLOW, timeout_ms=1_500)))
        await asyncio.sleep(0)
        second = asyncio.create_task(source.run(make_query(SLOW, timeout_ms=6_000)))

        with pytest.raises(DeadlineExceededError, match="ask for less"):
            await first
        with pytest.raises(
            DeadlineExceededError,
            match=r"longer than 6 s and was stopped; it waited [\d.]+ s of that for its turn: retry",
        ):
            await second


async def test_256_callers_of_8_keys_on_4_connections_are_all_answered(
    settings: PostgresSettings,
) -> None:
    async def ask(number: int) -> int:
        query = make_query(f"SELECT {number}", timeout_ms=120_000)
        [[value]] = (await source.run(structs.replace(query, caller=f"key{number % 8}"))).rows
        return int(value)

    patient = replace(settings, max_wait_ms=120_000, statement_timeout_ms=120_000)
    async with PostgresSource(patient) as source:
        assert await asyncio.gather(*map(ask, range(256))) == list(range(256))


async def test_key_with_many_calls_and_one_with_few_take_turns(settings: PostgresSettings) -> None:
    served: list[str] = []

    async def ask(caller: str) -> None:
        await source.run(structs.replace(make_query("SELECT 1", timeout_ms=120_000), caller=caller))
        served.append(caller)

    patient = replace(settings, pool_size=1, max_wait_ms=120_000, statement_timeout_ms=120_000)
    async with PostgresSource(patient) as source:
        await ask("describes it")
        # The end of its answer may come after it.
        await eventually(lambda: source._pool._idle)
        await asyncio.gather(*map(ask, ["greedy"] * 200 + ["small"] * 2))

    assert Counter(served) == {"describes it": 1, "greedy": 200, "small": 2}
    # The first found the connection free; how long its turn was decides what comes between the small ones.
    assert served[1] == "greedy"
    assert served[2:6].count("small") == 2


async def test_slow_queries_of_a_key_leave_a_connection_to_other_keys(
    settings: PostgresSettings, observer: Observer
) -> None:
    def call(sql: str, caller: str) -> "asyncio.Task[QueryResult]":
        query = structs.replace(make_query(sql, timeout_ms=60_000), caller=caller)
        return asyncio.create_task(source.run(query))

    patient = replace(settings, pool_size=3, max_wait_ms=60_000, statement_timeout_ms=60_000)
    async with PostgresSource(patient) as source:
        slow = [call(SLOW, "slow") for _ in range(5)]
        await wait_for_rows(observer, ACTIVE, 2)

        for _ in range(3):
            await call("SELECT 1", "other")

        assert source.pool_state == (3, 2, 3)
        assert not any(one.done() for one in slow)
        # And the slow ones go on where they stopped.
        slow[0].cancel()
        await eventually(lambda: source.pool_state == (3, 2, 2))
        for one in slow:
            one.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        await eventually(lambda: source.pool_state == (3, 0, 0))
        assert not source._pool._queue._holding


async def test_quick_queries_of_a_key_may_have_every_connection(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(replace(settings, pool_size=2)) as source:
        for _ in range(QUICK_TURNS):
            await source.run(structs.replace(make_query("SELECT 1"), caller="quick"))
        slow = structs.replace(make_query(SLOW, timeout_ms=60_000), caller="quick")
        calls = [asyncio.create_task(source.run(slow)) for _ in range(2)]

        await wait_for_rows(observer, ACTIVE, 2)

        for call in calls:
            call.cancel()


async def test_callers_of_one_key_are_served_as_they_came(settings: PostgresSettings) -> None:
    served: list[int] = []

    async def ask(number: int) -> None:
        await fetch_value(source, "SELECT 1")
        served.append(number)

    async with PostgresSource(replace(settings, pool_size=1)) as source:
        await ask(-1)
        await asyncio.gather(*map(ask, range(30)))

    assert served == list(range(-1, 30))


async def test_pool_recovers_from_cancelled_calls(settings: PostgresSettings) -> None:
    async with PostgresSource(replace(settings, pool_size=2)) as source:
        calls = [asyncio.create_task(fetch_value(source, "SELECT 1")) for _ in range(40)]
        for position, call in enumerate(calls):
            await asyncio.sleep(0.0005)
            if position % 2:
                call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

        assert (
            await asyncio.gather(*(fetch_value(source, "SELECT 2") for _ in range(10))) == [2] * 10
        )


async def test_no_more_connections_than_the_pool_allows(
    settings: PostgresSettings, observer: Observer
) -> None:
    await wait_for_rows(observer, SESSIONS, 0)
    async with PostgresSource(replace(settings, pool_size=3)) as source:
        await asyncio.gather(*(fetch_value(source, "SELECT 1") for _ in range(12)))

        assert len(observer.execute(SESSIONS).fetchall()) <= 3


async def test_closed_source_leaves_no_session(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(settings) as source:
        await fetch_value(source, "SELECT 1")

    assert await wait_for_rows(observer, SESSIONS, 0) == []
    with pytest.raises(DataSourceUnavailableError):
        await fetch_value(source, "SELECT 1")


async def test_lost_connections_are_replaced_without_an_error(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(replace(settings, pool_size=3)) as source:
        await asyncio.gather(*(source.run(make_query("SELECT 1")) for _ in range(3)))
        observer.execute(SESSIONS.replace("pid FROM", "pg_terminate_backend(pid, 2000) FROM"))

        values = await asyncio.gather(*(fetch_value(source, "SELECT 7") for _ in range(3)))

    assert values == [7, 7, 7]


async def test_who_waits_for_a_connection_that_is_lost_gets_another(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(replace(settings, pool_size=1)) as source:
        assert await fetch_value(source, "SELECT 5") == 5
        running = await start_slow(source, observer)
        waiting = asyncio.create_task(fetch_value(source, "SELECT 5", timeout_ms=60_000))
        await eventually(lambda: source.pool_state.waiting == 1)

        [(process_id,)] = observer.execute(ACTIVE).fetchall()
        observer.execute("SELECT pg_terminate_backend(%s, 2000)", [process_id])

        assert await waiting == 5
        running.cancel()


async def test_connection_lost_during_the_query_is_tried_once_more(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(replace(settings, statement_timeout_ms=60_000)) as source:
        call = await start_slow(source, observer)

        for _ in range(2):
            [(process_id,)] = await wait_for_rows(observer, ACTIVE, 1)
            observer.execute("SELECT pg_terminate_backend(%s, 2000)", [process_id])

        with pytest.raises(DataSourceUnavailableError, match="lost twice"):
            await call


async def test_rows_of_a_lost_connection_are_not_given_twice(
    settings: PostgresSettings, observer: Observer
) -> None:
    """It is lost when full chunks have come and the last row is still being made."""
    last = "SELECT count(*) FROM generate_series(1, 5000) a, generate_series(1, 5000) b WHERE a + b > n"
    query = make_query(
        f"SELECT n, CASE n WHEN 3000 THEN ({last}) END FROM generate_series(1, 3000) AS slow(n)",  # noqa: S608
        row_limit=3_000,
        timeout_ms=60_000,
    )
    async with PostgresSource(replace(settings, statement_timeout_ms=60_000)) as source:
        call = asyncio.create_task(source.run(query))
        [(process_id,)] = await wait_for_rows(observer, ACTIVE, 1)
        await asyncio.sleep(0.2)
        observer.execute("SELECT pg_terminate_backend(%s, 2000)", [process_id])

        result = await call

    assert [row[0] for row in result.rows] == list(range(1, 3_001))


async def test_query_cancelled_by_another_is_no_deadline(
    settings: PostgresSettings, observer: Observer
) -> None:
    async with PostgresSource(settings) as source:
        call = asyncio.create_task(source.run(make_query(SLOW)))
        [(process_id,)] = await wait_for_rows(observer, ACTIVE, 1)

        # The server drops a request that arrives between two messages of the query.
        while not call.done():
            observer.execute("SELECT pg_cancel_backend(%s)", [process_id])
            await asyncio.wait({call}, timeout=0.2)

        with pytest.raises(DataSourceError, match="canceling statement"):
            await call


async def test_lock_is_not_waited_for_long(settings: PostgresSettings, observer: Observer) -> None:
    async with PostgresSource(replace(settings, lock_timeout_ms=100)) as source:
        with observer.transaction():
            observer.execute("LOCK TABLE item IN ACCESS EXCLUSIVE MODE")
            with pytest.raises(DataSourceError, match="lock timeout"):
                await fetch_value(source, "SELECT count(*) FROM item")


async def test_refused_connection_is_told_at_once(settings: PostgresSettings) -> None:
    # Longer than the test may take: it is not by a time limit that it is told.
    patient = replace(settings, port=1, connect_timeout_s=600, max_wait_ms=600_000)
    async with PostgresSource(patient) as source:
        with pytest.raises(DataSourceUnavailableError, match="cannot be reached"):
            await source.run(make_query("SELECT 1", timeout_ms=600_000))


async def test_source_that_is_down_keeps_nobody_waiting_twice(
    settings: PostgresSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    # It takes connections into its queue and never says a word.
    monkeypatch.setattr("gateways.connection_pool.FIRST_DOWN_S", 600)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        down = replace(settings, port=silent.getsockname()[1], connect_timeout_s=0.3)
        async with PostgresSource(down) as source:
            with pytest.raises(DataSourceUnavailableError):
                await fetch_value(source, "SELECT 1")
            source.settings = replace(down, connect_timeout_s=600)

            with pytest.raises(DataSourceUnavailableError, match="cannot be reached"):
                await source.run(make_query("SELECT 1", timeout_ms=600_000))


async def test_source_that_is_up_again_is_found(settings: PostgresSettings) -> None:
    async with PostgresSource(settings) as source:
        source.settings = replace(settings, port=1)
        with pytest.raises(DataSourceUnavailableError):
            await fetch_value(source, "SELECT 1")
        source.settings = settings

        await until_up(source)

        assert await fetch_value(source, "SELECT 1") == 1


@pytest.mark.parametrize(
    "changes",
    [{"port": 1}, {"password": "wrong-secret"}, {"database": "nosuch"}, {"user": "nobody-else"}],
    ids=["port", "password", "database", "user"],
)
async def test_error_tells_neither_where_nor_who(
    settings: PostgresSettings, changes: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    wrong = replace(settings, **changes)

    async with PostgresSource(wrong) as source:
        with pytest.raises(DataSourceUnavailableError) as caught:
            await fetch_value(source, "SELECT 1")

    for part in (wrong.host, str(wrong.port), wrong.database, wrong.user, wrong.password):
        assert part not in str(caught.value).split()
    assert wrong.password not in caplog.text
    assert wrong.password not in repr(wrong)


async def test_details_of_the_server_stay_with_us(
    source: PostgresSource, observer: Observer
) -> None:
    observer.execute(
        "CREATE OR REPLACE FUNCTION fail() RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE 'out of stock' USING DETAIL = 'host=10.0.0.1', HINT = 'order more'; END $$"
    )

    with pytest.raises(DataSourceError) as caught:
        await fetch_value(source, "SELECT fail()")

    assert str(caught.value) == "out of stock (hint: order more)"


async def test_server_tells_its_version(source: PostgresSource) -> None:
    assert (await source.server_version()).startswith("18.")
