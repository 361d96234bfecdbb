"""Records that wait in memory, and are written in batches away from the calls that made them."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from math import inf
from typing import Generic, TypeVar

from django.db import InterfaceError, OperationalError

logger = logging.getLogger(__name__)

FLUSH_INTERVAL_S = 0.5
STOP_TIMEOUT_S = 5.0

# Errors of a database that is away, not of a record that is wrong.
AWAY = (InterfaceError, OperationalError, TimeoutError, OSError)

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class RecordBuffer(Generic[T]):
    """Keeps records and writes them twice a second; nothing is lost at a clean stop.

    `write` may get the same records again if its success is unknown. While the database
    is away up to `max_waiting` records wait; beyond that the oldest are dropped and counted.
    """

    name: str
    write: Callable[[list[T]], Awaitable[object]]
    max_waiting: int
    batch_size: int
    dropped: int = 0
    _waiting: deque[T] = field(default_factory=deque)
    # So that nobody looks while nothing comes.
    _has_come: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, record: T) -> None:
        """Take a record; never blocks and never fails."""
        if len(self._waiting) >= self.max_waiting:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(record)
        self._has_come.set()

    async def run(self) -> None:
        """Write until cancelled, then write the rest."""
        try:
            while True:
                if not self._waiting:
                    self._has_come.clear()
                    await self._has_come.wait()
                await asyncio.sleep(FLUSH_INTERVAL_S)
                # What comes meanwhile waits for its turn: a batch of five costs what one of 200 does.
                await self.flush(len(self._waiting))
        finally:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await self.flush()

    async def flush(self, most: float = inf) -> None:
        """Write so many of what waits, all by default; while the database is away they stay."""
        while self._waiting and most > 0:
            size = int(min(self.batch_size, len(self._waiting), most))
            most -= size
            batch = [self._waiting.popleft() for _ in range(size)]
            try:
                await self._write_batch(batch)
            except (*AWAY, asyncio.CancelledError) as error:
                self._waiting.extendleft(reversed(batch))
                if isinstance(error, asyncio.CancelledError):
                    raise
                reason = type(error).__name__
                logger.warning("%d %s records wait: %s", len(self._waiting), self.name, reason)
                return

    async def _write_batch(self, batch: list[T]) -> None:
        try:
            await self.write(batch)
        except AWAY:
            raise
        except Exception:
            if len(batch) == 1:
                self.dropped += 1
                logger.exception("a %s record cannot be written and is dropped", self.name)
                return
            # One record that the database refuses must not take the others along.
            for record in batch:
                await self._write_batch([record])
