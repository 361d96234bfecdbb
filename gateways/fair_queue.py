"""Callers that wait for something scarce: by time, not by number, and in turns by who they are."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from math import inf
from time import monotonic
from typing import Generic, NamedTuple, Protocol, TypeVar

from core.errors import ToolboxError
from core.messages import Message, message

# A guard of memory alone: a burst of this size is served within the time of most tools.
MOST_WAITING = 2_000
DEFAULT_MAX_WAIT_MS = 5_000

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


class FairQueue(Generic[_T]):
    """Waiting callers by key. The keys take turns, and within a key the first to come is the first.

    So a key with 200 callers delays a key with two by no more than its own turn. `refuse` makes the
    error of a message; `take_back` gets what came to a caller in the moment in which it left.
    """

    def __init__(
        self,
        noun: Message,
        *,
        max_wait_s: float,
        refuse: Callable[[Message], ToolboxError],
        take_back: Callable[[_T], None],
    ) -> None:
        self._noun = noun
        self._max_wait_s = max_wait_s
        self._refuse = refuse
        self._take_back = take_back
        # The first key is the one whose turn it is; no queue is empty.
        self._queues: OrderedDict[str, OrderedDict[Waiter[_T], _Wait]] = OrderedDict()
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
        if (queue := self._queues.get(key)) is None:
            queue = self._queues[key] = OrderedDict()
        queue[waiter] = (began + wait_s, wait_s)
        self._count += 1
        if self._alarm is None or self._alarm_at > began + wait_s:
            self._set_alarm(began + wait_s)

    def leave(self, key: str, waiter: Waiter[_T]) -> None:
        """Wait no more."""
        queue = self._queues.get(key)
        if queue is None or waiter not in queue:
            return
        del queue[waiter]
        self._count -= 1
        if not queue:
            del self._queues[key]

    def offer(self, thing: _T) -> bool:
        """Give it to the caller whose turn it is; False when nobody waits."""
        while self._queues:
            key, queue = next(iter(self._queues.items()))
            waiter, _ = queue.popitem(last=False)
            self._count -= 1
            if queue:
                self._queues.move_to_end(key)
            else:
                del self._queues[key]
            # One that was cancelled in this step of the loop is still here.
            if not waiter.done():
                waiter.set_result(thing)
                return True
        return False

    def refuse_all(self, text: Message) -> None:
        """Send everybody away."""
        for queue in list(self._queues.values()):
            for waiter in queue:
                if not waiter.done():
                    waiter.set_exception(self._refuse(text))
        self._queues.clear()
        self._count = 0

    def _set_alarm(self, at: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm, self._alarm_at = asyncio.get_running_loop().call_at(at, self._expire), at

    def _expire(self) -> None:
        """Refuse those whose wait is over, and come back when the next one's is."""
        now, self._alarm = monotonic(), None
        waits = [
            (*wait, key, waiter)
            for key, queue in self._queues.items()
            for waiter, wait in queue.items()
        ]
        for at, wait_s, key, waiter in waits:
            if at > now:
                continue
            self.leave(key, waiter)
            if not waiter.done():
                waiter.set_exception(
                    self._refuse(
                        message(
                            "queue.waited",
                            "every {noun} was in use for {seconds} s; retry in a few seconds",
                            noun=self._noun,
                            seconds=f"{round(wait_s, 2):g}",
                        )
                    )
                )
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
            noun, max_wait_s=max_wait_s, refuse=refuse, take_back=self._release
        )

    @property
    def state(self) -> PoolState:
        """How it is now."""
        return PoolState(self._size, self._size - self._free, len(self._queue))

    @asynccontextmanager
    async def hold(self, key: str, until: float) -> AsyncGenerator[None]:
        """Have one of them; raises as `FairQueue.wait`."""
        if self._free:
            self._free -= 1
        else:
            await self._queue.wait(key, until)
        try:
            yield
        finally:
            self._release(None)

    def _release(self, slot: None) -> None:
        if not self._queue.offer(slot):
            self._free += 1
