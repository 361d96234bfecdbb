"""The demo shop in a real database."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from config.demo.loading import load_shop
from config.services.postgres import EmbeddedPostgres

EMPTY_DATABASE = "demo_empty"


@pytest.fixture(scope="session")
def shop(embedded_postgres: EmbeddedPostgres) -> EmbeddedPostgres:
    """The server whose database `demo` holds the shop."""
    load_shop(embedded_postgres.dsn("demo", "demo_owner"))
    return embedded_postgres


@pytest.fixture
def owner(shop: EmbeddedPostgres) -> Iterator[psycopg.Connection]:
    """A session of the shop's owner."""
    with psycopg.connect(shop.dsn("demo", "demo_owner")) as connection:
        yield connection


@pytest.fixture
def reader(shop: EmbeddedPostgres) -> Iterator[psycopg.Connection]:
    """A session of the role that tools use."""
    with psycopg.connect(shop.dsn("demo", "demo_reader")) as connection:
        yield connection


@pytest.fixture
def empty_database(embedded_postgres: EmbeddedPostgres) -> Iterator[str]:
    """A DSN of demo_owner for a database of its own without tables."""
    superuser = embedded_postgres.dsn("postgres", "superuser")
    name = sql.Identifier(EMPTY_DATABASE)
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name)
    with psycopg.connect(superuser, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER demo_owner").format(name))
        yield embedded_postgres.dsn(EMPTY_DATABASE, "demo_owner")
        connection.execute(drop)
