"""One database, three roles that connect to it, and a look at what each statement has left behind."""

from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import psycopg
import pytest
import pytest_asyncio

from config.services.postgres import EmbeddedPostgres
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.hostile.running import make_query
from tests.hostile.schema import (
    EXTENSIONS,
    GRANTS,
    OWNER,
    READER,
    ROLES,
    SESSION,
    TABLES,
    WORLD,
)
from tests.waiting import eventually

DATABASE = "hostile"
PASSWORDS = {READER: "careful", OWNER: "careless"}
Observer = psycopg.Connection[dict[str, Any]]


@dataclass(frozen=True)
class Sources:
    """The reader as it should be, the owner of all tables, and a superuser; one connection each."""

    reader: PostgresSource
    owner: PostgresSource
    superuser: PostgresSource


@pytest.fixture(scope="session")
def observer(embedded_postgres: EmbeddedPostgres) -> Iterator[Observer]:
    """A superuser's connection beside those of the sources."""
    with psycopg.connect(embedded_postgres.dsn("postgres", "superuser"), autocommit=True) as root:
        root.execute(ROLES)
        root.execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
        with psycopg.connect(
            embedded_postgres.dsn(DATABASE, "superuser"),
            autocommit=True,
            row_factory=psycopg.rows.dict_row,
        ) as connection:
            connection.execute(EXTENSIONS)
            _make_tables(dsn_of(embedded_postgres, OWNER))
            connection.execute(GRANTS)
            yield connection
        root.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")
        root.execute(f"DROP ROLE {READER}, {OWNER}")


@pytest.fixture(scope="session")
def bystander(embedded_postgres: EmbeddedPostgres, observer: Observer) -> Iterator[None]:
    """A session of the same role as the careless source, which nothing may disturb."""
    dsn = dsn_of(embedded_postgres, OWNER)
    with psycopg.connect(dsn, autocommit=True, application_name="bystander"):
        yield


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def sources(embedded_postgres: EmbeddedPostgres, bystander: None) -> AsyncIterator[Sources]:
    def make(name: str, dsn: str) -> PostgresSource:
        settings = PostgresSettings.from_dsn(
            dsn, application_name=f"hostile_{name}", pool_size=1, max_wait_ms=10_000
        )
        return PostgresSource(settings)

    async with (
        make("reader", dsn_of(embedded_postgres, READER)) as reader,
        make("owner", dsn_of(embedded_postgres, OWNER)) as owner,
        make("superuser", embedded_postgres.dsn(DATABASE, "superuser")) as superuser,
    ):
        yield Sources(reader, owner, superuser)


@pytest.fixture(params=["reader", "owner", "superuser"])
def source(request: pytest.FixtureRequest, sources: Sources) -> PostgresSource:
    """Each of the sources in turn."""
    return cast("PostgresSource", getattr(sources, request.param))


@pytest_asyncio.fixture(loop_scope="session")
async def kept_world(observer: Observer, sources: Sources) -> AsyncIterator[None]:
    """Fails the test whose statement has changed what others see, or still works in secret."""
    before = read_world(observer)
    yield
    # A server that was told to stop works on until it looks.
    with suppress(AssertionError):
        await eventually(lambda: read_world(observer) == before)
    assert read_world(observer) == before


@pytest_asyncio.fixture(loop_scope="session")
async def unharmed(source: PostgresSource, kept_world: None) -> AsyncIterator[None]:
    """Fails the test whose statement has left anything to the next caller on its connection."""
    before = await read_session(source)
    yield
    assert await read_session(source) == before


def read_world(observer: Observer) -> dict[str, Any]:
    """What others than the caller can see of the server."""
    row = observer.execute(WORLD).fetchone()
    assert row is not None
    return row


async def read_session(source: PostgresSource) -> list[Any]:
    """What the next caller on the source's connection finds there."""
    [row] = (await source.run(make_query(SESSION))).rows
    return list(row)


def dsn_of(postgres: EmbeddedPostgres, role: str) -> str:
    """Connects one of the two roles to the database."""
    return f"postgresql://{role}:{PASSWORDS[role]}@127.0.0.1:{postgres.port}/{DATABASE}"


def _make_tables(dsn: str) -> None:
    with psycopg.connect(dsn) as owner:
        owner.execute(TABLES)
