"""A database of its own, and a source that connects to it as the owner of its tables."""

from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
import pytest_asyncio

from config.services.postgres import EmbeddedPostgres
from gateways import patience
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource

DATABASE = "gateways"
TABLES = """
CREATE TYPE colour AS ENUM ('red', 'green');
CREATE TYPE point3 AS (x int, y int, z int);
CREATE TABLE item (
    id int PRIMARY KEY, quantity smallint, price numeric(10, 2), views bigint, name text,
    code varchar(10), colour colour, reference uuid, day date, at timestamptz, active boolean
);
INSERT INTO item VALUES
    (1, 2, 9.50, 3000000000, 'apple', 'a-1', 'red', '00000000-0000-0000-0000-000000000001',
     '2026-01-01', '2026-01-01 10:00+00', true),
    (2, 3, 12.00, 5, 'bread', 'b-2', 'green', '00000000-0000-0000-0000-000000000002',
     '2026-02-01', '2026-02-01 10:00+00', false),
    (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
"""


@pytest.fixture(scope="session")
def owner_dsn(embedded_postgres: EmbeddedPostgres) -> str:
    """Connects as the owner of the tables: nothing but the gateway protects them."""
    with psycopg.connect(embedded_postgres.dsn("toolbuilder", "app"), autocommit=True) as app:
        app.execute(f"CREATE DATABASE {DATABASE}")
    with psycopg.connect(embedded_postgres.dsn(DATABASE, "superuser")) as superuser:
        superuser.execute("CREATE EXTENSION IF NOT EXISTS vector")
    dsn = embedded_postgres.dsn(DATABASE, "app")
    with psycopg.connect(dsn) as owner:
        owner.execute(TABLES)
    return dsn


@pytest.fixture
def settings(owner_dsn: str) -> PostgresSettings:
    return PostgresSettings.from_dsn(owner_dsn)


@pytest_asyncio.fixture
async def source(settings: PostgresSettings) -> AsyncIterator[PostgresSource]:
    async with PostgresSource(settings) as source:
        yield source


@pytest.fixture
def observer(owner_dsn: str) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
    """A connection beside the gateway's, to see what it left in the database."""
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def never_held_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every silence count as the server's: on a busy machine the loop of the test is held up too."""
    monkeypatch.setattr(patience, "TICK_S", 3_600.0)
