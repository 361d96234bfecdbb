"""The recorder never blocks a call, and keeps records while the database is away."""

import asyncio
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from access import calls, record_buffers
from access.call_arguments import encode_arguments, recorded_arguments
from access.calls import Call, CallRecorder, CallWriter
from access.keys import issue_key
from access.models import CallRecord, RuntimeInstance
from access.tasks import prune_runtimes
from tests.waiting import LIMIT_S


class Database:
    """Takes batches, or is away."""

    def __init__(self) -> None:
        self.is_away = False
        self.written: list[Call] = []

    async def write(self, records: Sequence[Call]) -> None:
        if self.is_away:
            raise ConnectionError
        self.written.extend(records)


def nested(levels: int, inside: Any = 1) -> Any:
    """Lists within each other."""
    for _ in range(levels):
        inside = [inside]
    return inside


def record(number: int) -> Call:
    return Call(at=time.time(), tool_name=f"tool_{number}")


async def test_records_wait_in_order_while_the_database_is_away() -> None:
    database = Database()
    recorder = CallRecorder(database.write)
    database.is_away = True
    for number in range(3):
        recorder.add(record(number))
    await recorder.flush()
    database.is_away = False

    await recorder.flush()

    assert [written.tool_name for written in database.written] == ["tool_0", "tool_1", "tool_2"]


async def test_records_whose_writing_is_cut_short_by_the_end_are_written() -> None:
    database, is_writing = Database(), asyncio.Event()

    async def write(records: Sequence[Call]) -> None:
        if not is_writing.is_set():
            is_writing.set()
            await asyncio.Event().wait()
        await database.write(records)

    recorder = CallRecorder(write)
    recorder.add(record(0))
    running = asyncio.create_task(recorder.run())
    async with asyncio.timeout(LIMIT_S):
        await is_writing.wait()

    running.cancel()
    await asyncio.wait({running})

    assert [written.tool_name for written in database.written] == ["tool_0"]


async def test_records_that_come_while_others_are_written_wait_for_the_next_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(record_buffers, "FLUSH_INTERVAL_S", 0)
    batches: list[list[str]] = []

    async def write(records: Sequence[Call]) -> None:
        batches.append([record.tool_name for record in records])
        if len(batches) == 1:
            recorder.add(record(1))
            asyncio.get_running_loop().call_soon(recorder.add, record(2))
        if len(batches) == 2:
            running.cancel()

    recorder = CallRecorder(write)
    recorder.add(record(0))
    running = asyncio.create_task(recorder.run())
    await asyncio.wait({running})

    assert batches == [["tool_0"], ["tool_1", "tool_2"]]


async def test_oldest_records_are_dropped_when_too_many_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "MAX_WAITING", 2)
    database = Database()
    recorder = CallRecorder(database.write)
    for number in range(3):
        recorder.add(record(number))

    await recorder.flush()

    assert [written.tool_name for written in database.written] == ["tool_1", "tool_2"]
    assert recorder.dropped == 1


async def test_record_that_the_database_refuses_is_dropped_alone() -> None:
    written: list[str] = []

    async def write(records: Sequence[Call]) -> None:
        if any(record.tool_name == "tool_1" for record in records):
            raise ValueError
        written.extend(record.tool_name for record in records)

    recorder = CallRecorder(write)
    for number in range(3):
        recorder.add(record(number))

    await recorder.flush()

    assert written == ["tool_0", "tool_2"]
    assert recorder.dropped == 1


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param({"a": 1, "b": [True, None]}, {"a": 1, "b": [True, None]}, id="plain"),
        pytest.param(
            {"a": "x" * 5_000}, {"a": "x" * 1_000 + "… (5000 characters)"}, id="long text"
        ),
        pytest.param({"a": float("nan")}, {"a": "nan"}, id="NaN"),
        pytest.param({"a": 2**63, "b": 1e300}, {"a": str(2**63), "b": "1e+300"}, id="large"),
        pytest.param({7: "x", "a\0": 1}, {"7": "x", "a\\0": 1}, id="strange names"),
        pytest.param({"a": "\0\ud800"}, {"a": "\\0?"}, id="what jsonb cannot hold"),
        pytest.param(
            {f"p{n}": "x" * 900 for n in range(40)},
            sorted(f"p{n}" for n in range(40)),
            id="too much",
        ),
        pytest.param({"a": nested(99)}, {"a": nested(99)}, id="as deep as may be"),
        pytest.param({"a": nested(9_000)}, {"a": nested(99, "… (more levels)")}, id="deeper"),
    ],
)
def test_arguments_are_kept_in_a_form_that_the_database_takes(
    given: dict[str, Any], kept: Any
) -> None:
    assert recorded_arguments(given, "full") == kept


@pytest.mark.django_db
def test_written_calls_are_read_as_they_were() -> None:
    given = {"a": 1.5, "b": ["서울", None, True], "c": {"d": "x"}}
    runtime = uuid4()
    key = issue_key("agent").key
    now = timezone.now()
    call = Call(
        at=now.timestamp(),
        tool_name="도구",
        key_id=key.key_id,
        caller="agent",
        arguments=encode_arguments(given, "full"),
    )

    CallWriter(runtime).write([call, record(1)])

    first, second = CallRecord.objects.order_by("id")
    assert (first.at, first.tool_name, first.arguments, first.runtime_id) == (
        now,
        "도구",
        given,
        runtime,
    )
    assert (first.outcome, first.row_count, second.runtime_id) == ("ok", None, runtime)
    assert CallRecord.objects.get(arguments__isnull=True) == second
    key.refresh_from_db()
    assert key.last_used_at is not None


@pytest.mark.django_db
def test_calls_that_are_written_again_are_there_once() -> None:
    writer, again = CallWriter(uuid4()), [record(1), record(2)]
    for number, call in enumerate(again):
        call.number = number

    writer.write(again[:1])
    writer.write(again)
    CallWriter(uuid4()).write(again[:1])

    names = CallRecord.objects.order_by("id").values_list("tool_name", flat=True)
    assert list(names) == ["tool_1", "tool_2", "tool_1"]


@pytest.mark.django_db
def test_silent_runtimes_are_pruned() -> None:
    RuntimeInstance.objects.create(
        host="h", pid=1, version="1", last_seen_at=timezone.now() - timedelta(hours=2)
    )

    assert prune_runtimes() == 1
