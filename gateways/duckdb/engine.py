"""DuckDB's databases and folders of files as two engines of data sources."""

import re
from functools import partial
from pathlib import Path
from typing import Any

from core.messages import message
from core.toolspec import Dialect
from gateways.duckdb.check import INSPECTION_S, inspect_duckdb
from gateways.duckdb.files import KINDS
from gateways.duckdb.messages import CHOSEN_TYPES
from gateways.duckdb.schema import DuckdbSchemaReader
from gateways.duckdb.settings import EXTRA, DuckdbSettings, FilesSettings
from gateways.duckdb.source import DuckdbSource
from gateways.duckdb.uploads import convert_file, guess_file
from gateways.engine import (
    SERVICE_COLUMNS,
    Ability,
    CheckStage,
    Engine,
    Uploads,
    limits_of,
)

_DUCKDB_URL = "duckdb:////absolute/path.duckdb"
_FILES_URL = "files:////absolute/folder"
_UNUSED = (
    *("host", "database", "username", "password_reference", "options", "caller_identity"),
    *SERVICE_COLUMNS,
)
_STAGES = (
    CheckStage(
        message("check.file_found", "File found"),
        frozenset(
            {
                *("not-a-file", "file-missing", "no-folder", "not-readable", "no-answer"),
                "wrong-configuration",
            }
        ),
    ),
    CheckStage(
        message("check.opened", "Opened"),
        frozenset({"connected", "not-duckdb", "cannot-read", "duckdb-locked"}),
    ),
    CheckStage(message("check.content", "Rights and content")),
    CheckStage(
        message("check.writes_tried", "Writes tried"),
        frozenset({"writes-refused", "write-accepted"}),
    ),
)


def _read_url(url: str, *, scheme: str) -> dict[str, Any] | None:
    path = url.removeprefix(f"{scheme}:///")
    if path == url or not path.startswith("/") or re.search(r"[?#\x00]", path):
        return None
    return {"path": path.rstrip("/")}


DUCKDB = Engine(
    name=Dialect.DUCKDB.value,
    label="DuckDB",
    address="{row.path}",
    needed=("path",),
    unused=_UNUSED,
    ignored=("lock_timeout_ms",),
    stages=_STAGES,
    longest_check_s=round(INSPECTION_S),
    dialect=Dialect.DUCKDB,
    settings=DuckdbSettings,
    open=DuckdbSource,
    open_schema_reader=DuckdbSchemaReader,
    inspect=inspect_duckdb,
    read_row=lambda row, _password: DuckdbSettings(path=Path(row.path), **limits_of(row)),
    schemes=("duckdb",),
    url_form=_DUCKDB_URL,
    read_url=partial(_read_url, scheme="duckdb"),
    url_fault=message(
        "environment.path_form",
        "{variable} must be {form}, with four slashes",
        variable="",
        form=_DUCKDB_URL,
    ),
    like="ILIKE",
    has_schemas=False,
    folds_names=True,
    types_parameters=False,
    extra=EXTRA,
    abilities=frozenset(
        {
            *(Ability.COLUMN_TYPES, Ability.COMMENTS, Ability.KEYS),
            *(Ability.PLAN_FIGURES, Ability.PLAN_TABLES),
        }
    ),
)
FILES = Engine(
    name="files",
    label="Files",
    address="{row.files_folder}",
    needed=(),
    unused=_UNUSED,
    ignored=("lock_timeout_ms",),
    stages=_STAGES,
    longest_check_s=round(INSPECTION_S),
    dialect=Dialect.DUCKDB,
    settings=FilesSettings,
    open=DuckdbSource,
    open_schema_reader=DuckdbSchemaReader,
    inspect=inspect_duckdb,
    # Without a path the files are uploaded ones, and there may be none yet.
    read_row=lambda row, _password: FilesSettings(
        path=Path(row.files_folder), may_be_absent=not row.path, **limits_of(row)
    ),
    schemes=("files",),
    url_form=_FILES_URL,
    read_url=partial(_read_url, scheme="files"),
    url_fault=message(
        "environment.path_form",
        "{variable} must be {form}, with four slashes",
        variable="",
        form=_FILES_URL,
    ),
    like="ILIKE",
    has_schemas=False,
    folds_names=True,
    types_parameters=False,
    takes_clients=False,
    uploads=Uploads(KINDS, CHOSEN_TYPES, guess_file, convert_file),
    extra=EXTRA,
    abilities=frozenset({Ability.COLUMN_TYPES, Ability.PLAN_FIGURES}),
)
