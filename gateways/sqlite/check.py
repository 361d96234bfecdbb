"""Checks a SQLite data source: whether its file can be read, and whether a write to it is refused."""

import asyncio
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic

from core.errors import DataSourceUnavailableError
from core.messages import counted
from gateways.check_report import ConnectionReport, Finding, ok, refused, warning
from gateways.sqlite.file import open_file
from gateways.sqlite.settings import SqliteSettings

INSPECTION_S = 5.0
_BUSY_S = 1.0
_CHECK_S = 2.0
_STEPS_BETWEEN_LOOKS = 10_000
_HEADER = b"SQLite format 3\0"
# A file that was not written to yet is a database without tables.
_EMPTY = b""
_SERVER = f"SQLite {sqlite3.sqlite_version}"

_DAMAGED = refused(
    "damaged",
    "The database is damaged. Restore it from a backup, or run .recover in the sqlite3 shell.",
)
_NOT_SQLITE = refused(
    "not-sqlite", "The file is no SQLite 3 database, or it is encrypted. Check the path."
)
# By the primary code of SQLite's error.
_OPEN_FAULTS = {
    sqlite3.SQLITE_BUSY: refused(
        "locked",
        "Another program holds the database for itself. Check again when it is done; WAL mode would"
        " let readers in beside it.",
    ),
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _NOT_SQLITE,
    sqlite3.SQLITE_CANTOPEN: refused(
        "cannot-open",
        "The database cannot be opened. In WAL mode the files -wal and -shm must be readable beside"
        " it; check the rights of its folder.",
    ),
    sqlite3.SQLITE_READONLY: refused(
        "needs-recovery",
        "A writer ended halfway, and a reader cannot mend it. Open the database once with the"
        " program that writes it.",
    ),
}
_FOLDER = refused("not-a-file", "The path is a folder. Write the path of the database's file.")
_NO_FILE = refused(
    "not-a-file", "The path is no ordinary file. Write the path of the database's file."
)
_MISSING = refused(
    "file-missing",
    "There is no file at this path, and a data source never makes one. Check the path.",
)
_NOT_READABLE = refused(
    "not-readable",
    "This process may not read the file. Give its user the right to read file and folder.",
)
_NO_ANSWER = refused(
    "no-answer", "The file does not answer in time. Check the disk or the network folder it is on."
)

_TABLES_SQL = "SELECT count(*) FROM sqlite_master WHERE type IN ('table', 'view')"
_TABLES_SQL += " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
_ONE_TABLE_SQL = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE%'"
_ONE_TABLE_SQL += " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' LIMIT 1"


async def inspect_sqlite(settings: SqliteSettings) -> ConnectionReport:
    """What an administrator should know before tools read from this file.

    Every fault of the file is a finding. Takes `INSPECTION_S` at most and changes nothing.
    """
    try:
        async with asyncio.timeout(INSPECTION_S):
            return await asyncio.to_thread(_inspect, settings)
    except TimeoutError:
        return _unreachable(settings.path, _NO_ANSWER)


def _inspect(settings: SqliteSettings) -> ConnectionReport:
    path = settings.path
    if fault := _find_file_fault(path):
        return _unreachable(path, fault)
    deadline = monotonic() + _CHECK_S
    try:
        # Without the guard of queries; without isolation_level=None the module would begin a
        # transaction before each write.
        with closing(
            sqlite3.connect(settings.uri(), uri=True, timeout=_BUSY_S, isolation_level=None)
        ) as connection:
            connection.set_progress_handler(lambda: monotonic() > deadline, _STEPS_BETWEEN_LOOKS)
            findings = (*_find_all(connection, path), _try_writes(connection, settings))
    except sqlite3.Error as error:
        return _unreachable(path, _open_fault(error))
    except DataSourceUnavailableError as error:
        fault = refused("cannot-open", "The file cannot be opened: {reason}.", reason=str(error))
        return _unreachable(path, fault)
    return ConnectionReport(server=_SERVER, database=path.name, findings=findings)


def _unreachable(path: Path, fault: Finding) -> ConnectionReport:
    return ConnectionReport(database=path.name, findings=(fault,))


