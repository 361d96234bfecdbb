"""Figures of calls over a range of time: how many, what failed, how long, by whom."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone

from access.history.days import (
    BUCKET,
    DAY,
    IS_CALL,
    IS_ERROR,
    TOOL,
    last_day,
    midnight,
    today,
)
from access.models import Outcome
from access.replica import reading_connection

_NO_ERRORS = {Outcome.OK.value, Outcome.UNKNOWN_TOOL.value}
_SHOWN = f"{IS_CALL} AND tool_name <> ALL(%(hidden)s)"
# Each side of the OR is a condition of the index, with which the days between are not read at all.
_RAW = f"""FROM h_call_record
WHERE (at >= %(since)s AND at < %(days_from)s OR at >= %(days_until)s) AND {_SHOWN}"""
# Seconds since 1970: reading tens of thousands of timestamps costs more than all the rest of a page.
_SLOT = "extract(epoch FROM date_bin(%(width)s, at, %(since)s))::bigint"
_DAYS = "WHERE day >= %(first)s AND day < %(counted)s"
_SHOWN_DAYS = f"{_DAYS} AND tool_name <> ALL(%(hidden)s)"

# The same columns from calls, and from the figures of days that are counted.
_BY_SLOT = f"""
SELECT {{slot}} AS slot, outcome, {BUCKET} AS bucket, count(*) AS calls,
    count(*) FILTER (WHERE truncated) AS truncated, sum(duration_ms) AS ms
{_RAW} GROUP BY 1, 2, 3
"""
_BY_SLOT_OF_DAYS = f"""
SELECT day, outcome, NULL, sum(calls)::bigint, sum(truncated)::bigint, sum(total_ms)
FROM h_call_day {_SHOWN_DAYS} GROUP BY 1, 2 UNION ALL
SELECT day, NULL, bucket, sum(CASE WHEN tool_name = '*' THEN calls ELSE -calls END)::bigint, 0, 0
FROM h_duration_day {_DAYS} AND tool_name = ANY(ARRAY['*'] || %(hidden)s::text[]) GROUP BY 1, 3
"""  # noqa: S608
_BY_TOOL = f"""
SELECT {TOOL} AS tool_name, count(*) AS calls, count(*) FILTER (WHERE {IS_ERROR}) AS errors,
    count(*) FILTER (WHERE truncated) AS truncated, sum(duration_ms) AS ms
{_RAW} GROUP BY 1
"""
_BY_TOOL_OF_DAYS = f"""
SELECT tool_name, sum(calls)::bigint, coalesce(sum(calls) FILTER (WHERE {IS_ERROR}), 0)::bigint,
    sum(truncated)::bigint, sum(total_ms)
FROM h_call_day {_SHOWN_DAYS} GROUP BY 1
"""  # noqa: S608
_BY_CALLER = f"""
SELECT caller, key_id, client_name, count(*) AS calls, count(*) FILTER (WHERE {IS_ERROR}) AS errors,
    sum(duration_ms) AS ms
{_RAW} GROUP BY 1, 2, 3
"""
_BY_CALLER_OF_DAYS = f"""
SELECT caller, key_id, client_name, sum(calls)::bigint, sum(errors)::bigint, sum(total_ms)
FROM h_caller_day {_DAYS} GROUP BY 1, 2, 3
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A range of time that ends now, in slots of `width`; days are those of the calendar."""

    name: str
    slots: int
    width: timedelta

    @property
    def is_of_days(self) -> bool:
        """Whether a slot is a day, whose figures are counted before."""
        return self.width >= timedelta(days=1)

    def starts(self) -> list[datetime]:
        """When the slots begin, the oldest first; now is in the last one."""
        if self.is_of_days:
            last = today()
            return [midnight(last - timedelta(days=back)) for back in range(self.slots - 1, -1, -1)]
        # Between clock times an hour may be missing.
        first = midnight(today()).astimezone(UTC)
        last_start = first + (timezone.now() - first) // self.width * self.width
        return [last_start - self.width * back for back in range(self.slots - 1, -1, -1)]

    def key_of(self, start: datetime) -> date | int:
        """What rows say of the slot that begins then."""
        return start.date() if self.is_of_days else int(start.timestamp())


RANGES = {
    found.name: found
    for found in (
        TimeRange("24h", 48, timedelta(minutes=30)),
        TimeRange("7d", 84, timedelta(hours=2)),
        TimeRange("90d", 90, timedelta(days=1)),
    )
}


@dataclass(slots=True)
class Slot:
    """Calls of one slot, or of all of them; `durations` has how many took as long as each bucket."""

    start: datetime
    calls: int = 0
    errors: int = 0
    truncated: int = 0
    total_ms: float = 0.0
    durations: Counter[int] = field(default_factory=Counter)

    def add(self, other: "Slot") -> None:
        """Count the calls of another one, too."""
        self.calls += other.calls
        self.errors += other.errors
        self.truncated += other.truncated
        self.total_ms += other.total_ms
        self.durations.update(other.durations)

    @property
    def error_rate(self) -> float:
        """Failed calls, in percent."""
        return 100 * self.errors / self.calls if self.calls else 0.0

    @property
    def p50_ms(self) -> float | None:
        """The duration that half of the calls do not exceed."""
        return percentile(self.durations, 0.5)

    @property
    def p95_ms(self) -> float | None:
        """The duration that 95 % of the calls do not exceed."""
        return percentile(self.durations, 0.95)

    @property
    def p99_ms(self) -> float | None:
        """The duration that 99 % of the calls do not exceed."""
        return percentile(self.durations, 0.99)


@dataclass(frozen=True, slots=True)
class Total:
    """Calls of one tool or of one caller; `key_id` and `client` are a caller's."""

    name: str
    calls: int
    errors: int
    total_ms: float
    truncated: int = 0
    key_id: str = ""
    client: str = ""


