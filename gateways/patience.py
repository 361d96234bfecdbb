"""Time limits for the answers of others that a stall of our own event loop does not use up.

While the loop is held up an answer may lie in the socket unread, and all timers are due at once: by
the clock, every server would look dead.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from math import ceil
from time import monotonic
from typing import Self

TICK_S = 0.1
# After the last tick the loop looks at its sockets once more.
_LAST_LOOK_S = 0.02


@asynccontextmanager
async def patient_timeout(seconds: float) -> AsyncGenerator[None]:
    """As asyncio.timeout, but a stall of the loop, however long, counts as one tick."""
    loop = asyncio.get_running_loop()
    ticks = max(2, ceil(seconds / TICK_S))
    tick_s = max(0.0, seconds) / ticks
    timer: asyncio.TimerHandle

    def tick(left: int) -> None:
        nonlocal timer
        if left > 0:
            timer = loop.call_later(tick_s, tick, left - 1)
        elif left == 0:
            timer = loop.call_later(_LAST_LOOK_S, tick, -1)
        else:
            scope.reschedule(loop.time())

    async with asyncio.timeout(None) as scope:
        timer = loop.call_later(tick_s, tick, ticks - 1)
        try:
            yield
        finally:
            timer.cancel()


class StallWatch:
    """Whether the event loop was held up inside the `with` block, for more than a tick."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._has_stalled = False
        self._due = 0.0

    def __enter__(self) -> Self:
        self._schedule()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @property
    def has_stalled(self) -> bool:
        """Up to now."""
        return self._has_stalled or monotonic() - self._due > TICK_S

    def _schedule(self) -> None:
        self._due = monotonic() + TICK_S
        self._timer = self._loop.call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        self._has_stalled = self.has_stalled
        self._schedule()
