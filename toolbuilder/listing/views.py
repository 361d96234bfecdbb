"""The list of tools, the page of a tool, and the switches that take tools into service."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from access.models import CallRecord
from access.reader_language import in_language
from access.templatetags.access import tool_address
from access.views.events import trigger_event
from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.browsing.addresses import address_of
from catalog.gates import named_sources_open_to, tables_open_to
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.errors import EditError
from toolbuilder.dashboard.progress import read_invitation
from toolbuilder.editing.code_view import color_logic
from toolbuilder.editing.publishing import archive, set_all_active, unarchive
from toolbuilder.exchange.ownership import read_file_state
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS, rights_of
from toolbuilder.listing.tool_list import (
    SORTS,
    STATES,
    ToolListState,
    read_new_drafts,
    read_rows,
    read_tool_list,
    read_tool_tags,
)
from toolbuilder.visibility import editable_tools, visible_tools
from tools.models import ToolDefinition, ToolType
from tools.uses.usage import read_tables_used

CALLS_SHOWN = 10
MAX_CHANGED_TOGETHER = 1_000


@for_staff_with(SEE_TOOLS)
@require_GET
@vary_on_headers("HX-Request")
def tool_list(request: HttpRequest) -> HttpResponse:
    """Tools: searched, filtered, sorted, 50 a page, with today's figures."""
    state = ToolListState.read(request.GET)
    user, rights = user_of(request), rights_of(request)
    listing = read_tool_list(state, user)
    page = listing.page
    context: dict[str, Any] = {
        "state": state,
        "listing": listing,
        "page_numbers": list(page.paginator.get_elided_page_range(page.number)),
        "rights": rights,
    }
    if not is_fragment(request):
        if rights.may_add:
            context |= {"drafts": read_new_drafts(user), **read_invitation()}
        sources = [source.name for source in named_sources_open_to(user)]
        context |= {
            "states": STATES.items(),
            "kinds": ToolType.choices,
            "sorts": SORTS.items(),
            "sources": [DEFAULT_SOURCE_NAME, *sources],
            "tags": read_tool_tags(user),
        }
        return render(request, "toolbuilder/listing/tools.html", context)
    response = render(request, "toolbuilder/listing/_tools_answer.html", context)
    address = state.address(page=state.page)
    if not request.headers.get("HX-Current-URL", "").endswith(address):
        response["HX-Push-Url"] = address
    return response


