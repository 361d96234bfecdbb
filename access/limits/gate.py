"""The gate before every call that a limit concerns."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID, uuid4

from django.db import Error as DatabaseError

from access.database_thread import DatabaseThread
from access.limits.counting import (
    Agreement,
    Tally,
    switch_to_postgres,
    switch_to_redis,
    take_in_postgres,
    write_tallies,
)
from core.errors import LimitError
from core.limits import BUDGETS, MILLI, FoundLimit, LimitBook, Measure, Window
from core.messages import message
from gateways.counters.counters import CountersAwayError, SharedCounters, Wish

logger = logging.getLogger(__name__)

# Permits that a runtime takes from Redis at once; what it has not used, others cannot use.
LEASE = 20
WRITE_INTERVAL_S = 0.5
# Who counts is asked again after so long, before the next call.
AGREEMENT_LASTS_S = 1.0
# When the counting moves, every other runtime has written what it counted and has heard of it by then.
MOVE_TAKES_S = AGREEMENT_LASTS_S + WRITE_INTERVAL_S
IDLE_LEASE_S = 1.0
RETRY_REDIS_S = 2.0
# A call that has not ended by then has lost its place among those at once.
PLACE_LASTS_MS = 900_000
STOP_TIMEOUT_S = 3.0

T = TypeVar("T")


@dataclass(slots=True)
class _Lease:
    left: int = 0
    used_at: float = 0.0


@dataclass(slots=True)
class Passage:
    """A call that was let through; to be given to `LimitGate.leave` when it has ended."""

    budgets: list[Window] = field(default_factory=list)
    places: list[Window] = field(default_factory=list)
    id: str = ""


class LimitGate:
    """Lets calls through as far as the limits allow, together with all other runtimes: never more.

    Permits of a window come from Redis, many at once where many are left. While Redis is away
    PostgreSQL gives them, one by one. What is counted is in PostgreSQL half a second later, from
    where Redis is filled when it comes back empty. Budgets are known half a second late.
    """

    def __init__(
        self,
        book: Callable[[], LimitBook],
        database: DatabaseThread,
        counters: SharedCounters | None,
        runtime_id: UUID,
    ) -> None:
        """`counters` None: there is no Redis, and PostgreSQL counts."""
        self._book = book
        self._database = database
        self._counters = counters
        self._here = runtime_id
        self._agreement: Agreement | None = None
        # On the monotonic clock, before PostgreSQL was asked.
        self._agreed_at = float("-inf")
        # When it was heard here that the counting had moved.
        self._moved_at = float("-inf")
        self._leases: dict[str, _Lease] = {}
        self._tallies: dict[str, Tally] = {}
        self._unwritten: set[str] = set()
        self._spent: dict[str, Tally] = {}
        self._running: Counter[str] = Counter()
        self._obtaining = asyncio.Lock()
        self._has_work = asyncio.Event()
        self._leaving: set[asyncio.Task[None]] = set()
        # Places of calls that ended while Redis was away, with the call's id.
        self._not_freed: list[tuple[str, str]] = []

    @property
    def counts_in_postgres(self) -> bool:
        """Whether Redis is away, as far as is known here."""
        return self._agreement is not None and self._agreement.in_postgres

    def concerning(self, owner: str, key_id: str, tool_name: str) -> tuple[FoundLimit, ...]:
        """The limits of a call, for `enter`; none costs next to nothing."""
        return self._book().concerning(owner, key_id, tool_name)

    async def enter(self, found: Iterable[FoundLimit]) -> Passage:
        """Count a call. Raises LimitError where something is used up, or nobody can count now."""
        book, now = self._book(), datetime.now(UTC)
        windows = book.windows(found, now)
        counted = [window for window in windows if window.measure not in BUDGETS and window.ends_at]
        passage = Passage([window for window in windows if window.measure in BUDGETS])
        if passage.budgets:
            await self._agree(budgets=passage.budgets)
            for window in passage.budgets:
                if self._spent_of(window) >= window.most:
                    raise window.refuse(now, book.zone)
        while lacking := [window for window in counted if not self._permits(window.key)]:
            await self._obtain(lacking)
        for window in counted:
            lease = self._leases[window.key]
            lease.left, lease.used_at = lease.left - 1, time.monotonic()
        try:
            await self._take_places(windows, passage, now)
        except BaseException:
            # A caller that goes away now must not keep the places that it has got.
            self.leave(passage)
            for permit in counted:
                # It was not used after all.
                self._leases.setdefault(permit.key, _Lease()).left += 1
            raise
        return passage

    def leave(self, passage: Passage, rows: int = 0, size: int = 0, seconds: float = 0.0) -> None:
        """The call has ended, with so many rows and bytes, after that time in a data source."""
        amounts = {
            Measure.ROWS_A_DAY: rows,
            Measure.BYTES_A_DAY: size,
            Measure.SECONDS_A_DAY: round(seconds * MILLI),
        }
        for window in passage.budgets:
            if amount := amounts[window.measure]:
                self._count(window, amount)
                self._spent[window.key] = _tally_of(window, self._spent_of(window) + amount)
        for window in passage.places:
            self._running[window.key] -= 1
            if passage.id:
                self._begin_freeing(window.key, passage.id)

    async def run(self) -> None:
        """Write what is counted, give back what is not used, and go back to Redis, until cancelled."""
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(RETRY_REDIS_S):
                        await self._has_work.wait()
                self._has_work.clear()
                if not self._book() and not self._unwritten:
                    continue
                await asyncio.sleep(WRITE_INTERVAL_S)
                with suppress(LimitError):
                    await self._give_back()
                    await self._agree(at_once=bool(self._unwritten))
                    if self.counts_in_postgres and self._counters is not None:
                        await self._return_to_redis(self._counters)
                if self._leases:
                    self._has_work.set()
        finally:
            if self._agreement is not None:
                with suppress(LimitError, TimeoutError):
                    async with asyncio.timeout(STOP_TIMEOUT_S):
                        await self._give_back(idle_s=0)
                        await self._agree(at_once=True)
            if self._counters is not None:
                await self._counters.close()

    def _permits(self, key: str) -> int:
        lease = self._leases.get(key)
        return lease.left if lease else 0

    def _spent_of(self, window: Window) -> int:
        spent = self._spent.get(window.key)
        return spent.used if spent else 0

    def _count(self, window: Window, amount: int) -> None:
        used = self._tallies[window.key].used if window.key in self._tallies else 0
        self._tallies[window.key] = _tally_of(window, used + amount)
        self._unwritten.add(window.key)
        self._has_work.set()

    async def _obtain(self, windows: list[Window]) -> None:
        """Get permits for windows that have none here. Raises LimitError if one of them is used up."""
        async with self._obtaining:
            # Somebody else may have got them while this call waited.
            windows = [window for window in windows if not self._permits(window.key)]
            if not windows:
                return
            agreement, now = await self._agree(), datetime.now(UTC)
            if agreement.in_postgres:
                await asyncio.sleep(self._move_lasts_s())
                taken = await self._ask_database(take_in_postgres, windows)
                if taken == 0:
                    for window in windows:
                        self._leases.setdefault(window.key, _Lease()).left += 1
                elif taken > 0:
                    raise windows[taken - 1].refuse(now, self._book().zone)
                else:
                    await self._agree(at_once=True)
                return
            permits = await self._take(agreement, windows, now)
            for window, number in zip(windows, permits, strict=False):
                self._leases.setdefault(window.key, _Lease()).left += number
                self._count(window, number)

    async def _take(self, agreement: Agreement, windows: list[Window], now: datetime) -> list[int]:
        """Permits of Redis; none, after having moved the counting, where Redis is away or was emptied."""
        wishes = [
            Wish(window.key, window.most, LEASE, 60 + int((window.ends_at - now).total_seconds()))
            for window in windows
            if window.ends_at is not None
        ]
        assert self._counters is not None  # noqa: S101 - the agreement would be another
        try:
            taken = await self._counters.take(agreement.generation, wishes)
            if isinstance(taken, list):
                return taken
            if taken > 0:
                raise windows[taken - 1].refuse(now, self._book().zone)
            if (await self._agree(at_once=True)).generation == agreement.generation:
                logger.warning("Redis has lost the counters of limits; they are read again")
                await asyncio.sleep(MOVE_TAKES_S)
                await self._ask_database(switch_to_redis, self._counters)
        except CountersAwayError as error:
            logger.warning("Redis is away (%s); PostgreSQL counts the limits meanwhile", error)
            await self._agree(at_once=True)
            await self._ask_database(switch_to_postgres)
        await self._agree(at_once=True)
        return []

    def _move_lasts_s(self) -> float:
        """How long it still takes until all have written what they took of Redis before the move."""
        if self._counters is None:
            return 0.0
        return max(0.0, self._moved_at + MOVE_TAKES_S - time.monotonic())

    async def _return_to_redis(self, counters: SharedCounters) -> None:
        if self._move_lasts_s() or not await counters.is_there():
            return
        with suppress(CountersAwayError):
            await self._ask_database(switch_to_redis, counters)
            logger.warning("Redis is back, and counts the limits again")
        await self._agree(at_once=True)

    async def _agree(self, *, at_once: bool = False, budgets: Collection[Window] = ()) -> Agreement:
        """Who counts, as it was a second ago at most; what is counted here is written on the way.

        What is spent of these `budgets` is known then, even where nobody here has asked before.
        """
        is_fresh = time.monotonic() - self._agreed_at < AGREEMENT_LASTS_S
        is_known = all(window.key in self._spent for window in budgets)
        if self._agreement is not None and is_fresh and is_known and not at_once:
            return self._agreement
        began, keys = time.monotonic(), list(self._unwritten)
        written = [self._tallies[key] for key in keys]
        asked = {window.key: _tally_of(window, 0) for window in budgets} | self._spent
        try:
            agreement = await self._ask_database(write_tallies, self._here, written, list(asked))
        except LimitError:
            if self._agreement is None or self._agreement.in_postgres:
                raise
            # Nobody can move the counting while PostgreSQL is away: Redis goes on.
            return self._agreement
        self._unwritten -= {
            key for key, tally in zip(keys, written, strict=True) if self._tallies.get(key) is tally
        }
        if self._counters is None and not agreement.in_postgres:
            await self._ask_database(switch_to_postgres)
            agreement = replace(agreement, generation=agreement.generation + 1, in_postgres=True)
        if self._agreement is None or self._agreement.generation != agreement.generation:
            self._moved_at = time.monotonic()
            if not agreement.in_postgres:
                not_freed, self._not_freed = self._not_freed, []
                for place in not_freed:
                    self._begin_freeing(*place)
        self._agreement, self._agreed_at = agreement, began
        self._note_spent(agreement, asked.values(), {tally.key: tally.used for tally in written})
        return agreement

    def _note_spent(
        self, agreement: Agreement, budgets: Iterable[Tally], written: dict[str, int]
    ) -> None:
        """Take up what all runtimes have spent, and forget windows that have ended."""
        for budget in budgets:
            key, tally = budget.key, self._tallies.get(budget.key)
            unwritten = tally.used - written.get(key, tally.used) if tally else 0
            self._spent[key] = replace(budget, used=agreement.used.get(key, 0) + unwritten)
        now = datetime.now(UTC)
        self._spent = {key: spent for key, spent in self._spent.items() if spent.ends_at >= now}
        ended = {
            key
            for key, tally in self._tallies.items()
            if tally.ends_at < now and key not in self._unwritten
        }
        for key in ended:
            del self._tallies[key]
            self._leases.pop(key, None)

    async def _give_back(self, idle_s: float = IDLE_LEASE_S) -> None:
        """Return permits that nobody has used for a second."""
        agreement, now = self._agreement, time.monotonic()
        idle = {
            key: lease.left
            for key, lease in self._leases.items()
            if key in self._tallies and now - lease.used_at >= idle_s
        }
        for key in idle:
            del self._leases[key]
        idle = {key: left for key, left in idle.items() if left}
        if not idle or agreement is None or agreement.in_postgres or self._counters is None:
            return
        with suppress(CountersAwayError):
            await self._counters.give_back(agreement.generation, idle)
            for key, left in idle.items():
                tally = self._tallies[key]
                self._tallies[key] = Tally(key, tally.used - left, tally.ends_at)
                self._unwritten.add(key)

    async def _take_places(
        self, windows: Iterable[Window], passage: Passage, now: datetime
    ) -> None:
        """A place for the passage in each window of calls at once. Raises LimitError."""
        for window in windows:
            if window.measure is Measure.CALLS_AT_ONCE:
                if not await self._occupy(window, passage):
                    raise window.refuse(now, self._book().zone)
                passage.places.append(window)

    async def _occupy(self, window: Window, passage: Passage) -> bool:
        """Whether there was a place among the calls at once; without Redis each runtime has its share."""
        agreement = await self._agree()
        if self._running[window.key] >= window.most:
            # Redis may have been emptied since these calls began.
            return False
        if not agreement.in_postgres and self._counters is not None:
            passage.id = passage.id or uuid4().hex
            try:
                is_free = await self._counters.occupy(
                    window.key, window.most, passage.id, PLACE_LASTS_MS
                )
            except CountersAwayError:
                pass
            except asyncio.CancelledError:
                # Redis may have given it, and nobody would free it.
                self._begin_freeing(window.key, passage.id)
                raise
            else:
                self._running[window.key] += is_free
                return is_free
        if self._running[window.key] >= agreement.share_of(window.most):
            return False
        self._running[window.key] += 1
        return True

    def _begin_freeing(self, key: str, place: str) -> None:
        async def free(counters: SharedCounters) -> None:
            try:
                await counters.leave(key, place)
            except CountersAwayError:
                self._not_freed.append((key, place))

        assert self._counters is not None  # noqa: S101 - else there is no place
        task = asyncio.ensure_future(free(self._counters))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _ask_database(self, verb: Callable[..., T], *arguments: object) -> T:
        try:
            return await self._database.call(verb, *arguments)
        except (DatabaseError, TimeoutError):
            raise LimitError(
                message(
                    "limit.uncounted",
                    "calls with a limit cannot be counted at the moment; try again in a few seconds",
                ),
                retry_after_s=5,
            ) from None


def _tally_of(window: Window, used: int) -> Tally:
    assert window.ends_at is not None  # noqa: S101 - windows without an end are not counted
    return Tally(window.key, used, window.ends_at)
