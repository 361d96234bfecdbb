"""Two hundred thousand calls, and each of them is in the record once."""

import asyncio
import time
from collections.abc import Sequence
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection
from msgspec import Raw

from access import record_buffers
from access.calls import Call, CallRecorder, CallWriter
from access.database_thread import DatabaseThread

CALLS = 200_000
CALLERS = 20
ROUND = 500


@pytest.mark.django_db(transaction=True)
async def test_none_of_many_calls_is_lost_or_recorded_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record_buffers, "FLUSH_INTERVAL_S", 0.01)
    database, writer, written = DatabaseThread("calls"), CallWriter(uuid4()), 0

    async def write(calls: Sequence[Call]) -> None:
        nonlocal written
        written += 1
        await database.call(writer.write, calls)
        if written % 50 == 0:
            # It is written, and nobody knows.
            raise OperationalError

    recorder = CallRecorder(write)
    running = asyncio.create_task(recorder.run())

    async def call_often(caller: int) -> None:
        for number in range(CALLS // CALLERS):
            recorder.add(
                Call(at=time.time(), tool_name=f"tool_{caller}", arguments=Raw(b'{"n":1}'))
            )
            if number % ROUND == 0:
                await recorder.flush(ROUND)

    await asyncio.gather(*(call_often(caller) for caller in range(CALLERS)))
    running.cancel()
    await asyncio.wait({running})
    # A batch whose success was unknown is written again.
    await recorder.flush()
    await recorder.flush()
    await database.close()

    assert recorder.dropped == 0
    assert await sync_to_async(_count)() == (CALLS, CALLS, 1, CALLS)


def _count() -> tuple[int, ...]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), count(DISTINCT number), min(number), max(number) FROM h_call_record"
        )
        found: tuple[int, ...] = cursor.fetchone()
        return found
