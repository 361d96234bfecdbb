"""MariaDB and MySQL as data sources: describes a statement without running it, runs it read-only.

What a statement can do is bounded by layers, each of which covers a hole of the others: the role of
the data source, a session whose transactions can only read, a lexer that knows what only looks like
reading, statements that are prepared on the server (one statement each), and its place in brackets
(nothing but a query fits there).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from time import monotonic, perf_counter
from typing import Concatenate, ParamSpec, TypeVar

from asyncmy.errors import MySQLError

from core.errors import (
    DataSourceBusyError,
    DataSourceError,
    DataSourceUnavailableError,
    StatementError,
    ToolboxError,
)
from core.execution import Query
from core.messages import message
from core.plans.mysql import read_mysql_plan
from core.plans.tree import QueryPlan
from core.results import QueryResult, RowCollector
from core.statement import CompiledStatement
from core.toolspec import ParameterType
from core.trace_context import trace_comment
from gateways.cells import RowReader
from gateways.engine import Inspection
from gateways.mysql.connecting import (
    CONNECT_FAULTS,
    TOO_MANY_CONNECTIONS,
    open_connection,
    open_session,
    server_name,
)
from gateways.mysql.describe import MysqlDescription, MysqlDescriptionCache, describe
from gateways.mysql.errors import DRIFT, STOPPED, TIMED_OUT, run_error
from gateways.mysql.questions import fetch
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.sql import limited_sql, split_statement
from gateways.mysql.values import encode_values
from gateways.mysql.wire import (
    MysqlConnection,
    MysqlConnectionLostError,
    MysqlServerError,
    UnreadableRowsError,
)
from gateways.patience import patient_timeout
from gateways.pooled_source import ServerSource, Turn
from gateways.query_deadline import deadline_error

logger = logging.getLogger(__name__)

# How often the server is asked whether a query that it could not stop has ended, and how long.
_LOOK_EVERY_S, _LONGEST_LOOK_S = 1.0, 900.0
# With so many queries that the server cannot stop, it gets no further ones.
_MOST_GIVEN_UP = 2
_CLOSE_TIMEOUT_S = 2.0
_UNKNOWN_THREAD = 1094

_T = TypeVar("_T")
_Given = ParamSpec("_Given")


class _OutdatedError(Exception):
    """The answer's columns are not those that were described: a table was changed since."""


