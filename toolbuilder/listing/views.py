"""The list of tools, the page of a tool, and the switches that take tools into service."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from access.figures import CallFigures
from access.models import CallRecord, Toolset
from access.reader_language import in_language
from access.views.gates import CHANGE_TOOLSETS, for_staff_with, is_fragment, user_of
from catalog.browsing.addresses import address_of
from catalog.gates import named_sources_open_to, tables_open_to
from catalog.models import McpTool
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from toolbuilder.dashboard.progress import read_invitation
from toolbuilder.editing.code_view import color_logic
from toolbuilder.editing.publishing import set_all_active
from toolbuilder.editing.views.requests import lead_to
from toolbuilder.exchange.ownership import read_file_state
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS, rights_of
from toolbuilder.listing.bulk_views import BulkAnswer
from toolbuilder.listing.other_tools import read_proxied_tools
from toolbuilder.listing.tool_list import (
    SORTS,
    STATES,
    OtherRow,
    ToolListState,
    read_new_drafts,
    read_rows,
    read_tool_list,
    read_tool_tags,
)
from toolbuilder.listing.uses import find_used_name
from toolbuilder.preferences.views import name_filters
from toolbuilder.taking_up.mcp_servers import activate_tools, deactivate_tools
from toolbuilder.taking_up.views.mcp_servers import CHANGE_SERVERS, SEE_SERVERS, record_change
from toolbuilder.visibility import editable_tools, visible_tools
from tools.uses.usage import read_tables_used

CALLS_SHOWN = 10


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
        "named_filters": name_filters(request),
        **_server_rights(user),
    }
    if not is_fragment(request):
        if rights.may_add:
            context |= {"drafts": read_new_drafts(user, state.uses), **read_invitation()}
        sources = [source.name for source in named_sources_open_to(user)]
        context |= {
            "used": find_used_name(state.uses, user) if state.uses else None,
            "states": STATES.items(),
            "sorts": SORTS.items(),
            "sources": [DEFAULT_SOURCE_NAME, *sources],
            "tags": read_tool_tags(user),
            "toolsets": Toolset.objects.all() if user.has_perm(CHANGE_TOOLSETS) else (),
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
        visible_tools(user_of(request)).whole().select_related("quarantine", "file"), name=name
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
    undo = {"active": "no" if is_active else "yes"}
    answer = BulkAnswer(text % {"name": tool.name}, "tools-active", changed, undo)
    return answer.render(request, [tool.pk])


@for_staff_with(SEE_TOOLS, SEE_SERVERS, CHANGE_SERVERS)
@require_POST
def proxied_active(request: HttpRequest, tool_id: int) -> HttpResponse:
    """A tool of another MCP server out of service, and back for as long as the server says what it said.

    What nobody has looked at is switched on at the server's page.
    """
    tool = get_object_or_404(McpTool.objects.select_related("server"), pk=tool_id)
    shown = next(read_proxied_tools(McpTool.objects.filter(pk=tool_id)))
    seen = ""
    if request.POST.get("active") == "yes":
        if request.POST.get("seen") != tool.seen_digest:
            messages.error(
                request, _("Look at what the server says of it, and switch it on there.")
            )
            return lead_to(request, reverse("mcp-server", args=[shown.server]))
        _served, refused = activate_tools([tool], _username(request))
        for reason in refused.values():
            messages.error(request, in_language(reason))
        text = _("%(name)s is active.") % {"name": shown.name}
        if refused:
            return lead_to(request, reverse("mcp-server", args=[shown.server]))
    else:
        deactivate_tools([tool])
        seen = "" if shown.has_changed or shown.is_gone else shown.digest
        text = _("%(name)s is not served any more.") % {"name": shown.name}
    record_change(request, tool.server, text)
    if not is_fragment(request):
        messages.success(request, text)
        return redirect("tools")
    row = OtherRow(next(read_proxied_tools(McpTool.objects.filter(pk=tool_id))), CallFigures())
    context = {"text": text, "row": row, "seen": seen, **_server_rights(user_of(request))}
    return render(request, "toolbuilder/listing/_proxied_changed.html", context)


def _server_rights(user: User) -> dict[str, bool]:
    return {
        "may_see_servers": user.has_perm(SEE_SERVERS),
        "may_change_servers": user.has_perm(CHANGE_SERVERS),
    }


def _username(request: HttpRequest) -> str:
    return user_of(request).get_username()
