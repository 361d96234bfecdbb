"""What the server and DuckDB's processes say to each other: frames of JSON, never pickles.

An answer is one line of JSON, and behind it the rows as they are sent on. The server trusts nothing of it.
"""

import json
import struct
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import orjson

from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
    ToolboxError,
)
from core.json_text import encode_json
from core.messages import from_json
from core.results import QueryResult
from gateways.scripts.messages import ERROR_CHARACTERS, MessageError

# Instead of a request: stop what runs.
STOP = b"stop"
# The rest of an answer beside its rows, or a schema of many tables.
HEAD_LIMIT = 64_000_000
# In the folder for temporary files: the name of the file that is being opened, should it end the process.
OPENING = "opening"
# What a person may choose for a column of an uploaded file.
CHOSEN_TYPES = ("VARCHAR", "BIGINT", "DOUBLE", "DECIMAL(18,2)", "BOOLEAN", "DATE", "TIMESTAMP")
_LENGTH = struct.Struct("!I")
_ERRORS: dict[str, type[ToolboxError]] = {
    error.__name__: error
    for error in (DataSourceError, DataSourceUnavailableError, DeadlineExceededError)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckdbOptions:
    """How a process is set up; limits are in bytes.

    `path` is a database file, or a folder if `is_folder`, which `may_be_absent`; '' for work on files that a request names.
    `idle_s` is after how long without a request the process ends itself, 0 for never; a database file is
    closed after `release_s`, so that its lock keeps nobody from writing, and opened again when it is needed.
    Files below `readable` can be read and below `writable` written, beside the source's own and its folder
    for temporary files; those of a folder whose names are `left_out` are not opened.
    """

    path: str = ""
    is_folder: bool = False
    may_be_absent: bool = False
    temp_folder: str
    memory_bytes: int
    temp_bytes: int
    spare_bytes: int
    threads: int
    idle_s: float = 0.0
    release_s: float = 0.0
    left_out: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class DuckdbReply:
    """The answer to a request: `content`, or the rows of a query; `is_stale` if the files have changed."""

    content: Any = None
    result: QueryResult | None = None
    is_stale: bool = field(default=False, kw_only=True)


def frame(payload: bytes) -> bytes:
    """The payload with its length before it."""
    return _LENGTH.pack(len(payload)) + payload


def encode_content(content: Any, *, is_stale: bool = False) -> bytes:
    """The frame of an answer without rows."""
    return frame(_encode({"content": content, "is_stale": is_stale}))


def encode_result(result: QueryResult) -> bytes:
    """The frame of the rows of a query."""
    head = {
        "columns": result.columns,
        "truncated": result.truncated,
        "applied_limit": result.applied_limit,
        "elapsed_ms": result.elapsed_ms,
        "notes": result.notes,
    }
    return frame(_encode(head) + b"\n" + (result.rows_json or encode_json(result.rows)))


def encode_error(error: ToolboxError) -> bytes:
    """The frame of an error."""
    head: dict[str, Any] = {
        "error": type(error).__name__,
        "message": error.message.shortened(ERROR_CHARACTERS).to_json(),
    }
    if isinstance(error, StatementError):
        head |= {"position": error.position, "code": error.code}
    return frame(_encode(head))


def decode_reply(payload: bytes) -> DuckdbReply:
    """The answer. Raises the error that it is, and MessageError for what no honest process sends."""
    line, newline, rows = payload.partition(b"\n")
    try:
        head = json.loads(line)
        if newline:
            return DuckdbReply(result=_read_result(head, rows))
        if "error" not in head:
            return DuckdbReply(head["content"], is_stale=bool(head["is_stale"]))
        text = from_json(head["message"])
        position, code = head.get("position"), head.get("code", "")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise MessageError("the answer has an unknown form") from error
    if text is None or not (position is None or isinstance(position, int)):
        raise MessageError("the error has an unknown form")
    if head["error"] == StatementError.__name__:
        raise StatementError(text, position, code=str(code))
    raise _ERRORS.get(str(head["error"]), DataSourceError)(text)


def _read_result(head: dict[str, Any], rows: bytes) -> QueryResult:
    columns = tuple(str(name) for name in head["columns"])
    decoded = [tuple(row) for row in orjson.loads(rows)]
    if any(len(row) != len(columns) for row in decoded):
        raise ValueError("a row has other columns")
    return QueryResult(
        columns=columns,
        rows=decoded,
        truncated=bool(head["truncated"]),
        applied_limit=int(head["applied_limit"]),
        elapsed_ms=float(head["elapsed_ms"]),
        notes=tuple(str(note) for note in head["notes"]),
        rows_json=rows,
    )


def _encode(content: Any) -> bytes:
    # Half a character, which a file may hold, becomes a question mark.
    return json.dumps(content, ensure_ascii=False).encode(errors="replace")
