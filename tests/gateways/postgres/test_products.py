"""Servers that only speak PostgreSQL's protocol: found by their version, and PostgreSQL taken for one of them."""

from collections.abc import AsyncIterator
from dataclasses import replace

import psycopg
import pytest
import pytest_asyncio
from msgspec import structs

from core.bindings import CallerFacts
from core.catalogue.entries import TableKind
from core.errors import DataSourceError, StatementError
from core.identity import read_identity
from core.statement import compile_statement
from core.toolspec import ParameterType as T
from gateways.check_report import Level
from gateways.engines import inspect_source, open_schema_reader
from gateways.postgres.engine import POSTGRESQL
from gateways.postgres.exchange import ReadOnlyQuery
from gateways.postgres.products import choose_product
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.gateways.postgres.queries import fetch, make_query

SESSION = b"""SELECT current_setting('default_transaction_read_only'), current_setting('statement_timeout'),
    current_setting('search_path'), current_setting('TimeZone')"""


@pytest.fixture
def other(settings: PostgresSettings) -> PostgresSettings:
    """PostgreSQL, of which is used no more than of a server that has the protocol alone."""
    return replace(settings, server="compatible")


@pytest_asyncio.fixture
async def source(other: PostgresSettings) -> AsyncIterator[PostgresSource]:
    async with PostgresSource(other) as source:
        yield source


@pytest.mark.parametrize(
    ("version", "server", "label"),
    [
        pytest.param("PostgreSQL 18.6 on x86_64", "", "PostgreSQL", id="postgresql"),
        pytest.param("PostgreSQL 18.6 on x86_64", "compatible", "Compatible server", id="named"),
        pytest.param("PostgreSQL 15.2-YB-2.25.0.0-b0 on x86", "", "YugabyteDB", id="yugabytedb"),
        pytest.param("CockroachDB CCL v23.1.11 (x86_64)", "citus", "CockroachDB", id="cockroachdb"),
        pytest.param("PostgreSQL 9.5.0 (Materialize v0.99.0)", "", "Materialize", id="materialize"),
        pytest.param(
            "PostgreSQL 8.0.2 on i686, Redshift 1.0", "", "Amazon Redshift", id="redshift"
        ),
        pytest.param("PostgreSQL 12.3, 64-bit, QuestDB", "postgresql", "QuestDB", id="questdb"),
    ],
)
def test_product_is_found_by_its_version(version: str, server: str, label: str) -> None:
    assert choose_product(version, server).label == label


async def test_usual_queries_run_without_the_catalogue(source: PostgresSource) -> None:
    sql = """
        WITH t AS (SELECT id, upper(name) AS name, price, day, at, ARRAY[id, 7] AS ids FROM item),
            "second" (three) AS NOT MATERIALIZED (SELECT count(*) FROM item), third(n) AS (SELECT 1)
        SELECT name, price::numeric(10, 2), day, ids, count(*) FILTER (WHERE at IS NULL) OVER (),
            (SELECT max(x) FROM (VALUES (1), (2)) AS v(x)) AS m
        FROM t, second, third WHERE id IN (:first, 3) AND (:name IS NULL OR name = :name) ORDER BY id"""
    arguments = {"first": (T.INTEGER, 1), "name": (T.STRING, None)}

    rows = [await fetch(source, sql, **arguments) for _ in range(2)]
    # The session was set although nothing was said of it when it was opened.
    session = await source.ask(lambda connection: connection.fetch(ReadOnlyQuery(SESSION)))

    expected = [["APPLE", 9.5, "2026-01-01", [1, 7], 1, 2], [None, None, None, [3, 7], 1, 2]]
    assert rows == [expected, expected]
    assert session == [["on", "10s", "public", "UTC"]]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT pg_sleep(1)",
        "SELECT pg_catalog.count(*) FROM item",
        'SELECT "pg_sleep" (1)',
        "SELECT (item).pg_notify FROM item",
        "SELECT 1 WHERE NOT materialized(true)",
        "SELECT 1 FROM item, json_to_recordset(name) AS (a int)",
        "SELECT 1 FROM item, json_to_recordset(name) AS (values int)",
        "SELECT 1 FROM crdb_internal.force_panic('x') AS count(x)",
    ],
)
async def test_other_functions_are_refused(source: PostgresSource, sql: str) -> None:
    with pytest.raises(StatementError, match="only usual ones can be called"):
        await source.check(compile_statement(sql), ())


async def test_what_it_lacks_is_said(other: PostgresSettings) -> None:
    identity = read_identity("app.who = owner")
    async with PostgresSource(other) as source:
        with pytest.raises(DataSourceError, match=r"^Compatible server has no plan"):
            await source.explain(make_query("SELECT 1"))
    async with PostgresSource(replace(other, identity=identity)) as source:
        with pytest.raises(DataSourceError, match="not known to bind rows to a caller"):
            await source.run(
                structs.replace(make_query("SELECT 1"), facts=CallerFacts(owner="kim"))
            )


async def test_names_and_types_of_tables_are_read(other: PostgresSettings) -> None:
    async with open_schema_reader(other) as reader:
        names = await reader.list_tables()
        [item] = await reader.read_tables([name for name in names if name.name == "item"])
        sample = await reader.read_sample(item, {"name"}, 1)

    assert item.kind is TableKind.TABLE
    assert [(column.name, column.type_name) for column in item.columns][2:6] == [
        *(("price", "decimal"), ("views", "bigint"), ("name", "text"), ("code", "varchar")),
    ]
    assert len(sample.rows) == 1


async def test_check_tells_what_is_left_out(other: PostgresSettings) -> None:
    report = await inspect_source(other)

    levels = {finding.code: finding.level for finding in report.findings}
    assert levels.pop("other-server") is Level.WARNING
    assert set(levels) == {"connected", "local", "writes-refused", "one-command", "time-limit"}
    assert report.server.startswith("Compatible server 1")


async def test_server_that_cannot_promise_to_read_only_is_refused(
    settings: PostgresSettings, observer: "psycopg.Connection[tuple[object, ...]]"
) -> None:
    observer.execute(
        "CREATE SCHEMA faked; CREATE FUNCTION faked.version() RETURNS text LANGUAGE sql AS"
        " $$SELECT 'PostgreSQL 12.3, 64-bit, QuestDB'$$"
    )
    faked = replace(settings, search_path="faked, pg_catalog")
    try:
        report = await inspect_source(faked)
        async with PostgresSource(faked) as source:
            with pytest.raises(
                DataSourceError, match=r"^QuestDB is not read from: it has no trans"
            ):
                await source.run(make_query("SELECT 1"))
    finally:
        observer.execute("DROP SCHEMA faked CASCADE")

    assert [finding.code for finding in report.findings] == ["product.cannot_promise"]
    assert report.is_refused


def test_url_names_the_time_zone() -> None:
    url = "postgresql://reader@host/shop?time_zone=Asia/Tokyo&sslmode=require"

    columns = POSTGRESQL.read_url(url)

    assert columns is not None
    assert columns["options"] == {"sslmode": "require", "time_zone": "Asia/Tokyo"}


def test_url_names_the_server() -> None:
    url = "postgresql://reader:p%40ss@host/shop?sslmode=require&server=cockroachdb"

    columns = POSTGRESQL.read_url(url)

    assert columns is not None
    assert columns["options"] == {"sslmode": "require", "server": "cockroachdb"}
    assert columns["password"] == "p@ss"
