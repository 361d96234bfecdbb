"""One open SQLite file, worked on by one thread: describes statements and runs queries."""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import count
from time import monotonic, perf_counter, sleep
from typing import TypeVar

from core.errors import (
    DataSourceBusyError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
)
from core.messages import message
from core.plans.sqlite import read_sqlite_plan
from core.plans.tree import QueryPlan
from core.results import QueryResult, RowCollector
from core.statement import CompiledStatement
from gateways.cells import RowReader
from gateways.sqlite.errors import (
    LOCKED,
    SQLITE_FAULTS,
    blames_statement,
    open_error,
    primary_code,
    run_error,
    statement_error,
)
from gateways.sqlite.expansion import check_expansion
from gateways.sqlite.file import OpenFile, find_identity, open_file
from gateways.sqlite.rows import CellReader, LenientCellReader, decode_legibly, decode_leniently
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.sql import capped_sql, column_names, empty_values, limited_sql, read_names
from gateways.sqlite.values import SqliteValue

LOCKED_TEXT = message(
    "source.file_locked", "the database file is locked by a writer; retry in a few seconds"
)
# How many bytes one chunk of rows may have when every cell is as long as it can be.
_CHUNK_BYTES = 16_000_000
_MOST_CHUNK_ROWS = 1_000
_CHECKED_LIMIT = 1_000
_LOOK_AGAIN_S = 0.02
# Beyond the length of a value they give NULL instead of an error.
_SILENT = frozenset({"printf", "format"})
_numbers = count()

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class SqliteColumn:
    """A column of the answer; any row may have a value of any type there."""

    name: str
    type_name: str = "any"


@dataclass(frozen=True, slots=True)
class SqliteDescription:
    """Columns of a statement, and how many parameters it takes."""

    columns: tuple[SqliteColumn, ...]
    parameter_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundQuery:
    """A statement with its values by number, and the caps of this run."""

    statement: CompiledStatement
    values: dict[str, SqliteValue]
    row_limit: int
    byte_limit: int


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the rows of a statement have to be read; the plain way is twice as fast."""

    is_capped: bool = False
    is_lenient: bool = False

    def after(self, error: sqlite3.Error) -> "_Reading | None":
        """The way to try next, or None when none would help."""
        if primary_code(error) == sqlite3.SQLITE_TOOBIG and not self.is_capped:
            return replace(self, is_capped=True)
        if "Could not decode" in str(error) and not self.is_lenient:
            return replace(self, is_lenient=True)
        return None


class Watch:
    """The deadline of one job, by `monotonic()`, and whether its caller has gone away."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._is_stopped = False

    def stop(self) -> None:
        """Nobody waits for the job any more; from any thread."""
        self._is_stopped = True

    def is_over(self) -> bool:
        """Whether the job has to end now."""
        return self._is_stopped or monotonic() >= self.deadline

    def pause(self, seconds: float) -> None:
        """Wait in the job's own thread, at most up to the deadline."""
        sleep(min(seconds, max(self.deadline - monotonic(), 0)))


