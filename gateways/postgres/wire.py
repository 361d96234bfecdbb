"""One PostgreSQL connection spoken to directly through libpq's pipeline mode.

psycopg's cursors cost about four times the processor time of this for a one-row query. They also
send a text without parameters by the simple protocol, which runs several statements at once; here
everything goes by the extended protocol, where the server refuses a second statement itself.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from random import getrandbits

import psycopg
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from gateways.postgres.prepared import PreparedStatements
from gateways.postgres.products import POSTGRESQL, Feature, Product

_CANCEL_TIMEOUT_S, _SETTLE_TIMEOUT_S = 1.0, 1.5
# The server drops a request to cancel that arrives between two messages, so it is repeated.
_CANCEL_AGAIN_S = 0.3
# How often a connection that is to answer is looked at, whether it seems ready or not.
_LOOK_EVERY_S = 0.25
# What the server says when it, or someone on it, ends the session.
_SESSION_ENDED = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25P04"})
_RESOURCE_CLASSES = frozenset({"53", "54"})
# Plain numbers: comparing with members of an enumeration costs as much as a call.
_SYNC, _CHUNK = int(ExecStatus.PIPELINE_SYNC), int(ExecStatus.TUPLES_CHUNK)
_ROWS, _DONE = int(ExecStatus.TUPLES_OK), int(ExecStatus.COMMAND_OK)
_ERROR = int(ExecStatus.FATAL_ERROR)
_ENDS_OF_COMMANDS = frozenset(
    {_ROWS, _DONE, _ERROR, int(ExecStatus.PIPELINE_ABORTED), int(ExecStatus.EMPTY_QUERY)}
)
_SUCCESSES = frozenset({_ROWS, _DONE})
_IDLE = int(TransactionStatus.IDLE)
_SQLSTATE = DiagnosticField.SQLSTATE
_BEGIN, _ROLLBACK = b"BEGIN READ ONLY", b"ROLLBACK"
# A ROLLBACK undoes what a statement did to its session, settings, cursors and LISTEN included, but for
# these: advisory locks, prepared names, and the seed of random(). Names are rare enough for a new
# session; DEALLOCATE would have to spare our own.
# It is the unnamed statement, which no SQL can drop or replace: a query could put a name of its own in
# the place of one of ours, and this tells.
_RESET_SQL = b"""
SELECT pg_catalog.pg_advisory_unlock_all(), pg_catalog.setseed($1),
    EXISTS (SELECT FROM pg_catalog.pg_prepared_statements WHERE from_sql) AS has_names"""
# Of a server without these: an answer of the same form.
_NO_RESET_SQL = b"SELECT 1, 1, false"


# SQL and its values.
Opening = tuple[bytes, Sequence[bytes | None]]


class ConnectionLostError(Exception):
    """The session is gone; nothing of it can be used again."""


class ServerError(Exception):
    """What the server said: `position` counts characters of the SQL from 1, or is None.

    `is_stale` says that the statement was prepared before what it reads was changed, or that its name
    was dropped; it may be run again. DETAIL and CONTEXT are left out: they may quote rows, hosts and
    code of the data source.
    """

    def __init__(self, result: PGresult) -> None:
        position = _field(result, DiagnosticField.STATEMENT_POSITION)
        self.sqlstate = _field(result, DiagnosticField.SQLSTATE)
        self.message = _field(result, DiagnosticField.MESSAGE_PRIMARY) or "unknown error"
        self.hint = _field(result, DiagnosticField.MESSAGE_HINT)
        self.position = int(position) if position else None
        self.is_stale = self.sqlstate == "26000" or (
            _field(result, DiagnosticField.SOURCE_FUNCTION) == "RevalidateCachedQuery"
        )
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
    """A session in pipeline mode. One task at a time; after an exception see `is_settled`.

    Belongs to the event loop in which it is made; close it. Where `prepares` is False, nothing is kept
    on the server from one query to the next, as a pooler in transaction mode needs it.
    """

    def __init__(
        self,
        connection: "psycopg.AsyncConnection[object]",
        *,
        prepares: bool = True,
        product: Product = POSTGRESQL,
    ) -> None:
        self.product = product
        self._resets = Feature.RESET not in product.lacks
        self._connection = connection
        self._pgconn: PGconn = connection.pgconn
        self._pgconn.enter_pipeline_mode()
        self._prepared = PreparedStatements(self._pgconn) if prepares else None
        # Whether the session's unnamed statement is that of the reset.
        self._knows_reset = False
        self._has_run = False
        self.is_settled = True
        # When what the server is asked next must be answered, on the loop's clock.
        self.until = inf
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at = inf
        # Of each command that was sent, and how many of them have ended.
        self._results: list[PGresult] = []
        self._ended_count = 0
        self._rows_index = -1
        self._is_answering = False
        self._answer: asyncio.Future[list[PGresult]] | None = None
        self._receive: Callable[[PGresult], bool] | None = None
        self._chunk_rows = 0
        # One that is not full is the last one, and is for who waits.
        self._last_chunk: PGresult | None = None
        self._pause: asyncio.Handle | None = None
        self._loop = asyncio.get_running_loop()
        self._is_closed = self._is_writing = False
        self._socket = self._pgconn.socket
        self._loop.add_reader(self._socket, self._read)

    @property
    def is_broken(self) -> bool:
        return self._pgconn.status != ConnStatus.OK

    @property
    def backend_pid(self) -> int:
        """The process that the protocol names: a pooler names one of its own."""
        return self._pgconn.backend_pid

    @property
    def server_version(self) -> str:
        return (self._pgconn.parameter_status(b"server_version") or b"").decode()

    async def describe(self, sql: str, oids: Sequence[int]) -> Shape:
        """Have the server parse the statement without running it; OID 0 leaves a type to it.

        Raises ServerError, ConnectionLostError, TimeoutError.
        """
        try:
            self.is_settled = self._knows_reset = False
            self._pgconn.send_prepare(b"", sql.encode(), oids)
            self._pgconn.send_describe_prepared(b"")
            results = await self._exchange()
            if not self._is_finished(results):
                await self._clean_up(results)
        except psycopg.Error as error:
            raise ConnectionLostError from error
        _raise_error(results)
        result = results[1]
        return Shape(
            tuple(result.param_type(index) for index in range(result.nparams)),
            tuple(
                ((result.fname(index) or b"").decode(), result.ftype(index))
                for index in range(result.nfields)
            ),
            tuple(result.fmod(index) for index in range(result.nfields)),
        )

    async def select(
        self,
        query: "ReadOnlyQuery",
        values: Sequence[bytes | None] = (),
        receive: Callable[[PGresult], bool] | None = None,
        opening: "Opening | None" = None,
    ) -> PGresult | None:
        """The rows of a query, run in a transaction that can only read and is always rolled back.

        `opening` is run before it in the same transaction. Nothing that both did to the session is left. With `receive` it is given all full chunks of
        rows, between which the loop does other work, and says whether it wants more; when it does not,
        the connection is left unsettled and None is returned, else the rows of the last chunk. Raises
        ServerError, ConnectionLostError, TimeoutError, and what `receive` raises.
        """
        try:
            self.is_settled, self._has_run, self._last_chunk = False, True, None
            self._receive, self._chunk_rows = receive, query.chunk_rows if receive else 0
            self._rows_index = self._send(query, values, opening)
            results = await self._exchange()
            if self._is_answering:
                return None
            if not self._is_finished(results):
                await self._clean_up(results)
        except psycopg.Error as error:
            raise ConnectionLostError from error
        if (result := results[self._rows_index]).status == _ROWS:
            return self._last_chunk or result
        _raise_error(results[: self._rows_index + 1])
        raise ConnectionLostError

    async def fetch(
        self,
        query: "ReadOnlyQuery",
        values: Sequence[bytes | None] = (),
        opening: "Opening | None" = None,
    ) -> list[list[str]]:
        """All rows of a query of our own as text, '' for NULL; raises as `select`."""
        result = await self.select(query, values, opening=opening)
        assert result is not None  # noqa: S101 - nobody could stop it
        columns = range(result.nfields)
        return [
            [(result.get_value(row, column) or b"").decode() for column in columns]
            for row in range(result.ntuples)
        ]

    async def settle(self) -> None:
        """Stop what runs, so that the connection can be used again, or close it."""
        # What still comes is for nobody.
        self.until, self._receive = inf, None
        try:
            async with asyncio.timeout(_SETTLE_TIMEOUT_S):
                if self._is_answering:
                    self._answer = answer = self._loop.create_future()
                    while not answer.done():
                        await self._connection.cancel_safe(timeout=_CANCEL_TIMEOUT_S)
                        await asyncio.wait({answer}, timeout=_CANCEL_AGAIN_S)
                    answer.result()
                if not self._is_finished(self._results):
                    await self._clean_up(self._results)
        except (psycopg.Error, TimeoutError, ConnectionLostError):
            self._answer = None
            self.close()

    def close(self) -> None:
        """Give it up; who waits for it gets ConnectionLostError."""
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
        for timer in (self._alarm, self._pause):
            if timer is not None:
                timer.cancel()
        self._pgconn.finish()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionLostError())

    def _send(
        self,
        query: "ReadOnlyQuery",
        values: Sequence[bytes | None],
        opening: "Opening | None",
    ) -> int:
        """Put the query, what opens and what ends it, into the pipeline; its place among the commands."""
        prepared, pgconn = self._prepared if query.is_prepared else None, self._pgconn
        if prepared is None:
            pgconn.send_query_params(_BEGIN, None)
            if opening is not None:
                pgconn.send_query_params(*opening)
            pgconn.send_query_params(query.sql, values, query.oids or None)
            pgconn.send_query_params(_ROLLBACK, None)
            self._send_reset()
            return 1 if opening is None else 2
        index = prepared.close_unused() + prepared.send(_BEGIN)
        if opening is not None:
            index += prepared.send(*opening)
        index += prepared.send(query.sql, values, query.oids) - 1
        prepared.send(_ROLLBACK)
        self._send_reset(is_known=self._knows_reset)
        return index

    def _send_reset(self, *, is_known: bool = False) -> None:
        """Put what ends a query into the pipeline; `is_known` says that it is the unnamed statement."""
        if not self._resets:
            self._pgconn.send_query_params(_NO_RESET_SQL, None)
        elif is_known:
            self._pgconn.send_query_prepared(b"", [_make_seed()])
        else:
            self._pgconn.send_query_params(_RESET_SQL, [_make_seed()])

    def _exchange(self) -> asyncio.Future[list[PGresult]]:
        """Send what was put into the pipeline; will be the result of each command.

        Where somebody receives chunks, those so far when it wants no more.
        """
        self._results, self._ended_count = [], 0
        self._is_answering = True
        answer: asyncio.Future[list[PGresult]] = self._loop.create_future()
        self._answer = answer
        self._pgconn.pipeline_sync()
        if self._pgconn.flush():
            # A server that waits for us to read would never read the rest of ours.
            self._is_writing = True
            self._loop.add_writer(self._socket, self._read)
        if self._alarm is None or self.until < self._alarm_at:
            self._watch()
        return answer

    def _is_finished(self, results: list[PGresult]) -> bool:
        """Whether no transaction is open, and nothing of the query is left in the session."""
        self._receive, self._chunk_rows = None, 0
        if not self._is_clean(results):
            return False
        if self._prepared is not None:
            self._prepared.confirm()
        self._has_run, self.is_settled = False, True
        return True

    async def _clean_up(self, results: list[PGresult]) -> None:
        """End what was left, or close."""
        if self._prepared is not None:
            errors = [ServerError(result) for result in results if result.status == _ERROR]
            self._prepared.forget(is_all=any(error.is_stale for error in errors))
        self._pgconn.send_query_params(_ROLLBACK, None)
        self._send_reset()
        if not self._is_clean(await self._exchange()):
            self.close()
        self._has_run, self.is_settled = False, True

    def _is_clean(self, results: list[PGresult]) -> bool:
        if self._pgconn.transaction_status != _IDLE:
            return False
        if not self._has_run:
            return True
        # After an error the server skips the rest of what was sent with the query. The session cannot be
        # made clean where a query left names.
        last = results[-1]
        self._knows_reset = last.status == _ROWS
        return self._knows_reset and last.get_value(0, 2) == b"f"

    def _watch(self) -> None:
        """Tell who waits that its time is over, or come back.

        The clock is set no earlier than it rings, so that most queries need no timer of their own.
        """
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm, self._alarm_at = None, inf
        # uvloop tells nobody of a socket with an error, and looks at it no more.
        if self._is_answering:
            self._read()
        if self._answer is None or self._answer.done():
            return
        now = self._loop.time()
        if self.until <= now:
            self._answer.set_exception(TimeoutError())
        else:
            self._alarm_at = min(self.until, now + _LOOK_EVERY_S)
            self._alarm = self._loop.call_at(self._alarm_at, self._watch)

    def _read(self, is_resumed: bool = False) -> None:
        """Take what the server has sent, up to the end of its answer or of a full chunk of rows."""
        if self._pause is not None and not is_resumed:
            return
        self._pause, pgconn, results = None, self._pgconn, self._results
        try:
            pgconn.consume_input()
            if self._is_writing and not pgconn.flush():
                self._is_writing = False
                self._loop.remove_writer(self._socket)
            while self._is_answering and not pgconn.is_busy():
                result = pgconn.get_result()
                if result is not None:
                    if self._take(result):
                        return
                elif self._ended_count < len(results):
                    self._ended_count = len(results)
                    is_next = self._chunk_rows and self._ended_count == self._rows_index
                    if is_next and results[-1].status in _SUCCESSES:
                        pgconn.set_chunked_rows_mode(self._chunk_rows)
                else:
                    # One ends a command; between two commands there are never two.
                    self.close()
                    return
        except (psycopg.Error, ConnectionLostError):
            self.close()

    def _take(self, result: PGresult) -> bool:
        """Whether to let others work before the next result is taken. Raises ConnectionLostError."""
        status = result.status
        if status in _ENDS_OF_COMMANDS:
            if status == _ERROR and _field(result, _SQLSTATE) in _SESSION_ENDED:
                raise ConnectionLostError
            self._results.append(result)
        elif status == _SYNC:
            self._is_answering = False
            if self._answer is not None and not self._answer.done():
                self._answer.set_result(self._results)
        elif status != _CHUNK:
            raise ConnectionLostError
        elif result.ntuples < self._chunk_rows:
            self._last_chunk = result
        else:
            self._pause = self._loop.call_soon(self._read, True)
            self._hand_on(result)
            return True
        return False

    def _hand_on(self, chunk: PGresult) -> None:
        """Give a chunk to who wants it; the rest to nobody once that has enough or fails."""
        receive, self._receive = self._receive, None
        if receive is None or self._answer is None or self._answer.done():
            return
        try:
            if receive(chunk):
                self._receive = receive
            else:
                self._answer.set_result(self._results)
        except Exception as error:  # noqa: BLE001 - it belongs to who waits
            self._answer.set_exception(error)


@dataclass(frozen=True, slots=True)
class ReadOnlyQuery:
    """SQL with the types of its parameters; where it is received in chunks, they have `chunk_rows`.

    `is_prepared` says that it is run often enough for the server to keep it parsed.
    """

    sql: bytes
    oids: tuple[int, ...] = ()
    chunk_rows: int = 1_000
    is_prepared: bool = False


def _make_seed() -> bytes:
    """A seed that the next caller cannot know."""
    return b".%d" % getrandbits(50)


def _raise_error(results: Sequence[PGresult]) -> None:
    for result in results:
        if result.status == _ERROR:
            raise ServerError(result)


def _field(result: PGresult, field: DiagnosticField) -> str:
    return (result.error_field(field) or b"").decode(errors="replace")
