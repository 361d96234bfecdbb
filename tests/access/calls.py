"""Calls as runtimes record them."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from access.models import CallRecord


def make_call(tool_name: str = "sales", *, seconds_ago: float = 0, **columns: Any) -> CallRecord:
    """A recorded call, by default a good one of now."""
    columns.setdefault("outcome", "ok")
    columns.setdefault("duration_ms", 1.0)
    columns.setdefault("at", timezone.now() - timedelta(seconds=seconds_ago))
    return CallRecord.objects.create(tool_name=tool_name, **columns)


def make_calls(count: int, **columns: Any) -> None:
    """Many calls, a second between each."""
    now = timezone.now()
    given = {"tool_name": "sales", "outcome": "ok", "duration_ms": 1.0, **columns}
    CallRecord.objects.bulk_create(
        CallRecord(at=now - timedelta(seconds=number), **given) for number in range(count)
    )