class SqliteSession:
    """Opens the file when it is first needed, and again whenever it was changed or replaced.

    All but `interrupt` belongs to one thread at a time. Errors are those of `SqliteSource`; the deadline
    alone is a DeadlineExceededError without a text.
    """

    def __init__(self, settings: SqliteSettings) -> None:
        self._settings = settings
        self._file: OpenFile | None = None
        self._watch: Watch | None = None
        # Statements that were checked on the open file, and how each has to be read.
        self._readings: OrderedDict[str, _Reading] = OrderedDict()
        self._short_limit = min(4 * (settings.cell_limit + 1), settings.value_limit)

    @property
    def is_open(self) -> bool:
        return self._file is not None

    def close(self) -> None:
        if self._file:
            self._file.connection.close()
        self._file = None

    def interrupt(self) -> None:
        """End the step that runs now, from any thread."""
        # The other thread may be closing the file at this moment.
        with suppress(sqlite3.ProgrammingError):
            if file := self._file:
                file.connection.interrupt()

    def open(self, watch: Watch) -> None:
        """Have the file open as it is now."""
        self._work(watch, lambda _: None)

    def describe(self, watch: Watch, statement: CompiledStatement) -> SqliteDescription:
        """Columns and parameters, without running the statement."""

        def describe(file: OpenFile) -> SqliteDescription:
            self._check(file, statement)
            columns = tuple(map(SqliteColumn, read_names(file.connection, statement)))
            return SqliteDescription(columns, len(statement.parameter_names))

        return self._work(watch, describe)

    def describe_reads(
        self, watch: Watch, statement: CompiledStatement
    ) -> frozenset[tuple[str, str]]:
        """Tables and columns that the statement reads, which is not run."""

        def describe(file: OpenFile) -> frozenset[tuple[str, str]]:
            # SQLite asks the guard only about what it prepares, which is kept for each text.
            self._check(file, replace(statement, sql=f"{statement.sql} -- {next(_numbers)}"))
            reads = set(file.guard.reads)
            # The guard takes common tables (WITH) and subqueries for tables too.
            file.connection.text_factory = decode_legibly
            sql = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
            names = {name.lower() for (name,) in file.connection.execute(sql).fetchall()}
            return frozenset(read for read in reads if read[0].lower() in names)

        return self._work(watch, describe)

    def explain(self, watch: Watch, query: BoundQuery) -> QueryPlan:
        """The plan of the query, which is not run; in its text a step is indented below the one around it."""

        def explain(file: OpenFile) -> QueryPlan:
            self._check(file, query.statement)
            values = query.values | {"row_limit": query.row_limit}
            sql = f"EXPLAIN QUERY PLAN {limited_sql(query.statement)}"
            with closing(file.connection.execute(sql, values)) as cursor:
                steps = cursor.fetchall()
            depths = {0: 0}
            lines: list[str] = []
            for number, outer, _unused, text in steps:
                depth = depths[number] = depths.get(outer, 0) + 1
                lines.append("  " * (depth - 1) + text)
            return read_sqlite_plan(steps, "\n".join(lines))

        return self._work(watch, explain)

    def read_structure(self, watch: Watch, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """What `work` gives on the connection, on which PRAGMA may be asked about tables."""

        def read(file: OpenFile) -> _T:
            connection = file.connection
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._settings.value_limit)
            connection.text_factory = decode_legibly
            file.guard.tells_structure = True
            try:
                return work(connection)
            finally:
                file.guard.tells_structure = False

        return self._work(watch, read)

    def run(self, watch: Watch, query: BoundQuery) -> QueryResult:
        """The rows of one query."""

        def run(file: OpenFile) -> QueryResult:
            sql = query.statement.sql
            if sql not in self._readings:
                self._check(file, query.statement)
                self._keep(sql, _Reading(is_capped=not _SILENT.isdisjoint(file.guard.functions)))
            while True:
                reading = self._readings[sql]
                try:
                    return self._select(file, query, reading)
                except sqlite3.Error as error:
                    if (following := reading.after(error)) is None:
                        raise
                    self._keep(sql, following)

        return self._work(watch, run)

    def _work(self, watch: Watch, work: Callable[[OpenFile], _T]) -> _T:
        self._watch = watch
        try:
            return self._patiently(watch, lambda: work(self._refresh()))
        except SQLITE_FAULTS as error:
            if primary_code(error) == sqlite3.SQLITE_INTERRUPT and watch.is_over():
                raise DeadlineExceededError from error
            raise run_error(error, self._settings.value_limit) from error
        finally:
            self._watch = None

    def _patiently(self, watch: Watch, work: Callable[[], _T]) -> _T:
        """What `work` gives, begun again as long as a writer locks the file, within limits.

        SQLite's own way of waiting cannot be interrupted.
        """
        until = monotonic() + self._settings.lock_timeout_ms / 1_000
        while True:
            try:
                return work()
            except sqlite3.OperationalError as error:
                if primary_code(error) not in LOCKED:
                    raise
                if watch.is_over():
                    raise DeadlineExceededError from error
                if monotonic() >= until:
                    raise DataSourceBusyError(LOCKED_TEXT) from error
            watch.pause(_LOOK_AGAIN_S)

    def _refresh(self) -> OpenFile:
        """The open file, unless another or a changed one lies there now: then that."""
        try:
            if self._file and self._file.identity == find_identity(self._settings.path):
                return self._file
            self.close()
            self._readings.clear()
            self._file = open_file(
                self._settings, lambda: self._watch is not None and self._watch.is_over()
            )
        except DataSourceUnavailableError:
            self.close()
            raise
        except sqlite3.Error as error:
            if primary_code(error) in LOCKED:
                raise
            raise open_error(error) from error
        return self._file

    def _check(self, file: OpenFile, statement: CompiledStatement) -> None:
        """Have SQLite prepare the statement by itself, then in its place; raises StatementError."""
        check_expansion(statement.sql)
        file.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._settings.value_limit)
        file.guard.begin()
        nothing = empty_values(statement)
        try:
            file.connection.execute(f"EXPLAIN\n{statement.sql}", nothing).close()
        except SQLITE_FAULTS as error:
            if not blames_statement(error):
                raise
            raise statement_error(error, statement, file.guard.refusal) from error
        # Only a query fits where the statement is put.
        sql = f"EXPLAIN {limited_sql(statement)}"
        try:
            file.connection.execute(sql, {**nothing, "row_limit": 0}).close()
        except SQLITE_FAULTS as error:
            if not blames_statement(error):
                raise
            text = message(
                "statement.changes_something",
                "only queries that change nothing can be served: {reason}",
                reason=str(error),
            )
            raise StatementError(text, 0) from error

    def _keep(self, sql: str, reading: _Reading) -> None:
        self._readings[sql] = reading
        if len(self._readings) > _CHECKED_LIMIT:
            self._readings.popitem(last=False)

    def _select(self, file: OpenFile, query: BoundQuery, reading: _Reading) -> QueryResult:
        started = perf_counter()
        connection = file.connection
        connection.text_factory = decode_leniently if reading.is_lenient else str
        names: Sequence[str] | None = None
        limit, sql = self._short_limit, limited_sql(query.statement)
        if reading.is_capped:
            limit = self._settings.value_limit
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limit)
            names = read_names(connection, query.statement)
            sql = capped_sql(query.statement, len(names), self._settings.cell_limit)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limit)
        collector = RowCollector(row_limit=query.row_limit, byte_limit=query.byte_limit)
        values = query.values | {"row_limit": query.row_limit + 1}
        with closing(connection.execute(sql, values)) as cursor:
            names = names or column_names(cursor)
            kind = LenientCellReader if reading.is_lenient else CellReader
            reader = RowReader(
                [
                    (index, kind(name, self._settings.cell_limit))
                    for index, name in enumerate(names)
                ],
                collector,
            )
            row_bytes = len(cursor.description) * 4 * (self._settings.cell_limit + 1)
            chunk_rows = min(max(_CHUNK_BYTES // row_bytes, 1), _MOST_CHUNK_ROWS)
            while chunk := cursor.fetchmany(chunk_rows):
                if not reader.add(chunk):
                    break
        return reader.finish(names, (perf_counter() - started) * 1_000)
