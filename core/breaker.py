"""When a tool that keeps failing is left alone, and when one call may try it again. Times are the caller's clock."""

from collections import deque
from dataclasses import dataclass, field

from core.toolspec import BreakerRule

# So long a tool rests after too many errors, before one call tries it again.
REST_S = 30.0


@dataclass(slots=True)
class Breaker:
    """Closed while calls pass; open after too many errors; then one call at a time tries.

    What a call is told to `note` is whether the tool failed, worked, or None where that was not shown.
    """

    rule: BreakerRule
    _failed_at: deque[float] = field(default_factory=deque, init=False)
    _rests_until: float | None = field(default=None, init=False)
    _is_tried: bool = field(default=False, init=False)

    @property
    def is_open(self) -> bool:
        """Whether calls are refused, but for the one that tries."""
        return self._rests_until is not None

    def wait_s(self, now: float) -> float:
        """0 lets this call pass, which is to be noted then; else the seconds until one may try again."""
        if self._rests_until is None:
            return 0.0
        if now < self._rests_until:
            return self._rests_until - now
        if self._is_tried:
            return 1.0
        self._is_tried = True
        return 0.0

    def note(self, now: float, *, failed: bool | None, tried: bool) -> bool:
        """Take the end of a call that passed; whether the breaker opened or closed by it.

        `tried` says that the call began while the breaker was open. The end of a call that began before
        says nothing new of an open one.
        """
        if self._rests_until is not None:
            if tried:
                self._is_tried = False
            if not tried or failed is None:
                return False
            self._rests_until = now + REST_S if failed else None
            self._failed_at.clear()
            return not failed
        if not failed:
            return False
        window_s = self.rule.minutes * 60
        self._failed_at.append(now)
        while self._failed_at[0] <= now - window_s:
            self._failed_at.popleft()
        if len(self._failed_at) < self.rule.errors:
            return False
        self._rests_until = now + REST_S
        return True
