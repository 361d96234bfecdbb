"""Remembers that a server is down, so that its callers need not find out one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic

from core.errors import ToolboxError

# After a failure callers are told at once for so long, before one of them tries again.
DOWN_S = 1.0


class Circuit:
    """Lets requests through until one fails with an error of the class `down`, then one a second.

    Such an error is one that the next caller would meet too. While the one request is under way the
    others are told at once.
    """

    def __init__(self, down: type[ToolboxError]) -> None:
        self._down = down
        self._failure: str | None = None
        self._down_until = 0.0

    @contextmanager
    def passage(self) -> Iterator[None]:
        """For one request. Raises the last failure again while the server counts as down."""
        is_probe = self._enter()
        try:
            yield
        except self._down as error:
            self._failure = str(error)
            self._down_until = monotonic() + DOWN_S
            raise
        except BaseException as error:
            # An answer of whatever kind shows that it is up; a caller that went away shows nothing.
            if isinstance(error, Exception):
                self._failure = None
            elif is_probe:
                self._down_until = 0.0
            raise
        self._failure = None

    def _enter(self) -> bool:
        if self._failure is None:
            return False
        if monotonic() < self._down_until:
            raise self._down(self._failure)
        self._down_until = inf
        return True