class MysqlSource(ServerSource[MysqlConnection]):
    """One data source of MariaDB or MySQL; connects when it is first needed. Close it, or use `async with`."""

    lost, refused = MysqlConnectionLostError, MysqlServerError

    def __init__(self, settings: MysqlSettings) -> None:
        self.settings = settings
        self._descriptions = MysqlDescriptionCache()
        self._given_up = 0
        self._is_closed = asyncio.Event()
        self._version = ""
        super().__init__(
            size=settings.pool_size,
            max_wait_ms=settings.max_wait_ms,
            longest_ms=settings.statement_timeout_ms,
        )

    async def close(self) -> None:
        self._is_closed.set()
        await super().close()

    async def server_version(self) -> str:
        """The server's version, such as `MariaDB 10.11.19`; raises DataSourceUnavailableError."""

        async def read(_connection: MysqlConnection) -> str:
            return self._version

        return await self.ask(read)

    async def check(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...], caller: str = ""
    ) -> None:
        """As `describe`, for those who ask whether the statement can be served, now."""
        self._descriptions.forget(statement)
        await self.describe(statement, types, caller)

    async def describe(
        self, statement: CompiledStatement, _types: Sequence[ParameterType | None], caller: str = ""
    ) -> MysqlDescription:
        """Columns, by the server, without running the statement, which has no types for parameters.

        Raises StatementError with the server's words, and DataSourceError when there is no server to ask.
        """
        return await self.ask(lambda connection: self._describe(connection, statement), caller)

    async def inspect(
        self, statement: CompiledStatement, types: Sequence[ParameterType | None], caller: str = ""
    ) -> Inspection:
        """As `describe`, for a statement that is being written: nothing is kept."""
        found = await self.ask(
            lambda connection: describe(connection, statement, self.settings.cell_limit), caller
        )
        return Inspection(found.types)

    async def explain(self, query: Query) -> QueryPlan:
        """The server's plan for the query as it would be run within its caps.

        The server runs constant subqueries for it, so it is held to all that holds a run. Raises as `run`,
        and StatementError.
        """
        split = split_statement(query.statement)
        lengths, values = encode_values(
            split, query.statement.parameter_names, query.values, self.settings.zone
        )
        sql = f"EXPLAIN FORMAT=JSON {limited_sql(split.render(lengths))}"

        async def explain(connection: MysqlConnection) -> QueryPlan:
            await self._describe(connection, query.statement)
            rows = await fetch(connection, sql, (*values, query.row_limit))
            return read_mysql_plan("".join(str(row[0]) for row in rows))

        return await self.ask(explain, query.caller)

    async def run(self, query: Query) -> QueryResult:
        """The rows of one query, within its caps and the source's.

        The wait for a connection counts. Raises DataSourceError, DeadlineExceededError, and
        ArgumentsError for a value that the server cannot take.
        """
        timeout_ms = min(query.timeout_ms, self.settings.statement_timeout_ms)
        turn = self._turn(query.caller, timeout_ms)
        started = perf_counter()
        try:
            try:
                return await self._select(query, turn)
            except (_OutdatedError, UnreadableRowsError, MysqlServerError) as error:
                if isinstance(error, MysqlServerError) and error.number not in DRIFT:
                    raise
                # What was known of the statement is outdated: it is described and run again.
                self._descriptions.forget(query.statement)
                is_lenient = isinstance(error, UnreadableRowsError)
            return await self._select(query, turn, is_lenient=is_lenient)
        except (_OutdatedError, UnreadableRowsError) as error:
            raise DataSourceError(
                message("source.table_changed", "a table was changed during the query; retry")
            ) from error
        except StatementError as error:
            text = message(
                "source.query_unfit",
                "the query does not fit the data source: {reason}",
                reason=str(error),
            )
            raise DataSourceError(text) from error
        except TimeoutError as error:
            raise deadline_error(timeout_ms, turn.waited_s) from error
        except MysqlServerError as error:
            is_late = (perf_counter() - started) * 1_000 > 0.9 * timeout_ms
            if error.number in TIMED_OUT or (error.number in STOPPED and is_late):
                raise deadline_error(timeout_ms, turn.waited_s) from error
            raise run_error(error) from error

    async def _select(self, query: Query, turn: Turn, *, is_lenient: bool = False) -> QueryResult:
        """The rows; a chunk of them is read while the server sends the next."""

        async def fetch(connection: MysqlConnection) -> QueryResult:
            description = await self._describe(connection, query.statement, is_lenient=is_lenient)
            lengths, values = encode_values(
                description.split,
                query.statement.parameter_names,
                query.values,
                self.settings.zone,
            )
            sql = description.text(lengths)
            comment = trace_comment()
            # With it each text is another: none is worth to be kept.
            prepared = await connection.prepare(sql + comment, is_kept=not comment)
            row_limit = min(query.row_limit, self.settings.row_limit)
            collector = RowCollector(row_limit, min(query.byte_limit, self.settings.byte_limit))
            reader: RowReader | None = None

            def receive(rows: list[tuple[object, ...]]) -> bool:
                nonlocal reader
                if reader is None:
                    if len(prepared.answer_columns) != len(description.columns):
                        raise _OutdatedError
                    readers = description.make_readers(prepared, self.settings)
                    reader = RowReader(readers, collector)
                return reader.add(rows)

            started = perf_counter()
            # One row more tells that rows were left out.
            await connection.execute(
                prepared, (*values, row_limit + 1), description.make_specs, receive
            )
            elapsed_ms = (perf_counter() - started) * 1_000
            if comment:
                connection.drop(prepared)
            return (reader or RowReader((), collector)).finish(description.names, elapsed_ms)

        return await self._on_connection(fetch, turn)

    async def _describe(
        self, connection: MysqlConnection, statement: CompiledStatement, *, is_lenient: bool = False
    ) -> MysqlDescription:
        known = self._descriptions.find(statement)
        if known is not None and known.is_lenient >= is_lenient:
            return known
        found = await describe(
            connection, statement, self.settings.cell_limit, is_lenient=is_lenient
        )
        self._descriptions.keep(statement, found)
        return found

    def _turn(self, caller: str, timeout_ms: int) -> Turn:
        turn = super()._turn(caller, timeout_ms)
        # The timer of its session is that of the source; it knows no shorter one.
        if timeout_ms < self._longest_ms:
            turn.margin_s = 0.0
        return turn

    def _explain(self, error: Exception) -> ToolboxError:
        assert isinstance(error, MysqlServerError)  # noqa: S101 - narrows
        return run_error(error)

    async def _on_connection(
        self,
        work: Callable[Concatenate[MysqlConnection, _Given], Awaitable[_T]],
        turn: Turn,
        *given: _Given.args,
        **named: _Given.kwargs,
    ) -> _T:
        """As for any server, unless it is busy with queries that it cannot stop."""
        if self._given_up >= _MOST_GIVEN_UP:
            raise DataSourceBusyError(
                message(
                    "source.cannot_be_stopped",
                    "the database works on queries that it cannot stop; retry in some minutes",
                )
            )
        return await super()._on_connection(work, turn, *given, **named)

    async def _connect(self) -> MysqlConnection:
        try:
            async with patient_timeout(self.settings.connect_timeout_s):
                connection = await open_session(self.settings)
        except CONNECT_FAULTS as error:
            logger.warning("No connection to %s: %r", self.settings.host, error)
            raise DataSourceUnavailableError(
                message("source.unreachable", "the data source cannot be reached; try again later")
            ) from error
        self._version = server_name(connection)
        return MysqlConnection(connection, self._stop_query, self._wait_gone)

    async def _stop_query(self, thread_number: int) -> None:
        """End the query of that thread, which is the source's own. Raises CONNECT_FAULTS."""
        connection = await open_connection(self.settings)
        try:
            await connection.query(f"KILL QUERY {thread_number:d}")
        except MySQLError as error:
            if error.args[0] != _UNKNOWN_THREAD:
                raise
        finally:
            connection.close()

    async def _wait_gone(self, thread_number: int) -> None:
        """Return when the server has ended the thread, cannot be asked, or nobody needs to know."""
        self._given_up += 1
        logger.warning("%s does not stop the query of thread %s", self.settings.host, thread_number)
        until = monotonic() + _LONGEST_LOOK_S
        try:
            while monotonic() < until and await self._has_thread(thread_number):
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_EVERY_S):
                        await self._is_closed.wait()
                        return
        finally:
            self._given_up -= 1

    async def _has_thread(self, thread_number: int) -> bool:
        sql = f"SELECT 1 FROM information_schema.processlist WHERE id = {thread_number:d}"  # noqa: S608
        try:
            connection = await open_connection(self.settings)
            try:
                return bool(await connection.query(sql))
            finally:
                connection.close()
        except MySQLError as error:
            # The thread may itself be what leaves no connection to ask by.
            return error.args[0] in TOO_MANY_CONNECTIONS
        except CONNECT_FAULTS:
            return False
