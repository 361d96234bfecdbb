"""Call records, written in batches away from the calls."""

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from itertools import count
from typing import Any
from uuid import UUID

import orjson
from django.db import InterfaceError, OperationalError, connection
from django.utils import timezone

from access.models import ApiKey, CallRecord, Outcome

logger = logging.getLogger(__name__)

FLUSH_INTERVAL_S = 0.5
BATCH_SIZE = 500
STOP_TIMEOUT_S = 5.0
MAX_WAITING = 50_000
LAST_USED_RESOLUTION_S = 60.0

# What says that the database is away, not that a call is wrong.
AWAY = (InterfaceError, OperationalError, TimeoutError, OSError)


@dataclass(slots=True, kw_only=True)
class Call:
    """What will be a CallRecord; fields as there. A plain object costs a tenth of a model's."""

    at: datetime
    tool_name: str
    key_id: str = ""
    caller: str = ""
    arguments: Any = None
    outcome: str = Outcome.OK.value
    error: str = ""
    row_count: int | None = None
    truncated: bool = False
    duration_ms: float = 0.0
    revision: int = 0
    runtime_id: UUID | None = None
    number: int | None = None


WriteCalls = Callable[[Sequence[Call]], Awaitable[object]]


class CallRecorder:
    """Keeps calls in memory and writes them twice a second; nothing is lost at a clean stop.

    While the database is away up to 50,000 calls wait; beyond that the oldest are dropped and counted.
    """

    def __init__(self, write: WriteCalls) -> None:
        self._write = write
        self._waiting: deque[Call] = deque()
        self._numbers = count(1)
        self.dropped = 0

    def add(self, call: Call) -> None:
        """Take a call; never blocks and never fails."""
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft()
            self.dropped += 1
        call.number = next(self._numbers)
        self._waiting.append(call)

    async def run(self) -> None:
        """Write until cancelled, then write the rest."""
        try:
            while True:
                await asyncio.sleep(FLUSH_INTERVAL_S)
                await self.flush()
        finally:
            async with asyncio.timeout(STOP_TIMEOUT_S):
                await self.flush()

    async def flush(self) -> None:
        """Write what waits; while the database is away it stays for the next time."""
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(BATCH_SIZE, len(self._waiting)))]
            try:
                await self._write_batch(batch)
            except (*AWAY, asyncio.CancelledError) as error:
                # Writing again what was written after all is harmless; see CallWriter.
                self._waiting.extendleft(reversed(batch))
                if isinstance(error, asyncio.CancelledError):
                    raise
                reason = type(error).__name__
                logger.warning("%d call records wait: %s", len(self._waiting), reason)
                return

    async def _write_batch(self, batch: list[Call]) -> None:
        try:
            await self._write(batch)
        except AWAY:
            raise
        except Exception:
            if len(batch) == 1:
                self.dropped += 1
                logger.exception("a call record cannot be written and is dropped")
                return
            # One call that the database refuses must not take the others along.
            for call in batch:
                await self._write_batch([call])


class CallWriter:
    """Inserts calls, and notes of their keys to the minute that they were used."""

    def __init__(self) -> None:
        self._noted_at: dict[str, float] = {}

    def write(self, calls: Sequence[Call]) -> None:
        """One statement for the whole batch: a tenth of the cost of a bulk insert of models.

        Harmless to repeat: a batch whose success was not heard of is written again.
        """
        with connection.cursor() as cursor:
            cursor.execute(_insert_statement(), [orjson.dumps(calls).decode()])
        self._note_use({call.key_id for call in calls if call.key_id})

    def _note_use(self, key_ids: set[str]) -> None:
        now = time.monotonic()
        due = {
            key_id
            for key_id in key_ids
            if now - self._noted_at.get(key_id, -math.inf) > LAST_USED_RESOLUTION_S
        }
        if due:
            ApiKey.objects.filter(key_id__in=due).update(last_used_at=timezone.now())
            self._noted_at |= dict.fromkeys(due, now)


@cache
def _insert_statement() -> str:
    columns = {
        str(field.column): field.db_type(connection)
        for field in CallRecord._meta.concrete_fields
        if not field.primary_key
    }
    assert set(columns) == {field.name for field in fields(Call)}  # noqa: S101 - a typo here loses calls
    names = ", ".join(columns)
    typed = ", ".join(f"{name} {kind}" for name, kind in columns.items())
    return (
        f"INSERT INTO {CallRecord._meta.db_table} ({names})"  # noqa: S608 - names of our model
        f" SELECT {names} FROM jsonb_to_recordset(%s::jsonb) AS call ({typed})"
        " ON CONFLICT (runtime_id, number) DO NOTHING"
    )
