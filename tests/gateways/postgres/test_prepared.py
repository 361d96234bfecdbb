"""What the server keeps parsed for a connection, and what becomes of it when a query meddles with it."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from core.errors import DataSourceError
from gateways.postgres.prepared import MOST_PREPARED
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.gateways.postgres.queries import fetch, fetch_value, make_query

Observer = psycopg.Connection[Any]
# Takes each of our names away, and gives it to a statement of its own if there is one.
FUNCTION = """
CREATE SCHEMA IF NOT EXISTS prepared;
CREATE OR REPLACE FUNCTION prepared.take_names(pattern text, statement text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE found record; taken bigint := 0;
BEGIN
    FOR found IN SELECT s.name, s.parameter_types::text[] AS types FROM pg_prepared_statements AS s
        WHERE NOT from_sql AND s.statement LIKE pattern
    LOOP
        EXECUTE format('DEALLOCATE %I', found.name);
        taken := taken + 1;
        IF statement <> '' THEN
            EXECUTE format('PREPARE %I%s AS %s', found.name,
                coalesce('(' || nullif(array_to_string(found.types, ','), '') || ')', ''), statement);
        END IF;
    END LOOP;
    RETURN taken;
END $$;
CREATE OR REPLACE FUNCTION prepared.run(command text) RETURNS text LANGUAGE plpgsql AS
    $$ BEGIN EXECUTE command; RETURN command; END $$;
"""
OURS = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%mark%'"


@pytest_asyncio.fixture
async def one(settings: PostgresSettings, observer: Observer) -> AsyncIterator[PostgresSource]:
    """A source with a single connection, so that each query runs where the one before did."""
    observer.execute(FUNCTION)
    path = "prepared, public"
    async with PostgresSource(replace(settings, pool_size=1, search_path=path)) as source:
        yield source


async def take_names(source: PostgresSource, pattern: str, statement: str = "") -> int:
    """How many names the query took that the connection had."""
    sql = f"SELECT take_names('{pattern}', '{statement}')"
    return int(await fetch_value(source, sql))


async def test_query_is_parsed_once(one: PostgresSource) -> None:
    for _ in range(3):
        await fetch_value(one, "SELECT 'mark'")

    assert await fetch_value(one, f"{OURS} AND generic_plans + custom_plans = 3") == 1


async def test_query_that_fails_at_first_is_kept_parsed_later(one: PostgresSource) -> None:
    division = "SELECT 1 / (count(*) - {}) AS mark FROM item"
    with pytest.raises(DataSourceError, match="division by zero"):
        await fetch_value(one, division.format(3))

    assert await fetch_value(one, division.format(2)) == 1
    assert await fetch_value(one, "SELECT 'after'") == "after"


async def test_names_of_a_connection_are_bounded(one: PostgresSource) -> None:
    for number in range(MOST_PREPARED + 20):
        assert await fetch_value(one, f"SELECT {number}") == number

    count = await fetch_value(one, "SELECT count(*) FROM pg_prepared_statements")
    # The one that this query took the place of is closed with the next one.
    assert MOST_PREPARED - 5 < count <= MOST_PREPARED + 1


@pytest.mark.parametrize("pattern", ["BEGIN%", "ROLLBACK%", "%mark%", "%"])
async def test_name_that_was_dropped_is_made_again(one: PostgresSource, pattern: str) -> None:
    process_id = await fetch_value(one, "SELECT pg_backend_pid()")
    await fetch_value(one, "SELECT 'mark'")

    assert await take_names(one, pattern) >= 1

    for _ in range(2):
        assert await fetch_value(one, "SELECT 'mark'") == "mark"
        assert await fetch_value(one, "SELECT pg_backend_pid()") == process_id
    assert await fetch_value(one, f"{OURS} AND generic_plans + custom_plans = 2") == 1


@pytest.mark.parametrize("pattern", ["BEGIN%", "ROLLBACK%", "%mark%", "%"])
async def test_name_that_a_query_took_for_itself_never_answers(
    one: PostgresSource, pattern: str
) -> None:
    process_id = await fetch_value(one, "SELECT pg_backend_pid()")
    await fetch_value(one, "SELECT 'mark'")

    assert await take_names(one, pattern, "SELECT ''forged''::text") >= 1

    assert await fetch_value(one, "SELECT 'mark'") == "mark"
    # The session was given up with all that was left in it.
    assert await fetch_value(one, "SELECT pg_backend_pid()") != process_id


async def test_query_that_takes_the_place_of_the_rollback_keeps_nothing(
    one: PostgresSource,
) -> None:
    before = await fetch_value(one, "SELECT current_setting('work_mem')")
    replace_rollback = "SELECT take_names('ROLLBACK%', 'SELECT run(''DEALLOCATE ALL'')')"

    # No name that it made is left when we look for such names.
    await fetch(one, f"SELECT run('SET work_mem = 77000'), ({replace_rollback})")

    assert await fetch_value(one, "SELECT current_setting('work_mem')") == before
    assert await fetch_value(one, "SELECT 'mark'") == "mark"


async def test_column_of_another_type_is_read_as_it_is_now(
    one: PostgresSource, observer: Observer
) -> None:
    observer.execute("DROP TABLE IF EXISTS prepared.changing")
    observer.execute("CREATE TABLE prepared.changing AS SELECT 1 AS a")
    query = make_query("SELECT * FROM changing")
    for _ in range(7):
        await one.run(query)

    observer.execute("ALTER TABLE prepared.changing ALTER a TYPE text USING 'one'")

    assert (await one.run(query)).rows == [("one",)]
    assert (await one.run(query)).rows == [("one",)]


async def test_nothing_stays_on_the_server_where_a_pooler_changes_sessions(
    settings: PostgresSettings, observer: Observer
) -> None:
    observer.execute(FUNCTION)
    pooled = replace(settings, pool_size=1, search_path="prepared", prepares_statements=False)
    async with PostgresSource(pooled) as source:
        for _ in range(2):
            await fetch(source, "SELECT run('DEALLOCATE ALL'), pg_backend_pid()")
            with pytest.raises(DataSourceError, match="division by zero"):
                await fetch_value(source, "SELECT 1 / (count(*) - 3) FROM public.item")

        assert await fetch_value(source, "SELECT count(*) FROM pg_prepared_statements") == 0
