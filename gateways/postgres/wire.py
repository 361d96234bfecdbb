"""One PostgreSQL connection spoken to directly through libpq's pipeline mode.

psycopg's cursors cost about four times the processor time of this for a one-row query. They also
send a text without parameters by the simple protocol, which runs several statements at once; here
everything goes by the extended protocol, where the server refuses a second statement itself.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from math import inf
from random import getrandbits

import psycopg
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from gateways.long_steps import LongSteps
from gateways.postgres.exchange import (
    ERROR,
    ROWS,
    ConnectionLostError,
    Opening,
    ReadOnlyQuery,
    ServerError,
    Shape,
    WireExchange,
    raise_error,
    read_field,
)
from gateways.postgres.prepared import PreparedStatements
from gateways.postgres.products import POSTGRESQL, Feature, Product

_CANCEL_TIMEOUT_S, _SETTLE_TIMEOUT_S = 1.0, 1.5
# The server drops a request to cancel that arrives between two messages, so it is repeated.
_CANCEL_AGAIN_S = 0.3
# How often a connection that is to answer is looked at, whether it seems ready or not.
_LOOK_EVERY_S = 0.25
# What the server says when it, or someone on it, ends the session.
_SESSION_ENDED = frozenset({"57P01", "57P02", "57P03", "57P05", "25P03", "25P04"})
# To make values and JSON of so many takes as long as a short call.
_MANY_ROWS = 200
# Plain numbers: comparing with members of an enumeration costs as much as a call.
_SYNC, _CHUNK = int(ExecStatus.PIPELINE_SYNC), int(ExecStatus.TUPLES_CHUNK)
_DONE = int(ExecStatus.COMMAND_OK)
_ENDS_OF_COMMANDS = frozenset(
    {ROWS, _DONE, ERROR, int(ExecStatus.PIPELINE_ABORTED), int(ExecStatus.EMPTY_QUERY)}
)
_SUCCESSES = frozenset({ROWS, _DONE})
_IDLE, _OPEN = int(TransactionStatus.IDLE), int(ConnStatus.OK)
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


class WireConnection:
    """A session in pipeline mode. One exchange at a time; after an exception see `is_settled`.

    Belongs to the event loop in which it is made; close it. Where `prepares` is False, nothing is kept
    on the server from one query to the next, as a pooler in transaction mode needs it.
    """

    def __init__(
        self,
        connection: "psycopg.AsyncConnection[object]",
        *,
        prepares: bool = True,
        product: Product = POSTGRESQL,
        long_steps: LongSteps | None = None,
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
        # When what `select`, `fetch` and `describe` ask must be answered, on the loop's clock.
        self.until = inf
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_at = inf
        self._loop = asyncio.get_running_loop()
        # The one that was begun last, until nothing of it is left; it may hold many rows.
        self._exchange = self._no_exchange = WireExchange(self._loop.create_future(), inf)
        self._is_answering = False
        self._long_steps = long_steps or LongSteps()
        self._is_closed = self._is_writing = self._is_paused = False
        self._socket = self._pgconn.socket
        self._loop.add_reader(self._socket, self._read)

    @property
    def is_broken(self) -> bool:
        return self._pgconn.status != _OPEN

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
        exchange = WireExchange(self._loop.create_future(), self.until)
        try:
            self.is_settled = self._knows_reset = False
            self._pgconn.send_prepare(b"", sql.encode(), oids)
            self._pgconn.send_describe_prepared(b"")
            self._begin(exchange)
        except psycopg.Error as error:
            raise ConnectionLostError from error
        await exchange.answer
        await self.finish(exchange)
        raise_error(exchange.results)
        result = exchange.results[1]
        return Shape(
            tuple(result.param_type(index) for index in range(result.nparams)),
            tuple(
                ((result.fname(index) or b"").decode(), result.ftype(index))
                for index in range(result.nfields)
            ),
            tuple(result.fmod(index) for index in range(result.nfields)),
        )

    def begin(self, exchange: WireExchange) -> None:
        """Send a query, which is run in a transaction that can only read and is always rolled back.

        Nothing that it did to the session is left when the connection is free again. Raises
        ConnectionLostError, and DataSourceError where the product cannot tell callers apart.
        """
        assert exchange.query is not None  # noqa: S101 - narrows
        if exchange.opening is not None:
            self.product.require(Feature.IDENTITY)
        self.is_settled, self._has_run = False, True
        if exchange.receive is not None:
            exchange.chunk_rows = exchange.query.chunk_rows
        try:
            exchange.rows_index = self._send(exchange.query, exchange.values, exchange.opening)
            self._begin(exchange)
        except psycopg.Error as error:
            raise ConnectionLostError from error

    async def finish(self, exchange: WireExchange) -> None:
        """Make the session clean after an answer, if it is not; unsettled is left where rows still come.

        Raises ConnectionLostError, TimeoutError.
        """
        if self._is_answering or self._is_finished(exchange):
            return
        try:
            await self._clean_up(exchange)
        except psycopg.Error as error:
            raise ConnectionLostError from error

    async def select(
        self,
        query: ReadOnlyQuery,
        values: Sequence[bytes | None] = (),
        opening: Opening | None = None,
    ) -> PGresult:
        """The rows of a query that is run as `begin` says; raises as `finish`, and ServerError."""
        exchange = WireExchange(
            self._loop.create_future(), self.until, query, values, opening=opening
        )
        self.begin(exchange)
        await exchange.answer
        await self.finish(exchange)
        result = exchange.rows()
        assert result is not None  # noqa: S101 - nobody could stop it
        return result

    async def fetch(
        self,
        query: ReadOnlyQuery,
        values: Sequence[bytes | None] = (),
        opening: Opening | None = None,
    ) -> list[list[str]]:
        """All rows of a query of our own as text, '' for NULL; raises as `select`."""
        result = await self.select(query, values, opening)
        columns = range(result.nfields)
        return [
            [(result.get_value(row, column) or b"").decode() for column in columns]
            for row in range(result.ntuples)
        ]

    async def settle(self) -> None:
        """Stop what runs, so that the connection can be used again, or close it."""
        # What still comes is for nobody.
        exchange = self._exchange
        exchange.until, exchange.receive, exchange.free = inf, None, None
        try:
            async with asyncio.timeout(_SETTLE_TIMEOUT_S):
                if self._is_answering:
                    exchange.answer = self._loop.create_future()
                    while not exchange.answer.done():
                        await self._connection.cancel_safe(timeout=_CANCEL_TIMEOUT_S)
                        await asyncio.wait({exchange.answer}, timeout=_CANCEL_AGAIN_S)
                    exchange.answer.result()
                if not self._is_finished(exchange):
                    await self._clean_up(exchange)
        except (psycopg.Error, TimeoutError, ConnectionLostError):
            exchange.answer.cancel()
            self.close()

    def close(self) -> None:
        """Give it up; who waits for it gets ConnectionLostError."""
        if not self._is_closed:
            self._is_closed = True
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
        if self._alarm is not None:
            self._alarm.cancel()
        self._pgconn.finish()
        if self._is_answering and not self._exchange.answer.done():
            self._exchange.answer.set_exception(ConnectionLostError())

    def _send(
        self,
        query: ReadOnlyQuery,
        values: Sequence[bytes | None],
        opening: Opening | None,
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

    def _begin(self, exchange: WireExchange) -> None:
        """Send what was put into the pipeline."""
        self._exchange, self._is_answering = exchange, True
        self._pgconn.pipeline_sync()
        if self._pgconn.flush():
            # A server that waits for us to read would never read the rest of ours.
            self._is_writing = True
            self._loop.add_writer(self._socket, self._read)
        if self._alarm is None or exchange.until < self._alarm_at:
            self._set_alarm(exchange.until)

    def _is_finished(self, exchange: WireExchange) -> bool:
        """Whether no transaction is open, and nothing of the query is left in the session."""
        exchange.receive, exchange.chunk_rows = None, 0
        if not self._is_clean(exchange.results):
            return False
        if self._prepared is not None:
            self._prepared.confirm()
        self._has_run, self.is_settled = False, True
        self._exchange = self._no_exchange
        return True

    async def _clean_up(self, exchange: WireExchange) -> None:
        """End what an exchange has left, or close."""
        if self._prepared is not None:
            errors = [ServerError(result) for result in exchange.results if result.status == ERROR]
            self._prepared.forget(is_all=any(error.is_stale for error in errors))
        self._pgconn.send_query_params(_ROLLBACK, None)
        self._send_reset()
        ending = WireExchange(self._loop.create_future(), exchange.until)
        self._begin(ending)
        await ending.answer
        if not self._is_clean(ending.results):
            self.close()
        self._has_run, self.is_settled = False, True
        self._exchange = self._no_exchange

    def _is_clean(self, results: list[PGresult]) -> bool:
        if self._pgconn.transaction_status != _IDLE:
            return False
        if not self._has_run:
            return True
        # After an error the server skips the rest of what was sent with the query. The session cannot be
        # made clean where a query left names.
        last = results[-1]
        self._knows_reset = last.status == ROWS
        return self._knows_reset and last.get_value(0, 2) == b"f"

    def _set_alarm(self, until: float) -> None:
        """Look at the connection no later than then; most queries need no timer of their own."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at = min(until, self._loop.time() + _LOOK_EVERY_S)
        self._alarm = self._loop.call_at(self._alarm_at, self._look)

    def _look(self) -> None:
        """Tell who waits that its time is over, or come back."""
        self._alarm, self._alarm_at = None, inf
        # uvloop tells nobody of a socket with an error, and looks at it no more.
        if self._is_answering:
            self._read()
        exchange = self._exchange
        if not self._is_answering or exchange.answer.done():
            return
        if exchange.until <= self._loop.time():
            exchange.answer.set_exception(TimeoutError())
        else:
            self._set_alarm(exchange.until)

    def _read(self) -> None:
        """Take what the server has sent, up to the end of its answer or of a full chunk of rows."""
        if self._is_paused:
            return
        pgconn, exchange = self._pgconn, self._exchange
        results = exchange.results
        try:
            pgconn.consume_input()
            if self._is_writing and not pgconn.flush():
                self._is_writing = False
                self._loop.remove_writer(self._socket)
            while self._is_answering and not pgconn.is_busy():
                result = pgconn.get_result()
                if result is not None:
                    if self._take(exchange, result):
                        return
                elif exchange.ended_count < len(results):
                    exchange.ended_count = len(results)
                    is_next = exchange.chunk_rows and exchange.ended_count == exchange.rows_index
                    if is_next and results[-1].status in _SUCCESSES:
                        pgconn.set_chunked_rows_mode(exchange.chunk_rows)
                else:
                    # One ends a command; between two commands there are never two.
                    self.close()
                    return
        except (psycopg.Error, ConnectionLostError):
            self.close()

    def _take(self, exchange: WireExchange, result: PGresult) -> bool:
        """Whether there is nothing more to take in this step of the loop. Raises ConnectionLostError."""
        status = result.status
        if status in _ENDS_OF_COMMANDS:
            if status == ERROR and read_field(result, _SQLSTATE) in _SESSION_ENDED:
                raise ConnectionLostError
            exchange.results.append(result)
            if status == ROWS:
                exchange.row_count += result.ntuples
            return False
        if status == _SYNC:
            self._end(exchange)
            return True
        if status != _CHUNK:
            raise ConnectionLostError
        exchange.row_count += result.ntuples
        if result.ntuples < exchange.chunk_rows:
            exchange.last_chunk = result
            return False
        self._is_paused = True
        self._long_steps.begin(partial(self._take_chunk, exchange, result))
        return True

    def _take_chunk(self, exchange: WireExchange, chunk: PGresult) -> None:
        self._hand_on(exchange, chunk)
        self._loop.call_soon(self._resume)

    def _resume(self) -> None:
        self._is_paused = False
        if not self._is_closed:
            self._read()

    def _end(self, exchange: WireExchange) -> None:
        """The whole answer is there."""
        self._is_answering = False
        if exchange.row_count < _MANY_ROWS:
            self._tell(exchange)
        else:
            # The connection stays taken meanwhile, so that no more answers wait than there are connections.
            self._long_steps.begin(partial(self._tell, exchange))

    def _tell(self, exchange: WireExchange) -> None:
        if exchange.answer.done():
            return
        exchange.answer.set_result(None)
        if (free := exchange.free) is not None and self._is_finished(exchange):
            exchange.free = None
            free(exchange)

    def _hand_on(self, exchange: WireExchange, chunk: PGresult) -> None:
        """Give a chunk to who wants it; the rest to nobody once that has enough or fails."""
        receive, exchange.receive = exchange.receive, None
        if receive is None or exchange.answer.done():
            return
        try:
            if receive(chunk):
                exchange.receive = receive
            else:
                exchange.answer.set_result(None)
        except Exception as error:  # noqa: BLE001 - it belongs to who waits
            exchange.answer.set_exception(error)


def _make_seed() -> bytes:
    """A seed that the next caller cannot know."""
    return b".%d" % getrandbits(50)
