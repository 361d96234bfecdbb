"""SQLite as a data source: describes a statement without running it, runs it read-only.

What a statement can do is bounded by layers, each of which covers a hole of the others: a file
that is opened for reading, an authorizer that knows only reading, SQLite's own limits, a deadline
that is looked at while the query runs, and its place as a subquery (nothing but a query fits there).
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import TypeVar

from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
)
from core.execution import Query
from core.messages import message
from core.plans.tree import QueryPlan
from core.results import QueryResult
from core.statement import CompiledStatement
from core.toolspec import ParameterType
from gateways.engine import Inspection, Reads
from gateways.patience import patient_timeout
from gateways.pooled_source import PooledSource
from gateways.query_deadline import deadline_error
from gateways.sqlite.session import BoundQuery, SqliteDescription, SqliteSession, Watch
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.values import encode_values
from gateways.sqlite.worker import SqliteWorker

logger = logging.getLogger(__name__)

# The thread's own timer speaks first; this one is for steps that cannot be interrupted.
DEADLINE_MARGIN_S = 0.25
# A file on a network drive may hang as it is opened.
OPEN_TIMEOUT_S = 5.0
# A thread in a step that cannot be interrupted is left to end by itself.
CLOSE_TIMEOUT_S = 2.0

_T = TypeVar("_T")


class SqliteSource(PooledSource[SqliteWorker]):
    """One SQLite file; opens it when it is first needed. Close it, or use `async with`."""

    def __init__(self, settings: SqliteSettings) -> None:
        self.settings = settings
        super().__init__(size=settings.pool_size, max_wait_ms=settings.max_wait_ms)

    async def close(self) -> None:
        """Close the file; threads in use end with their query."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._pool.close()

    async def server_version(self) -> str:
        """SQLite's version, such as `3.46.1`; raises DataSourceUnavailableError without a file."""
        await self._on_worker(_open_session)
        return sqlite3.sqlite_version

    async def check(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...], caller: str = ""
    ) -> None:
        """As `describe`, for those who only ask whether the statement can be served."""
        await self.describe(statement, types, caller)

    async def describe(
        self, statement: CompiledStatement, _types: Sequence[ParameterType | None], caller: str = ""
    ) -> SqliteDescription:
        """Columns and number of parameters, by SQLite, without running the statement.

        SQLite has no types for parameters. Raises StatementError with SQLite's words, and
        DataSourceError when there is no file to ask.
        """
        return await self._on_worker(
            lambda session, watch: session.describe(watch, statement), caller
        )

    async def inspect(
        self, statement: CompiledStatement, types: Sequence[ParameterType | None], caller: str = ""
    ) -> Inspection:
        """As `describe`, for the editor: the columns have no types, and the parameters none either."""
        description = await self.describe(statement, types, caller)
        return Inspection(tuple((column.name, "") for column in description.columns))

    async def explain(self, query: Query) -> QueryPlan:
        """SQLite's plan of the query, which is not run; it estimates no cost. Raises as `run`."""
        bound = self._bind(query)
        return await self._on_worker(
            lambda session, watch: session.explain(watch, bound), query.caller
        )

    async def describe_reads(self, statement: CompiledStatement) -> Reads:
        """Pairs of a table, or view, and a column that the statement reads; it is not run.

        All of them, wherever in the statement and below its views; the column is '' for a table of
        which none is named, as in count(*). Raises as `describe`.
        """
        return await self._on_worker(
            lambda session, watch: session.describe_reads(watch, statement)
        )

    async def read_structure(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """What `work` gives in the file's thread: SELECT, PRAGMA table_xinfo and foreign_key_list.

        Raises DataSourceError, DeadlineExceededError.
        """
        return await self._on_worker(lambda session, watch: session.read_structure(watch, work))

    async def run(self, query: Query) -> QueryResult:
        """The rows of one query, within its caps and the source's.

        The wait for a connection counts. Raises DataSourceError, DeadlineExceededError, and
        ArgumentsError for a value that SQLite cannot take.
        """
        bound = self._bind(query)
        try:
            return await self._on_worker(
                lambda session, watch: session.run(watch, bound), query.caller, query.timeout_ms
            )
        except StatementError as error:
            raise DataSourceError(
                message(
                    "source.query_unfit",
                    "the query does not fit the data source: {reason}",
                    reason=str(error),
                )
            ) from error

    def _bind(self, query: Query) -> BoundQuery:
        return BoundQuery(
            statement=query.statement,
            values=encode_values(query.statement.parameter_names, query.values),
            row_limit=min(query.row_limit, self.settings.row_limit),
            byte_limit=min(query.byte_limit, self.settings.byte_limit),
        )

    async def _on_worker(
        self,
        work: Callable[[SqliteSession, Watch], _T],
        caller: str = "",
        timeout_ms: int | None = None,
    ) -> _T:
        """What `work` gives on a worker of the pool, within `timeout_ms`, waiting included."""
        longest_ms = self.settings.statement_timeout_ms
        timeout_ms = longest_ms if timeout_ms is None else min(timeout_ms, longest_ms)
        timeout_s = timeout_ms / 1_000
        watch = Watch(monotonic() + timeout_s)
        loop = asyncio.get_running_loop()
        began = loop.time()
        worker = await self._pool.acquire(caller, began + timeout_s)
        waited_s = loop.time() - began
        try:
            async with asyncio.timeout_at(began + timeout_s + DEADLINE_MARGIN_S):
                return await worker.call(watch, work)
        except (TimeoutError, DeadlineExceededError) as error:
            raise deadline_error(timeout_ms, waited_s) from error
        finally:
            self._pool.give_back(worker)

    async def _connect(self) -> SqliteWorker:
        worker = SqliteWorker(self.settings)
        try:
            async with patient_timeout(OPEN_TIMEOUT_S):
                await worker.call(Watch(monotonic() + OPEN_TIMEOUT_S), _open_session)
        except BaseException as error:
            worker.close()
            if isinstance(error, TimeoutError):
                raise DataSourceUnavailableError(
                    message("source.file_no_answer", "the database file does not answer")
                ) from error
            if isinstance(error, DataSourceUnavailableError):
                logger.warning("Cannot open %s: %s", self.settings.path, error)
            raise
        return worker


def _open_session(session: SqliteSession, watch: Watch) -> None:
    session.open(watch)
