"""Other MCP servers on their pages: registered, changed and deleted."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.models import ADDITION, CHANGE, DELETION
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from access.views.gates import for_staff_with
from catalog.mcp_servers.forms import LIMITS, McpServerForm
from catalog.models import McpServer
from toolbuilder.taking_up.mcp_servers import count_tools
from toolbuilder.taking_up.views.mcp_servers import (
    ADD_SERVERS,
    CHANGE_SERVERS,
    DELETE_SERVERS,
    SEE_SERVERS,
    record_change,
    tell_reading,
)


class McpServerPageForm(McpServerForm):
    """The back office's form in the clothes of these pages."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if not isinstance(field.widget, forms.CheckboxInput):
                field.widget.attrs |= {"class": "input mono", "spellcheck": "false"}
                field.widget.attrs.setdefault("autocomplete", "off")

    @property
    def limits_have_errors(self) -> bool:
        """Whether a field of the fold has to be seen."""
        return any(name in self.errors for name in LIMITS)


@sensitive_post_parameters("new_token")
@for_staff_with(SEE_SERVERS, ADD_SERVERS)
@require_http_methods(["GET", "HEAD", "POST"])
def server_add(request: HttpRequest) -> HttpResponse:
    """The form of a new server; once it is saved, its tools are read and shown."""
    return _answer(request, McpServer(), ADDITION)


@sensitive_post_parameters("new_token")
@for_staff_with(SEE_SERVERS, CHANGE_SERVERS)
@require_http_methods(["GET", "HEAD", "POST"])
def server_edit(request: HttpRequest, name: str) -> HttpResponse:
    """The form of one."""
    return _answer(request, get_object_or_404(McpServer, name=name), CHANGE)


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


def _answer(request: HttpRequest, server: McpServer, flag: int) -> HttpResponse:
    saved = server if server.pk else None
    if request.method != "POST":
        form = McpServerPageForm(instance=server)
        return render(
            request, "toolbuilder/taking_up/server_form.html", {"form": form, "saved": saved}
        )
    form = McpServerPageForm(request.POST, instance=server)
    if not form.is_valid():
        context = {"form": form, "saved": saved}
        return render(request, "toolbuilder/taking_up/server_form.html", context, status=422)
    server = form.save()
    record_change(request, server, ", ".join(form.changed_data), flag)
    if server.is_active:
        tell_reading(request, server)
    return redirect("mcp-server", server.name)
