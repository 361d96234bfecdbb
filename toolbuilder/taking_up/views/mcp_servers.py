"""Other MCP servers: listed, registered, changed, deleted, and their tools switched on and off."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.reader_language import in_language
from access.views.gates import for_staff_with, user_of
from catalog.mcp_servers.forms import LIMITS, McpServerForm
from catalog.models import McpServer, McpTool
from core.errors import ToolboxError
from toolbuilder.taking_up.mcp_servers import (
    ToolCounts,
    accept_changes,
    activate_tools,
    count_all_tools,
    count_tools,
    deactivate_tools,
    read_tools,
)
from toolbuilder.taking_up.mcp_tool_rows import digest_of_list, read_tool_rows

SEE_SERVERS = "catalog.view_mcpserver"
ADD_SERVERS = "catalog.add_mcpserver"
CHANGE_SERVERS = "catalog.change_mcpserver"
DELETE_SERVERS = "catalog.delete_mcpserver"
_REFUSALS_TOLD = 5
_MAX_WORDS_CHARACTERS = 200


class McpServerPageForm(McpServerForm):
    """The back office's form in the clothes of these pages."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if not isinstance(field.widget, forms.CheckboxInput):
                look = "select" if isinstance(field.widget, forms.Select) else "input mono"
                field.widget.attrs |= {"class": look, "spellcheck": "false"}
                field.widget.attrs.setdefault("autocomplete", "off")

    @property
    def limits_have_errors(self) -> bool:
        """Whether a field of the fold has to be seen."""
        return any(name in self.errors for name in LIMITS)


@for_staff_with(SEE_SERVERS)
@require_GET
def server_list(request: HttpRequest) -> HttpResponse:
    """Every server with its health and what there is to decide about its tools."""
    servers = list(McpServer.objects.all())
    counts = count_all_tools(servers)
    cards = [(server, counts.get(server.pk, ToolCounts())) for server in servers]
    context = {"cards": cards, "may_add": user_of(request).has_perm(ADD_SERVERS)}
    return render(request, "toolbuilder/taking_up/servers.html", context)


@for_staff_with(SEE_SERVERS)
@require_GET
def server_page(request: HttpRequest, name: str) -> HttpResponse:
    """One server: how it is, and its tools with all that agents would be told."""
    server = get_object_or_404(McpServer, name=name)
    words = request.GET.get("q", "")[:_MAX_WORDS_CHARACTERS]
    rows, hidden_count = read_tool_rows(server, words)
    user = user_of(request)
    context: dict[str, Any] = {
        "server": server,
        "counts": count_tools(server),
        "rows": rows,
        "hidden_count": hidden_count,
        "words": words,
        "seen": digest_of_list(server),
        "may_change": user.has_perm(CHANGE_SERVERS),
        "may_delete": user.has_perm(DELETE_SERVERS),
    }
    return render(request, "toolbuilder/taking_up/server.html", context)


@for_staff_with(SEE_SERVERS, CHANGE_SERVERS)
@require_POST
def server_read(request: HttpRequest, name: str) -> HttpResponse:
    """Ask the server for its tools; nothing new is served by that."""
    server = get_object_or_404(McpServer, name=name)
    _tell_reading(request, server)
    return redirect("mcp-server", name)


@for_staff_with(SEE_SERVERS, CHANGE_SERVERS)
@require_POST
def server_tools(request: HttpRequest, name: str) -> HttpResponse:
    """Switch the chosen tools on or off, or accept what changed of them, as the button says."""
    server = get_object_or_404(McpServer, name=name)
    if request.POST.get("do") == "all":
        tools = list(server.tools.filter(is_active=False, gone_at=None))
    else:
        chosen = [int(value) for value in request.POST.getlist("tool") if value.isdecimal()]
        tools = list(server.tools.filter(pk__in=chosen))
    if request.POST.get("seen") != digest_of_list(server):
        text = _("The server says something else of its tools now. Look at them again.")
        messages.error(request, text)
        return redirect("mcp-server", name)
    if not tools:
        messages.error(request, _("Choose at least one tool."))
        return redirect("mcp-server", name)
    match request.POST.get("do"):
        case "on" | "all":
            _activate(request, server, tools)
        case "off":
            count = deactivate_tools(tools)
            text = ngettext("%(count)d tool is off.", "%(count)d tools are off.", count)
            _tell(request, server, text % {"count": count})
        case "accept":
            count = accept_changes(tools, user_of(request).get_username())
            text = ngettext(
                "%(count)d change was accepted.", "%(count)d changes were accepted.", count
            )
            _tell(request, server, text % {"count": count})
    return redirect("mcp-server", name)


