"""Data source rows and variables to connection settings."""

from dataclasses import dataclass, field

from django.conf import settings

from catalog.credentials import resolve_credential
from catalog.models import DataSource
from core.errors import ConfigurationError
from core.toolspec import DEFAULT_TIMEOUT_MS
from gateways.postgres_settings import PostgresSettings


@dataclass(frozen=True)
class SourceSettings:
    """Settings by data source name, None the default; and why others cannot be used."""

    usable: dict[str | None, PostgresSettings] = field(default_factory=dict)
    refused: dict[str | None, str] = field(default_factory=dict)


def read_sources() -> SourceSettings:
    """Every registered data source and the default one, passwords resolved."""
    result = SourceSettings()
    _add_default(result)
    for row in DataSource.objects.all():
        try:
            result.usable[row.name] = _to_settings(row)
        except ConfigurationError as error:
            result.refused[row.name] = str(error)
    return result


def _add_default(result: SourceSettings) -> None:
    if not settings.POSTGRESQL_DB_HOST:
        result.refused[None] = "no default database is set; set the POSTGRESQL_DB_* variables"
        return
    result.usable[None] = PostgresSettings(
        host=settings.POSTGRESQL_DB_HOST,
        port=settings.POSTGRESQL_DB_PORT,
        database=settings.POSTGRESQL_DB_NAME,
        user=settings.POSTGRESQL_DB_USER,
        password=settings.POSTGRESQL_DB_PASS,
        pool_size=settings.DATA_SOURCE_POOL_SIZE,
        statement_timeout_ms=3 * DEFAULT_TIMEOUT_MS,
    )


def _to_settings(row: DataSource) -> PostgresSettings:
    return PostgresSettings(
        host=row.host,
        port=row.port,
        database=row.database,
        user=row.username,
        password=resolve_credential(row.password_reference),
        search_path=row.search_path,
        pool_size=row.pool_size,
        row_limit=row.row_limit,
        byte_limit=row.byte_limit,
        statement_timeout_ms=row.timeout_ms,
    )
