"""What SQLite says, as errors for people: whose fault it is, and where in the statement."""

import re
import sqlite3

from core.errors import DataSourceError, DataSourceUnavailableError, StatementError
from core.messages import Message, message
from core.statement import CompiledStatement

# Before Python 3.12, a second statement raises Warning, which is no sqlite3.Error.
SQLITE_FAULTS = (sqlite3.Error, sqlite3.Warning, MemoryError)
LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_UNREADABLE = frozenset(
    {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY}
)
_NOT_OF_STATEMENT = (
    LOCKED | _DAMAGED | _UNREADABLE | {sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_FULL}
)

_DAMAGED_TEXT = message(
    "source.file_damaged", "the database file is damaged, or no SQLite database any more"
)
_PLACES = re.compile(
    r'near "(?P<near>.*)": syntax error|unrecognized token: "(?P<token>.*)"'
    r"|(?:no such (?:table|column|function|index|collation sequence|window)|ambiguous column name"
    r"|a JOIN clause is required before|unable to use function):? (?P<name>\S+)"
    r"|(?:function|table) (?P<refused>\S+) is not allowed"
    r"|wrong number of arguments to function (?P<function>\w+)\(\)"
    r"|misuse of (?:aliased )?(?:aggregate|window function|aggregate function):? (?P<misused>\w+)",
    re.DOTALL,
)
_UNBOUND = re.compile(r"did not supply a value for binding (?:parameter )?:?(.+?)\.?$")


def primary_code(error: BaseException) -> int:
    """SQLite's primary result code; 0 when Python itself raised the error."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def blames_statement(error: BaseException) -> bool:
    """Whether preparing failed for the statement itself, not for the file or the deadline."""
    return primary_code(error) not in _NOT_OF_STATEMENT


def statement_error(
    error: BaseException, statement: CompiledStatement, refusal: Message | None
) -> StatementError:
    """Why a statement cannot be prepared: our refusal, or SQLite's words; the place if it is sure."""
    if refusal:
        return StatementError(refusal, _find_place(str(refusal), statement))
    if isinstance(error, MemoryError):
        return StatementError(
            message(
                "statement.too_large_for_sqlite",
                "the statement is too large for SQLite; simplify it",
            )
        )
    words = str(error)
    if unbound := _UNBOUND.search(words):
        name = statement.with_names(f"${unbound[1]}")
        return StatementError(
            message(
                "statement.one_name",
                "SQLite reads {name} as one name; put a space after the parameter, and write"
                " CAST(value AS type) for a :: cast",
                name=name,
            )
        )
    return StatementError(statement.with_names(words), _find_place(words, statement))


def run_error(error: BaseException, value_limit: int) -> DataSourceError:
    """SQLite's words about a query that failed while it ran."""
    code = primary_code(error)
    if isinstance(error, MemoryError):
        return DataSourceError(
            message("source.memory", "the query needs more memory than there is; let it read less")
        )
    if code == sqlite3.SQLITE_TOOBIG:
        return DataSourceError(
            message(
                "source.value_too_long",
                "a value that the query reads or makes has more than {limit} bytes, the"
                " limit of this data source; leave that column out, or make shorter values",
                limit=value_limit,
            )
        )
    if code in _DAMAGED:
        return DataSourceError(_DAMAGED_TEXT)
    if code in _UNREADABLE:
        return DataSourceUnavailableError(
            message(
                "source.file_unreadable_now", "the database file cannot be read; try again later"
            )
        )
    return DataSourceError(str(error))


def open_error(error: BaseException) -> DataSourceError:
    """SQLite's words about a file that cannot be opened."""
    if primary_code(error) == sqlite3.SQLITE_NOTADB:
        return DataSourceUnavailableError(
            message(
                "source.file_no_sqlite",
                "the file is no SQLite database, or it is encrypted; encrypted files cannot"
                " be read",
            )
        )
    if primary_code(error) == sqlite3.SQLITE_CORRUPT:
        return DataSourceError(_DAMAGED_TEXT)
    if primary_code(error) in _UNREADABLE:
        return DataSourceUnavailableError(
            message(
                "source.file_unreadable",
                "the database file cannot be read; let this server read it, and, for a file"
                " in WAL mode, write to its folder",
            )
        )
    return DataSourceUnavailableError(
        message(
            "source.file_not_opened",
            "the database file cannot be opened: {reason}",
            reason=str(error),
        )
    )


def _find_place(words: str, statement: CompiledStatement) -> int | None:
    """The offset in the source of what the words name, if it occurs there only once."""
    if words == "incomplete input":
        return statement.source_position(len(statement.sql) + 1)
    match = _PLACES.search(words)
    named = next(filter(None, match.groups()), "") if match else ""
    if not named:
        return None
    edges = (
        r"(?<![\w$])" if named[0].isalnum() else "",
        r"(?![\w$])" if named[-1].isalnum() else "",
    )
    pattern = f"{edges[0]}{re.escape(named)}{edges[1]}"
    found = [place.start() for place in re.finditer(pattern, statement.sql, re.IGNORECASE)]
    return statement.source_position(found[0] + 1) if len(found) == 1 else None
