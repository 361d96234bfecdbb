"""One open DuckDB instance in a process of its own: describes statements and runs queries."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

import duckdb

from core.results import QueryResult, RowCollector
from gateways.cells import RowReader
from gateways.duckdb.columns import find_reader
from gateways.duckdb.errors import explain
from gateways.duckdb.gate import Gate
from gateways.duckdb.structure import find_names, read_structure

_CHUNK_BYTES = 16_000_000
_MOST_CHUNK_ROWS = 1_000
_KEPT_DESCRIPTIONS = 500
_OPENING = "(\n"
# Columns of the answer by place: names may be equal, or hold anything.
_ANSWER = "toolbuilder_answer"

Values = Sequence[Any]
Columns = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLimits:
    """What DuckDB itself keeps to: bytes of memory and of its folder for temporary files, threads."""

    memory_bytes: int
    temp_bytes: int
    threads: int
    temp_folder: str


class Caps(NamedTuple):
    """The most that the answer of one query may have, in characters for a cell."""

    row_limit: int
    byte_limit: int
    cell_limit: int


def connect(path: str, limits: SessionLimits) -> duckdb.DuckDBPyConnection:
    """The database of the path, read-only, or an empty one for ''; outside may still be read."""
    connection = duckdb.connect(
        path or ":memory:",
        read_only=bool(path),
        config={
            "memory_limit": f"{limits.memory_bytes}B",
            "threads": limits.threads,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "allow_unsigned_extensions": "false",
            "python_enable_replacements": "false",
        },
    )
    for name, value in {
        "temp_directory": f"'{limits.temp_folder}'",
        "max_temp_directory_size": f"'{limits.temp_bytes}B'",
        "allow_persistent_secrets": "false",
        "secret_directory": "'/nonexistent'",
        "home_directory": "'/nonexistent'",
        "max_expression_depth": "200",
        "TimeZone": "'UTC'",
        "Calendar": "'gregorian'",
        "errors_as_json": "true",
    }.items():
        connection.execute(f"SET GLOBAL {name} = {value}")
    return connection


def lock(connection: duckdb.DuckDBPyConnection, paths: Sequence[str]) -> None:
    """From now on nothing but these files can be read, and no setting changed."""
    allowed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


class DuckdbSession:
    """Works on a locked connection, each time on a cursor of its own in a read-only transaction.

    All but `interrupt` belongs to one thread. Errors are ToolboxErrors; the deadline is nobody's here.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._tables, self._macros = find_names(connection)
        self._checked: OrderedDict[str, None] = OrderedDict()
        self._described: OrderedDict[tuple[object, ...], Columns] = OrderedDict()
        self._cursor: duckdb.DuckDBPyConnection | None = None
        self._lock = Lock()

    def close(self) -> None:
        """Let go of the database; what is known of it stays, for `resume`."""
        self._connection.close()

    def resume(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Work on with the same database, in which nothing has changed."""
        self._connection = connection

    def interrupt(self) -> None:
        """End the step that runs now, from any thread."""
        with self._lock:
            if self._cursor is not None:
                self._cursor.interrupt()

    def describe(self, sql: str, values: Values) -> Columns:
        """Names and types of the columns; the statement is not run."""
        with self._open_cursor() as cursor:
            return self._describe(cursor, sql, values)

    def explain(self, sql: str, values: Values, row_limit: int) -> str:
        """DuckDB's plan of the query, as it writes it in JSON."""
        with self._open_cursor() as cursor:
            self._describe(cursor, sql, values)
            limited = f"SELECT * FROM (\n{sql}\n) LIMIT {row_limit:d}"  # noqa: S608 - checked
            cursor.execute(f"EXPLAIN (FORMAT json) {limited}", list(values))
            row = cursor.fetchone()
        return str(row[1]) if row else "[]"

    def read_structure(self) -> list[dict[str, Any]]:
        """Its own tables and views, with columns, keys and comments."""
        with self._open_cursor() as cursor:
            return [asdict(table) for table in read_structure(cursor)]

    def attempt(self, sql: str) -> str:
        """What DuckDB says of a statement that nobody has checked; '' if it took it. It is rolled back."""
        try:
            with self._open_cursor() as cursor:
                cursor.execute(sql)
        except duckdb.Error as error:
            return str(explain(error, sql)) or "stopped"
        return ""

    def run(self, sql: str, values: Values, caps: Caps) -> QueryResult:
        """The rows of one query."""
        cell_limit = caps.cell_limit
        with self._open_cursor() as cursor:
            columns = self._describe(cursor, sql, values)
            started = perf_counter()
            readers = [find_reader(type_name)(name, cell_limit) for name, type_name in columns]
            names = [f"c{index}" for index in range(len(columns))]
            cells = ", ".join(
                reader.expression(name, cell_limit)
                for reader, name in zip(readers, names, strict=True)
            )
            placed = f"(\n{sql}\n) AS {_ANSWER}({', '.join(names)})"
            cursor.execute(
                f"SELECT {cells} FROM {placed} LIMIT {caps.row_limit + 1:d}",  # noqa: S608 - checked
                list(values),
            )
            collector = RowCollector(row_limit=caps.row_limit, byte_limit=caps.byte_limit)
            reader = RowReader(list(enumerate(readers)), collector)
            row_bytes = len(columns) * 4 * (cell_limit + 1)
            chunk_rows = min(max(_CHUNK_BYTES // row_bytes, 1), _MOST_CHUNK_ROWS)
            while chunk := cursor.fetchmany(chunk_rows):
                if not reader.add(chunk):
                    break
        elapsed_ms = (perf_counter() - started) * 1_000
        return reader.finish([name for name, _ in columns], elapsed_ms)

    def _describe(self, cursor: duckdb.DuckDBPyConnection, sql: str, values: Values) -> Columns:
        if sql not in self._checked:
            try:
                Gate(cursor, self._tables, self._macros).check(sql)
            except duckdb.Error as error:
                # It reads the statement by itself, so its places are those of the text.
                raise explain(error, sql) from error
            _keep(self._checked, sql, None)
        key = (sql, *map(_type_of, values))
        if (columns := self._described.get(key)) is None:
            # Beside the statement, a LIMIT keeps equal names apart from those of a subquery.
            cursor.execute(f"{_OPENING}{sql}\n) LIMIT 0", list(values))
            columns = tuple((str(name), str(kind)) for name, kind, *_ in cursor.description)
            _keep(self._described, key, columns)
        return columns

    @contextmanager
    def _open_cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor in a transaction that is rolled back: nothing of one query is left for the next."""
        cursor = self._connection.cursor()
        with self._lock:
            self._cursor = cursor
        try:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            yield cursor
        finally:
            with self._lock:
                self._cursor = None
            with suppress(duckdb.Error):
                cursor.execute("ROLLBACK")
            cursor.close()


def working(sql: str, work: Callable[[], Any]) -> Any:
    """What `work` gives; DuckDB's errors about `sql` as those for people."""
    try:
        return work()
    except Exception as error:
        raise explain(error, f"{_OPENING}{sql}", len(_OPENING)) from error


def _keep(kept: OrderedDict[Any, Any], key: object, value: object) -> None:
    kept[key] = value
    if len(kept) > _KEPT_DESCRIPTIONS:
        kept.popitem(last=False)


def _type_of(value: object) -> object:
    """What DuckDB makes the type of a value depend on."""
    match value:
        case bool() | None:
            return type(value)
        case int():
            return int, value.bit_length() > 31, value.bit_length() > 63
        case list():
            return list, *map(_type_of, value[:1])
    return type(value), str(value) if type(value).__name__ == "Decimal" else ""
