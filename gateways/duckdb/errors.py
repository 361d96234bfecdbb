"""What DuckDB says, as errors for people: whose fault it is, and where in the statement."""

import json
import re
from typing import Any

import duckdb

from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
    ToolboxError,
)
from core.messages import message

MEMORY_TEXT = message(
    "source.memory", "the query needs more memory than there is; let it read less"
)
# Duckdb's errors about a text, not about the data or the machine.
_OF_STATEMENT = (
    duckdb.ParserException,
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.SyntaxException,
    duckdb.NotImplementedException,
)
_CODES = {"COLUMN_NOT_FOUND": "42703"}
_MISSING = {"Table": "42P01", "View": "42P01"}
_PATH = re.compile(r"(?:/[^\s/\"']+)+/")


class DuckdbFault(Exception):
    """One of DuckDB's errors in parts: `position` counts characters of the statement, or is None."""

    def __init__(self, error: duckdb.Error, sql: str, offset: int = 0) -> None:
        text = str(error)
        super().__init__(text)
        details = _read_details(text)
        self.words = clean(str(details.get("exception_message", text)))
        self.position = _find_place(details, sql, offset)
        self.code = _CODES.get(str(details.get("error_subtype")), "")
        if details.get("error_subtype") == "MISSING_ENTRY":
            self.code = _MISSING.get(str(details.get("type")), "42883")


def clean(text: str) -> str:
    """DuckDB's words without the folders of this machine, and without its own drawing of the place."""
    return _PATH.sub("", text.split("\n\nLINE ")[0]).strip()


def explain(error: BaseException, sql: str, offset: int = 0) -> ToolboxError:
    """The error for whoever asked; `offset` is where the statement begins in the `sql` that failed."""
    match error:
        case ToolboxError():
            return error
        case duckdb.InterruptException():
            return DeadlineExceededError()
        case MemoryError() | duckdb.OutOfMemoryException():
            return DataSourceError(MEMORY_TEXT)
        case duckdb.FatalException() | duckdb.InternalException() | duckdb.IOException():
            return DataSourceUnavailableError(
                message(
                    "source.duckdb_failed",
                    "the file cannot be read: {reason}",
                    reason=DuckdbFault(error, sql).words,
                )
            )
        case duckdb.Error():
            fault = DuckdbFault(error, sql, offset)
            if not isinstance(error, _OF_STATEMENT):
                return DataSourceError(fault.words)
            return StatementError(fault.words, fault.position, code=fault.code)
    return DataSourceError(clean(str(error)))


def _read_details(text: str) -> dict[str, Any]:
    """The object behind DuckDB's first words, as `errors_as_json` makes it."""
    start = text.find("{")
    try:
        details = json.loads(text[start:]) if start >= 0 else {}
    except ValueError:
        return {}
    return details if isinstance(details, dict) else {}


def _find_place(details: dict[str, Any], sql: str, offset: int) -> int | None:
    try:
        position = int(details["position"])
    except (KeyError, ValueError):
        return None
    # DuckDB counts bytes.
    place = len(sql.encode()[:position].decode(errors="ignore")) - offset
    return place if place >= 0 else None