@for_staff_with(SEE_TOOLS)
@require_GET
def tool_page(request: HttpRequest, name: str) -> HttpResponse:
    """All that is known of a tool: texts, logic, parameters, limits, tables, state and last calls."""
    tool = get_object_or_404(
        visible_tools(user_of(request)).whole().select_related("quarantine"), name=name
    )
    rights = rights_of(request, tool)
    used = read_tables_used(tool)
    tables = tables_open_to(user_of(request)).filter(pk__in=[use.table.pk for use in used])
    open_ids = set(tables.values_list("pk", flat=True))
    parameters = list(tool.parameters.order_by("position", "id"))
    names = [parameter.param_name for parameter in parameters]
    context: dict[str, Any] = {
        "tool": tool,
        "parameters": parameters,
        "logic": color_logic(tool.definition, tool.tool_type, names),
        # With their addresses, '' of those whose data source the user may not use.
        "used": [(use, address_of(use.table) if use.table.pk in open_ids else "") for use in used],
        "rights": rights,
        "row": read_rows([tool.pk])[0],
        "file_state": read_file_state(tool),
    }
    if rights.may_see_calls:
        calls = CallRecord.objects.filter(tool_name=tool.name).defer("arguments")
        context["calls"] = calls.order_by("-at", "-id")[:CALLS_SHOWN]
    return render(request, "toolbuilder/listing/tool.html", context)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def tool_active(request: HttpRequest, tool_id: int) -> HttpResponse:
    """The tool in or out of service, as `active` says, and a toast that can take it back."""
    tool = get_object_or_404(editable_tools(user_of(request)).present(), pk=tool_id)
    is_active = request.POST.get("active") == "yes"
    changed = set_all_active([tool.pk], is_active=is_active, username=_username(request))
    if not is_fragment(request):
        return redirect("tools")
    text = _("%(name)s is active.") if is_active else _("%(name)s is not served any more.")
    answer = {"text": text % {"name": tool.name}, "changed": changed, "is_active": is_active}
    return _answer_changed(request, [tool.pk], answer)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def tools_active(request: HttpRequest) -> HttpResponse:
    """The chosen tools in or out of service, and a toast that can take it back."""
    chosen = _read_ids(request, "tool")
    is_active = request.POST.get("active") == "yes"
    changed = set_all_active(chosen, is_active=is_active, username=_username(request))
    if not is_fragment(request):
        return redirect("tools")
    count = len(changed)
    if is_active:
        text = ngettext("%d tool was activated.", "%d tools were activated.", count)
    else:
        text = ngettext("%d tool was deactivated.", "%d tools were deactivated.", count)
    answer = {"text": text % count, "changed": changed, "is_active": is_active}
    return _answer_changed(request, chosen, answer)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def tools_archived(request: HttpRequest) -> HttpResponse:
    """The chosen tools out of sight or back, as `archived` says, and a toast that can take it back.

    With `then` the one tool's page follows; those of `active` are served again once they are back.
    """
    chosen, username = _read_ids(request, "tool"), _username(request)
    is_archived = request.POST.get("archived") == "yes"
    was_active = ToolDefinition.objects.active().filter(pk__in=chosen)
    active = list(was_active.values_list("pk", flat=True)) if is_archived else []
    try:
        changed = archive(chosen, username) if is_archived else unarchive(chosen, username)
    except EditError as error:
        messages.error(request, in_language(error))
        if is_fragment(request):
            return HttpResponse(status=422, headers={"HX-Reswap": "none"})
        return redirect("tools")
    if not is_archived:
        again = set(_read_ids(request, "active")) & set(changed)
        set_all_active(again, is_active=True, username=username)
    count = len(changed)
    if is_archived:
        text = ngettext("%d tool was archived.", "%d tools were archived.", count) % count
    else:
        text = ngettext("%d tool is back.", "%d tools are back.", count) % count
    if not is_fragment(request):
        messages.success(request, text)
        leads_on = "then" in request.POST and len(chosen) == 1
        tool = ToolDefinition.objects.filter(pk__in=chosen).first() if leads_on else None
        return redirect((tool_address(tool.name) if tool else "") or "tools")
    answer = {"text": text, "changed": changed, "is_archived": is_archived, "active": active}
    is_editor = "then" in request.POST
    shown = [] if is_editor else chosen
    answered = _answer_changed(request, shown, {**answer, "archives": True, "is_editor": is_editor})
    return trigger_event(answered, "tool:archived", is_archived=is_archived)


def _read_ids(request: HttpRequest, name: str) -> list[int]:
    """Of tools that the user may change; the others are left out as those that are gone."""
    texts = [text for text in request.POST.getlist(name) if text.isascii() and text.isdigit()]
    # The column is narrower than what a form may say.
    ids = [int(text) for text in texts if len(text) < 11]
    ids = [tool_id for tool_id in ids if tool_id < 2**31][:MAX_CHANGED_TOGETHER]
    editable = editable_tools(user_of(request)).filter(pk__in=ids)
    editable_ids = set(editable.values_list("pk", flat=True))
    return [tool_id for tool_id in ids if tool_id in editable_ids]


def _answer_changed(request: HttpRequest, shown: list[int], answer: dict[str, Any]) -> HttpResponse:
    context = {**answer, "rows": read_rows(shown), "rights": rights_of(request)}
    return render(request, "toolbuilder/listing/_changed.html", context)


def _username(request: HttpRequest) -> str:
    return user_of(request).get_username()
