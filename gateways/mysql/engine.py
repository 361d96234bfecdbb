"""MariaDB and MySQL as an engine of data sources."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from core.messages import message
from core.toolspec import Dialect
from gateways.check_report import ConnectionReport
from gateways.engine import (
    SERVICE_COLUMNS,
    TOOLBOX_SERVER,
    Ability,
    CheckStage,
    Engine,
    OpenedSource,
    ToolboxNames,
    limits_of,
)
from gateways.extras import Extra
from gateways.mysql.settings import (
    CONNECT_S,
    DEFAULT_PORT,
    INSPECTION_S,
    TLS_OPTIONS,
    MysqlSettings,
)
from gateways.schema_reading import SchemaReader

# Its driver is an extra: modules that import it are imported with the first source of this engine.
# ruff: noqa: PLC0415

_URL_FORM = "mysql://role:password@host:port/database?sslmode=require"

_STAGES = (
    CheckStage(
        message("check.reached", "Reached"),
        frozenset(
            {
                *("unknown-host", "no-route", "connection-refused", "no-answer", "not-mysql"),
                *("no-tls", "needs-tls", "tls-failed", "connection-failed", "wrong-configuration"),
            }
        ),
    ),
    CheckStage(
        message("check.signed_in", "Signed in"),
        frozenset(
            {
                *("connected", "wrong-password", "no-connect-privilege", "unknown-database"),
                *("not-admitted", "not-admitted-now", "too-many-connections"),
                "wrong-authentication",
            }
        ),
    ),
    CheckStage(
        message("check.session", "Session and limits"),
        frozenset(
            {
                *("encrypted", "encrypted-unverified", "local", "not-encrypted", "old-version"),
                *("settings-kept", "settings-dropped"),
                *("no-connection-limit", "connection-limit-too-small"),
            }
        ),
    ),
    CheckStage(message("check.rights", "Rights of the role")),
    CheckStage(
        message("check.writes_tried", "Writes tried"),
        frozenset(
            {
                *("writes-refused", "write-accepted", "writes-untried"),
                *("time-limit", "time-limit-untried"),
            }
        ),
    ),
)


def _read_row(row: Any, password: str) -> MysqlSettings:
    return MysqlSettings(
        host=row.host,
        port=row.port,
        database=row.database,
        user=row.username,
        password=password,
        extra={name: row.options[name] for name in row.options.keys() & TLS_OPTIONS},
        time_zone=row.options.get("time_zone", "UTC"),
        **limits_of(row),
    )


def _read_url(url: str) -> dict[str, Any] | None:
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORT
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    except ValueError:
        return None
    database = unquote(parts.path.removeprefix("/"))
    if "/" in database or parts.fragment:
        return None
    return {
        "host": parts.hostname or "",
        "port": port,
        "database": database,
        "username": unquote(parts.username or ""),
        "options": options,
        "password": unquote(parts.password or ""),
    }


def open_mysql(settings: MysqlSettings) -> OpenedSource:
    """The source, which connects when it is first asked."""
    from gateways.mysql.source import MysqlSource

    return MysqlSource(settings)


def open_mysql_schema(settings: MysqlSettings) -> SchemaReader:
    """The reader of its tables, which connects when it is first asked."""
    from gateways.mysql.schema import MysqlSchemaReader

    return MysqlSchemaReader(settings)


async def inspect(settings: MysqlSettings) -> ConnectionReport:
    """What an administrator should know before tools read from this database."""
    from gateways.mysql.checks.inspection import inspect_mysql

    return await inspect_mysql(settings)


MYSQL = Engine(
    name=Dialect.MYSQL.value,
    label="MariaDB / MySQL",
    address="{row.host}:{row.port}/{row.database}",
    needed=("host", "database", "username"),
    unused=("path", "caller_identity", *SERVICE_COLUMNS),
    stages=_STAGES,
    longest_check_s=round(CONNECT_S + INSPECTION_S),
    dialect=Dialect.MYSQL,
    settings=MysqlSettings,
    open=open_mysql,
    open_schema_reader=open_mysql_schema,
    inspect=inspect,
    read_row=_read_row,
    schemes=("mysql", "mariadb"),
    url_form=_URL_FORM,
    read_url=_read_url,
    url_fault=message(
        "environment.mysql_form",
        "{variable} cannot be read; it must be {mysql}, other characters as %XX",
        variable="",
        mysql=_URL_FORM,
    ),
    like="LIKE",
    has_schemas=False,
    folds_names=True,
    types_parameters=False,
    abilities=frozenset(
        {
            Ability.KEYS,
            Ability.COLUMN_TYPES,
            Ability.COMMENTS,
            Ability.PLAN_FIGURES,
            Ability.PLAN_TABLES,
            Ability.READER_ROLE,
        }
    ),
    default_port=DEFAULT_PORT,
    extra=Extra("mysql", "asyncmy"),
    options=TLS_OPTIONS | {"time_zone"},
    toolbox=ToolboxNames("mysql-sql", ("mysql", "cloud-sql-mysql"), TOOLBOX_SERVER),
    part_pattern="CONCAT('%', :{name}, '%')",
)
