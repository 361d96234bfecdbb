"""The program of one DuckDB process: closes its cage, opens its source, answers requests until it is ended.

Requests come over file descriptor 0, and so does the word to stop; its end is the process's.
"""

import json
import os
import struct
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from shutil import rmtree
from threading import Thread
from typing import Any, NoReturn

import duckdb

from core.errors import DataSourceError, ToolboxError
from core.messages import message
from gateways.duckdb import converting
from gateways.duckdb.cage import enter_cage
from gateways.duckdb.errors import MEMORY_TEXT, explain
from gateways.duckdb.files import (
    TableFile,
    find_files,
    find_state,
    is_misread,
    readable_path,
    reading_sql,
    unpack_spreadsheet,
)
from gateways.duckdb.messages import (
    OPENING,
    STOP,
    DuckdbOptions,
    encode_content,
    encode_error,
    encode_result,
)
from gateways.duckdb.session import (
    Caps,
    DuckdbSession,
    SessionLimits,
    connect,
    lock,
    working,
)
from gateways.duckdb.values import decode_value

CHANNEL = 0
REQUEST_LIMIT = 64_000_000
_LENGTH = struct.Struct("!I")
_COLUMNS_OF = "SELECT column_name FROM duckdb_columns() WHERE table_name = ?"
_CRASHED = "reading it ended the process, so it may be damaged"
_NO_FILES: list[TableFile] = []

Request = Mapping[str, Any]


