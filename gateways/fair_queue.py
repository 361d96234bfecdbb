"""Callers that wait for something scarce: by time, not by number, and in turns by who they are."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf
from time import monotonic
from typing import Generic, NamedTuple, Protocol, TypeVar

from core.errors import ToolboxError
from core.messages import Message, message

# A guard of memory alone: a burst of this size is served within the time of most tools.
MOST_WAITING = 2_000
DEFAULT_MAX_WAIT_MS = 5_000

# A turn counts for no more, so that a key whose calls are slow comes after some of the others' and not
# after as many as last equally long.
LONGEST_TURN_S = 0.1
# How much the last turn counts of what is expected of the next one.
_NEW_SHARE = 0.3
# A key is quick once so many turns of it in a row have lasted no longer.
QUICK_TURNS, QUICK_TURN_S = 20, 0.05
# Beside a key whose turns are so many times shorter, and which had one within so long, it is not.
OUTPACED_TIMES, RECENT_S = 2.0, 1.0
# Keys of which that is known.
_MOST_PACES = 10_000

_T = TypeVar("_T")
_T_contra = TypeVar("_T_contra", contravariant=True)
# When it is over on the monotonic clock, and how long it is.
_Wait = tuple[float, float]


class Waiter(Protocol[_T_contra]):
    """One that waits: a future, or whatever goes on at once with what it is given."""

    def done(self) -> bool:
        """Whether it waits no more."""

    def set_result(self, thing: _T_contra, /) -> None:
        """Take the thing; must not fail."""

    def set_exception(self, error: ToolboxError, /) -> None:
        """Wait no more."""


class PoolState(NamedTuple):
    """How many may hold one of something scarce at once, how many do, and how many wait for it."""

    size: int
    in_use: int
    waiting: int


@dataclass(slots=True, eq=False)
class _Line(Generic[_T]):
    """The callers of a key; `used` is what it has had, `turn_s` what its next turn will add, in seconds."""

    key: str
    used: float = 0.0
    turn_s: float = 0.0
    place: int = 0
    waiters: OrderedDict[Waiter[_T], _Wait] = field(default_factory=OrderedDict)


@dataclass(slots=True)
class _Pace:
    """How many quick turns a key had since its last slow one, and what a turn lasts by the last ones."""

    quick_turns: int = 0
    turn_s: float = 0.0
    ended_at: float = -inf


class FairQueue(Generic[_T]):
    """Waiting callers by key. The keys take turns, and within a key the first to come is the first.

    The turn is that of the key that has used least, as `drop` says, and among equals of the one that has
    waited longest: with no turns said, or equal ones, they go round. So a key with 200 callers delays a
    key with two by no more than its own turn, and one with long turns has fewer of them. It is start-time
    fair queueing (Goyal, Vin, Cheng: SIGCOMM 1996) with the turns of the past for lengths.

    Who is given something holds it until `drop`; who takes it without waiting says so by `hold`. The last
    free one of `size` is for a key that holds none, or whose turns are quick, also beside those of the
    quickest that was here within a second: otherwise the first call of any key would wait until slow ones
    of another have ended. `refuse` makes the error of a message; `take_back` gets what came to a caller in
    the moment in which it left.
    """

    def __init__(
        self,
        noun: Message,
        *,
        size: int,
        max_wait_s: float,
        refuse: Callable[[Message], ToolboxError],
        take_back: Callable[[_T], None],
    ) -> None:
        self._noun = noun
        self._size = size
        self._max_wait_s = max_wait_s
        self._refuse = refuse
        self._take_back = take_back
        # Of the keys that have waited since last nobody did.
        self._lines: dict[str, _Line[_T]] = {}
        # A heap of lines by what they have used and their place; those that have another place now, or
        # nobody, are passed over.
        self._turns: list[tuple[float, int, _Line[_T]]] = []
        self._last_place = 0
        # What the key had used that was served last: one that begins to wait has used no less.
        self._used = 0.0
        # How many each key holds, and how long its turns are.
        self._holding: dict[str, int] = {}
        self._paces: dict[str, _Pace] = {}
        self._quickest = _Pace()
        self._count = 0
        # Rings no later than the first wait is over; most are over long before, so it is seldom set.
        # Its time is kept here: uvloop's handle of one that is due at once does not tell it.
        self._alarm: asyncio.Handle | None = None
        self._alarm_at = inf

    def __len__(self) -> int:
        return self._count

    async def wait(self, key: str, until: float) -> _T:
        """What `offer` gives this caller; raises as `join`, and the error of `refuse` when its time is over."""
        waiter: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self.join(key, until, waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            self.leave(key, waiter)
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.drop(key)
                self._take_back(waiter.result())
            raise

    def join(self, key: str, until: float, waiter: Waiter[_T]) -> None:
        """Have the waiter wait until `until` on the monotonic clock, `max_wait_s` at most.

        It gets the error of `refuse` when that time is over, which is raised at once when MOST_WAITING wait.
        """
        if self._count >= MOST_WAITING:
            raise self._refuse(
                message(
                    "queue.full",
                    "{count} calls wait for a {noun}; retry in a few seconds",
                    count=self._count,
                    noun=self._noun,
                )
            )
        began = monotonic()
        wait_s = max(0.0, min(until - began, self._max_wait_s))
        if (line := self._lines.get(key)) is None:
            line = self._lines[key] = _Line(key)
        if not line.waiters:
            line.used = max(line.used, self._used)
            self._line_up(line)
        line.waiters[waiter] = (began + wait_s, wait_s)
        self._count += 1
        if self._alarm is None or self._alarm_at > began + wait_s:
            self._set_alarm(began + wait_s)

    def leave(self, key: str, waiter: Waiter[_T]) -> None:
        """Wait no more."""
        line = self._lines.get(key)
        if line is not None and waiter in line.waiters:
            del line.waiters[waiter]
            self._count -= 1

    @property
    def is_quiet(self) -> bool:
        """Whether nobody has waited since `offer` last found nobody."""
        return not self._lines

    def may_take(self, key: str, free: int) -> bool:
        """Whether the key may have one of so many that are free; a caller without a key is of the house."""
        if free != 1 or self._size == 1 or not key:
            return free > 0
        return key not in self._holding or self._is_quick(key)

    def hold(self, key: str) -> None:
        """Say that the key has one more."""
        self._holding[key] = self._holding.get(key, 0) + 1

    def drop(self, key: str, seconds: float | None = None) -> None:
        """Say that the key has one less, and for how long it had it, if it was used."""
        if (count := self._holding.get(key, 0)) > 1:
            self._holding[key] = count - 1
        else:
            self._holding.pop(key, None)
        if seconds is None:
            return
        if (line := self._lines.get(key)) is not None:
            line.turn_s += (min(seconds, LONGEST_TURN_S) - line.turn_s) * _NEW_SHARE
        self._note_pace(key, seconds)

    def _is_quick(self, key: str) -> bool:
        pace, quickest = self._paces.get(key), self._quickest
        if pace is None or pace.quick_turns < QUICK_TURNS:
            return False
        is_outpaced = pace.turn_s > OUTPACED_TIMES * quickest.turn_s
        return not (is_outpaced and monotonic() - quickest.ended_at < RECENT_S)

    def _note_pace(self, key: str, seconds: float) -> None:
        if (pace := self._paces.get(key)) is None:
            if len(self._paces) >= _MOST_PACES:
                self._paces.clear()
            pace = self._paces[key] = _Pace(turn_s=seconds)
        pace.quick_turns = pace.quick_turns + 1 if seconds <= QUICK_TURN_S else 0
        pace.turn_s += (seconds - pace.turn_s) * _NEW_SHARE
        pace.ended_at, quickest = monotonic(), self._quickest
        if pace.turn_s <= quickest.turn_s or pace.ended_at - quickest.ended_at > RECENT_S:
            self._quickest = pace

    def offer(self, thing: _T, free: int = 1) -> bool:
        """Give it to the caller whose turn it is; False when nobody waits who may have it.

        So many are free, this one among them.
        """
        left_out: list[tuple[float, int, _Line[_T]]] = []
        was_taken = False
        while self._turns and not was_taken:
            used, place, line = heappop(self._turns)
            if place != line.place or not line.waiters:
                continue
            if not self.may_take(line.key, free):
                left_out.append((used, place, line))
                continue
            waiter, _ = line.waiters.popitem(last=False)
            self._count -= 1
            self._used, line.used = used, used + line.turn_s
            if line.waiters:
                self._line_up(line)
            # One that was cancelled in this step of the loop is still here.
            if not waiter.done():
                self.hold(line.key)
                waiter.set_result(thing)
                was_taken = True
        for turn in left_out:
            heappush(self._turns, turn)
        if not self._turns and not was_taken:
            # Nobody waits: all begin anew.
            self._lines.clear()
            self._used = 0.0
        return was_taken

    def refuse_all(self, text: Message) -> None:
        """Send everybody away."""
        for line in self._lines.values():
            for waiter in line.waiters:
                if not waiter.done():
                    waiter.set_exception(self._refuse(text))
        self._lines.clear()
        self._turns.clear()
        self._count = 0

    def _line_up(self, line: _Line[_T]) -> None:
        self._last_place += 1
        line.place = self._last_place
        heappush(self._turns, (line.used, line.place, line))

    def _set_alarm(self, at: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm, self._alarm_at = asyncio.get_running_loop().call_at(at, self._expire), at

    def _expire(self) -> None:
        """Refuse those whose wait is over, and come back when the next one's is."""
        now, self._alarm = monotonic(), None
        is_one_kept = self._size > 1 and sum(self._holding.values()) < self._size
        waits = [
            (*wait, key, waiter)
            for key, line in self._lines.items()
            for waiter, wait in line.waiters.items()
        ]
        for at, wait_s, key, waiter in waits:
            if at > now:
                continue
            self.leave(key, waiter)
            if waiter.done():
                continue
            seconds = f"{round(wait_s, 2):g}"
            told = (
                message(
                    "queue.held_off",
                    "every {noun} but the one kept for other keys was in use for {seconds} s;"
                    " retry in a few seconds",
                    noun=self._noun,
                    seconds=seconds,
                )
                if is_one_kept
                else message(
                    "queue.waited",
                    "every {noun} was in use for {seconds} s; retry in a few seconds",
                    noun=self._noun,
                    seconds=seconds,
                )
            )
            waiter.set_exception(self._refuse(told))
        if left := [at for at, *_ in waits if at > now]:
            self._set_alarm(min(left))


class FairSlots:
    """Room for `size` callers at a time; the others wait as in a FairQueue."""

    def __init__(
        self,
        size: int,
        noun: Message,
        *,
        max_wait_s: float,
        refuse: Callable[[Message], ToolboxError],
    ) -> None:
        self._size = self._free = size
        self._queue: FairQueue[None] = FairQueue(
            noun, size=size, max_wait_s=max_wait_s, refuse=refuse, take_back=self._release
        )

    @property
    def state(self) -> PoolState:
        """How it is now."""
        return PoolState(self._size, self._size - self._free, len(self._queue))

    @asynccontextmanager
    async def hold(self, key: str, until: float) -> AsyncGenerator[None]:
        """Have one of them; raises as `FairQueue.wait`."""
        if self._queue.may_take(key, self._free):
            self._free -= 1
            self._queue.hold(key)
        else:
            await self._queue.wait(key, until)
        began = monotonic()
        try:
            yield
        finally:
            self._queue.drop(key, monotonic() - began)
            self._release(None)

    def _release(self, slot: None) -> None:
        self._free += 1
        # One that was kept free may be had when the key has turned out to be quick.
        while self._free and self._queue.offer(slot, self._free):
            self._free -= 1
