"""A data source whose every packet takes 150 ms: all that the product asks of it works."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import psycopg
import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async

from catalog.sources.settings import SourceSettings
from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from core.catalogue.entries import TableName
from core.toolspec import Dialect, ParameterType, SqlLogic, ToolSpec
from gateways.check_report import Level
from gateways.postgres.checks.inspection import inspect_postgres
from gateways.postgres.schema import PostgresSchemaReader
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.chaos.proxy import FaultyProxy
from tests.gateways.postgres.queries import fetch_value
from toolbuilder.editing import analysis as analysis_module
from toolbuilder.editing.analysis import analyse
from toolbuilder.editing.trial import TrialCaller, run_trial
from tools.source_loop import shared_loop

# The trial reads the limits; tests without the mark would be run apart from it, with another database.
pytestmark = pytest.mark.django_db

TOOL = ToolSpec(
    id=1,
    name="count_stores",
    description="Counts the stores.",
    logic=SqlLogic(statement="SELECT count(*) AS stores FROM stores"),
)


@pytest.fixture(scope="module")
def dsn(embedded_postgres: EmbeddedPostgres) -> str:
    """A database of one table, as a role that can only read it."""
    with psycopg.connect(embedded_postgres.dsn("toolbuilder", "app"), autocommit=True) as app:
        app.execute("CREATE DATABASE slow_network")
    with psycopg.connect(embedded_postgres.dsn("slow_network", "app")) as owner:
        owner.execute(
            "CREATE TABLE stores AS SELECT n AS id FROM generate_series(1, 9) AS n;"
            " GRANT SELECT ON stores TO demo_reader"
        )
    return embedded_postgres.dsn("slow_network", "demo_reader")


@pytest_asyncio.fixture
async def settings(
    embedded_postgres: EmbeddedPostgres, dsn: str
) -> AsyncIterator[PostgresSettings]:
    async with FaultyProxy(embedded_postgres.port, choose_free_port(), delay_s=0.15) as proxy:
        yield replace(PostgresSettings.from_dsn(dsn), port=proxy.port)


@pytest.fixture
def sources(settings: PostgresSettings) -> Iterator[SourceSettings]:
    yield SourceSettings(
        usable={None: settings}, dialects={None: Dialect.POSTGRESQL}, users_of={None: None}
    )
    shared_loop().close()


async def test_calls_side_by_side(settings: PostgresSettings) -> None:
    async with PostgresSource(settings) as source:
        calls = (
            fetch_value(source, "SELECT :n", n=(ParameterType.INTEGER, number), timeout_ms=10_000)
            for number in range(16)
        )
        assert await asyncio.gather(*calls) == list(range(16))


async def test_analysis_and_trial(sources: SourceSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    # The packets leave little of the editor's three seconds to a machine that is busy.
    monkeypatch.setattr(analysis_module, "DEADLINE_S", 30.0)
    analysis = await asyncio.to_thread(analyse, TOOL, sources, "somebody")
    trial = await sync_to_async(run_trial)(TOOL, {}, sources, TrialCaller(username="somebody"))

    assert analysis.diagnostics == ()
    assert [column.name for column in analysis.columns] == ["stores"]
    assert (trial.error, len(trial.rows)) == (None, 1)


async def test_check_of_the_connection(settings: PostgresSettings) -> None:
    report = await inspect_postgres(settings)

    assert report.server.startswith("PostgreSQL")
    refused = [finding.code for finding in report.findings if finding.level is Level.REFUSED]
    assert refused == []


async def test_scan(settings: PostgresSettings) -> None:
    async with PostgresSchemaReader(settings) as reader:
        names = await reader.list_tables()
        tables = await reader.read_tables(names)
        stores = next(table for table in tables if table.name == TableName("public", "stores"))
        sample = await reader.read_sample(stores, (), 3)

    assert [table.name.name for table in tables] == ["stores"]
    assert len(sample.rows) == 3
