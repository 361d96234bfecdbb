"""Work that keeps an event loop busy: one piece of it in each of the loop's steps."""

import asyncio
from collections import deque
from collections.abc import Callable


class LongSteps:
    """Begins one piece of long work in each step of the event loop, in the order of asking.

    What is ready in between, such as a short call, waits for one piece and not for all that came at once.
    """

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._is_taken = False

    def begin(self, work: Callable[[], None]) -> None:
        """Call `work`, which wakes who does the work, at once or in a later step. Must not fail."""
        if self._is_taken:
            self._waiting.append(work)
            return
        self._is_taken = True
        work()
        asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        if not self._waiting:
            self._is_taken = False
            return
        self._waiting.popleft()()
        asyncio.get_running_loop().call_soon(self._next)
