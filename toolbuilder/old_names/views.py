"""Old names of a tool and of its parameters: who uses them yet, ending one, prolonging one."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from access.models import CallRecord
from access.views.gates import SEE_CALLS, for_staff_with, user_of
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS, may_change, rights_of
from toolbuilder.visibility import visible_tools
from tools.aliases import DEFAULT_DAYS, ToolAlias, read_days
from tools.models import ToolDefinition

LOOKED_BACK = timedelta(days=30)
CALLERS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class OldNameCaller:
    """Who called by an old name, how often and when last."""

    caller: str
    key_id: str
    calls: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class OldNameLine:
    """An old name with those who called by it in the last 30 days, the most frequent first."""

    alias: ToolAlias
    callers: Sequence[OldNameCaller]
    calls: int


@for_staff_with(SEE_TOOLS)
@require_GET
def old_names(request: HttpRequest, name: str) -> HttpResponse:
    """The old names, those that end last first; callers only for those who may see calls."""
    tool = get_object_or_404(visible_tools(user_of(request)), name=name)
    callers = read_callers(tool) if user_of(request).has_perm(SEE_CALLS) else {}
    lines = []
    for alias in tool.aliases.order_by("-expires_at", "id"):
        found = callers.get(alias.called_as, [])
        calls = sum(caller.calls for caller in found)
        lines.append(OldNameLine(alias, found[:CALLERS_SHOWN], calls))
    context = {
        "tool": tool,
        "lines": lines,
        "rights": rights_of(request, tool),
        "default_days": DEFAULT_DAYS,
    }
    return render(request, "toolbuilder/old_names/page.html", context)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def old_name_change(request: HttpRequest, name: str, alias_id: int) -> HttpResponse:
    """Ends the old name now, or has it answer for so many days from now."""
    tool = get_object_or_404(visible_tools(user_of(request)), name=name)
    if not may_change(user_of(request), tool):
        raise PermissionDenied
    alias = get_object_or_404(tool.aliases, pk=alias_id)
    days = 0 if "end" in request.POST else read_days(request.POST.get("days"), DEFAULT_DAYS)
    alias.expires_at = timezone.now() + timedelta(days=days)
    alias.save(update_fields=["expires_at"])
    if days:
        text = _("Calls by %(name)s are answered until %(until)s.")
    else:
        text = _("Calls by %(name)s are no longer answered; they are told the new name.")
    until = timezone.localtime(alias.expires_at)
    messages.success(request, text % {"name": alias.old_name, "until": f"{until:%Y-%m-%d %H:%M}"})
    return redirect("tool-old-names", tool.name)


def read_callers(tool: ToolDefinition) -> dict[str, list[OldNameCaller]]:
    """By old name as `ToolAlias.called_as`: its callers of the last 30 days, the most frequent first."""
    calls = CallRecord.objects.filter(tool_name=tool.name, at__gte=timezone.now() - LOOKED_BACK)
    rows = calls.exclude(called_as="").order_by().values_list("called_as", "caller", "key_id")
    counted = rows.annotate(calls=Count("pk"), last_at=Max("at"))
    found: dict[str, dict[tuple[str, str], OldNameCaller]] = defaultdict(dict)
    for called_as, caller, key_id, count, last_at in counted:
        for name in called_as.split():
            known = found[name].get((caller, key_id))
            total = count + (known.calls if known else 0)
            last = max(last_at, known.last_at) if known else last_at
            found[name][caller, key_id] = OldNameCaller(caller, key_id, total, last)
    return {
        name: sorted(callers.values(), key=lambda caller: -caller.calls)
        for name, callers in found.items()
    }
