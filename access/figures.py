"""Figures of calls: how many, how many failed, how long they took."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import (
    Aggregate,
    BigIntegerField,
    Count,
    F,
    FloatField,
    Func,
    Q,
    QuerySet,
    Value,
)
from django.db.models.functions import TruncHour
from django.utils import timezone

from access.models import CallRecord, Outcome
from access.visibility import visible_calls

HOURS = 24
# A call of a tool that is inactive or was never there says nothing about a tool.
OF_A_TOOL = ~Q(outcome=Outcome.UNKNOWN_TOOL)
FAILED = OF_A_TOOL & ~Q(outcome=Outcome.OK)


class Percentile95(Aggregate):
    """The value that 95 % of the values do not exceed."""

    function = "percentile_cont"
    template = "%(function)s(0.95) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True)
class CallFigures:
    """Of some calls; `p95_ms` is None if there are none, `tools` 0 unless of an hour."""

    calls: int = 0
    errors: int = 0
    p95_ms: float | None = None
    tools: int = 0

    @property
    def error_rate(self) -> float:
        """Failed calls, in percent."""
        return 100 * self.errors / self.calls if self.calls else 0.0


_CALLS = Count("pk")
_ERRORS = Count("pk", filter=FAILED)
_P95 = Percentile95("duration_ms")
# Numbers are told apart five times as fast as texts; two of 10,000 names share one in 10^12 cases.
_NAME_NUMBER = Func(
    "tool_name", Value(0), function="hashtextextended", output_field=BigIntegerField()
)
_TOOLS = Count(_NAME_NUMBER, distinct=True)


def start_of_today() -> datetime:
    """Midnight in the time zone of the page."""
    return timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)


def read_figures(calls: "QuerySet[CallRecord]", since: datetime) -> CallFigures:
    """Of these calls since then; those of unknown tools count as calls, not as errors."""
    found = calls.filter(at__gte=since).order_by()
    return CallFigures(**found.aggregate(calls=_CALLS, errors=_ERRORS, p95_ms=_P95))


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


def read_failing_tools(
    user: User, since: datetime, *, calls: int, percent: int
) -> dict[str, CallFigures]:
    """By tool, of those with so many calls since then of which more than that share failed."""
    rows = visible_calls(user).filter(OF_A_TOOL, at__gte=since).order_by().values("tool_name")
    figures = rows.annotate(calls=_CALLS, errors=_ERRORS)
    failing = figures.filter(calls__gte=calls, errors__gt=F("calls") * percent / 100.0)
    return {row["tool_name"]: CallFigures(row["calls"], row["errors"]) for row in failing}


def read_hours(calls: "QuerySet[CallRecord]") -> list[CallFigures]:
    """Of these calls in each of the last 24 hours, the present one last."""
    last = timezone.now().replace(minute=0, second=0, microsecond=0)
    hours = [last - timedelta(hours=back) for back in range(HOURS - 1, -1, -1)]
    rows = (
        calls.filter(at__gte=hours[0])
        .order_by()
        .annotate(hour=TruncHour("at"))
        .values("hour")
        .annotate(calls=_CALLS, errors=_ERRORS, p95_ms=_P95, tools=_TOOLS)
    )
    found = {
        row["hour"]: CallFigures(row["calls"], row["errors"], row["p95_ms"], row["tools"])
        for row in rows
    }
    return [found.get(hour, CallFigures()) for hour in hours]