@dataclass(frozen=True, slots=True)
class RangeFigures:
    """Of the calls in a range: as a whole and by slot, why they failed, and by tool and caller, most first.

    `outcomes` counts failures of tools alone; `tools` has the tools that were called.
    """

    whole: Slot
    slots: list[Slot]
    outcomes: list[tuple[str, int]]
    tools: list[Total]
    callers: list[Total]


def read_range(time_range: TimeRange, hidden: Collection[str] = ()) -> RangeFigures:
    """The figures of the calls in that range, without those of the `hidden` tools; four queries.

    Durations are at most 5 % off: see `access.history.days.BUCKET`.
    """
    starts = time_range.starts()
    source = _Source.choose(time_range, starts[0], hidden)
    in_calls = replace(source, counted=source.first)
    # Figures of days say nothing of hours.
    slots, outcomes = _read_slots(source if time_range.is_of_days else in_calls, time_range, starts)
    whole = Slot(starts[0])
    for slot in slots:
        whole.add(slot)
    tools = _add_up(source.read(_BY_TOOL, _BY_TOOL_OF_DAYS), 1)
    # Figures of callers' days do not say of which tools.
    callers_source = in_calls if hidden else source
    callers = _add_up(callers_source.read(_BY_CALLER, _BY_CALLER_OF_DAYS), 3)
    return RangeFigures(
        whole,
        slots,
        [(outcome, count) for outcome, count in outcomes.most_common() if count],
        [
            Total(name, calls, errors, ms, truncated)
            for (name,), (calls, errors, truncated, ms) in tools
            if name
        ],
        [
            Total(caller, calls, errors, ms, key_id=key_id, client=client)
            for (caller, key_id, client), (calls, errors, ms) in callers
        ],
    )


def _read_slots(
    source: "_Source", time_range: TimeRange, starts: Iterable[datetime]
) -> tuple[list[Slot], Counter[str]]:
    """The slots that begin then, and how many calls failed by each outcome."""
    slots = [Slot(start) for start in starts]
    by_start = {time_range.key_of(slot.start): slot for slot in slots}
    outcomes = Counter[str]()
    calls_by_slot = _BY_SLOT.replace("{slot}", DAY if time_range.is_of_days else _SLOT)
    for key, outcome, bucket, calls, truncated, ms in source.read(calls_by_slot, _BY_SLOT_OF_DAYS):
        # A call of a runtime whose clock is ahead is one of now.
        slot = by_start.get(key, slots[-1])
        if bucket is not None:
            slot.durations[bucket] += calls
        if outcome is None:
            continue
        is_error = outcome not in _NO_ERRORS
        slot.calls += calls
        slot.errors += calls * is_error
        slot.truncated += truncated
        slot.total_ms += ms
        outcomes[outcome] += calls * is_error
    return slots, outcomes


def percentile(durations: Mapping[int, int], share: float) -> float | None:
    """The duration, in ms, that this share of the calls does not exceed; None if there are none."""
    left = share * sum(durations.values())
    for bucket in sorted(durations):
        left -= durations[bucket]
        if left <= 0:
            return float(1.1 ** (bucket - 0.5))
    return None


@dataclass(frozen=True, slots=True)
class _Source:
    """Where figures are read: whole days from `first` until `counted` in theirs, the rest in the calls."""

    since: datetime
    width: timedelta
    hidden: list[str]
    first: date
    counted: date

    @classmethod
    def choose(cls, time_range: TimeRange, start: datetime, hidden: Collection[str]) -> "_Source":
        first = start.astimezone(ZoneInfo(settings.TIME_ZONE)).date()
        if midnight(first) < start:
            first += timedelta(days=1)
        # More calls of the last day that is counted may have come.
        counted = max(last_day() or first, first)
        return cls(start, time_range.width, list(hidden), first, counted)

    def read(self, calls: str, days: str) -> list[tuple[Any, ...]]:
        """Rows of both; the same key may be in each."""
        values: dict[str, Any] = {
            "since": self.since,
            "days_from": midnight(self.first),
            "days_until": midnight(self.counted),
            "width": self.width,
            "hidden": self.hidden,
            "zone": settings.TIME_ZONE,
            "first": self.first,
            "counted": self.counted,
        }
        with reading_connection().cursor() as cursor:
            cursor.execute(
                f"{calls} UNION ALL {days}" if self.first < self.counted else calls, values
            )
            rows: list[tuple[Any, ...]] = cursor.fetchall()
            return rows


def _add_up(
    rows: Iterable[tuple[Any, ...]], keys: int
) -> list[tuple[tuple[str, ...], tuple[Any, ...]]]:
    """One row for each key, which are the first columns, with the sums of the others; most calls first."""
    sums: dict[tuple[str, ...], tuple[Any, ...]] = {}
    for row in rows:
        key, values = row[:keys], row[keys:]
        before = sums.get(key)
        sums[key] = tuple(map(sum, zip(before, values, strict=True))) if before else values
    return sorted(sums.items(), key=lambda item: (-item[1][0], item[0]))
