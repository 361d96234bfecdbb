"""A schema of its own for each test, and readers of it."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from secrets import token_hex

import psycopg
import pytest
import pytest_asyncio

from gateways.postgres.schema import PostgresSchemaReader
from gateways.postgres.settings import PostgresSettings

Execute = Callable[[str], None]


@pytest.fixture
def schema(observer: "psycopg.Connection[tuple[object, ...]]") -> Iterator[str]:
    name = f"schema_{token_hex(4)}"
    observer.execute(f'CREATE SCHEMA "{name}"')
    observer.execute(f"SET search_path = {name}")
    yield name
    observer.execute(f'DROP SCHEMA "{name}" CASCADE')


@pytest.fixture
def execute(schema: str, observer: "psycopg.Connection[tuple[object, ...]]") -> Execute:
    """Runs statements as the owner, in the schema of the test."""

    def run(sql: str) -> None:
        observer.execute(sql.encode())

    return run


@pytest.fixture
def schema_settings(settings: PostgresSettings, schema: str) -> PostgresSettings:
    return replace(settings, search_path=schema)


@pytest_asyncio.fixture
async def reader(schema_settings: PostgresSettings) -> AsyncIterator[PostgresSchemaReader]:
    async with PostgresSchemaReader(schema_settings) as reader:
        yield reader
