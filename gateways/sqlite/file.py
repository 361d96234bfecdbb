"""Opens an SQLite file so that nothing can be done with it but reading."""

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path
from stat import S_ISDIR
from typing import NamedTuple

from core.errors import DataSourceUnavailableError
from core.messages import message
from gateways.sqlite.guard import SqliteGuard, set_limits
from gateways.sqlite.settings import SqliteSettings

logger = logging.getLogger(__name__)

# A call of the handler costs about as much as 20 instructions; some instructions copy a whole value.
_STEPS_BETWEEN_LOOKS = 1_000
_PRAGMAS = (
    "PRAGMA query_only = ON",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
    # A file that is cut short while it is mapped would end the whole process.
    "PRAGMA mmap_size = 0",
)
_CACHED_STATEMENTS = 256
# Since Python 3.12: nothing may touch the tables behind virtual tables.
_DEFENSIVE = getattr(sqlite3, "SQLITE_DBCONFIG_DEFENSIVE", None)


class FileIdentity(NamedTuple):
    """Changes when another file is put in the place, and when the file is written to."""

    device: int
    inode: int
    modified_ns: int
    size: int


class OpenFile(NamedTuple):
    """A connection that can only read, its authorizer, and what the file was when it was opened."""

    connection: sqlite3.Connection
    guard: SqliteGuard
    identity: FileIdentity


def find_identity(path: Path) -> FileIdentity:
    """Which file lies there now. Raises DataSourceUnavailableError unless there is one."""
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise DataSourceUnavailableError(
            message("source.file_missing", "the database file does not exist")
        ) from error
    except (OSError, ValueError) as error:
        raise DataSourceUnavailableError(
            message("source.file_unreachable", "the database file cannot be reached")
        ) from error
    if S_ISDIR(found.st_mode):
        raise DataSourceUnavailableError(
            message("source.file_folder", "the path is a folder; it must be a database file")
        )
    return FileIdentity(found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size)


def open_file(settings: SqliteSettings, must_stop: Callable[[], bool]) -> OpenFile:
    """The file, for use in any thread, one at a time; `must_stop` is asked every now and then.

    Raises DataSourceUnavailableError and sqlite3.Error.
    """
    identity = find_identity(settings.path)
    connection = sqlite3.connect(
        settings.uri(),
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
    )
    try:
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        if _DEFENSIVE is not None:
            connection.setconfig(_DEFENSIVE, True)  # type: ignore[attr-defined,unused-ignore]
        guard = SqliteGuard(
            virtual_tables=_read_names(
                connection, "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'"
            ),
            modules=_read_names(connection, "PRAGMA module_list"),
        )
        set_limits(connection)
        connection.set_authorizer(guard.authorize)
    except BaseException:
        connection.close()
        raise
    connection.set_progress_handler(must_stop, _STEPS_BETWEEN_LOOKS)
    return OpenFile(connection, guard, identity)


def _read_names(connection: sqlite3.Connection, sql: str) -> list[str]:
    return [str(name).lower() for (name,) in connection.execute(sql).fetchall()]
