"""Nothing changes the data, even when the gateway is connected as the owner of the tables."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from msgspec import structs

from core.errors import DataSourceError, StatementError, ToolboxError
from core.statement import CompiledStatement
from gateways.postgres.source import PostgresSource
from tests.gateways.postgres.queries import fetch, fetch_value, make_query

HOSTILE: dict[str, str] = {
    "two commands": "SELECT 1; DELETE FROM item",
    "commit first": "COMMIT; DELETE FROM item",
    "rollback first": "ROLLBACK; BEGIN READ WRITE; DELETE FROM item; COMMIT",
    "insert": "INSERT INTO item (id) VALUES (99)",
    "insert returning": "INSERT INTO item (id) VALUES (99) RETURNING id",
    "update returning": "UPDATE item SET name = 'x' RETURNING id",
    "delete returning": "DELETE FROM item RETURNING *",
    "merge": "MERGE INTO item USING (SELECT 1) AS s ON true WHEN MATCHED THEN DELETE",
    "delete in with": "WITH gone AS (DELETE FROM item RETURNING *) SELECT * FROM gone",
    "delete in inner with": "SELECT * FROM (WITH g AS (DELETE FROM item RETURNING *) TABLE g) AS t",
    "select into": "SELECT * INTO copied FROM item",
    "for update": "SELECT * FROM item FOR UPDATE",
    "truncate": "TRUNCATE item",
    "drop": "DROP TABLE item",
    "create table as": "CREATE TABLE copied AS SELECT 1",
    "copy out": "COPY item TO '/tmp/copied'",
    "copy to program": "COPY (SELECT 1) TO PROGRAM 'touch /tmp/copied'",
    "copy in": "COPY item FROM STDIN",
    "do": "DO $$ BEGIN DELETE FROM item; END $$",
    "call": "CALL remove_items()",
    "set": "SET default_transaction_read_only = off",
    "set transaction": "SET TRANSACTION READ WRITE",
    "reset": "RESET ALL",
    "show": "SHOW ALL",
    "explain analyze": "EXPLAIN ANALYZE DELETE FROM item",
    "prepare": "PREPARE p AS DELETE FROM item",
    "execute": "EXECUTE p",
    "declare": "DECLARE c CURSOR WITH HOLD FOR SELECT 1",
    "lock": "LOCK TABLE item",
    "listen": "LISTEN channel",
    "vacuum": "VACUUM item",
    "closing the subquery": "SELECT 1) AS t(c0); DELETE FROM item; --",
    "closing it quietly": "SELECT 1) AS t(c0) UNION (SELECT 2",
    "function that writes": "SELECT remove_items_function()",
    "nextval": "SELECT nextval('counter')",
    "large object": "SELECT lo_from_bytea(0, 'x')",
    "empty": "",
    "comment only": "-- nothing",
    "no columns": "SELECT FROM item",
    "nul": "SELECT 1\0; DELETE FROM item",
}
SCHEMA = """
CREATE SEQUENCE IF NOT EXISTS counter;
CREATE OR REPLACE FUNCTION remove_items_function() RETURNS int LANGUAGE plpgsql AS
    $$ BEGIN DELETE FROM item; RETURN 1; END $$;
