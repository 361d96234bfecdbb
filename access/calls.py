"""Call records, written in batches away from the calls."""

import asyncio
import json
import logging
import math
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import InterfaceError, OperationalError
from django.db.models import Q
from django.utils import timezone

from access.models import ApiKey, CallRecord

logger = logging.getLogger(__name__)

FLUSH_INTERVAL_S = 0.5
BATCH_SIZE = 500
STOP_TIMEOUT_S = 5.0
MAX_WAITING = 50_000
TEXT_LIMIT = 1_000
ARGUMENTS_LIMIT = 20_000
ITEMS_LIMIT = 100
LAST_USED_RESOLUTION = timedelta(minutes=1)

# What says that the database is away, not that a record is wrong.
AWAY = (InterfaceError, OperationalError, TimeoutError, OSError)

WriteRecords = Callable[[Sequence[CallRecord]], Awaitable[object]]


class CallRecorder:
    """Keeps records in memory and writes them twice a second; nothing is lost at a clean stop.

    While the database is away up to 50,000 records wait; beyond that the oldest are dropped and counted.
    """

    def __init__(self, write: WriteRecords) -> None:
        self._write = write
        self._waiting: deque[CallRecord] = deque()
        self.dropped = 0

    def add(self, record: CallRecord) -> None:
        """Take a record; never blocks and never fails."""
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft()
            self.dropped += 1
        self._waiting.append(record)

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
            except AWAY as error:
                self._waiting.extendleft(reversed(batch))
                reason = type(error).__name__
                logger.warning("%d call records wait: %s", len(self._waiting), reason)
                return

    async def _write_batch(self, batch: list[CallRecord]) -> None:
        try:
            await self._write(batch)
        except AWAY:
            raise
        except Exception:
            if len(batch) == 1:
                self.dropped += 1
                logger.exception("a call record cannot be written and is dropped")
                return
            # One record that the database refuses must not take the others along.
            for record in batch:
                await self._write_batch([record])


def write_records(records: Sequence[CallRecord]) -> None:
    """Insert a batch, and note of its keys that they were used (to the minute)."""
    CallRecord.objects.bulk_create(records)
    now = timezone.now()
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USED_RESOLUTION)
    used = ApiKey.objects.filter(unnoted, key_id__in={record.key_id for record in records})
    used.update(last_used_at=now)


def recorded_arguments(arguments: Mapping[str, object], policy: str) -> Any:
    """What is kept of a call's arguments: `full` (long texts shortened), `names`, or `none`."""
    if policy == "none":
        return None
    if policy == "names":
        return sorted(str(name) for name in arguments)
    kept = {name: _shorten(value) for name, value in arguments.items()}
    if len(json.dumps(kept, default=str)) > ARGUMENTS_LIMIT:
        return sorted(kept)
    return kept


def _shorten(value: object) -> Any:
    match value:
        case bool() | int() | None:
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case list():
            return [_shorten(item) for item in value[:ITEMS_LIMIT]]
        case dict():
            items = list(value.items())[:ITEMS_LIMIT]
            return {_shorten_text(str(key)): _shorten(item) for key, item in items}
    return _shorten_text(str(value))


def _shorten_text(text: str) -> str:
    # PostgreSQL's jsonb holds neither NUL nor lone surrogates.
    clean = text[:TEXT_LIMIT].replace("\0", "\\0").encode(errors="replace").decode()
    return clean if len(text) <= TEXT_LIMIT else f"{clean}… ({len(text)} characters)"
