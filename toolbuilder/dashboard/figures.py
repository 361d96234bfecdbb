"""What the dashboard's charts and lists show of a range of time."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from access.history.figures import RANGES, RangeFigures, TimeRange, Total
from access.models import Outcome
from access.replica import reading_connection
from access.templatetags.access import tool_address
from access.visibility import hidden_tools
from toolbuilder.listing.other_tools import find_other_tools
from toolbuilder.visibility import visible_tools
from tools.models import ToolSearch

DEFAULT_RANGE = "24h"
SHOWN = 6
# Searches of long ago say little of the tools of today, and there may be millions.
_SEARCHES_READ = 20_000
_FOUND = """
SELECT found.name, count(*) FROM (
    SELECT names FROM h_tool_search WHERE at >= %s ORDER BY at DESC LIMIT %s
) search, jsonb_array_elements_text(jsonb_path_query_array(names, '$[0 to 2]')) found (name)
GROUP BY 1 ORDER BY 2 DESC, 1
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """A line of a list: what, how many of them, and `share`, in percent, of the longest one."""

    label: str
    count: int
    share: int
    address: str
    note: str = ""
    failed: int = 0
    total_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Names:
    """Names of tools, those shown and how many more, out of how many that could be named.

    Counts are beside them where they say something.
    """

    shown: list[tuple[str, str, int]]
    more: int
    out_of: int

    @property
    def count(self) -> int:
        """How many in all."""
        return len(self.shown) + self.more


def choose_range(name: str) -> TimeRange:
    """The range of that name, a day if there is none."""
    return RANGES.get(name, RANGES[DEFAULT_RANGE])


def label_ranges() -> dict[str, str]:
    """The ranges as links say them."""
    return {"24h": _("24 h"), "7d": _("7 days"), "90d": _("90 days")}


def chart_data(figures: RangeFigures, time_range: TimeRange) -> dict[str, Any]:
    """The slots as columns of numbers, for the charts; moments in seconds since 1970."""
    slots = figures.slots
    return {
        "starts": [int(slot.start.timestamp()) for slot in slots],
        "width": int(time_range.width.total_seconds()),
        "calls": [slot.calls for slot in slots],
        "errors": [slot.errors for slot in slots],
        "p50": [_rounded(slot.p50_ms) for slot in slots],
        "p95": [_rounded(slot.p95_ms) for slot in slots],
        "p99": [_rounded(slot.p99_ms) for slot in slots],
        "address": reverse("calls"),
        "zone": timezone.get_current_timezone_name(),
        "labels": {
            "time": _("Time"),
            "calls": _("calls"),
            "errors": _("errors"),
        },
    }


def list_causes(figures: RangeFigures, since: datetime) -> list[Bar]:
    """Why calls failed, most first."""
    labels = dict(Outcome.choices)
    most = max((count for _name, count in figures.outcomes), default=1)
    return [
        Bar(
            str(labels.get(outcome, outcome)),
            count,
            _share(count, most),
            calls_address(since, outcome=outcome),
        )
        for outcome, count in figures.outcomes
    ]


def list_tools(tools: Sequence[Total], since: datetime, *, by_time: bool = False) -> list[Bar]:
    """The tools that were called most, or that took most time in all."""
    ordered = sorted(tools, key=lambda tool: (-tool.total_ms, tool.name)) if by_time else tools
    shown = ordered[:SHOWN]
    most = max((tool.total_ms if by_time else tool.calls for tool in shown), default=1)
    return [
        Bar(
            tool.name,
            tool.calls,
            _share(tool.total_ms if by_time else tool.calls, most),
            calls_address(since, tool=tool.name),
            failed=tool.errors,
            total_ms=tool.total_ms,
        )
        for tool in shown
    ]


def list_callers(callers: Sequence[Total], since: datetime) -> list[Bar]:
    """Who called most, and with which client."""
    shown = callers[:SHOWN]
    most = max((caller.calls for caller in shown), default=1)
    return [
        Bar(
            caller.name or "–",
            caller.calls,
            _share(caller.calls, most),
            calls_address(since, key=caller.key_id, caller=caller.name, client=caller.client),
            note=caller.client,
            failed=caller.errors,
        )
        for caller in shown
    ]


def list_missed_searches(since: datetime) -> list[Bar]:
    """Questions after which nothing was called that they found, if anything; most often asked first.

    `address` begins a tool for each, `note` says which never found any: by meaning a search always
    finds something.
    """
    searches = ToolSearch.objects.filter(at__gte=since).exclude(query="").order_by()
    rows = searches.values("query").annotate(
        count=Count("pk"), called=Count("called_tool"), empty=Count("pk", filter=Q(names=[]))
    )
    found = list(rows.filter(called=0).order_by("-count", "query")[:SHOWN])
    most = max((row["count"] for row in found), default=1)
    return [
        Bar(
            row["query"],
            row["count"],
            _share(row["count"], most),
            f"{reverse('tool-new')}?{urlencode({'wish': row['query'][:300]})}",
            note=_("no tool found") if row["empty"] == row["count"] else "",
        )
        for row in found
    ]


def find_uncalled(user: User, called: Collection[str]) -> Names:
    """Active tools that nobody called, those of this installation before others."""
    own = visible_tools(user).active().order_by("name").values_list("name", flat=True)
    others = sorted(tool.name for tool in find_other_tools(user, []) if tool.is_active)
    active = [*own, *others]
    uncalled = [name for name in active if name not in called]
    shown = [(name, tool_address(name), 0) for name in uncalled[:SHOWN]]
    return Names(shown, len(uncalled) - len(shown), len(active))


def find_passed_over(user: User, called: Collection[str], since: datetime) -> Names:
    """Tools that searches found among the first three, and that nobody called then."""
    with reading_connection().cursor() as cursor:
        cursor.execute(_FOUND, [since, _SEARCHES_READ])
        hidden = hidden_tools(user)
        found = [row for row in cursor if row[0] not in hidden]
    passed_over = [row for row in found if row[0] not in called]
    shown = [(name, tool_address(name), count) for name, count in passed_over[:SHOWN]]
    return Names(shown, len(passed_over) - len(shown), len(found))


def calls_address(since: datetime, **filters: str) -> str:
    """The log of the calls since then, with these filters."""
    given = {name: value for name, value in filters.items() if value}
    start = timezone.localtime(since).strftime("%Y-%m-%dT%H:%M")
    return f"{reverse('calls')}?{urlencode({**given, 'start': start})}"


def _share(part: float, most: float) -> int:
    return max(1, round(100 * part / most)) if most else 0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