class SourceProcess:
    """Opens a database or a folder, says what it found, then answers requests one at a time."""

    def __init__(self, options: DuckdbOptions) -> None:
        self._options = options
        self._jobs: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._session: DuckdbSession | None = None
        self._is_released = False
        self._files, self._refused = _NO_FILES, list[str]()
        self._folder = Path(options.path)
        if options.is_folder and not (options.may_be_absent and not self._folder.exists()):
            self._files, self._refused = find_files(self._folder)
        if not options.path or any(file.kind == "xlsx" for file in self._files):
            import_module("python_calamine")
        self._paths = [
            readable_path(file, number, Path(options.temp_folder))
            for number, file in enumerate(self._files)
        ]
        self._state = self._look()

    def serve(self) -> NoReturn:
        """Greet with what was found, or with why nothing can be opened; then answer."""
        # Everything that may be imported has been: no file of Python's can be read any more.
        options = self._options
        own = [options.path, f"{options.path}.wal"] if not options.is_folder else []
        readable = [*own, *(str(file.path) for file in self._files), *options.readable]
        enter_cage(
            readable=[Path(path) for path in readable if path],
            writable=[Path(path) for path in (options.temp_folder, *options.writable)],
            memory_bytes=options.memory_bytes + options.spare_bytes,
            file_bytes=options.temp_bytes,
        )
        Thread(target=self._listen, daemon=True).start()
        try:
            _send(self._answering("", self._open))
            while True:
                request = self._next_request()
                sql = str(request.get("sql", ""))
                _send(self._answering(sql, lambda: self._answer(request)))  # noqa: B023 - called now
        except BrokenPipeError:
            self._leave()

    def _next_request(self) -> Request:
        """The request; while there is none the database is closed, and later the process ended."""
        release_s, idle_s = self._options.release_s, self._options.idle_s
        if self._session is not None and release_s and not self._is_released:
            try:
                return self._jobs.get(timeout=release_s)
            except Empty:
                self._session.close()
                self._is_released = True
        try:
            return self._jobs.get(timeout=idle_s or None)
        except Empty:
            os._exit(0)

    def _listen(self) -> None:
        """Take requests and the word to stop; when the server is gone, end at once."""
        try:
            while True:
                [size] = _LENGTH.unpack(_read(_LENGTH.size))
                payload = _read(size)
                if payload != STOP:
                    self._jobs.put(json.loads(payload))
                elif self._session is not None:
                    self._session.interrupt()
        except EOFError:
            # Also while a query runs: nobody waits for it.
            self._leave()

    def _leave(self) -> NoReturn:
        """End, now that the server is gone; what queries have put on the disk may be gigabytes."""
        rmtree(self._options.temp_folder, ignore_errors=True)
        os._exit(0)

    def _answering(self, sql: str, work: Callable[[], bytes]) -> bytes:
        """The frame of what `work` gives, or of its error."""
        try:
            return bytes(working(sql, work))
        except ToolboxError as error:
            return encode_error(error)
        except MemoryError:
            return encode_error(DataSourceError(MEMORY_TEXT))

    def _connect(self) -> duckdb.DuckDBPyConnection:
        """A connection to the database, locked if it is to a file; an empty one, which is not, for files."""
        options = self._options
        limits = SessionLimits(
            memory_bytes=options.memory_bytes,
            temp_bytes=options.temp_bytes,
            threads=options.threads,
            temp_folder=options.temp_folder,
        )
        if not options.path or options.is_folder:
            return connect("", limits)
        connection = connect(options.path, limits)
        lock(connection, [])
        return connection

    def _open(self) -> bytes:
        options = self._options
        connection = self._connect()
        faults = [(name, "") for name in self._refused]
        opening = Path(options.temp_folder, OPENING)
        for file, path in zip(self._files, self._paths, strict=True):
            if file.path.name in options.left_out:
                faults.append((file.path.name, _CRASHED))
                continue
            opening.write_bytes(os.fsencode(file.path.name))
            try:
                self._make_view(connection, file, path)
            except (duckdb.Error, DataSourceError, MemoryError) as error:
                faults.append((file.path.name, str(explain(error, ""))))
        opening.unlink(missing_ok=True)
        if not options.path:
            self._connection = connection
            return encode_content({"version": duckdb.__version__})
        if options.is_folder:
            lock(connection, self._paths)
        self._session = DuckdbSession(connection)
        return encode_content({"version": duckdb.__version__, "faults": faults})

    def _make_view(self, connection: duckdb.DuckDBPyConnection, file: TableFile, path: str) -> None:
        name = '"' + file.name.replace('"', '""') + '"'
        if file.kind != "xlsx":
            create = f"CREATE OR REPLACE VIEW {name} AS SELECT * FROM "  # noqa: S608 - quoted
            connection.execute(create + reading_sql(file.kind, path))
            found = connection.execute(_COLUMNS_OF, [file.name]).fetchall()
            if is_misread(file.kind, [column for (column,) in found]):
                connection.execute(create + reading_sql(file.kind, path, is_padded=True))
            return
        unpacked = Path(self._options.temp_folder, "sheet.csv")
        try:
            unpack_spreadsheet(file.path, unpacked)
            source = reading_sql("csv", str(unpacked))
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM {source}")  # noqa: S608 - quoted
        finally:
            unpacked.unlink(missing_ok=True)

    def _answer(self, request: Request) -> bytes:
        if not self._options.path:
            return encode_content(converting.answer(self._connection, self._options, request))
        if self._look() != self._state:
            return encode_content(None, is_stale=True)
        assert self._session is not None  # noqa: S101 - the greeting was its
        if self._is_released:
            self._session.resume(self._connect())
            self._is_released = False
        session, sql = self._session, str(request.get("sql", ""))
        values = [decode_value(value) for value in request.get("values", ())]
        match request["do"]:
            case "run":
                limits = [int(request[f"{name}_limit"]) for name in ("row", "byte", "cell")]
                return encode_result(session.run(sql, values, Caps(*limits)))
            case "describe":
                content: Any = session.describe(sql, values)
            case "explain":
                content = session.explain(sql, values, int(request["row_limit"]))
            case "structure":
                content = session.read_structure()
            case _:
                content = session.attempt(sql)
        return encode_content(content)

    def _look(self) -> list[tuple[int, int]]:
        """What changes when the source is written to or replaced."""
        if not self._options.path:
            return []
        try:
            if self._options.is_folder:
                return find_state(self._folder, self._files)
            found = self._folder.stat()
        except OSError:
            return []
        try:
            log_ns = Path(f"{self._folder}.wal").stat().st_mtime_ns
        except OSError:
            log_ns = 0
        return [(found.st_mtime_ns, found.st_ino), (found.st_size, found.st_dev), (log_ns, 0)]


def _read(size: int) -> bytes:
    if size > REQUEST_LIMIT:
        os._exit(1)
    content = bytearray()
    while len(content) < size:
        piece = os.read(CHANNEL, size - len(content))
        if not piece:
            raise EOFError
        content += piece
    return bytes(content)


def _send(content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(CHANNEL, rest) :]


def main() -> None:
    """`OPTIONS`, as JSON."""
    options = DuckdbOptions.from_json(sys.argv[1])
    os.environ.clear()
    try:
        process = SourceProcess(options)
    except (OSError, DataSourceError) as error:
        reason = error.strerror if isinstance(error, OSError) else error.message
        text = message(
            "source.folder_unreadable", "the folder cannot be read: {reason}", reason=str(reason)
        )
        _send(encode_error(DataSourceError(text)))
        return
    process.serve()
