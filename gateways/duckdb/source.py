"""A DuckDB database or a folder of files as a data source: describes a statement without running it, runs it.

What a statement can do is bounded by layers, each of which covers a hole of the others: DuckDB's own parse
of it, in which every function and table is known; its place as a subquery; a transaction and a file that are
read-only; settings that are locked; and a process of its own that the kernel closes in, with limits, which is
killed when it does not stop.
"""

import asyncio
from collections.abc import Sequence
from typing import Any
from weakref import WeakSet

from core.errors import DataSourceError, DeadlineExceededError, StatementError
from core.execution import Query
from core.messages import message
from core.plans.duckdb import read_duckdb_plan
from core.plans.tree import QueryPlan
from core.results import QueryResult
from core.statement import CompiledStatement
from core.toolspec import ParameterType
from gateways.duckdb.messages import DuckdbOptions, DuckdbReply
from gateways.duckdb.process import DuckdbProcess
from gateways.duckdb.settings import DuckdbSettings, FilesSettings
from gateways.duckdb.values import encode_values, example_values, typed_sql
from gateways.engine import Inspection
from gateways.pooled_source import PooledSource
from gateways.query_deadline import deadline_error

# A process is replaced before anything that DuckDB does not give back has grown large.
RECYCLE_AFTER = 1_000
# One that nobody asks ends itself, for it takes memory. Before that it closes a database file, whose lock
# keeps writers away; opening it again costs the next query 20 ms of CPU time.
IDLE_S = 60.0
RELEASE_S = 1.0
CLOSE_TIMEOUT_S = 2.0


