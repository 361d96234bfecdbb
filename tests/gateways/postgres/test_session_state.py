"""What a statement does to its session is gone when the next one runs there, each kind of it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from core.errors import DataSourceError, DeadlineExceededError
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.factories import ENDLESS_SQL
from tests.gateways.postgres.queries import fetch, fetch_value, make_query, wait_for_rows

# Functions of the user's own are not refused by their names: each is a way around the list.
FUNCTIONS = """
CREATE SCHEMA IF NOT EXISTS session_state;
SET search_path = session_state;
CREATE OR REPLACE FUNCTION do_sql(command text) RETURNS text LANGUAGE plpgsql AS
    $$ BEGIN EXECUTE command; RETURN command; END $$;
CREATE OR REPLACE FUNCTION take_lock(key bigint) RETURNS bigint LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_lock(key); RETURN key; END $$;
CREATE OR REPLACE VIEW taking AS SELECT pg_try_advisory_lock(4712) AS is_taken;
CREATE OR REPLACE FUNCTION set_seed(seed float) RETURNS float LANGUAGE plpgsql AS
    $$ BEGIN PERFORM setseed(seed); RETURN seed; END $$;
CREATE SEQUENCE IF NOT EXISTS numbers;
CREATE OR REPLACE FUNCTION last_number() RETURNS bigint LANGUAGE sql AS
    $$ SELECT currval('session_state.numbers') $$;
