"""Figures of days, counted from the calls while they are there."""

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from access.models import CallDay

# Figures name callers, so they are not kept for ever.
DAYS_KEPT = 400
# Durations in one bucket differ by a tenth: 1.1^(bucket - 0.5) ms is at most 5 % off.
BUCKET = "ceil(ln(greatest(duration_ms, 0.01)) / ln(1.1))::int"
# What agents call unknown tools is their own text; there is no end of it.
TOOL = "CASE WHEN outcome = 'unknown_tool' THEN '' ELSE tool_name END"
IS_ERROR = "outcome NOT IN ('ok', 'unknown_tool')"
# Refused keys are no calls.
IS_CALL = "outcome <> 'refused'"
DAY = "(at AT TIME ZONE %(zone)s)::date"
# Any number that no other program of this database uses for its own lock.
_LOCK = 0x7001_05E6

_COUNT = f"""
INSERT INTO h_call_day (day, tool_name, outcome, calls, truncated, total_ms)
SELECT {DAY}, {TOOL}, outcome, count(*), count(*) FILTER (WHERE truncated), sum(duration_ms)
FROM h_call_record WHERE at >= %(since)s AND {IS_CALL} GROUP BY 1, 2, 3
"""  # noqa: S608 - our own texts
_COUNT_DURATIONS = f"""
INSERT INTO h_duration_day (tool_name, day, bucket, calls)
SELECT coalesce(tool, '*'), day, bucket, count(*) FROM (
    SELECT {TOOL} AS tool, {DAY} AS day, {BUCKET} AS bucket
    FROM h_call_record WHERE at >= %(since)s AND {IS_CALL}
) call GROUP BY GROUPING SETS ((day, bucket, tool), (day, bucket))
"""  # noqa: S608
_COUNT_CALLERS = f"""
INSERT INTO h_caller_day (day, key_id, caller, client_name, calls, errors, total_ms)
SELECT {DAY}, key_id, caller, client_name, count(*), count(*) FILTER (WHERE {IS_ERROR}), sum(duration_ms)
FROM h_call_record WHERE at >= %(since)s AND {IS_CALL} GROUP BY 1, 2, 3, 4
"""  # noqa: S608


def roll_up_days() -> date | None:
    """Count the last two days that were counted again, and what came since; the first day counted.

    None where nothing was ever called. Days are those of the server's time zone.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        if (first := _first_day()) is None:
            return None
        oldest = today() - timedelta(days=DAYS_KEPT)
        for table in ("h_call_day", "h_duration_day", "h_caller_day"):
            cursor.execute(f"DELETE FROM {table} WHERE day >= %s OR day < %s", [first, oldest])  # noqa: S608 - our tables
        values: dict[str, Any] = {"zone": settings.TIME_ZONE, "since": midnight(first)}
        for count in (_COUNT, _COUNT_DURATIONS, _COUNT_CALLERS):
            cursor.execute(count, values)
        return first


def last_day() -> date | None:
    """The last day of which there are figures; more calls of it may have come since."""
    day: date | None = CallDay.objects.order_by("-day").values_list("day", flat=True).first()
    return day


def midnight(day: date) -> datetime:
    """When a day begins in the server's time zone."""
    return datetime.combine(day, time.min, ZoneInfo(settings.TIME_ZONE))


def today() -> date:
    """The day in the server's time zone."""
    return timezone.now().astimezone(ZoneInfo(settings.TIME_ZONE)).date()


def _first_day() -> date | None:
    """The first day to be counted: of earlier ones the figures are right, or calls may be dropped."""
    if (last := last_day()) is not None:
        kept = today() - timedelta(days=settings.CALL_LOG_RETENTION_DAYS - 1)
        return max(last - timedelta(days=1), kept)
    with connection.cursor() as cursor:
        cursor.execute("SELECT min(at) FROM h_call_record")
        (at,) = cursor.fetchone()
    return at.astimezone(ZoneInfo(settings.TIME_ZONE)).date() if at else None
