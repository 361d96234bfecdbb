"""Opens a data source of either kind by its settings."""

from typing import assert_never

from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource

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
