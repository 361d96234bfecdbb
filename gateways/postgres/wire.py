"""One PostgreSQL connection spoken to directly through libpq's pipeline mode.

psycopg's cursors cost about four times the processor time of this for a one-row query. They also
send a text without parameters by the simple protocol, which runs several statements at once; here
everything goes by the extended protocol, where the server refuses a second statement itself.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import uniform

import psycopg
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

_CANCEL_TIMEOUT_S, _SETTLE_TIMEOUT_S = 1.0, 1.5
# The server drops a request to cancel that arrives between two messages, so it is repeated.
_CANCEL_AGAIN_S = 0.3
# What the server says when it, or someone on it, ends the session.
_SESSION_ENDED = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25P04"})
_RESOURCE_CLASSES = frozenset({"53", "54"})
_ROW_STATUSES = frozenset({ExecStatus.TUPLES_CHUNK, ExecStatus.TUPLES_OK})
# A ROLLBACK undoes what a statement did to its session, settings, cursors and LISTEN included, but for
# these: advisory locks, prepared names, and the seed of random(). Names are rare enough for a new
# session; DEALLOCATE would have to spare our own.
_RESET_NAME = b"toolbuilder_reset"
_RESET_SQL = b"""
SELECT pg_catalog.pg_advisory_unlock_all(), pg_catalog.setseed($1),
    EXISTS (SELECT FROM pg_catalog.pg_prepared_statements WHERE from_sql) AS has_names"""


class ConnectionLostError(Exception):
    """The session is gone; nothing of it can be used again."""


class ServerError(Exception):
    """What the server said: `position` counts characters of the SQL from 1, or is None.

    Its DETAIL and CONTEXT are left out: they may quote rows, hosts and code of the data source.
    """

    def __init__(self, result: PGresult) -> None:
        position = _field(result, DiagnosticField.STATEMENT_POSITION)
        self.sqlstate = _field(result, DiagnosticField.SQLSTATE)
        self.message = _field(result, DiagnosticField.MESSAGE_PRIMARY) or "unknown error"
        self.hint = _field(result, DiagnosticField.MESSAGE_HINT)
        self.position = int(position) if position else None
        super().__init__(self.message)

    def __str__(self) -> str:
        # Of resources and limits, hints tell how to configure the server: not for who reads this.
        is_for_reader = self.hint and self.sqlstate[:2] not in _RESOURCE_CLASSES
        return f"{self.message} (hint: {self.hint})" if is_for_reader else self.message


@dataclass(frozen=True, slots=True)
class Shape:
    """Types of a statement: the parameters' OIDs, and name and OID of each column.

    `modifiers` has what a column's type is declared with, such as the digits of a numeric, or -1.
    """

    parameter_oids: tuple[int, ...]
    columns: tuple[tuple[str, int], ...]
    modifiers: tuple[int, ...]


class WireConnection:
    """A session in pipeline mode. One task at a time; after an exception see `is_settled`."""

    def __init__(self, connection: "psycopg.AsyncConnection[object]") -> None:
        self._connection = connection
        self._pgconn: PGconn = connection.pgconn
        self._pgconn.enter_pipeline_mode()
        self._knows_reset = False
        self._has_run = False
        self.is_settled = True

    @property
    def is_broken(self) -> bool:
        return self._pgconn.status != ConnStatus.OK

    @property
    def server_version(self) -> str:
        return (self._pgconn.parameter_status(b"server_version") or b"").decode()

    async def describe(self, sql: str, oids: Sequence[int]) -> Shape:
        """Have the server parse the statement without running it; OID 0 leaves a type to it.

        Raises ServerError, ConnectionLostError.
        """
        try:
            self.is_settled = False
            self._pgconn.send_prepare(b"", sql.encode(), oids)
            self._pgconn.send_describe_prepared(b"")
            await self._sync()
            await self._expect(ExecStatus.COMMAND_OK)
            result = await self._expect(ExecStatus.COMMAND_OK)
            await self._finish(await self._drain())
        except psycopg.Error as error:
            raise ConnectionLostError from error
        return Shape(
            tuple(result.param_type(index) for index in range(result.nparams)),
            tuple(
                ((result.fname(index) or b"").decode(), result.ftype(index))
                for index in range(result.nfields)
            ),
            tuple(result.fmod(index) for index in range(result.nfields)),
        )

    async def select(self, query: "ReadOnlyQuery", receive: Callable[[PGresult], bool]) -> None:
        """Run one query in a transaction that can only read and is always rolled back.

        Nothing that the query did to its session is left. `receive` is given the rows in chunks and says
        whether it wants more; when it does not, the connection is left unsettled. Raises ServerError,
        ConnectionLostError.
        """
        try:
            self.is_settled = False
            pgconn = self._pgconn
            if is_first := not self._knows_reset:
                # Parsed once, and outside of a transaction, where an error of the query skips nothing.
                pgconn.send_prepare(_RESET_NAME, _RESET_SQL)
                self._knows_reset = True
            self._has_run = True
            pgconn.send_query_params(b"BEGIN READ ONLY", None)
            pgconn.send_query_params(query.sql, query.values, query.oids)
            self._send_reset()
            await self._sync()
            if is_first:
                await self._expect(ExecStatus.COMMAND_OK)
            await self._expect(ExecStatus.COMMAND_OK)
            pgconn.set_chunked_rows_mode(query.chunk_rows)
            while (result := await self._next()) is not None:
                if result.status not in _ROW_STATUSES:
                    await self._fail(result)
                if result.ntuples and not receive(result):
                    return
            await self._finish(await self._drain())
        except psycopg.Error as error:
            raise ConnectionLostError from error

    async def fetch(self, query: "ReadOnlyQuery") -> list[list[str]]:
        """All rows of a query of our own as text, '' for NULL; raises as `select`."""
        rows: list[list[str]] = []

        def receive(result: PGresult) -> bool:
            columns = range(result.nfields)
            rows.extend(
                [(result.get_value(row, column) or b"").decode() for column in columns]
                for row in range(result.ntuples)
            )
            return True

        await self.select(query, receive)
        return rows

    async def settle(self) -> None:
        """Stop what runs, so that the connection can be used again, or close it."""
        try:
            async with asyncio.timeout(_SETTLE_TIMEOUT_S):
                await self._finish(await self._stop_query())
        except (psycopg.Error, TimeoutError, ConnectionLostError):
            self.close()

    async def _stop_query(self) -> PGresult | None:
        """The last result of what was under way, as `_drain`."""

        async def read_rest() -> PGresult | None:
            await self._flush()
            return await self._drain()

        reading = asyncio.create_task(read_rest())
        try:
            while not reading.done():
                await self._connection.cancel_safe(timeout=_CANCEL_TIMEOUT_S)
                await asyncio.wait({reading}, timeout=_CANCEL_AGAIN_S)
            return await reading
        finally:
            # It must have left the socket before that is closed and its number used again.
            reading.cancel()
            await asyncio.wait({reading})

    def close(self) -> None:
        self._pgconn.finish()

    async def _expect(self, status: int) -> PGresult:
        """The only result of the next command."""
        result = await self._next()
        if result is None or result.status != status:
            await self._fail(result)
            raise AssertionError
        await self._next()
        return result

    async def _fail(self, result: PGresult | None) -> None:
        """Raise what the server said, with the connection ready for the next query."""
        if result is None or result.status != ExecStatus.FATAL_ERROR:
            raise ConnectionLostError
        error = ServerError(result)
        if not error.sqlstate or error.sqlstate in _SESSION_ENDED:
            raise ConnectionLostError from error
        await self._finish(await self._drain())
        raise error

    async def _finish(self, last: PGresult | None) -> None:
        """Leave no transaction open and nothing of the query in the session; else close it.

        `last` is the last result of the pipeline that was read to its end.
        """
        if not self._is_clean(last):
            # After an error the server skips the rest of what was sent with the query.
            self._send_reset()
            await self._sync()
            last = await self._drain()
        if not self._is_clean(last):
            self.close()
        self._has_run = False
        self.is_settled = True

    def _is_clean(self, last: PGresult | None) -> bool:
        if self._pgconn.transaction_status != TransactionStatus.IDLE:
            return False
        if not self._has_run:
            return True
        # The session cannot be made clean where a query left names.
        if last is None or last.status != ExecStatus.TUPLES_OK:
            return False
        return last.get_value(0, 2) == b"f"

    def _send_reset(self) -> None:
        self._pgconn.send_query_params(b"ROLLBACK", None)
        # A seed that the next caller cannot know.
        seed = b"%f" % uniform(-1, 1)  # noqa: S311 - random() of a database is no secret either
        self._pgconn.send_query_prepared(_RESET_NAME, [seed])

    async def _drain(self) -> PGresult | None:
        """Read up to the pipeline's end; the last result. Between two commands there is one None, never two."""
        last: PGresult | None = None
        previous_ended = False
        while (result := await self._next()) is not None or not previous_ended:
            if result is not None and result.status == ExecStatus.PIPELINE_SYNC:
                return last
            last = result or last
            previous_ended = result is None
        raise ConnectionLostError

    async def _sync(self) -> None:
        self._pgconn.pipeline_sync()
        await self._flush()

    async def _flush(self) -> None:
        while self._pgconn.flush():
            await _wait(self._pgconn.socket, writable=True)
            # A server that waits for us to read would never read the rest of ours.
            self._pgconn.consume_input()

    async def _next(self) -> PGresult | None:
        pgconn = self._pgconn
        while pgconn.is_busy():
            await _wait(pgconn.socket)
            pgconn.consume_input()
        return pgconn.get_result()


@dataclass(frozen=True, slots=True)
class ReadOnlyQuery:
    """SQL with its values in text format; `chunk_rows` bounds what is in memory at once."""

    sql: bytes
    values: Sequence[bytes | None] = ()
    oids: Sequence[int] = ()
    chunk_rows: int = 1_000


async def _wait(descriptor: int, *, writable: bool = False) -> None:
    """Return when the socket can be read, or written if that is asked for too."""
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    loop.add_reader(descriptor, _wake, ready)
    if writable:
        loop.add_writer(descriptor, _wake, ready)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)
        if writable:
            loop.remove_writer(descriptor)


def _wake(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)


def _field(result: PGresult, field: DiagnosticField) -> str:
    return (result.error_field(field) or b"").decode(errors="replace")
