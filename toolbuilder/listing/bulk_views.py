"""What people do to several tools of the list at once, each with a toast that takes it back."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from access.models import Toolset
from access.reader_language import in_language
from access.templatetags.access import tool_address
from access.views.events import trigger_event
from access.views.gates import (
    CHANGE_TOOLSETS,
    SEE_TOOLSETS,
    for_staff_with,
    is_fragment,
    user_of,
)
from core.errors import EditError
from toolbuilder.editing.publishing import archive, set_all_active, unarchive
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS, rights_of
from toolbuilder.listing.bulk import ChosenTools, read_chosen, tag_tools
from toolbuilder.listing.tool_list import ToolListState, read_rows
from toolbuilder.toolsets.composing import add_to_toolset, take_from_toolset
from toolbuilder.visibility import editable_tools, hidden_tool_names, visible_tools
from tools.models import ToolDefinition

_REFUSALS_TOLD = 3


@dataclass(frozen=True, slots=True)
class BulkAnswer:
    """What was done, as a toast says it; `undo` are the fields that the form at `address` takes it back by.

    `changed` are ids of defined tools, `names` those of tools of any kind.
    """

    text: str
    address: str
    changed: Collection[int] = ()
    undo: Mapping[str, str] = field(default_factory=dict)
    names: Collection[str] = ()

    def render(self, request: HttpRequest, shown: Collection[int]) -> HttpResponse:
        """The toast, and the shown tools as they are now; without htmx the list.

        The page of one tool says `then` and hears of it by an event; without htmx it follows.
        """
        is_editor = "then" in request.POST
        if not is_fragment(request):
            messages.success(request, self.text)
            one = ToolDefinition.objects.filter(pk__in=self.changed)
            tool = one.first() if is_editor else None
            return redirect((tool_address(tool.name) if tool else "") or "tools")
        rows = [] if is_editor else read_rows(list(shown))
        context = {
            "answer": self,
            "fields": {**self.undo, "then": "tool"} if is_editor else self.undo,
            "ids": ",".join(map(str, self.changed)),
            "names": "\n".join(self.names),
            "rows": rows,
            "again": [row.tool.pk for row in rows if row.tool.pk in set(self.changed)],
            "rights": rights_of(request),
            "state": ToolListState(),
        }
        response = render(request, "toolbuilder/listing/_changed.html", context)
        if is_editor:
            field = "active" if self.address == "tools-active" else "archived"
            trigger_event(response, "tool:switched", field=field, value=request.POST.get(field))
        return response


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def tools_active(request: HttpRequest) -> HttpResponse:
    """The chosen tools in or out of service."""
    chosen = _read_editable(request)
    is_active = request.POST.get("active") == "yes"
    changed = set_all_active(chosen.ids, is_active=is_active, username=_username(request))
    count = len(changed)
    if is_active:
        text = ngettext("%d tool was activated.", "%d tools were activated.", count) % count
    else:
        text = ngettext("%d tool was deactivated.", "%d tools were deactivated.", count) % count
    text = _with_others(text, chosen)
    undo = {"active": "no" if is_active else "yes"}
    return BulkAnswer(text, "tools-active", changed, undo).render(request, chosen.shown)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def tools_archived(request: HttpRequest) -> HttpResponse:
    """The chosen tools out of sight or back, as `archived` says.

    Those of `active` are served again once they are back.
    """
    chosen, username = _read_editable(request), _username(request)
    is_archived = request.POST.get("archived") == "yes"
    was_active = ToolDefinition.objects.active().filter(pk__in=chosen.ids)
    active = list(was_active.values_list("pk", flat=True)) if is_archived else []
    try:
        if is_archived:
            changed = archive(chosen.ids, username)
        else:
            changed = unarchive(chosen.ids, username)
    except EditError as error:
        return _refuse(request, error)
    if not is_archived:
        again = set(request.POST.get("active", "").split(","))
        ids = [tool_id for tool_id in changed if str(tool_id) in again]
        set_all_active(ids, is_active=True, username=username)
    count = len(changed)
    if is_archived:
        text = ngettext("%d tool was archived.", "%d tools were archived.", count) % count
    else:
        text = ngettext("%d tool is back.", "%d tools are back.", count) % count
    text = _with_others(text, chosen)
    undo = {"archived": "no" if is_archived else "yes", "active": ",".join(map(str, active))}
    return BulkAnswer(text, "tools-archived", changed, undo).render(request, chosen.shown)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def tools_tagged(request: HttpRequest) -> HttpResponse:
    """The chosen tools with a tag, or without it, as `do` says; each as a new version."""
    chosen, tag = read_chosen(request), request.POST.get("tag", "").strip()
    is_added = request.POST.get("do") != "untag"
    try:
        outcome = tag_tools(chosen.ids, tag, user_of(request), is_added=is_added)
    except EditError as error:
        return _refuse(request, error)
    for name, reason in list(outcome.refused.items())[:_REFUSALS_TOLD]:
        messages.error(request, f"{name}: {in_language(reason)}")
    count = len(outcome.changed)
    if is_added:
        text = ngettext("%d tool has the tag now.", "%d tools have the tag now.", count) % count
    else:
        text = ngettext("%d tool lost the tag.", "%d tools lost the tag.", count) % count
    if refused := len(outcome.refused):
        text += " " + ngettext("%d was refused.", "%d were refused.", refused) % refused
    undo = {"tag": tag, "do": "untag" if is_added else "tag"}
    answer = BulkAnswer(_with_others(text, chosen), "tools-tagged", outcome.changed, undo)
    return answer.render(request, chosen.shown)


@for_staff_with(SEE_TOOLS, SEE_TOOLSETS, CHANGE_TOOLSETS)
@require_POST
def tools_grouped(request: HttpRequest) -> HttpResponse:
    """The chosen tools, of every kind, in a toolset by name, or out of it, as `do` says."""
    user, chosen = user_of(request), read_chosen(request)
    toolset = Toolset.objects.filter(name=request.POST.get("toolset", "")).first()
    if toolset is None:
        messages.error(request, _("Choose a toolset."))
        return _unchanged(request)
    if names := request.POST.get("names", "").splitlines():
        wanted = set(names)
    else:
        own = visible_tools(user).filter(pk__in=chosen.ids).values_list("name", flat=True)
        wanted = {*own, *chosen.others} - hidden_tool_names(user)
    is_added = request.POST.get("do") != "out"
    changed = (add_to_toolset if is_added else take_from_toolset)(toolset, wanted)
    count = len(changed)
    if is_added:
        text = ngettext("%d tool was put in.", "%d tools were put in.", count) % count
    else:
        text = ngettext("%d tool was taken out.", "%d tools were taken out.", count) % count
    undo = {"toolset": toolset.name, "do": "out" if is_added else "in"}
    answer = BulkAnswer(f"{toolset}: {text}", "tools-grouped", (), undo, changed)
    return answer.render(request, ())


def _read_editable(request: HttpRequest) -> ChosenTools:
    """Those that the user may change; the others are left out as those that are gone."""
    chosen = read_chosen(request)
    editable = editable_tools(user_of(request)).filter(pk__in=chosen.ids)
    ids = set(editable.values_list("pk", flat=True))
    kept = [tool_id for tool_id in chosen.ids if tool_id in ids]
    return ChosenTools(kept, chosen.others, chosen.shown & ids)


def _with_others(text: str, chosen: ChosenTools) -> str:
    """The text, and how many of other kinds it does not hold for."""
    if not (count := len(chosen.others)):
        return text
    left = ngettext(
        "%d tool of an MCP server or built in stays as it was.",
        "%d tools of MCP servers or built in stay as they were.",
        count,
    )
    return f"{text} {left % count}"


def _refuse(request: HttpRequest, error: EditError) -> HttpResponse:
    messages.error(request, in_language(error))
    return _unchanged(request)


def _unchanged(request: HttpRequest) -> HttpResponse:
    if is_fragment(request):
        return HttpResponse(status=422, headers={"HX-Reswap": "none"})
    return redirect("tools")


def _username(request: HttpRequest) -> str:
    return user_of(request).get_username()
