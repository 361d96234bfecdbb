"""Whether another MCP server is there: callers know at once, and a probe asks until it is back."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from core.errors import DataSourceUnavailableError, ToolboxError
from core.messages import Message

logger = logging.getLogger(__name__)

# Between two probes of a server that is down: the first wait, and the longest.
FIRST_WAIT_S = 1.0
LONGEST_WAIT_S = 15.0

# Called with the reason when a server goes down, and with None when it is back.
Note = Callable[[Message | None], Awaitable[None]]


class ServerHealth:
    """Up until a call finds the server down; no caller waits for a server that is known to be."""

    def __init__(self, name: str, probe: Callable[[], Awaitable[None]], note: Note) -> None:
        """`probe` raises ToolboxError while the server is down."""
        self._name = name
        self._probe = probe
        self._note = note
        self._failure: Message | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def is_up(self) -> bool:
        return not self._failure

    def require_up(self) -> None:
        """Raise DataSourceUnavailableError while the server is down."""
        if self._failure:
            raise DataSourceUnavailableError(self._failure)

    def mark_down(self, error: DataSourceUnavailableError) -> None:
        """A call found the server down: tell the next ones so until a probe gets through."""
        if not self._failure:
            self._failure = error.message
            self._task = asyncio.create_task(self._watch(), name=f"probe {self._name}")

    async def close(self) -> None:
        """End the probing."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        logger.warning("the MCP server %s is down: %s", self._name, self._failure)
        await self._write(self._failure)
        wait_s = FIRST_WAIT_S
        while True:
            try:
                await self._probe()
                break
            except ToolboxError:
                await asyncio.sleep(wait_s)
                wait_s = min(2 * wait_s, LONGEST_WAIT_S)
        self._failure = None
        logger.info("the MCP server %s is back", self._name)
        await self._write(None)

    async def _write(self, failure: Message | None) -> None:
        try:
            await self._note(failure)
        except Exception:
            # The page shows an older state; calls do not depend on it.
            logger.warning("the health of %s cannot be written", self._name, exc_info=True)
