"""The dashboard: figures and charts of a range of time, what needs attention, runtimes, the last calls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from access.call_log import ANY_FAILURE
from access.history.figures import RangeFigures, read_range
from access.models import RuntimeInstance
from access.templatetags.formats import milliseconds, percent, time_spent
from access.views.gates import SEE_LIMITS, for_staff_with, user_of
from access.visibility import hidden_tools, visible_calls
from toolbuilder.dashboard.attention import (
    Attention,
    find_bad_sources,
    find_broken_tools,
    find_failed_scans,
    find_failing_tools,
    find_near_limits,
    find_resting_tools,
    find_undescribed_tools,
)
from toolbuilder.dashboard.figures import (
    calls_address,
    chart_data,
    choose_range,
    find_passed_over,
    find_uncalled,
    label_ranges,
    list_callers,
    list_causes,
    list_missed_searches,
    list_tools,
)
from toolbuilder.dashboard.progress import read_invitation
from toolbuilder.gates import ToolRights, rights_of
from tools.drift import RUNTIME_SILENT_AFTER
from tools.models import RegistryRevision

CALLS_SHOWN = 10
_RUNTIMES_SHOWN = 20
# Of a sparkline.
WIDTH = 120
HEIGHT = 28
_EDGE = 2


@dataclass(frozen=True, slots=True)
class Sparkline:
    """`line` and `area` are `points` of a polyline and a polygon in a box of 120 by 28."""

    line: str
    area: str
    width: int = WIDTH
    height: int = HEIGHT


def draw_sparkline(values: Sequence[float]) -> Sparkline:
    """The values from left to right over zero; the largest reaches the top."""
    top = max(values, default=0) or 1
    step = (WIDTH - 2 * _EDGE) / max(len(values) - 1, 1)
    ground = HEIGHT - _EDGE
    points = [
        f"{_EDGE + number * step:.1f},{ground - (ground - _EDGE) * value / top:.1f}"
        for number, value in enumerate(values)
    ]
    line = " ".join(points)
    return Sparkline(line, f"{_EDGE},{ground} {line} {WIDTH - _EDGE},{ground}")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that leads to what it counts, and how it went in the slots of its range."""

    label: str
    value: str
    address: str
    slots: Sequence[float] = ()

    @property
    def has_slots(self) -> bool:
        """Whether a drawing of the slots says anything."""
        return any(self.slots)

    @property
    def line(self) -> Sparkline:
        """The drawing of the slots."""
        return draw_sparkline(self.slots)


@for_staff_with()
@require_GET
def dashboard(request: HttpRequest) -> HttpResponse:
    """What happens now and in the chosen range of time, as far as the person may see it."""
    rights = rights_of(request)
    context: dict[str, Any] = {
        "rights": rights,
        "attention": list(_find_attention(request, rights)),
    }
    if rights.may_add:
        context |= read_invitation()
    if rights.may_see_calls:
        calls = visible_calls(user_of(request)).defer("arguments").order_by("-at", "-id")
        context |= {
            **_read_charts(request, rights),
            "calls": list(calls[:CALLS_SHOWN]),
        }
    if rights.may_see:
        context |= {
            "runtimes": RuntimeInstance.objects.order_by("-last_seen_at")[:_RUNTIMES_SHOWN],
            "alive_since": timezone.now() - RUNTIME_SILENT_AFTER,
            "revision": RegistryRevision.current(),
        }
    return render(request, "toolbuilder/dashboard/dashboard.html", context)


def _read_charts(request: HttpRequest, rights: ToolRights) -> dict[str, Any]:
    """All that is shown of the range that the address names."""
    user, time_range = user_of(request), choose_range(request.GET.get("range", ""))
    found = read_range(time_range, hidden_tools(user))
    since = found.whole.start
    context: dict[str, Any] = {
        "range": time_range.name,
        "ranges": label_ranges(),
        "now": timezone.now(),
        "figures": list(_list_figures(found)),
        "slots": found.slots,
        "has_calls": found.whole.calls > 0,
        "chart": chart_data(found, time_range),
        "causes": list_causes(found, since),
        "error_count": found.whole.errors,
        "top_tools": list_tools(found.tools, since),
        "slow_tools": list_tools(found.tools, since, by_time=True),
        "top_callers": list_callers(found.callers, since),
        "caller_count": len(found.callers),
    }
    if rights.may_see:
        called = {tool.name for tool in found.tools}
        context |= {
            "missed": list_missed_searches(since),
            "uncalled": find_uncalled(user, called),
            "passed_over": find_passed_over(user, called, since),
        }
    return context


def _list_figures(found: RangeFigures) -> Iterator[Figure]:
    whole, slots, since = found.whole, found.slots, found.whole.start
    every, failed = calls_address(since), calls_address(since, outcome=ANY_FAILURE)
    p95 = milliseconds(whole.p95_ms)
    yield Figure(_("Calls"), number_format(whole.calls), every, [slot.calls for slot in slots])
    rates = [slot.error_rate for slot in slots]
    yield Figure(_("Error rate"), percent(whole.error_rate), failed, rates)
    yield Figure(_("Duration, p95"), p95, every, [slot.p95_ms or 0 for slot in slots])
    seconds = [slot.total_ms for slot in slots]
    yield Figure(_("Time spent in tools"), time_spent(whole.total_ms), every, seconds)
    cut = [slot.truncated for slot in slots]
    yield Figure(_("Answers cut"), number_format(whole.truncated), every, cut)


def _find_attention(request: HttpRequest, rights: ToolRights) -> Iterator[Attention]:
    user = user_of(request)
    if rights.may_see:
        yield from find_broken_tools(user)
        yield from find_resting_tools(user)
        if rights.may_see_calls:
            yield from find_failing_tools(user)
    if rights.may_see_sources:
        yield from find_bad_sources(user)
    if user.has_perm(SEE_LIMITS):
        yield from find_near_limits(user)
    yield from find_failed_scans(user)
    if rights.may_see:
        yield from find_undescribed_tools(user)
