"""PostgreSQL as an engine of data sources."""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import psycopg

from core.identity import read_identity
from core.messages import message
from core.toolspec import Dialect
from gateways.engine import (
    SERVICE_COLUMNS,
    TOOLBOX_SERVER,
    Ability,
    CheckStage,
    Engine,
    ToolboxNames,
    limits_of,
)
from gateways.postgres.checks.inspection import INSPECTION_S, inspect_postgres
from gateways.postgres.checks.questions import MOST_CONNECT_S
from gateways.postgres.schema import PostgresSchemaReader
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource

# Options that are not libpq's: which server speaks the protocol, and the zone of its sessions.
_OWN_OPTIONS = ("server", "time_zone")
_URL_FORM = "postgresql://role:password@host:port/database?sslmode=require"

_STAGES = (
    CheckStage(
        message("check.reached", "Reached"),
        frozenset(
            {
                *("unknown-host", "no-route", "connection-refused", "no-answer", "not-postgresql"),
                *("no-tls", "tls-failed", "wrong-option", "connection-failed"),
                "wrong-configuration",
            }
        ),
    ),
    CheckStage(
        message("check.signed_in", "Signed in"),
        frozenset(
            {
                *("connected", "no-password", "wrong-password", "unknown-role", "unknown-database"),
                *("role-may-not-log-in", "no-connect-privilege", "not-admitted", "starting"),
                *("too-many-connections", "wrong-setting", "pooler-refuses-options"),
            }
        ),
    ),
    CheckStage(
        message("check.session", "Session and limits"),
        frozenset(
            {
                *("encrypted", "encrypted-unverified", "local", "not-encrypted", "old-version"),
                *("settings-kept", "settings-dropped", "search-path", "schema-missing"),
                "schema-in-capitals",
                *("pooler-right", "pooler-prepares"),
                *("schema-closed", "no-temp-file-limit", "password-expires"),
                *("no-connection-limit", "connection-limit-too-small"),
                *("other-server", "other-texts", "no-caller-identity"),
                *("product.cannot_promise", "product.other_texts"),
            }
        ),
    ),
    CheckStage(message("check.rights", "Rights of the role")),
    CheckStage(
        message("check.writes_tried", "Writes tried"),
        frozenset(
            {
                *("writes-refused", "write-accepted", "one-command", "two-commands"),
                *("time-limit", "time-limit-set", "time-limit-ignored", "time-limit-untried"),
                *("not-read-only", "time-limit-unknown"),
            }
        ),
    ),
)


def _read_row(row: Any, password: str) -> PostgresSettings:
    options = {name: value for name, value in row.options.items() if name not in _OWN_OPTIONS}
    own = {name: row.options[name] for name in _OWN_OPTIONS if name in row.options}
    return PostgresSettings(
        host=row.host,
        port=row.port,
        database=row.database,
        user=row.username,
        password=password,
        extra=options,
        search_path=row.search_path,
        prepares_statements=row.prepares_statements,
        plan_cost_limit=row.plan_cost_limit,
        checks_cost_at_call=row.checks_cost_at_call,
        identity=read_identity(row.caller_identity),
        **own,
        **limits_of(row),
    )


def _read_url(url: str) -> dict[str, Any] | None:
    try:
        parts = urlsplit(url)
        options = parse_qsl(parts.query)
        own = {name: value for name, value in options if name in _OWN_OPTIONS}
        if own:
            options = [pair for pair in options if pair[0] not in own]
            url = parts._replace(query=urlencode(options)).geturl()
        settings = PostgresSettings.from_dsn(url)
    except (psycopg.ProgrammingError, ValueError):
        return None
    return {
        "host": settings.host,
        "port": settings.port,
        "database": settings.database,
        "username": settings.user,
        "options": {**settings.extra, **own},
        "password": settings.password,
    }


POSTGRESQL = Engine(
    name=Dialect.POSTGRESQL.value,
    label="PostgreSQL",
    address="{row.host}:{row.port}/{row.database}",
    needed=("host", "database", "username"),
    unused=("path", *SERVICE_COLUMNS),
    stages=_STAGES,
    longest_check_s=round(MOST_CONNECT_S + INSPECTION_S),
    dialect=Dialect.POSTGRESQL,
    settings=PostgresSettings,
    open=PostgresSource,
    open_schema_reader=PostgresSchemaReader,
    inspect=inspect_postgres,
    read_row=_read_row,
    schemes=("postgresql", "postgres"),
    url_form=_URL_FORM,
    read_url=_read_url,
    url_fault=message(
        "environment.unreadable",
        "{variable} cannot be read; it must be {postgresql}, other characters as %XX",
        variable="",
        postgresql=_URL_FORM,
    ),
    like="ILIKE",
    has_schemas=True,
    folds_names=False,
    types_parameters=True,
    abilities=frozenset(Ability) - {Ability.READS},
    default_port=5432,
    toolbox=ToolboxNames(
        "postgres-sql",
        ("postgres", "cloud-sql-postgres", "alloydb-postgres"),
        TOOLBOX_SERVER,
    ),
)
