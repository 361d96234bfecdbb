"""A small pool of connections that tells a full pool from a data source that is down.

psycopg_pool connects in the background, so a caller only learns of both by the same time-out.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from math import inf
from time import monotonic
from typing import Generic, Protocol, TypeVar

from core.errors import DataSourceBusyError, DataSourceUnavailableError

# Firewalls forget a silent connection after some minutes, and the next query would hang.
MAX_IDLE_S = 240.0
# After a failure to connect, callers are told at once for so long before one of them tries again:
# little after the first failure, twice as much after each further one.
FIRST_DOWN_S, LONGEST_DOWN_S = 0.1, 1.0
# How long that one waits before it is told too; the attempt goes on without it.
PATIENCE_S = 0.08
BUSY_TEXT = "every connection of the data source is in use; retry in a few seconds"


class PooledConnection(Protocol):
    """What the pool has to know of a connection."""

    @property
    def is_broken(self) -> bool:
        """Whether it can never be used again."""

    @property
    def is_settled(self) -> bool:
        """Whether nothing runs on it any more."""

    async def settle(self) -> None:
        """Stop what runs, so that the connection can be used again, or close it."""

    def close(self) -> None:
        """Give it up."""


_Connection = TypeVar("_Connection", bound=PooledConnection)


class ConnectionPool(Generic[_Connection]):
    """At most `size` connections, the one used last first; connects when one is needed.

    `connect` raises DataSourceUnavailableError. A slot is a right to hold one connection: it is
    passed on to the longest waiting caller, with a connection or, as None, without one.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[_Connection]],
        *,
        size: int,
        max_waiting: int,
        max_wait_s: float,
    ) -> None:
        self._connect = connect
        self._size = size
        self._max_waiting = max_waiting
        self._max_wait_s = max_wait_s
        self._slots_taken = 0
        self._idle: list[tuple[_Connection, float]] = []
        self._waiting: deque[asyncio.Future[_Connection | None]] = deque()
        self._settling: set[asyncio.Task[None]] = set()
        self._attempts: set[asyncio.Task[_Connection]] = set()
        self._failure: DataSourceUnavailableError | None = None
        self._down_until = 0.0
        self._down_s = FIRST_DOWN_S
        self._is_closed = False

    @property
    def is_only_connecting(self) -> bool:
        """Whether connections are being made and none is open."""
        return bool(self._attempts) and len(self._attempts) == self._slots_taken

    async def acquire(self) -> _Connection:
        """A connection to hand to `give_back`.

        Raises DataSourceBusyError at once when too many wait, or when the wait is too long;
        DataSourceUnavailableError when the data source is down.
        """
        if self._is_closed:
            raise DataSourceUnavailableError("the data source was closed")
        if connection := self._pop_idle():
            return connection
        if self._slots_taken < self._size:
            self._slots_taken += 1
            return await self._open()
        return await self._wait() or await self._open()

    def give_back(self, connection: _Connection) -> None:
        """Take a connection back in whatever state; one that still works on a query is stopped."""
        if connection.is_broken or self._is_closed:
            self._discard(connection)
        elif connection.is_settled:
            self._pass_on(connection)
        else:
            task = asyncio.get_running_loop().create_task(self._settle(connection))
            self._settling.add(task)
            task.add_done_callback(self._settling.discard)

    def drop_idle(self) -> None:
        """Close the idle connections: when one was lost, the others most likely are too."""
        while self._idle:
            self._discard(self._idle.pop()[0])

    async def close(self) -> None:
        """Close what is idle now and the rest as it comes back."""
        self._is_closed = True
        self.drop_idle()
        while self._waiting:
            self._wake_next(None)
        for attempt in self._attempts:
            attempt.cancel()
        await asyncio.gather(*self._settling, *self._attempts, return_exceptions=True)

    def _pop_idle(self) -> _Connection | None:
        while self._idle:
            connection, since = self._idle.pop()
            if monotonic() - since < MAX_IDLE_S:
                return connection
            self._discard(connection)
        return None

    async def _open(self) -> _Connection:
        """A new connection for a slot that the caller holds."""
        if self._failure is None:
            return await self._attempt()
        if monotonic() < self._down_until:
            self._free_slot()
            raise _repeat(self._failure)
        # This caller finds out whether it is up again; the others need not wait for it.
        self._down_until = inf
        failure = self._failure
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self._attempt()
        except TimeoutError:
            raise _repeat(failure) from None

    async def _attempt(self) -> _Connection:
        """Connect; a caller that goes away leaves the slot, and what is learnt, to the attempt.

        A caller's deadline may end before the attempt's, which alone can tell that the data source is down.
        """
        attempt = asyncio.get_running_loop().create_task(self._connect_for_slot())
        self._attempts.add(attempt)
        attempt.add_done_callback(self._attempts.discard)
        try:
            return await asyncio.shield(attempt)
        except asyncio.CancelledError:
            attempt.add_done_callback(self._take_over)
            raise

    async def _connect_for_slot(self) -> _Connection:
        was_down = self._failure is not None
        try:
            connection = await self._connect()
        except DataSourceUnavailableError as error:
            self._failure = error
            # Attempts that fail side by side are one failure.
            self._down_s = min(2 * self._down_s, LONGEST_DOWN_S) if was_down else FIRST_DOWN_S
            self._down_until = monotonic() + self._down_s
            self._free_slot()
            raise
        except BaseException:
            self._down_until = 0.0
            self._free_slot()
            raise
        self._failure = None
        return connection

    def _take_over(self, attempt: asyncio.Task[_Connection]) -> None:
        """Give away the connection of a caller that has left."""
        if not attempt.cancelled() and attempt.exception() is None:
            self.give_back(attempt.result())

    async def _wait(self) -> _Connection | None:
        if len(self._waiting) >= self._max_waiting:
            raise DataSourceBusyError(BUSY_TEXT)
        turn: asyncio.Future[_Connection | None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            async with asyncio.timeout(self._max_wait_s):
                return await turn
        except BaseException as error:
            self._leave_queue(turn)
            if isinstance(error, TimeoutError):
                raise DataSourceBusyError(BUSY_TEXT) from error
            raise

    def _leave_queue(self, turn: asyncio.Future[_Connection | None]) -> None:
        """Give away what came in the moment in which its receiver went away."""
        if turn in self._waiting:
            self._waiting.remove(turn)
        if not turn.done() or turn.cancelled():
            return
        if connection := turn.result():
            self._pass_on(connection)
        else:
            self._free_slot()

    async def _settle(self, connection: _Connection) -> None:
        try:
            await connection.settle()
        finally:
            if connection.is_settled and not connection.is_broken and not self._is_closed:
                self._pass_on(connection)
            else:
                self._discard(connection)
                # One that cannot even be stopped leads nowhere, and so do the others.
                self.drop_idle()

    def _pass_on(self, connection: _Connection) -> None:
        if not self._wake_next(connection):
            self._idle.append((connection, monotonic()))

    def _discard(self, connection: _Connection) -> None:
        connection.close()
        self._free_slot()

    def _free_slot(self) -> None:
        if not self._wake_next(None):
            self._slots_taken -= 1

    def _wake_next(self, connection: _Connection | None) -> bool:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(connection)
                return True
        return False


def _repeat(failure: DataSourceUnavailableError) -> DataSourceUnavailableError:
    """The same news for another caller."""
    return DataSourceUnavailableError(str(failure))
