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
NOT_UTF_8 = message(
    "files.not_utf_8",
    "the file is not in UTF-8; save it again as UTF-8, which Excel calls CSV UTF-8",
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
# Of a CSV whose first rows say another type than a later one.
_LATE_VALUE = re.compile(
    r'CSV Error on Line: (?P<line>\d+)\n.*?\nError when converting column "(?P<column>.*?)"\. Could not'
    r""" convert string "(?P<value>.*?)" to '(?P<type>.*?)'\n.*?\n *file = (?P<file>.*?)\n""",
    re.DOTALL,
)
_VALUE_CHARACTERS, _LATE_WITHIN = 100, 4_000
_PATH = re.compile(r"(?:/[^\s/\"']+)+/")


def clean(text: str) -> str:
    """DuckDB's words without the folders of this machine, and without its own drawing of the place."""
    return _PATH.sub("", text.split("\n\nLINE ", 1)[0]).strip()


def explain(error: BaseException, sql: str, offset: int = 0) -> ToolboxError:
    """The error for whoever asked; `offset` is where the statement begins in the `sql` that failed."""
    details = _read_details(str(error))
    words = clean(str(details.get("exception_message", error)))
    found: ToolboxError = DataSourceError(words)
    late = _LATE_VALUE.match(words[:_LATE_WITHIN])
    match error:
        case ToolboxError():
            found = error
        case duckdb.Error() if late and sql[offset:]:
            found = DataSourceError(
                message(
                    "files.late_value",
                    "line {line} of {file} has {value} in the column {column}, which is taken for"
                    " {type}; upload the file and choose VARCHAR for the column, or save the file as Parquet",
                    line=late["line"],
                    file=late["file"],
                    value=f'"{late["value"][:_VALUE_CHARACTERS]}"',
                    column=late["column"],
                    type=late["type"],
                )
            )
        case duckdb.InterruptException():
            found = DeadlineExceededError()
        case duckdb.InvalidInputException() if "not utf-8 encoded" in words:
            found = DataSourceError(NOT_UTF_8)
        case MemoryError() | duckdb.OutOfMemoryException():
            found = DataSourceError(MEMORY_TEXT)
        case duckdb.FatalException() | duckdb.InternalException() | duckdb.IOException():
            found = DataSourceUnavailableError(
                message("source.duckdb_failed", "the file cannot be read: {reason}", reason=words)
            )
        case duckdb.Error() if isinstance(error, _OF_STATEMENT):
            code = _CODES.get(str(details.get("error_subtype")), "")
            if details.get("error_subtype") == "MISSING_ENTRY":
                code = _MISSING.get(str(details.get("type")), "42883")
            found = StatementError(words, _find_place(details, sql, offset), code=code)
    return found


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
