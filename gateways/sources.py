"""Opens a data source of either kind by its settings."""

from typing import assert_never

from gateways.postgres import PostgresSource
from gateways.postgres_settings import PostgresSettings
from gateways.sqlite import SqliteSource
from gateways.sqlite_settings import SqliteSettings

OpenedSource = PostgresSource | SqliteSource
DatabaseSettings = PostgresSettings | SqliteSettings


def open_source(settings: DatabaseSettings) -> OpenedSource:
    """The source, which connects when it is first needed; close it when it is no longer wanted."""
    match settings:
        case PostgresSettings():
            return PostgresSource(settings)
        case SqliteSettings():
            return SqliteSource(settings)
        case _:
            assert_never(settings)
