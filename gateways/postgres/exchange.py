"""What a PostgreSQL connection is asked, and what comes back: queries, answers, errors."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from msgspec import Struct
from psycopg.pq import DiagnosticField, ExecStatus
from psycopg.pq.abc import PGresult

if TYPE_CHECKING:
    from gateways.connection_pool import Errand
    from gateways.postgres.wire import WireConnection

# Plain numbers: comparing with members of an enumeration costs as much as a call.
ROWS, ERROR = int(ExecStatus.TUPLES_OK), int(ExecStatus.FATAL_ERROR)
_RESOURCE_CLASSES = frozenset({"53", "54"})

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
        position = read_field(result, DiagnosticField.STATEMENT_POSITION)
        self.sqlstate = read_field(result, DiagnosticField.SQLSTATE)
        self.message = read_field(result, DiagnosticField.MESSAGE_PRIMARY) or "unknown error"
        self.hint = read_field(result, DiagnosticField.MESSAGE_HINT)
        self.position = int(position) if position else None
        self.is_stale = self.sqlstate == "26000" or (
            read_field(result, DiagnosticField.SOURCE_FUNCTION) == "RevalidateCachedQuery"
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


@dataclass(frozen=True, slots=True)
class ReadOnlyQuery:
    """SQL with the types of its parameters; where it is received in chunks, they have `chunk_rows`.

    `is_prepared` says that it is run often enough for the server to keep it parsed.
    """

    sql: bytes
    oids: tuple[int, ...] = ()
    chunk_rows: int = 1_000
    is_prepared: bool = False


class WireExchange(Struct, eq=False):
    """A query or something else to ask, by when it has to be answered, and the results so far.

    It may wait for a connection, which `set_result` brings, and is sent at once then. `answer` ends when
    all results are there, or earlier where `receive`, which is given all full chunks of rows, wants no
    more. `free` takes the connection back before who waits for the answer goes on, and is None then, where
    nothing is left to clean up.
    """

    answer: "asyncio.Future[None]"
    # On the loop's clock.
    until: float
    query: ReadOnlyQuery | None = None
    values: Sequence[bytes | None] = ()
    caller: str = ""
    # Run before the query in the same transaction.
    opening: Opening | None = None
    receive: Callable[[PGresult], bool] | None = None
    free: "Callable[[Errand[WireConnection]], None] | None" = None
    # None while it waits, and where it has to make one itself.
    connection: "WireConnection | None" = None
    # When it was sent, on perf_counter.
    began: float = 0.0
    # Of each command that was sent, and how many of them have ended.
    results: list[PGresult] = []
    ended_count: int = 0
    rows_index: int = -1
    chunk_rows: int = 0
    # Of all results so far.
    row_count: int = 0
    # One that is not full is the last one, and is for who waits.
    last_chunk: PGresult | None = None

    def done(self) -> bool:
        """Whether nobody waits any more."""
        return self.answer.done()

    def set_result(self, connection: "WireConnection | None") -> None:
        """Have it asked there, or made known that there is room for another connection."""
        if connection is None:
            self.answer.set_result(None)
            return
        self.connection, self.began = connection, perf_counter()
        try:
            connection.begin(self)
        except Exception as error:  # noqa: BLE001 - it belongs to who waits, not to who freed the connection
            self.answer.set_exception(error)

    def set_exception(self, error: Exception) -> None:
        """Nobody will answer."""
        self.answer.set_exception(error)

    async def finish(self) -> None:
        """Clean up what the answer shows to be left; raises as the answer."""
        assert self.connection is not None  # noqa: S101 - it was answered there
        await self.connection.finish(self)

    def rows(self) -> PGresult | None:
        """The rows of the last chunk; None where no more were wanted. Raises ServerError, ConnectionLostError."""
        if len(self.results) <= self.rows_index:
            return None
        if (result := self.results[self.rows_index]).status == ROWS:
            return self.last_chunk or result
        raise_error(self.results[: self.rows_index + 1])
        raise ConnectionLostError


def raise_error(results: Sequence[PGresult]) -> None:
    """Raise the first ServerError among the results, if there is one."""
    for result in results:
        if result.status == ERROR:
            raise ServerError(result)


def read_field(result: PGresult, field: DiagnosticField) -> str:
    """What an error says there, '' if nothing."""
    return (result.error_field(field) or b"").decode(errors="replace")
