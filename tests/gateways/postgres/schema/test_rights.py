"""A reader sees what its role may read, and says quickly when there is no server."""

import socket
from dataclasses import replace

import psycopg
import pytest

from config.services.postgres import EmbeddedPostgres
from core.errors import DataSourceError, DataSourceUnavailableError
from gateways.engines import open_schema_reader
from gateways.postgres.schema import PostgresSchemaReader
from gateways.postgres.settings import PostgresSettings
from tests.gateways.conftest import DATABASE
from tests.gateways.postgres.schema.conftest import Execute


@pytest.fixture
def reader_settings(
    embedded_postgres: EmbeddedPostgres, schema: str, execute: Execute
) -> PostgresSettings:
    """Settings of a role that owns nothing."""
    execute(f"GRANT CONNECT ON DATABASE {DATABASE} TO demo_reader")
    execute(f"GRANT USAGE ON SCHEMA {schema} TO demo_reader")
    dsn = embedded_postgres.dsn(DATABASE, "demo_reader")
    return PostgresSettings.from_dsn(dsn, search_path=schema)


async def test_only_what_the_role_may_read_is_shown(
    reader_settings: PostgresSettings, execute: Execute
) -> None:
    execute(
        "CREATE TABLE hidden (id int PRIMARY KEY); CREATE TABLE whole (id int REFERENCES hidden);"
        "CREATE TABLE part (id int REFERENCES hidden, secret int REFERENCES hidden);"
        "GRANT SELECT ON whole TO demo_reader; GRANT SELECT (id) ON part TO demo_reader;"
        "GRANT INSERT ON hidden TO demo_reader"
    )

    async with open_schema_reader(reader_settings) as reader:
        shapes = await reader.read_tables(await reader.list_tables())
        sample = await reader.read_sample(shapes[0], [], 5)

    assert [shape.name.name for shape in shapes] == ["part", "whole"]
    assert [column.name for column in shapes[0].columns] == ["id"]
    assert [key.columns for key in shapes[0].foreign_keys] == [("id",)]
    assert sample.columns == ("id",)


async def test_view_over_what_its_owner_may_not_read_is_told(
    reader_settings: PostgresSettings, execute: Execute
) -> None:
    execute(
        "CREATE TABLE hidden (id int); GRANT SELECT ON hidden TO demo_reader;"
        "CREATE VIEW v WITH (security_invoker) AS SELECT id FROM hidden;"
        "GRANT SELECT ON v TO demo_reader; REVOKE SELECT ON hidden FROM demo_reader"
    )

    async with open_schema_reader(reader_settings) as reader:
        [shape] = await reader.read_tables(await reader.list_tables())
        with pytest.raises(DataSourceError, match="permission denied for table hidden"):
            await reader.read_sample(shape, [], 5)


async def test_search_path_without_a_schema_shows_nothing(settings: PostgresSettings) -> None:
    async with open_schema_reader(replace(settings, search_path="nosuch")) as reader:
        assert await reader.list_tables() == []
        assert await reader.read_tables([]) == []


async def test_views_of_extensions_and_of_the_server_are_left_out(
    settings: PostgresSettings, embedded_postgres: EmbeddedPostgres
) -> None:
    with psycopg.connect(embedded_postgres.dsn(DATABASE, "superuser")) as superuser:
        superuser.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    path = "public, pg_catalog, information_schema"

    async with open_schema_reader(replace(settings, search_path=path)) as reader:
        names = {name.name for name in await reader.list_tables()}

    assert "item" in names
    assert names.isdisjoint({"pg_stat_statements", "pg_class", "columns"})


async def test_dead_server_is_told(settings: PostgresSettings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    async with PostgresSchemaReader(replace(settings, port=port)) as reader:
        with pytest.raises(DataSourceUnavailableError):
            await reader.list_tables()
