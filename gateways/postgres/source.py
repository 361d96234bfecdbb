"""PostgreSQL as a data source: describes a statement without running it, runs it read-only.

What a statement can do is bounded by four layers, each of which covers a hole of the others: the
role of the data source, a transaction that can only read and is always rolled back, the extended
protocol (one statement), and its place as a subquery (nothing but a query fits there).
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TypeVar

import psycopg

from core.errors import (
    ArgumentsError,
    DataSourceError,
    DataSourceUnavailableError,
    StatementError,
    ToolboxError,
)
from core.execution import Query
from core.messages import message
from core.plans.ceiling import check_cost
from core.plans.tree import QueryPlan
from core.results import QueryResult, RowCollector
from core.statement import CompiledStatement
from core.toolspec import ParameterType
from core.trace_context import trace_comment
from gateways.engine import Inspection
from gateways.long_steps import LongSteps
from gateways.patience import patient_timeout
from gateways.pooled_source import ServerSource, Turn
from gateways.postgres.describe import Description, DescriptionCache, StatementDescriber
from gateways.postgres.exchange import ConnectionLostError, Opening, ServerError, WireExchange
from gateways.postgres.parameters import encode_values, find_numeric, suggest_type
from gateways.postgres.plans import read_cost, read_plan
from gateways.postgres.products import Feature, find_product
from gateways.postgres.rows import DriftError, PostgresRowReader
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.wire import WireConnection
from gateways.query_deadline import deadline_error

logger = logging.getLogger(__name__)

_QUERY_CANCELED = "57014"
# What a query says whose table or function was changed after it was described.
_DRIFT = frozenset({"42P01", "42P10", "42703", "42704", "42804", "42809", "42846", "42883"})

_T = TypeVar("_T")


class PostgresSource(ServerSource[WireConnection]):
    """One PostgreSQL data source; connects when it is first needed. Close it, or use `async with`."""

    lost, refused = ConnectionLostError, ServerError

    def __init__(self, settings: PostgresSettings) -> None:
        self.settings = settings
        self._describer = StatementDescriber(settings.cell_limit)
        self._descriptions = DescriptionCache()
        self._long_steps = LongSteps()
        super().__init__(
            size=settings.pool_size,
            max_wait_ms=settings.max_wait_ms,
            longest_ms=settings.statement_timeout_ms,
        )

    async def server_version(self) -> str:
        """The server's version, such as `18.6`; raises DataSourceUnavailableError."""

        async def read(connection: WireConnection) -> str:
            return connection.server_version

        return await self.ask(read)

    async def check(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...], caller: str = ""
    ) -> None:
        """As `describe`, for those who ask whether the statement can be served, now."""
        self._descriptions.forget(statement)
        await self.describe(statement, types, caller)

    async def describe(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...], caller: str = ""
    ) -> Description:
        """Columns and parameter types, by the server, without running the statement.

        `types` are the declared ones in the order of $1..$n. Raises StatementError with the
        server's words, and DataSourceError when there is no server to ask.
        """
        return await self.ask(
            lambda connection: self._describe(connection, statement, types), caller
        )

    async def inspect(
        self, statement: CompiledStatement, types: Sequence[ParameterType | None], caller: str = ""
    ) -> Inspection:
        """As `describe`, for a statement that is being written: a type may be unknown, nothing is kept."""
        found = await self.ask(
            lambda connection: self._describer.describe(connection, statement, types), caller
        )
        return Inspection(
            tuple((column.name, column.type_name) for column in found.columns),
            tuple(map(suggest_type, found.parameter_oids)),
        )

    async def explain(self, query: Query) -> QueryPlan:
        """The server's plan for the query as it would be run within its caps; it is not run.

        Raises as `run`, and StatementError.
        """
        opening = self._find_opening(query)

        async def explain(connection: WireConnection) -> QueryPlan:
            connection.product.require(Feature.PLANS)
            if opening is not None:
                connection.product.require(Feature.IDENTITY)
            description, values = await self._encode(connection, query)
            values.append(b"%d" % query.row_limit)
            return await read_plan(connection, description, values, opening)

        return await self.ask(explain, query.caller)

    async def run(self, query: Query) -> QueryResult:
        """The rows of one query, within its caps and the source's.

        The wait for a connection counts. Raises DataSourceError, DeadlineExceededError, and
        ArgumentsError for a value that PostgreSQL cannot take, and MissingFactError for a caller who is
        nobody to the policies of the database.
        """
        opening = self._find_opening(query)
        timeout_ms = min(query.timeout_ms, self.settings.statement_timeout_ms)
        turn = self._turn(query.caller, timeout_ms)
        select = partial(self._select, query, turn, opening)
        started = perf_counter()
        try:
            try:
                return await self._twice(select)
            except (DriftError, ServerError) as error:
                is_outdated = (
                    isinstance(error, DriftError) or error.is_stale or error.sqlstate in _DRIFT
                )
                if not is_outdated:
                    raise
            # What was known of the statement is outdated: it is described and run again.
            self._descriptions.forget(query.statement)
            return await self._twice(select)
        except DriftError as error:
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
        except ServerError as error:
            elapsed_ms = (perf_counter() - started) * 1_000
            if error.sqlstate == _QUERY_CANCELED and elapsed_ms > 0.9 * timeout_ms:
                raise deadline_error(timeout_ms, turn.waited_s) from error
            raise DataSourceError(str(error)) from error

    async def _select(self, query: Query, turn: Turn, opening: Opening | None) -> QueryResult:
        """As `run`, on one connection. Raises ConnectionLostError, with which all chunks so far are lost."""
        encoded = self._encode_known(query)
        if encoded is None or self.settings.checks_cost_at_call:
            encoded = await self._on_connection(self._prepare, turn, query, opening)
        description, values = encoded
        row_limit = min(query.row_limit, self.settings.row_limit)
        byte_limit = min(query.byte_limit, self.settings.byte_limit)
        # One row more tells that rows were left out.
        values.append(b"%d" % (row_limit + 1))
        select = description.query
        if comment := trace_comment():
            # Each text is another: none is worth to be kept parsed.
            select = replace(select, sql=select.sql + comment.encode(), is_prepared=False)
        reader = PostgresRowReader(description, RowCollector(row_limit, byte_limit))
        receive = None if row_limit < select.chunk_rows else reader.collect
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        until, began = turn.until + turn.margin_s, perf_counter()
        exchange = WireExchange(answer, until, select, values, turn.caller, opening, receive)
        try:
            await self._pool.run(exchange, turn.until)
        finally:
            turn.waited_s += max(0.0, exchange.began - began)
        elapsed_ms = (perf_counter() - exchange.began) * 1_000
        # Its connection serves the next caller meanwhile.
        if (rest := exchange.rows()) is not None:
            reader.collect(rest)
        return reader.finish(description.names, elapsed_ms)

    async def _prepare(
        self, connection: WireConnection, query: Query, opening: Opening | None
    ) -> tuple[Description, list[bytes | None]]:
        """As `_encode`. Raises PlanCostError where the query's planned cost is above its limit."""
        description, values = await self._encode(connection, query)
        limits = (query.cost_limit, self.settings.plan_cost_limit)
        if self.settings.checks_cost_at_call and (given := [n for n in limits if n is not None]):
            connection.product.require(Feature.PLANS)
            row_limit = min(query.row_limit, self.settings.row_limit)
            bound = [*values, b"%d" % (row_limit + 1)]
            check_cost(await read_cost(connection, description, bound, opening), min(given))
        return description, values

    def _find_opening(self, query: Query) -> Opening | None:
        """What makes the transaction the caller's, None where all callers are one. Raises MissingFactError."""
        identity = self.settings.identity
        if not identity:
            return None
        pairs = identity.find_values(query.facts)
        # Of the transaction, so that its end takes them back; the role is a setting as well.
        calls = (
            b"pg_catalog.set_config($%d, $%d, true)" % (n, n + 1)
            for n in range(1, 2 * len(pairs), 2)
        )
        return b"SELECT " + b", ".join(calls), [text.encode() for pair in pairs for text in pair]

    def _encode_known(self, query: Query) -> tuple[Description, list[bytes | None]] | None:
        """As `_encode`; None where the server would have to be asked."""
        statement, names = query.statement, query.statement.parameter_names
        values = [query.values[name] for name in names]
        known = self._descriptions.find(statement, query.types)
        if known is not None and (numeric := find_numeric(values, known.parameter_oids)):
            known = self._descriptions.find(statement, query.types, numeric)
        if known is None:
            return None
        return known, encode_values(names, values, known.parameter_oids)

    async def _encode(
        self, connection: WireConnection, query: Query
    ) -> tuple[Description, list[bytes | None]]:
        """The description that fits the query's values, and the values as the server takes them."""
        names = query.statement.parameter_names
        values = [query.values[name] for name in names]
        description = await self._describe(connection, query.statement, query.types)
        if numeric := find_numeric(values, description.parameter_oids):
            try:
                description = await self._describe(
                    connection, query.statement, query.types, numeric
                )
            except StatementError as error:
                text = message(
                    "arguments.whole_64_bits",
                    "{name}: must be a whole number of at most 64 bits",
                    name=", ".join(names[index] for index in sorted(numeric)),
                )
                raise ArgumentsError(text) from error
        return description, encode_values(names, values, description.parameter_oids)

    async def _describe(
        self,
        connection: WireConnection,
        statement: CompiledStatement,
        types: tuple[ParameterType, ...],
        numeric: frozenset[int] = frozenset(),
    ) -> Description:
        if known := self._descriptions.find(statement, types, numeric):
            return known
        found = await self._describer.describe(connection, statement, types, numeric)
        self._descriptions.keep(statement, types, numeric, found)
        return found

    def _explain(self, error: Exception) -> ToolboxError:
        return DataSourceError(str(error))

    async def _connect(self) -> WireConnection:
        try:
            async with patient_timeout(self.settings.connect_timeout_s):
                arguments = self.settings.connection_arguments()
                connection = await psycopg.AsyncConnection.connect(**arguments)
                return await _prepare(connection, self.settings, self._long_steps)
        except (psycopg.Error, OSError, TimeoutError) as error:
            logger.warning("No connection to %s: %r", self.settings.host, error)
            raise DataSourceUnavailableError(
                message("source.unreachable", "the data source cannot be reached; try again later")
            ) from error


async def _prepare(
    connection: "psycopg.AsyncConnection[object]",
    settings: PostgresSettings,
    long_steps: LongSteps,
) -> WireConnection:
    """The connection ready for queries; closed where it cannot be made so, or nobody waits any more."""
    try:
        product = await find_product(connection, settings)
        product.admit()
        return WireConnection(
            connection,
            prepares=settings.prepares_statements,
            product=product,
            long_steps=long_steps,
        )
    except BaseException:
        await connection.close()
        raise
