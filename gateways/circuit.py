"""Remembers that a server is down, so that its callers need not find out one by one."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from time import monotonic

from core.errors import ToolboxError
from core.messages import Message
from gateways.patience import StallWatch, patient_timeout

# After a failure callers get it at once for so long, before one of them tries again.
DOWN_S = 1.0


class Circuit:
    """Lets requests through until one fails with an error of the class `down`, then one a second.

    Such an error is one that the next caller would meet too. While the one request is under way the
    others wait for what it finds. Belongs to one event loop.
    """

    def __init__(self, down: type[ToolboxError]) -> None:
        self._down = down
        self._failure: Message | None = None
        self._down_until = 0.0
        self._probe: asyncio.Future[None] | None = None

    @asynccontextmanager
    async def passage(self, wait_s: float) -> AsyncGenerator[None]:
        """For one request. Raises the last failure again while the server counts as down.

        Waits at most `wait_s` for the request of another that finds out whether it is up again.
        """
        probe = await self._enter(wait_s) if self._failure is not None else None
        try:
            with StallWatch() as watch:
                yield
        except self._down as error:
            # Where our own loop was held up, a time-out says nothing of the server.
            if not watch.has_stalled:
                self._failure = error.message
                self._down_until = monotonic() + DOWN_S
            raise
        except TimeoutError:
            # The caller's own time was over, which shows as little as a caller that went away.
            raise
        except Exception:
            # An answer of whatever kind shows that it is up.
            self._failure = None
            raise
        else:
            self._failure = None
        finally:
            if probe is not None:
                self._probe = None
                probe.set_result(None)

    async def _enter(self, wait_s: float) -> "asyncio.Future[None] | None":
        """The mark of a probe, for the caller that finds out, else None."""
        try:
            async with patient_timeout(wait_s):
                while self._failure is not None:
                    if monotonic() < self._down_until:
                        raise self._down(self._failure)
                    if self._probe is None:
                        self._probe = asyncio.get_running_loop().create_future()
                        return self._probe
                    await asyncio.wait({self._probe})
        except TimeoutError:
            raise self._down(self._failure or "") from None
        return None