"""
Observer = psycopg.Connection[Any]
SLOW = f"({ENDLESS_SQL})"
LOCKS = "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND database = ("
LOCKS += "SELECT oid FROM pg_database WHERE datname = current_database())"


@pytest_asyncio.fixture
async def one(settings: PostgresSettings, observer: Observer) -> AsyncIterator[PostgresSource]:
    """A source with a single connection, so that each query runs where the one before did."""
    observer.execute(FUNCTIONS)
    path = "session_state, public"
    async with PostgresSource(replace(settings, pool_size=1, search_path=path)) as source:
        yield source


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT take_lock(4711)",
        "SELECT * FROM taking",
        "SELECT do_sql('SELECT pg_advisory_lock_shared(4713)')",
        "SELECT do_sql('SELECT pg_advisory_lock(1, 2), pg_advisory_lock(1, 2)')",
    ],
    ids=["function", "view", "shared", "twice"],
)
async def test_lock_of_the_session_is_given_back(
    one: PostgresSource, observer: Observer, sql: str
) -> None:
    process_id = await fetch_value(one, "SELECT pg_backend_pid()")

    await fetch(one, sql)

    assert observer.execute(LOCKS).fetchall() == []
    assert await fetch_value(one, "SELECT pg_backend_pid()") == process_id


async def test_lock_is_given_back_after_an_error(one: PostgresSource, observer: Observer) -> None:
    with pytest.raises(DataSourceError, match="division by zero"):
        await fetch(one, "SELECT 1 / (take_lock(4714) - 4714)")

    assert observer.execute(LOCKS).fetchall() == []


async def test_lock_is_given_back_after_the_deadline(
    one: PostgresSource, observer: Observer
) -> None:
    with pytest.raises(DeadlineExceededError):
        await one.run(make_query(f"SELECT take_lock(4715), {SLOW}", timeout_ms=2_000))

    # Whoever runs next on the only connection finds it settled.
    assert await fetch_value(one, "SELECT 1") == 1
    assert observer.execute(LOCKS).fetchall() == []


async def test_lock_is_given_back_when_no_more_rows_are_wanted(
    one: PostgresSource, observer: Observer
) -> None:
    sql = "SELECT take_lock(4716), repeat('x', 5000) FROM generate_series(1, 9000)"

    result = await one.run(make_query(sql, row_limit=9_000, byte_limit=20_000))

    assert result.truncated
    assert await fetch_value(one, "SELECT 1") == 1
    assert observer.execute(LOCKS).fetchall() == []


@pytest.mark.parametrize(
    ("change", "setting"),
    [
        ("SET work_mem = ''1GB''", "work_mem"),
        ("SET statement_timeout = 1", "statement_timeout"),
        ("SET search_path = pg_catalog", "search_path"),
        ("SET default_transaction_read_only = off", "default_transaction_read_only"),
        ("SET toolbuilder.remembered = ''a secret''", "toolbuilder.remembered"),
        ("SET ROLE app", "role"),
        ("SET SESSION AUTHORIZATION app", "session_authorization"),
        ("SELECT set_config(''TimeZone'', ''Asia/Seoul'', false)", "TimeZone"),
    ],
    ids=lambda value: value if value.isidentifier() else "",
)
async def test_setting_is_as_it_was(one: PostgresSource, change: str, setting: str) -> None:
    shown = f"SELECT coalesce(current_setting('{setting}', true), '')"
    before = await fetch_value(one, shown)

    await fetch(one, f"SELECT do_sql('{change}')")

    assert await fetch_value(one, shown) == before


async def test_settings_of_ours_survive(one: PostgresSource) -> None:
    shown = "SELECT current_setting(name) FROM unnest(ARRAY['client_connection_check_interval',"
    shown += " 'statement_timeout', 'default_transaction_read_only', 'TimeZone']) AS name"

    await fetch(one, "SELECT do_sql('RESET ALL')")

    assert await fetch(one, shown) == [["2s"], ["10s"], ["on"], ["UTC"]]


@pytest.mark.parametrize(
    "command",
    [
        "CREATE TEMP TABLE kept (id int)",
        "CREATE TEMP VIEW kept AS SELECT 1",
        "CREATE TEMP SEQUENCE kept",
        "SET TRANSACTION READ WRITE",
    ],
    ids=["table", "view", "sequence", "read write"],
)
async def test_temporary_object_cannot_be_made(one: PostgresSource, command: str) -> None:
    with pytest.raises(DataSourceError, match=r"read-only|read-write"):
        await fetch(one, f"SELECT do_sql('{command}')")

    assert await fetch_value(one, "SELECT to_regclass('pg_temp.kept')::text") is None


async def test_prepared_name_is_gone(one: PostgresSource) -> None:
    await fetch(one, "SELECT do_sql('PREPARE kept AS SELECT 1 AS secret')")

    names = "SELECT name FROM pg_prepared_statements WHERE from_sql"
    assert await fetch(one, names) == []
    # A second time it would say that the name exists.
    await fetch(one, "SELECT do_sql('PREPARE kept AS SELECT 1 AS secret')")


@pytest.mark.parametrize("command", ["DEALLOCATE ALL", "DEALLOCATE ALL; PREPARE kept AS SELECT 1"])
async def test_session_whose_statements_were_dropped_serves_on(
    one: PostgresSource, observer: Observer, command: str
) -> None:
    for _ in range(2):
        await fetch(one, f"SELECT do_sql('{command}'), take_lock(4717)")

    # Its session was closed, which the server does in its own time.
    assert await wait_for_rows(observer, LOCKS, 0) == []
    assert await fetch_value(one, "SELECT 1") == 1


async def test_transaction_cannot_be_left(one: PostgresSource) -> None:
    with pytest.raises(DataSourceError, match="transaction"):
        await fetch(one, "SELECT do_sql('DO ''BEGIN COMMIT; END''')")


async def test_nothing_listens(one: PostgresSource) -> None:
    await fetch(one, "SELECT do_sql('LISTEN kept')")

    assert await fetch(one, "SELECT pg_listening_channels()") == []


async def test_cursor_is_closed(one: PostgresSource) -> None:
    await fetch(one, "SELECT do_sql('DECLARE kept CURSOR WITH HOLD FOR SELECT 1')")

    assert await fetch(one, "SELECT name FROM pg_cursors WHERE name = 'kept'") == []


async def test_sequence_cannot_be_advanced_and_tells_no_last_number(one: PostgresSource) -> None:
    with pytest.raises(DataSourceError, match="read-only"):
        await fetch(one, "SELECT do_sql('SELECT nextval(''numbers'')')")
    with pytest.raises(DataSourceError, match="not yet defined"):
        await fetch(one, "SELECT last_number()")


async def test_random_numbers_do_not_follow_from_a_seed_that_another_set(
    one: PostgresSource,
) -> None:
    numbers = set()
    for _ in range(3):
        await fetch(one, "SELECT set_seed(0.5)")
        numbers.add(await fetch_value(one, "SELECT random()"))

    assert len(numbers) == 3