class DuckdbSource(PooledSource[DuckdbProcess]):
    """One database file or folder; starts processes when they are needed. Close it, or use `async with`."""

    def __init__(self, settings: DuckdbSettings | FilesSettings) -> None:
        self.settings = settings
        super().__init__(size=settings.pool_size, max_wait_ms=settings.max_wait_ms)
        self._processes: WeakSet[DuckdbProcess] = WeakSet()
        self._left_out: tuple[str, ...] = ()

    async def close(self) -> None:
        """End its processes; those in use end with their query."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._pool.close()
                await asyncio.gather(*(process.wait_until_ended() for process in self._processes))
        except TimeoutError:
            pass

    async def server_version(self) -> str:
        """DuckDB's version, such as `2.0.1`; raises DataSourceUnavailableError without a file."""
        return str((await self.read_greeting())["version"])

    async def read_greeting(self) -> dict[str, Any]:
        """What a process found as it opened the source: `version`, and `faults` of files with their reasons."""
        process = await self._pool.acquire("", asyncio.get_running_loop().time() + 20)
        try:
            return process.greeting
        finally:
            self._pool.give_back(process)

    async def check(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...], caller: str = ""
    ) -> None:
        """As `inspect`, for those who only ask whether the statement can be served."""
        await self.inspect(statement, types, caller)

    async def inspect(
        self, statement: CompiledStatement, types: Sequence[ParameterType | None], caller: str = ""
    ) -> Inspection:
        """Columns with their types, by DuckDB, without running the statement; it tells none of parameters.

        Raises StatementError with DuckDB's words, and DataSourceError where there is nothing to ask.
        """
        examples = dict.fromkeys(statement.parameter_names, "")
        sql = typed_sql(statement, types, examples)
        request = {"do": "describe", "sql": sql, "values": example_values(types)}
        try:
            reply = await self._ask(request, caller)
        except StatementError as error:
            place = error.position
            if place is not None:
                place = statement.source_position(_untyped(place, sql, statement.sql) + 1)
            text = statement.with_names(str(error))
            shown = error.message if error.message.code else text
            raise StatementError(shown, place, code=error.code) from error
        return Inspection(tuple((str(name), str(kind).lower()) for name, kind in reply.content))

    async def explain(self, query: Query) -> QueryPlan:
        """DuckDB's plan of the query, which is not run; it estimates rows and no cost. Raises as `run`."""
        request = self._request("explain", query)
        return read_duckdb_plan(str((await self._run(request, query)).content))

    async def read_structure(self) -> list[dict[str, Any]]:
        """The tables and views with their columns, as `gateways.duckdb.structure.FoundTable` has them."""
        reply = await self._ask({"do": "structure"})
        return list(reply.content)

    async def attempt(self, sql: str) -> str:
        """What the open source says of a statement that no rule of ours has seen; '' if it took it."""
        return str((await self._ask({"do": "attempt", "sql": sql})).content)

    async def run(self, query: Query) -> QueryResult:
        """The rows of one query, within its caps and the source's.

        The wait for a process counts. Raises DataSourceError, DeadlineExceededError, and ArgumentsError
        for a value that DuckDB cannot take.
        """
        result = (await self._run(self._request("run", query), query)).result
        if result is None:
            raise DataSourceError(
                message("source.no_rows_given", "the data source gave no answer; retry later")
            )
        return result

    def _request(self, kind: str, query: Query) -> dict[str, Any]:
        settings = self.settings
        return {
            "do": kind,
            "sql": typed_sql(query.statement, query.types, query.values),
            "values": encode_values(query),
            "row_limit": min(query.row_limit, settings.row_limit),
            "byte_limit": min(query.byte_limit, settings.byte_limit),
            "cell_limit": settings.cell_limit,
        }

    async def _run(self, request: dict[str, Any], query: Query) -> DuckdbReply:
        try:
            return await self._ask(request, query.caller, query.timeout_ms)
        except StatementError as error:
            raise DataSourceError(
                message(
                    "source.query_unfit",
                    "the query does not fit the data source: {reason}",
                    reason=query.statement.with_names(str(error)),
                )
            ) from error

    async def _ask(
        self, request: dict[str, Any], caller: str = "", timeout_ms: int | None = None
    ) -> DuckdbReply:
        """The answer of a process of the pool, within `timeout_ms`, waiting included."""
        longest_ms = self.settings.statement_timeout_ms
        timeout_ms = longest_ms if timeout_ms is None else min(timeout_ms, longest_ms)
        began = asyncio.get_running_loop().time()
        until, waited_s = began + timeout_ms / 1_000, 0.0
        try:
            async with asyncio.timeout_at(until):
                while True:
                    process = await self._pool.acquire(caller, until)
                    waited_s = asyncio.get_running_loop().time() - began
                    try:
                        reply = await process.ask(request)
                        is_spent = reply.is_stale or process.calls >= RECYCLE_AFTER
                    except BaseException:
                        is_spent = False
                        raise
                    finally:
                        if process.is_settled and is_spent:
                            process.close()
                        self._pool.give_back(process)
                    if not reply.is_stale:
                        return reply
                    # The others have the files of before open, too, and one that was left out may be mended.
                    self._pool.drop_idle()
                    self._left_out = ()
        except (TimeoutError, DeadlineExceededError) as error:
            raise deadline_error(timeout_ms, waited_s) from error

    async def _connect(self) -> DuckdbProcess:
        settings = self.settings
        options = DuckdbOptions(
            path=str(settings.path),
            is_folder=isinstance(settings, FilesSettings),
            may_be_absent=isinstance(settings, FilesSettings) and settings.may_be_absent,
            temp_folder="",
            memory_bytes=settings.memory_bytes,
            temp_bytes=settings.temp_bytes,
            spare_bytes=settings.spare_bytes,
            threads=settings.threads,
            idle_s=IDLE_S,
            # Files have no lock.
            release_s=0.0 if isinstance(settings, FilesSettings) else RELEASE_S,
            left_out=self._left_out,
        )
        process = await DuckdbProcess.start(options, settings.byte_limit)
        self._left_out = process.left_out
        self._processes.add(process)
        return process


def _untyped(place: int, typed: str, sql: str) -> int:
    """The offset in `sql` of a place in what `typed_sql` made of it."""
    if typed == sql:
        return place
    # They are equal up to the first cast, and from the last one on.
    tail = len(typed) - place
    return place if typed[:place] == sql[:place] else max(len(sql) - tail, 0)
