"""Figures of calls: how many, how many failed, how long they took."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import (
    Aggregate,
    Count,
    F,
    FloatField,
    Q,
)
from django.utils import timezone

from access.models import CallRecord, Outcome
from access.replica import reading_connection
from access.visibility import visible_calls

# A call of a tool that is inactive or was never there, or with a key that is refused, says nothing about a tool.
OF_A_TOOL = ~Q(outcome__in=[Outcome.UNKNOWN_TOOL, Outcome.REFUSED])
FAILED = OF_A_TOOL & ~Q(outcome=Outcome.OK)


class Percentile95(Aggregate):
    """The value that 95 % of the values do not exceed."""

    function = "percentile_cont"
    template = "%(function)s(0.95) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True)
class CallFigures:
    """Of some calls; `p95_ms` is None if there are none."""

    calls: int = 0
    errors: int = 0
    p95_ms: float | None = None

    @property
    def error_rate(self) -> float:
        """Failed calls, in percent."""
        return 100 * self.errors / self.calls if self.calls else 0.0


# Sorted by a number first, so that names are compared only where they are equal.
_SLOWEST = """
SELECT tool_name, percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_ms) FROM h_call_record
WHERE outcome NOT IN ('unknown_tool', 'refused') AND at >= %s GROUP BY hashtext(tool_name), tool_name
"""
_CALLS = Count("pk")
_ERRORS = Count("pk", filter=FAILED)
_P95 = Percentile95("duration_ms")


def start_of_today() -> datetime:
    """Midnight in the time zone of the page."""
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def read_tool_figures(
    since: datetime, names: Collection[str] | None = None
) -> dict[str, CallFigures]:
    """By tool, of those that were called since then; of the named ones if names are given."""
    calls = CallRecord.objects.filter(OF_A_TOOL, at__gte=since).order_by()
    if names is not None:
        calls = calls.filter(tool_name__in=names)
    rows = calls.values("tool_name").annotate(calls=_CALLS, errors=_ERRORS, p95_ms=_P95)
    return {
        row["tool_name"]: CallFigures(row["calls"], row["errors"], row["p95_ms"]) for row in rows
    }


def read_slowest(since: datetime) -> dict[str, float]:
    """By tool, of those that were called since then, the duration that 95 % of the calls do not exceed."""
    there = reading_connection()
    with transaction.atomic(there.alias), there.cursor() as cursor:
        # Enough to sort a day's calls without a file.
        cursor.execute("SET LOCAL work_mem = '64MB'")
        cursor.execute(_SLOWEST, [since])
        # Taken one by one, a row costs twice as much.
        return dict(cursor.fetchall())


def read_failing_tools(
    user: User, since: datetime, *, calls: int, percent: int
) -> dict[str, CallFigures]:
    """By tool, of those with so many calls since then of which more than that share failed."""
    rows = visible_calls(user).filter(OF_A_TOOL, at__gte=since).order_by().values("tool_name")
    figures = rows.annotate(calls=_CALLS, errors=_ERRORS)
    failing = figures.filter(calls__gte=calls, errors__gt=F("calls") * percent / 100.0)
    return {row["tool_name"]: CallFigures(row["calls"], row["errors"]) for row in failing}
