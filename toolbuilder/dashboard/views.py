"""The dashboard: four figures, what needs attention, the runtimes and the last calls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from access.call_log import ANY_FAILURE
from access.figures import (
    read_figures,
    read_hours,
    start_of_today,
)
from access.models import RuntimeInstance
from access.templatetags.formats import milliseconds, percent
from access.views.gates import SEE_LIMITS, for_staff_with, user_of
from access.visibility import visible_calls
from toolbuilder.dashboard.attention import (
    Attention,
    find_bad_sources,
    find_broken_tools,
    find_failed_scans,
    find_failing_tools,
    find_near_limits,
    find_undescribed_tools,
)
from toolbuilder.dashboard.progress import read_invitation
from toolbuilder.gates import ToolRights, rights_of
from toolbuilder.visibility import visible_tools
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
    """A number that leads to what it counts, and how it went in the last 24 hours."""

    label: str
    value: str
    address: str
    about: str
    hours: Sequence[float]

    @property
    def has_hours(self) -> bool:
        """Whether a drawing of the hours says anything."""
        return any(self.hours)

    @property
    def line(self) -> Sparkline:
        """The drawing of the hours."""
        return draw_sparkline(self.hours)

    @property
    def values(self) -> str:
        """The hours for those who do not see the drawing."""
        return ", ".join(f"{value:.4g}" for value in self.hours)


@for_staff_with()
@require_GET
def dashboard(request: HttpRequest) -> HttpResponse:
    """What happens now, as far as the person may see it."""
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
            "figures": list(_read_figures(request, rights)),
            "calls": list(calls[:CALLS_SHOWN]),
        }
    if rights.may_see:
        context |= {
            "runtimes": RuntimeInstance.objects.order_by("-last_seen_at")[:_RUNTIMES_SHOWN],
            "alive_since": timezone.now() - RUNTIME_SILENT_AFTER,
            "revision": RegistryRevision.current(),
        }
    return render(request, "toolbuilder/dashboard/dashboard.html", context)


def _read_figures(request: HttpRequest, rights: ToolRights) -> Iterator[Figure]:
    calls = visible_calls(user_of(request))
    today, hours = read_figures(calls, start_of_today()), read_hours(calls)
    by_hour = _("By hour, in the last 24 hours")
    all_calls, failed = _calls_of_today(), _calls_of_today(outcome=ANY_FAILURE)
    slowest = f"{reverse('tools')}?sort=slow" if rights.may_see else all_calls
    counts, rates = [hour.calls for hour in hours], [hour.error_rate for hour in hours]
    times, p95 = [hour.p95_ms or 0 for hour in hours], milliseconds(today.p95_ms)
    yield Figure(_("Calls today"), number_format(today.calls), all_calls, by_hour, counts)
    yield Figure(_("Error rate today"), percent(today.error_rate), failed, by_hour, rates)
    yield Figure(_("Duration, p95"), p95, slowest, by_hour, times)
    if rights.may_see:
        count = visible_tools(user_of(request)).active().count()
        address = f"{reverse('tools')}?state=active"
        called = _("Tools called, by hour, in the last 24 hours")
        tools = [hour.tools for hour in hours]
        yield Figure(_("Active tools"), number_format(count), address, called, tools)


def _calls_of_today(**filters: str) -> str:
    query = urlencode({**filters, "start": timezone.localdate().isoformat()})
    return f"{reverse('calls')}?{query}"


def _find_attention(request: HttpRequest, rights: ToolRights) -> Iterator[Attention]:
    user = user_of(request)
    username = user.get_username()
    if rights.may_see:
        yield from find_broken_tools(user)
        if rights.may_see_calls:
            yield from find_failing_tools(user)
    if rights.may_see_sources:
        yield from find_bad_sources(username)
    if user.has_perm(SEE_LIMITS):
        yield from find_near_limits(user)
    yield from find_failed_scans(username)
    if rights.may_see:
        yield from find_undescribed_tools(user)
