"""A small pool of connections that tells a full pool from a data source that is down.

psycopg_pool connects in the background, so a caller only learns of both by the same time-out.
"""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic, perf_counter
from typing import Generic, Protocol, TypeVar

from core.errors import DataSourceBusyError, DataSourceUnavailableError, ToolboxError
from core.messages import Message, message
from gateways.fair_queue import FairQueue, PoolState, Waiter
from gateways.patience import patient_timeout

# Firewalls forget a silent connection after some minutes, and the next query would hang.
MAX_IDLE_S = 240.0
# After a failure to connect, callers get it at once for so long before one of them tries again:
# little after the first failure, twice as much after each further one, and as long as it took to find out.
FIRST_DOWN_S, LONGEST_DOWN_S = 0.1, 1.0
CLOSED_TEXT = message("source.closed", "the data source was closed")
NOT_CONNECTED_TEXT = message(
    "source.not_connected", "no connection to the data source was made in time; try again later"
)


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


class Errand(Waiter[_Connection | None], Protocol[_Connection]):
    """What is to be done on a connection, begun by whoever brings one, or None: room to make one.

    `answer` ends when it is done, or with the wait. `free` takes the errand's connection back; an errand
    that has called it sets it to None.
    """

    caller: str
    answer: asyncio.Future[None]
    connection: _Connection | None
    # On perf_counter.
    began: float
    free: Callable[["Errand[_Connection]"], None] | None

    async def finish(self) -> None:
        """Leave the connection as it was, after the answer."""


