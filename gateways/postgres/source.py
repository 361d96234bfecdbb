"""PostgreSQL as a data source: describes a statement without running it, runs it read-only.

What a statement can do is bounded by four layers, each of which covers a hole of the others: the
role of the data source, a transaction that can only read and is always rolled back, the extended
protocol (one statement), and its place as a subquery (nothing but a query fits there).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Self, TypeVar

import psycopg

from core.errors import (
    ArgumentsError,
    DataSourceError,
    DataSourceUnavailableError,
    StatementError,
)
from core.execution import Query
from core.results import QueryResult, RowCollector
from core.statement import CompiledStatement
from core.toolspec import ParameterType
from gateways.connection_pool import ConnectionPool
from gateways.postgres.describe import (
    ColumnOrigin,
    Description,
    StatementDescriber,
    find_origins,
    read_plan,
)
from gateways.postgres.description_cache import DescriptionCache
from gateways.postgres.parameters import INT8_OID, encode_values, find_numeric
from gateways.postgres.rows import DriftError, RowReader
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.wire import (
    ConnectionLostError,
    ReadOnlyQuery,
    ServerError,
    WireConnection,
)
from gateways.query_deadline import deadline_error

logger = logging.getLogger(__name__)

# The server's own timer speaks first: its answer is cheaper than a cancelled connection.
DEADLINE_MARGIN_S = 0.25
# How often the server looks whether the runtime that asked is still there.
CLIENT_CHECK_MS = 2_000
_FIRST_WITH_CLIENT_CHECK = 140_000
UNAVAILABLE_TEXT = "the data source cannot be reached; try again later"
LOST_TEXT = "the connection to the data source was lost twice; try again later"
_QUERY_CANCELED = "57014"
# What a query says whose table or function was changed after it was described.
_DRIFT = frozenset({"42P01", "42P10", "42703", "42704", "42804", "42809", "42846", "42883"})

_T = TypeVar("_T")


class PostgresSource:
    """One PostgreSQL data source; connects when it is first needed. Close it, or use `async with`."""

    def __init__(self, settings: PostgresSettings) -> None:
        self.settings = settings
        self._describer = StatementDescriber(settings.cell_limit)
        self._descriptions = DescriptionCache()
        self._pool = ConnectionPool(
            self._connect,
            size=settings.pool_size,
            max_waiting=settings.max_waiting,
            max_wait_s=settings.max_wait_ms / 1_000,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections; those in use are closed when their query ends."""
        await self._pool.close()

    async def server_version(self) -> str:
        """The server's version, such as `18.6`; raises DataSourceUnavailableError."""

        async def read(connection: WireConnection) -> str:
            return connection.server_version

        return await self._on_connection(read)

    async def check(self, statement: CompiledStatement, types: tuple[ParameterType, ...]) -> None:
        """As `describe`, for those who ask whether the statement can be served, now."""
        await self._ask(self._describe_anew(statement, types))

    async def describe(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...]
    ) -> Description:
        """Columns and parameter types, by the server, without running the statement.

        `types` are the declared ones in the order of $1..$n. Raises StatementError with the
        server's words, and DataSourceError when there is no server to ask.
        """
        return await self._ask(self._describe(statement, types))

    async def inspect(
        self, statement: CompiledStatement, types: Sequence[ParameterType | None]
    ) -> Description:
        """As `describe`, for a statement that is being written: a type may be unknown, nothing is kept."""
        return await self._ask(
            self._on_connection(
                lambda connection: self._describer.describe(connection, statement, types)
            )
        )

    async def explain(self, query: Query) -> str:
        """The server's plan for the query as it would be run within its caps; it is not run.

        Raises as `run`, and StatementError.
        """
        description = await self._ask(self._describe(query.statement, query.types))
        names = query.statement.parameter_names
        values = encode_values(
            names, [query.values[name] for name in names], description.parameter_oids
        )
        # EXPLAIN without ANALYZE plans only, and what it plans is the query in its place.
        return await self._ask(
            self._on_connection(
                lambda connection: read_plan(
                    connection, description, [*values, b"%d" % query.row_limit]
                )
            )
        )

    async def describe_origins(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...]
    ) -> tuple[ColumnOrigin | None, ...]:
        """For each column of the answer the column of a table or view that it shows unchanged.

        None where it is computed. Of a view, the view's own column is named. Raises as `describe`.
        """
        description = await self.describe(statement, types)
        return await self._ask(
            self._on_connection(lambda connection: find_origins(connection, description))
        )

    async def run(self, query: Query) -> QueryResult:
        """The rows of one query, within its caps and the source's.

        Raises DataSourceError, DeadlineExceededError, and ArgumentsError for a value that
        PostgreSQL cannot take.
        """
        timeout_ms = min(query.timeout_ms, self.settings.statement_timeout_ms)
        started = perf_counter()
        try:
            async with asyncio.timeout(timeout_ms / 1_000 + DEADLINE_MARGIN_S):
                return await self._run(query)
        except StatementError as error:
            raise DataSourceError(f"the query does not fit the data source: {error}") from error
        except TimeoutError as error:
            if self._pool.is_only_connecting:
                raise DataSourceUnavailableError(UNAVAILABLE_TEXT) from error
            raise deadline_error(timeout_ms) from error
        except ServerError as error:
            elapsed_ms = (perf_counter() - started) * 1_000
            if error.sqlstate == _QUERY_CANCELED and elapsed_ms > 0.9 * timeout_ms:
                raise deadline_error(timeout_ms) from error
            raise DataSourceError(str(error)) from error

    async def _ask(self, answer: Awaitable[_T]) -> _T:
        try:
            async with asyncio.timeout(self.settings.statement_timeout_ms / 1_000):
                return await answer
        except ServerError as error:
            raise DataSourceError(str(error)) from error
        except TimeoutError as error:
            raise DataSourceUnavailableError("the data source does not answer") from error

    async def _run(self, query: Query) -> QueryResult:
        """Run with what is known of the statement; where that is outdated, ask and run again."""
        try:
            return await self._run_described(query)
        except (DriftError, ServerError) as error:
            if isinstance(error, ServerError) and error.sqlstate not in _DRIFT:
                raise
        self._descriptions.forget(query.statement)
        try:
            return await self._run_described(query)
        except DriftError as error:
            raise DataSourceError("a table was changed during the query; retry") from error

    async def _run_described(self, query: Query) -> QueryResult:
        names = query.statement.parameter_names
        values = [query.values[name] for name in names]
        description = await self._describe(query.statement, query.types)
        if numeric := find_numeric(values, description.parameter_oids):
            description = await self._describe_numeric(query, numeric)
        oids = description.parameter_oids
        row_limit = min(query.row_limit, self.settings.row_limit)
        sent = ReadOnlyQuery(
            sql=description.sql,
            values=[*encode_values(names, values, oids), b"%d" % (row_limit + 1)],
            oids=(*oids, INT8_OID),
            chunk_rows=description.chunk_rows,
        )
        return await self._on_connection(
            lambda connection: self._select(connection, description, query, sent)
        )

    async def _select(
        self,
        connection: WireConnection,
        description: Description,
        query: Query,
        sent: ReadOnlyQuery,
    ) -> QueryResult:
        started = perf_counter()
        reader = RowReader(description)
        collector = RowCollector(
            row_limit=min(query.row_limit, self.settings.row_limit),
            byte_limit=min(query.byte_limit, self.settings.byte_limit),
        )
        await connection.select(sent, lambda chunk: reader.collect(chunk, collector))
        collector.truncated |= reader.cuts_cells
        elapsed_ms = (perf_counter() - started) * 1_000
        names = [column.name for column in description.columns]
        return collector.finish(names, elapsed_ms, tuple(reader.notes()))

    async def _describe_numeric(self, query: Query, numeric: frozenset[int]) -> Description:
        try:
            return await self._describe(query.statement, query.types, numeric)
        except StatementError as error:
            names = ", ".join(query.statement.parameter_names[index] for index in sorted(numeric))
            raise ArgumentsError(f"{names}: must be a whole number of at most 64 bits") from error

    async def _describe(
        self,
        statement: CompiledStatement,
        types: tuple[ParameterType, ...],
        numeric: frozenset[int] = frozenset(),
    ) -> Description:
        known = self._descriptions.find(statement, types, numeric)
        return known or await self._describe_anew(statement, types, numeric)

    async def _describe_anew(
        self,
        statement: CompiledStatement,
        types: tuple[ParameterType, ...],
        numeric: frozenset[int] = frozenset(),
    ) -> Description:
        description = await self._on_connection(
            lambda connection: self._describer.describe(connection, statement, types, numeric)
        )
        self._descriptions.keep(statement, types, numeric, description)
        return description

    async def _on_connection(self, work: Callable[[WireConnection], Awaitable[_T]]) -> _T:
        """What `work` gives; done once more on a new connection if the first one was lost.

        Only reading is done here and nothing was handed on yet, so repeating it is safe.
        """
        try:
            return await self._on_pooled(work)
        except ConnectionLostError:
            self._pool.drop_idle()
        try:
            return await self._on_pooled(work)
        except ConnectionLostError as error:
            raise DataSourceUnavailableError(LOST_TEXT) from error

    async def _on_pooled(self, work: Callable[[WireConnection], Awaitable[_T]]) -> _T:
        connection = await self._pool.acquire()
        try:
            return await work(connection)
        finally:
            self._pool.give_back(connection)

    async def _connect(self) -> WireConnection:
        try:
            async with asyncio.timeout(self.settings.connect_timeout_s):
                arguments = self.settings.connection_arguments()
                connection = await psycopg.AsyncConnection.connect(**arguments)
                return await _prepare(connection)
        except (psycopg.Error, OSError, TimeoutError) as error:
            logger.warning("No connection to %s: %r", self.settings.host, error)
            raise DataSourceUnavailableError(UNAVAILABLE_TEXT) from error


async def _prepare(connection: "psycopg.AsyncConnection[object]") -> WireConnection:
    """The connection ready for queries; closed where it cannot be made so, or nobody waits any more."""
    try:
        await _end_queries_with_us(connection)
        return WireConnection(connection)
    except BaseException:
        await connection.close()
        raise


async def _end_queries_with_us(connection: "psycopg.AsyncConnection[object]") -> None:
    """Let the server stop a query whose runtime was killed, instead of working on for nobody."""
    if connection.info.server_version < _FIRST_WITH_CLIENT_CHECK:
        return
    # A server whose system cannot tell refuses the setting.
    with suppress(psycopg.errors.InvalidParameterValue):
        await connection.execute(
            "SELECT set_config('client_connection_check_interval', %s, false)",
            [str(CLIENT_CHECK_MS)],
        )