CREATE OR REPLACE PROCEDURE remove_items() LANGUAGE sql AS 'DELETE FROM item';
"""


@pytest.fixture
def unchanged(observer: "psycopg.Connection[Any]") -> Iterator[None]:
    """Fails the test that has changed a row or an object of the database."""
    observer.execute(SCHEMA)
    state = "SELECT (SELECT md5(string_agg(i::text, ',' ORDER BY id)) FROM item AS i),"
    state += " (SELECT count(*) FROM pg_class), (SELECT last_value FROM counter),"
    state += " (SELECT count(*) FROM pg_largeobject_metadata)"
    before = observer.execute(state).fetchall()
    yield
    assert observer.execute(state).fetchall() == before


def force(sql: str) -> CompiledStatement:
    """The statement as it would be had our own lexer let everything pass."""
    return CompiledStatement(sql, (), ())


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("sql", HOSTILE.values(), ids=HOSTILE)
async def test_hostile_statement_is_refused(source: PostgresSource, sql: str) -> None:
    with pytest.raises(ToolboxError):
        await source.run(make_query(sql))


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("sql", [sql for sql in HOSTILE.values() if "\0" not in sql])
async def test_hostile_statement_is_refused_without_the_lexer_too(
    source: PostgresSource, sql: str
) -> None:
    with pytest.raises(DataSourceError):
        await source.run(structs.replace(make_query("SELECT 1"), statement=force(sql)))


@pytest.mark.usefixtures("unchanged")
async def test_query_cannot_lift_the_read_only_transaction(source: PostgresSource) -> None:
    sql = (
        "SELECT set_config('transaction_read_only', 'off', false), n, remove_items_function()"
        " FROM generate_series(1, 2) AS n"
    )
    # Without the list of functions the transaction itself still holds.
    source._describer._denied = frozenset()

    with pytest.raises(DataSourceError, match=r"read-only transaction|read-write mode"):
        await source.run(structs.replace(make_query("SELECT 1"), statement=force(sql)))


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO item (id) VALUES (99) RETURNING id",
        "DELETE FROM item RETURNING *",
        "EXPLAIN SELECT 1",
        "SHOW ALL",
    ],
)
async def test_command_with_columns_is_not_described(source: PostgresSource, sql: str) -> None:
    with pytest.raises(StatementError, match="only queries that change nothing can be served"):
        await source.describe(force(sql), ())


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1;",
        "select 1 -- a comment; DELETE",
        "/* DROP TABLE item; */ SELECT 1",
        "(SELECT 1)",
        "VALUES (1)",
        "WITH one AS (SELECT 1) SELECT * FROM one",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n FROM r) TABLE r",
        "SELECT 1 UNION ALL SELECT 2 LIMIT 1",
        "SELECT length(';') FROM item WHERE name <> '; DROP TABLE item' OFFSET 1 FETCH FIRST ROW ONLY",
        "SELECT 1 WHERE '100%' LIKE '%' AND '?' = '?'",
        "SELECT 1 FROM item GROUP BY id HAVING id = 1",
        "SELECT DISTINCT 1 FROM item WINDOW w AS (ORDER BY id)",
    ],
)
async def test_ordinary_query_runs(source: PostgresSource, sql: str) -> None:
    assert await fetch(source, sql) == [[1]]


async def test_no_state_is_left_for_the_next_call(
    source: PostgresSource, observer: "psycopg.Connection[Any]"
) -> None:
    observer.execute(
        "CREATE OR REPLACE FUNCTION soil() RETURNS text LANGUAGE plpgsql AS $$ BEGIN"
        " PERFORM set_config('work_mem', '77MB', false);"
        " PERFORM set_config('search_path', 'pg_catalog', false); RETURN 'soiled'; END $$"
    )
    before = await fetch_value(source, "SELECT current_setting('work_mem')")

    assert await fetch_value(source, "SELECT public.soil()") == "soiled"

    assert await fetch_value(source, "SELECT current_setting('work_mem')") == before
    assert await fetch_value(source, "SELECT current_setting('search_path')") == "public"
    assert await fetch_value(source, "SELECT count(*) FROM item") == 3


async def test_temporary_table_cannot_be_made(
    source: PostgresSource, observer: "psycopg.Connection[Any]"
) -> None:
    observer.execute(
        "CREATE OR REPLACE FUNCTION shadow() RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
        " CREATE TEMP TABLE item AS SELECT 1 AS id; RETURN 1; END $$"
    )

    with pytest.raises(DataSourceError, match="read-only"):
        await fetch(source, "SELECT shadow()")

    assert await fetch_value(source, "SELECT count(*) FROM item") == 3


async def test_session_is_as_the_lexer_expects_it(source: PostgresSource) -> None:
    names = "standard_conforming_strings search_path DateStyle IntervalStyle TimeZone"
    settings = [
        await fetch_value(source, f"SELECT current_setting('{name}')") for name in names.split()
    ]

    assert settings == ["on", "public", "ISO, YMD", "iso_8601", "UTC"]