class ConnectionPool(Generic[_Connection]):
    """At most `size` connections, the one used last first; connects when one is needed.

    `connect` raises DataSourceUnavailableError. A slot is a right to hold one connection: it is
    passed on to the waiting caller whose turn it is, with a connection or, as None, without one.
    """

    def __init__(
        self, connect: Callable[[], Awaitable[_Connection]], *, size: int, max_wait_s: float
    ) -> None:
        self._connect = connect
        self._size = size
        self._max_wait_s = max_wait_s
        self._slots_taken = 0
        self._open_count = 0
        self._idle: list[tuple[_Connection, float]] = []
        # Who holds those that were acquired, and since when.
        self._held: dict[_Connection, tuple[str, float]] = {}
        self._queue: FairQueue[_Connection | None] = FairQueue(
            message("source.connection", "connection of the data source"),
            size=size,
            max_wait_s=max_wait_s,
            refuse=self._refuse,
            take_back=self._take_slot_back,
        )
        self._settling: set[asyncio.Task[None]] = set()
        self._attempts: set[asyncio.Task[_Connection]] = set()
        self._failure: DataSourceUnavailableError | None = None
        self._down_until = 0.0
        self._down_s = FIRST_DOWN_S
        self._is_closed = False

    @property
    def state(self) -> PoolState:
        """How it is now; a connection that is being stopped is in use."""
        return PoolState(self._size, self._slots_taken - len(self._idle), len(self._queue))

    async def acquire(self, caller: str, until: float) -> _Connection:
        """A connection to hand to `give_back`; the callers take turns.

        Waits until `until` on the monotonic clock, `max_wait_s` at most. Raises DataSourceBusyError when
        all connections were in use for so long, and DataSourceUnavailableError when the data source is
        down or none could be made.
        """
        connection = await self._acquire(caller, until)
        self._held[connection] = (caller, monotonic())
        return connection

    async def _acquire(self, caller: str, until: float) -> _Connection:
        until = min(until, monotonic() + self._max_wait_s)
        if not self._take(caller):
            connection = await self._queue.wait(caller, until)
        elif (connection := self._find_idle()) is None:
            self._slots_taken += 1
        return connection or await self._open(caller, until)

    async def run(self, errand: Errand[_Connection], until: float) -> None:
        """Have the errand done when it is its turn; raises as `acquire`, and the error of its answer.

        Who waits is woken once: whoever frees a connection begins the next errand on it.
        """
        errand.free, caller = self._free, errand.caller
        try:
            if not self._take(caller):
                self._queue.join(caller, until, errand)
            elif (connection := self._find_idle()) is not None:
                errand.set_result(connection)
            else:
                self._slots_taken += 1
                errand.set_result(None)
            await errand.answer
            if errand.connection is None:
                errand.answer = asyncio.get_running_loop().create_future()
                errand.set_result(await self._open(caller, until))
                await errand.answer
            if errand.free is not None:
                await errand.finish()
        except asyncio.CancelledError:
            self._queue.leave(caller, errand)
            answer, has_room = errand.answer, errand.connection is None
            if has_room and answer.done() and not answer.cancelled() and not answer.exception():
                self._queue.drop(caller)
                self._free_slot()
            raise
        finally:
            if errand.connection is not None and errand.free is not None:
                # However it ended: a query that was stopped held a connection for longest.
                self._free(errand)

    def give_back(self, connection: _Connection) -> None:
        """Take a connection back in whatever state; one that still works on a query is stopped."""
        if (held := self._held.pop(connection, None)) is not None:
            caller, since = held
            self._queue.drop(caller, monotonic() - since)
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
            self._forget(self._idle.pop()[0])

    async def close(self) -> None:
        """Close what is idle now and the rest as it comes back."""
        self._is_closed = True
        self.drop_idle()
        self._queue.refuse_all(CLOSED_TEXT)
        for attempt in self._attempts:
            attempt.cancel()
        await asyncio.gather(*self._settling, *self._attempts, return_exceptions=True)

    def _take(self, caller: str) -> bool:
        """Have the caller hold one that is free, idle or to be made. Raises DataSourceUnavailableError."""
        if self._is_closed:
            raise DataSourceUnavailableError(CLOSED_TEXT)
        free = self._size - self._slots_taken + len(self._idle)
        if free < 2 and not self._queue.may_take(caller, free):
            return False
        self._queue.hold(caller)
        return True

    def _find_idle(self) -> _Connection | None:
        """The idle connection that was used last; None where one has to be made."""
        while self._idle:
            connection, since = self._idle.pop()
            if monotonic() - since < MAX_IDLE_S and not connection.is_broken:
                return connection
            self._forget(connection)
        return None

    async def _open(self, caller: str, until: float) -> _Connection:
        """A new connection for a slot that the caller holds.

        A caller that goes away leaves the slot, and what is learnt, to the attempt: the caller's time may
        end before the attempt's, which alone can tell that the data source is down.
        """
        attempt: asyncio.Task[_Connection] | None = None
        try:
            async with patient_timeout(min(until - monotonic(), self._max_wait_s)):
                await self._wait_for_probe()
                attempt = asyncio.create_task(self._connect_for_slot())
                self._attempts.add(attempt)
                attempt.add_done_callback(self._attempts.discard)
                return await asyncio.shield(attempt)
        except BaseException as error:
            self._queue.drop(caller)
            if attempt is None:
                self._free_slot()
            else:
                attempt.add_done_callback(self._take_over)
            if isinstance(error, TimeoutError):
                raise self._failure_again() from error
            raise

    async def _wait_for_probe(self) -> None:
        """Return when the source is not known to be down, or nobody else finds out whether it still is."""
        while self._failure is not None:
            if monotonic() < self._down_until:
                raise self._failure_again()
            if not self._attempts:
                return
            await asyncio.wait(self._attempts, return_when=asyncio.FIRST_COMPLETED)

    async def _connect_for_slot(self) -> _Connection:
        was_down, began = self._failure is not None, monotonic()
        try:
            connection = await self._connect()
        except DataSourceUnavailableError as error:
            self._failure = error
            # Attempts that fail side by side are one failure.
            self._down_s = min(2 * self._down_s, LONGEST_DOWN_S) if was_down else FIRST_DOWN_S
            took_s = min(monotonic() - began, LONGEST_DOWN_S)
            self._down_until = monotonic() + max(self._down_s, took_s)
            self._free_slot()
            raise
        except BaseException:
            self._free_slot()
            raise
        self._failure = None
        self._open_count += 1
        return connection

    def _take_over(self, attempt: asyncio.Task[_Connection]) -> None:
        """Give away the connection of a caller that has left."""
        if not attempt.cancelled() and attempt.exception() is None:
            self.give_back(attempt.result())

    def _take_slot_back(self, connection: _Connection | None) -> None:
        if connection is None:
            self._free_slot()
        else:
            self.give_back(connection)

    def _refuse(self, text: Message) -> ToolboxError:
        """The error of a caller that waited in vain."""
        if self._is_closed:
            return DataSourceUnavailableError(CLOSED_TEXT)
        # Not busy: for all this time no connection could be made.
        return DataSourceBusyError(text) if self._open_count else self._failure_again()

    def _failure_again(self) -> DataSourceUnavailableError:
        """What is known of the data source, for another caller."""
        failure = self._failure.message if self._failure else NOT_CONNECTED_TEXT
        return DataSourceUnavailableError(failure)

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

    def _free(self, errand: Errand[_Connection]) -> None:
        """Take the connection of an errand back."""
        assert errand.connection is not None  # noqa: S101 - it was begun there
        self._queue.drop(errand.caller, perf_counter() - errand.began)
        self.give_back(errand.connection)

    def _pass_on(self, connection: _Connection) -> None:
        self._idle.append((connection, monotonic()))
        self._serve()

    def _discard(self, connection: _Connection) -> None:
        """Close one that was in use."""
        connection.close()
        self._open_count -= 1
        self._free_slot()

    def _forget(self, connection: _Connection) -> None:
        """Close one that was idle: as much is free as before."""
        connection.close()
        self._open_count -= 1
        self._slots_taken -= 1

    def _free_slot(self) -> None:
        self._slots_taken -= 1
        self._serve()

    def _serve(self) -> None:
        """Give what is free to those who wait and may have it."""
        if self._queue.is_quiet:
            return
        while free := self._size - self._slots_taken + len(self._idle):
            connection, since = self._idle.pop() if self._idle else (None, 0.0)
            if connection is None:
                self._slots_taken += 1
            if self._queue.offer(connection, free):
                continue
            if connection is None:
                self._slots_taken -= 1
            else:
                self._idle.append((connection, since))
            return
