"""SQLite as an engine of data sources."""

import re
from pathlib import Path
from typing import Any

from core.messages import message
from core.toolspec import Dialect
from gateways.engine import (
    SERVICE_COLUMNS,
    Ability,
    CheckStage,
    Engine,
    ToolboxNames,
    limits_of,
)
from gateways.sqlite.check import INSPECTION_S, inspect_sqlite
from gateways.sqlite.schema import SqliteSchemaReader
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource

_URL_FORM = "sqlite:////absolute/path.db"

_STAGES = (
    CheckStage(
        message("check.file_found", "File found"),
        frozenset(
            {
                *("not-a-file", "file-missing", "not-readable", "wrong-path", "no-answer"),
                "wrong-configuration",
            }
        ),
    ),
    CheckStage(
        message("check.opened", "Opened"),
        frozenset(
            {
                *("connected", "not-sqlite", "cannot-open", "cannot-read", "locked", "damaged"),
                "needs-recovery",
            }
        ),
    ),
    CheckStage(message("check.content", "Rights and content")),
    CheckStage(
        message("check.writes_tried", "Writes tried"),
        frozenset({"writes-refused", "write-accepted"}),
    ),
)


def _read_row(row: Any, _password: str) -> SqliteSettings:
    return SqliteSettings(path=Path(row.path), **limits_of(row))


def _read_url(url: str) -> dict[str, Any] | None:
    prefix, path = url[:10], url[10:]
    if prefix != "sqlite:///" or not path.startswith("/") or re.search(r"[?#\x00]", path):
        return None
    return {"path": path}


SQLITE = Engine(
    name=Dialect.SQLITE.value,
    label="SQLite",
    address="{row.path}",
    needed=("path",),
    unused=(
        *("host", "database", "username", "password_reference", "options", "caller_identity"),
        *SERVICE_COLUMNS,
    ),
    stages=_STAGES,
    longest_check_s=round(INSPECTION_S),
    dialect=Dialect.SQLITE,
    settings=SqliteSettings,
    open=SqliteSource,
    open_schema_reader=SqliteSchemaReader,
    inspect=inspect_sqlite,
    read_row=_read_row,
    schemes=("sqlite",),
    url_form=_URL_FORM,
    read_url=_read_url,
    url_fault=message(
        "environment.sqlite_form",
        "{variable} must be {sqlite}, with four slashes",
        variable="",
        sqlite=_URL_FORM,
    ),
    like="LIKE",
    has_schemas=False,
    folds_names=True,
    types_parameters=False,
    toolbox=ToolboxNames("sqlite-sql", ("sqlite",), {"database": "path"}),
    find_reads=SqliteSource.describe_reads,
    abilities=frozenset({Ability.KEYS, Ability.PLAN_TABLES, Ability.READS}),
)