def _find_file_fault(path: Path) -> Finding | None:
    try:
        mode = path.stat().st_mode
        # Before anything is opened: a pipe would wait for its other end.
        if not stat.S_ISREG(mode):
            return _FOLDER if stat.S_ISDIR(mode) else _NO_FILE
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    except (FileNotFoundError, NotADirectoryError):
        return _MISSING
    except PermissionError:
        return _NOT_READABLE
    except (OSError, ValueError):
        return refused("wrong-path", "The path cannot be used. Check it for odd characters.")
    return None if header in {_HEADER, _EMPTY} else _NOT_SQLITE


def _open_fault(error: sqlite3.Error) -> Finding:
    known = _OPEN_FAULTS.get(_primary_code(error))
    return known or refused("cannot-read", "The database says: {words}.", words=str(error))


def _find_all(connection: sqlite3.Connection, path: Path) -> Iterator[Finding]:
    [mode] = connection.execute("PRAGMA journal_mode").fetchone()
    [count] = connection.execute(_TABLES_SQL).fetchone()
    yield ok("connected", "The file was opened for reading; it has {size}.", size=_size(path))
    if not path.is_absolute():
        yield warning(
            "relative-path",
            "The path depends on the folder in which the server is started. Write it from the"
            " root.",
        )
    if path.stat().st_mode & stat.S_IWOTH:
        yield warning(
            "anybody-writes", "Every user of this machine may write the file. Run chmod o-w."
        )
    if mode == "wal":
        yield ok(
            "wal",
            "The journal is a WAL: readers do not wait for writers. Its files -wal and -shm belong"
            " to the database; whoever moves or copies it takes all three.",
        )
    # Readers of a WAL take part in its -shm file, so there they need the right to write.
    elif os.access(path, os.W_OK):
        yield warning(
            "process-writes",
            "This process may write the file. Tools open it read-only all the same; take the second"
            " lock too: let another user own it, or mount it read-only.",
        )
    if count:
        yield ok(
            "reads",
            counted(
                "The database has 1 table or view.", "The database has {count} tables and views."
            ),
            count=count,
        )
    else:
        yield warning(
            "reads-nothing", "The database has no table. Check that it is the right file."
        )
    yield _check_pages(connection)


def _check_pages(connection: sqlite3.Connection) -> Finding:
    try:
        [answer] = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        if _primary_code(error) == sqlite3.SQLITE_INTERRUPT:
            return ok("large", "The file is too large to be searched for damage in this check.")
        return _open_fault(error)
    return ok("sound", "No damage was found.") if answer == "ok" else _DAMAGED


def _try_writes(connection: sqlite3.Connection, settings: SqliteSettings) -> Finding:
    """Whether the file refuses writes by itself, and the guard of queries even more."""
    connection.set_progress_handler(None, 0)
    writes = ["CREATE TABLE toolbuilder_check (a)", "PRAGMA user_version = 1"]
    for (name,) in connection.execute(_ONE_TABLE_SQL).fetchall():
        quoted = name.replace('"', '""')
        writes.append(f'DELETE FROM "{quoted}" WHERE 0')  # noqa: S608 - a name, quoted
    guarded = [*writes, "CREATE TEMP TABLE toolbuilder_check (a)", "ATTACH ':memory:' AS other"]
    # Whatever were not refused would be rolled back when the connection is closed.
    connection.execute("BEGIN")
    if all(_is_refused(connection, sql) for sql in writes):
        with closing(open_file(settings, lambda: False).connection) as guard:
            if all(_is_refused(guard, sql) for sql in guarded):
                return ok(
                    "writes-refused",
                    "A write was tried in {ways} ways and refused.",
                    ways=len(writes) + len(guarded),
                )
    return refused("write-accepted", "A write to a file opened read-only was not refused.")


def _is_refused(connection: sqlite3.Connection, sql: str) -> bool:
    try:
        connection.execute(sql)
    except sqlite3.Error as error:
        return _primary_code(error) in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH}
    return False


def _primary_code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def _size(path: Path) -> str:
    size = path.stat().st_size
    for unit in ("B", "kB", "MB", "GB"):
        if size < 10_000 or unit == "GB":
            return f"{size:,} {unit}"
        size = round(size / 1_000)
    raise AssertionError
