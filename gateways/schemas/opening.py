"""Opens the reader of a database's tables by the settings of its data source."""

from typing import assert_never

from gateways.postgres.settings import PostgresSettings
from gateways.schemas.postgres import PostgresSchemaReader
from gateways.schemas.reader import SchemaReader
from gateways.schemas.sqlite import SqliteSchemaReader
from gateways.sources import DatabaseSettings
from gateways.sqlite.settings import SqliteSettings


def open_schema_reader(settings: DatabaseSettings) -> SchemaReader:
    """The reader, which connects when it is first asked; close it, or use `async with`."""
    match settings:
        case PostgresSettings():
            return PostgresSchemaReader(settings)
        case SqliteSettings():
            return SqliteSchemaReader(settings)
        case _:
            assert_never(settings)