@sensitive_post_parameters("new_token")
@for_staff_with(SEE_SERVERS, ADD_SERVERS)
@require_http_methods(["GET", "HEAD", "POST"])
def server_add(request: HttpRequest) -> HttpResponse:
    """The form of a new server; once it is saved, its tools are read and shown."""
    return _edit(request, McpServer(), ADDITION)


@sensitive_post_parameters("new_token")
@for_staff_with(SEE_SERVERS, CHANGE_SERVERS)
@require_http_methods(["GET", "HEAD", "POST"])
def server_edit(request: HttpRequest, name: str) -> HttpResponse:
    """The form of one."""
    return _edit(request, get_object_or_404(McpServer, name=name), CHANGE)


@for_staff_with(SEE_SERVERS, DELETE_SERVERS)
@require_http_methods(["GET", "HEAD", "POST"])
def server_delete(request: HttpRequest, name: str) -> HttpResponse:
    """How many tools agents would lose, and the end of the server and of these."""
    server = get_object_or_404(McpServer, name=name)
    if request.method != "POST":
        context = {"server": server, "counts": count_tools(server)}
        return render(request, "toolbuilder/taking_up/server_delete.html", context)
    record_change(request, server, "", DELETION)
    server.delete()
    messages.success(request, _("%s was deleted.") % name)
    return redirect("mcp-servers")


def _edit(request: HttpRequest, server: McpServer, flag: int) -> HttpResponse:
    posted = request.POST if request.method == "POST" else None
    saved, form = server if server.pk else None, McpServerPageForm(posted, instance=server)
    if not form.is_valid():
        context, status = {"form": form, "saved": saved}, 200 if posted is None else 422
        return render(request, "toolbuilder/taking_up/server_form.html", context, status=status)
    server = form.save()
    record_change(request, server, ", ".join(form.changed_data), flag)
    if server.is_active:
        _tell_reading(request, server)
    return redirect("mcp-server", server.name)


def _tell_reading(request: HttpRequest, server: McpServer) -> None:
    """Read the tools, and say in a message what was found or what is wrong."""
    try:
        reading = read_tools(server)
    except ToolboxError as error:
        messages.error(request, f"{server.name}: {in_language(error)}")
        return
    count = len(reading.tools)
    text = ngettext("%(count)d tool was read.", "%(count)d tools were read.", count)
    _tell(request, server, text % {"count": count})


def record_change(request: HttpRequest, server: McpServer, text: str, flag: int = CHANGE) -> None:
    """Write what the user did into the back office's history of the row."""
    rows = McpServer.objects.filter(pk=server.pk)
    user_id = user_of(request).pk
    LogEntry.objects.log_actions(user_id, rows, flag, change_message=text, single_object=True)


def _activate(request: HttpRequest, server: McpServer, tools: Iterable[McpTool]) -> None:
    served, refused = activate_tools(tools, user_of(request).get_username())
    count = len(served)
    text = ngettext("%(count)d tool is on.", "%(count)d tools are on.", count)
    _tell(request, server, text % {"count": count})
    for name, reason in list(refused.items())[:_REFUSALS_TOLD]:
        messages.error(request, f"{name}: {in_language(reason)}")
    if (rest := len(refused) - _REFUSALS_TOLD) > 0:
        text = ngettext("%(count)d more was refused.", "%(count)d more were refused.", rest)
        messages.error(request, text % {"count": rest})


def _tell(request: HttpRequest, server: McpServer, text: str) -> None:
    record_change(request, server, text)
    messages.success(request, text)
