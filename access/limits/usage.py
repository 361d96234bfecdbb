"""What is used of each limit, as people see it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Q, QuerySet
from django_stubs_ext import StrOrPromise

from access.limits.counting import open_counters
from access.limits.models import LimitCount, LimitState, LimitTally, TargetType, ToolLimit
from access.models import ApiKey
from core.limits import MILLI, LimitBook, LimitTarget, Measure, Window
from gateways.counters.counters import CountersAwayError

NEAR_PERCENT = 80
FIELDS = {field.name: field for field in ToolLimit._meta.fields}


@dataclass(frozen=True, slots=True)
class LimitUse:
    """One measure of a limit, and how much of it is used, None if that is unknown.

    `who` is whose use that is: where each caller is counted by itself, of the one that used most.
    `ends_at` None: nothing ends.
    """

    row: ToolLimit
    measure: Measure
    most: int
    used: int | None
    who: str
    ends_at: datetime | None

    @property
    def label(self) -> StrOrPromise:
        """What is counted, and by which time, in words."""
        return FIELDS[self.measure].verbose_name

    @property
    def is_of_one(self) -> bool:
        """Whether each caller is counted by itself, so that `who` says which one."""
        is_each = self.row.target_type in (TargetType.USER, TargetType.KEY)
        return is_each and not self.row.target_id and bool(self.who)

    @property
    def percent(self) -> int:
        """Used, of a hundred."""
        return min(100, 100 * (self.used or 0) // self.most) if self.most else 100

    @property
    def level(self) -> str:
        """'bad' for a used up limit, 'warn' for one that soon is, else ''."""
        is_over = self.used is not None and self.used >= self.most
        return "bad" if is_over else "warn" if self.percent >= NEAR_PERCENT else ""


def limit_zone() -> ZoneInfo:
    """Where days of limits begin and end."""
    return ZoneInfo(settings.LIMIT_TIME_ZONE)


def counts_in_postgres() -> bool:
    """Whether Redis is away, or there is none."""
    return LimitState.objects.filter(in_postgres=True).exists()


def read_uses(rows: Iterable[ToolLimit]) -> list[LimitUse]:
    """Each measure of the rows in their order, with what is used of it now; none of rows with a fault."""
    book, now = LimitBook((), limit_zone()), datetime.now(UTC)
    windows: list[tuple[ToolLimit, Window]] = []
    for row in rows:
        if not row.fault:
            limit = row.to_limit()
            subject = limit.subject_of(limit.target_id, limit.target_id, limit.tool_name) or ""
            windows += [(row, window) for window in book.windows([(limit, subject)], now)]
    used = _read_used([window for _, window in windows])
    keys = ApiKey.objects.filter(key_id__in={subject for subject, _ in used.values()})
    names = dict(keys.values_list("key_id", "name"))
    uses: list[LimitUse] = []
    for row, window in windows:
        subject, count = used[window.key]
        unit = MILLI if window.measure is Measure.SECONDS_A_DAY else 1
        known = None if count is None else count // unit
        is_key = window.limit.target is LimitTarget.KEY
        who = names.get(subject, subject) if is_key else subject
        most = window.most // unit
        uses.append(LimitUse(row, window.measure, most, known, who, window.ends_at))
    return uses


def read_near_limits(rows: "QuerySet[ToolLimit]") -> Iterator[LimitUse]:
    """Active limits of the rows of which 80 % is used, the most used first."""
    uses = read_uses(rows.filter(is_active=True))
    yield from sorted((use for use in uses if use.level), key=lambda use: -use.percent)


def _read_used(windows: Sequence[Window]) -> dict[str, tuple[str, int | None]]:
    """By the key of each window the subject that has used most of it, and how much; None is unknown."""
    running = [window for window in windows if window.ends_at is None]
    lasting = [window for window in windows if window.ends_at is not None]
    asked = Q(key__in=[window.key for window in lasting if window.subject])
    for window in lasting:
        if not window.subject:
            # Of a window that each has by itself, all of them.
            asked |= Q(key__startswith=window.key)
    counted: Counter[str] = Counter()
    for rows in (LimitCount.objects, LimitTally.objects):
        for key, count in rows.filter(asked).values_list("key", "used"):
            counted[key] += count
    used: dict[str, tuple[str, int | None]] = _count_running(running)
    for window in lasting:
        begin, key = window.key.removesuffix(window.subject), window.key
        if not window.subject:
            of_each = {each: n for each, n in counted.items() if each.startswith(begin)}
            key = max(of_each, key=of_each.__getitem__, default=key)
        used[window.key] = (key.removeprefix(begin), counted[key])
    return used


def _count_running(windows: Sequence[Window]) -> dict[str, tuple[str, int | None]]:
    counts: Sequence[int | None] = [None] * len(windows)
    if windows and not counts_in_postgres() and (counters := open_counters()) is not None:
        with suppress(CountersAwayError):
            counts = counters.count_occupied([window.key for window in windows])
    pairs = zip(windows, counts, strict=True)
    return {window.key: (window.subject, count) for window, count in pairs}
