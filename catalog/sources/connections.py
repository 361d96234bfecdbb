"""A data source row as the settings of its connection, whoever wrote it and however wrong."""

import hashlib
import json
from copy import copy
from pathlib import Path

from django.core.exceptions import ValidationError
from django.views.decorators.debug import sensitive_variables

from catalog.connection_options import libpq_keywords
from catalog.encryption import unseal
from catalog.models import DataSource, Engine
from catalog.sources.credentials import resolve_credential
from catalog.sources.environment import read_target
from core.errors import ConfigurationError
from core.messages import message
from gateways.postgres.settings import PostgresSettings
from gateways.sources import DatabaseSettings
from gateways.sqlite.settings import SqliteSettings


@sensitive_variables()
def to_settings(source: DataSource) -> DatabaseSettings:
    """How the source is reached, its password resolved. Raises ConfigurationError, which holds no secret."""
    row = copy(source)
    if row.engine == Engine.HTTP and not row.is_from_environment:
        raise ConfigurationError(
            message("source.is_http", "this is an HTTP service, which answers no queries")
        )
    password = _take_target(row) if row.is_from_environment else read_password(row)
    check_row(row)
    if row.engine == Engine.SQLITE:
        return _to_sqlite(row)
    return _to_postgres(row, password)


def fingerprint(settings: DatabaseSettings) -> str:
    """A digest of which database is reached as whom; the password and the limits are no part of it."""
    if isinstance(settings, SqliteSettings):
        parts: list[object] = [Engine.SQLITE.value, str(settings.path)]
    else:
        parts = [
            *(Engine.POSTGRESQL.value, settings.host, settings.port, settings.database),
            *(settings.user, sorted(settings.extra.items()), settings.search_path),
        ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@sensitive_variables()
def _take_target(row: DataSource) -> str:
    """Make the row say what its variable says now; the password."""
    target = read_target(row.name)
    for name, value in target.columns().items():
        setattr(row, name, value)
    return target.password


@sensitive_variables()
def read_password(row: DataSource) -> str:
    """The row's secret, '' for none. Raises ConfigurationError, which does not hold it."""
    if row.password_reference and row.password:
        raise ConfigurationError(
            message(
                "source.password_twice",
                "the password is given twice; keep the reference or the stored one",
            )
        )
    if row.password:
        return unseal(row.password, row.password_identity())
    return resolve_credential(row.password_reference)


def check_row(row: DataSource) -> None:
    """Judge a row as the form does: other programs write rows too."""
    try:
        row.clean_fields()
        row.clean()
    except ValidationError as error:
        texts = [f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items()]
        raise ConfigurationError("; ".join(texts)) from None


def _to_sqlite(row: DataSource) -> SqliteSettings:
    return SqliteSettings(
        path=Path(row.path),
        pool_size=row.pool_size,
        max_wait_ms=row.max_wait_ms,
        statement_timeout_ms=row.timeout_ms,
        lock_timeout_ms=row.lock_timeout_ms,
        row_limit=row.row_limit,
        byte_limit=row.byte_limit,
        cell_limit=row.cell_limit,
    )


@sensitive_variables()
def _to_postgres(row: DataSource, password: str) -> PostgresSettings:
    return PostgresSettings(
        host=row.host,
        port=row.port,
        database=row.database,
        user=row.username,
        password=password,
        extra=libpq_keywords(row.options),
        search_path=row.search_path,
        pool_size=row.pool_size,
        max_wait_ms=row.max_wait_ms,
        row_limit=row.row_limit,
        byte_limit=row.byte_limit,
        cell_limit=row.cell_limit,
        statement_timeout_ms=row.timeout_ms,
        lock_timeout_ms=row.lock_timeout_ms,
    )
