"""The editor's page, its analysis while somebody types, and whose draft it is."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from access.reader_language import in_language
from access.views.events import trigger_event
from access.views.gates import is_fragment, user_of
from catalog.gates import named_sources_open_to
from catalog.sources.settings import SourceSettings, find_refusal, read_sources
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.script import SCRIPT_BYTE_LIMIT
from core.statement import STATEMENT_BYTE_LIMIT
from core.toolspec import Dialect, ParameterType, ResultFormat
from toolbuilder.editing.drafts import discard_draft
from toolbuilder.editing.drafts import take_over as take_draft_over
from toolbuilder.editing.examining import examine
from toolbuilder.editing.following import release_optional
from toolbuilder.editing.page import WorkbenchPage, build_examined_page, build_page
from toolbuilder.editing.python_functions import completion_data
from toolbuilder.editing.running import caller_choices
from toolbuilder.editing.views.requests import (
    editor_action,
    editor_context,
    open_work,
    page_state_of,
    read_posted,
    save_posted,
)
from toolbuilder.editing.works import Work
from toolbuilder.gates import rights_of
from toolbuilder.listing.views import tool_page
from tools.builtin.registry import BUILTIN_NAMES
from tools.models import ParameterBinding, ToolDefinition, ToolType
from tools.proxied_rows import find_proxied_server
from tools.specs import HINTS

_TOLD_CHARACTERS = 200
_TOLD_DIAGNOSTICS = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def workbench(
    request: HttpRequest, name: str | None = None, uid: uuid.UUID | None = None
) -> HttpResponseBase:
    """The editor of a tool or a new draft; a POST, without JavaScript, saves first.

    People who may not change tools read the tool's page instead, as all do of an HTTP operation. Searches
    and calls name built-in and proxied tools too: their names lead to what there is of them.
    """
    if request.method == "POST":
        return _save_page(request, name=name, uid=uid)
    if name in BUILTIN_NAMES:
        return redirect("help-page", "reference/builtin-tools")
    operations = ToolDefinition.objects.filter(name=name, tool_type=ToolType.HTTP)
    try:
        if name and (not rights_of(request).may_change or operations.exists()):
            return tool_page(request, name)
        work = open_work(request, name, uid)
    except Http404:
        if name and (server := find_proxied_server(name)):
            return redirect("mcp-server", server)
        raise
    page = build_page(work, read_sources(), user_of(request).get_username())
    return render_page(request, page)


@editor_action
def analyse(request: HttpRequest, work: Work) -> HttpResponse:
    """Saves what is typed and says what the database thinks of it, without running it."""
    page = save_and_examine(request, work)
    if not is_fragment(request):
        return redirect(page.work.address)
    return render_analysed(request, page)


@editor_action
def take_over(request: HttpRequest, work: Work) -> HttpResponse:
    """The draft of somebody else becomes this user's."""
    if work.draft:
        take_draft_over(work.draft.uid, user_of(request).get_username())
    return lead_to(request, work.address)


@editor_action
def discard(request: HttpRequest, work: Work) -> HttpResponse:
    """The draft goes; what is served stays."""
    if work.draft:
        discard_draft(work.draft.uid, page_state_of(request))
    return lead_to(request, work.address if work.tool else "/tools/")


@editor_action
def _save_page(request: HttpRequest, work: Work) -> HttpResponse:
    return render_page(request, save_and_examine(request, work))


def save_and_examine(request: HttpRequest, work: Work) -> WorkbenchPage:
    """The page of the posted form, saved with its parameters in step with the logic."""
    username = user_of(request).get_username()
    sources = read_sources()
    tool_id = work.tool.pk if work.tool else 0
    posted = read_posted(request, work)
    dialect = sources.dialects.get(posted.tool.data_source, Dialect.POSTGRESQL)
    document = release_optional(posted, work.document.tool.definition, dialect)
    examined = examine(document, sources, username, tool_id=tool_id)
    saved = save_posted(request, work, examined.document)
    return build_examined_page(saved, examined, sources, username)


def render_page(request: HttpRequest, page: WorkbenchPage, **more: Any) -> HttpResponse:
    """The whole page; `more` such as the `trial` that it shows, or a `status`."""
    status = more.pop("status", 200)
    context = {
        "sources": list_sources(read_sources(), user_of(request)),
        # An operation comes from its document; nobody writes one here.
        "kinds": [choice for choice in ToolType.choices if choice[0] != ToolType.HTTP],
        "formats": [result_format.value for result_format in ResultFormat],
        "hints": HINTS,
        "python_data": completion_data(),
        "declared": _tell_parameters(page),
        "byte_limits": {"SQL": STATEMENT_BYTE_LIMIT, "PYTHON": SCRIPT_BYTE_LIMIT},
        # Sent in a form, a byte may take three.
        "form_bytes": (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) // 3,
        **caller_choices(page.examined.spec, user_of(request)),
        **page_context(request, page),
        **more,
    }
    return render(request, "toolbuilder/editing/page.html", context, status=status)


def page_context(request: HttpRequest, page: WorkbenchPage) -> dict[str, Any]:
    """What every part of the page knows."""
    return {
        **editor_context(request, page.work),
        "page": page,
        "types": [kind.value for kind in ParameterType],
        "bindings": ParameterBinding.choices,
    }


def render_analysed(request: HttpRequest, page: WorkbenchPage) -> HttpResponse:
    """The parts of the page that a change of the form changes, and the event that carries the rest."""
    response = render(request, "toolbuilder/editing/_analysed.html", page_context(request, page))
    return tell_analysis(response, page)


def tell_analysis(response: HttpResponse, page: WorkbenchPage) -> HttpResponse:
    """The response with the event `tool:analysed` for the editor."""
    analysis = page.examined.analysis.to_json(in_language)
    # It travels in a header, of which browsers take some hundred kilobytes.
    del analysis["parameters"], analysis["columns"]
    analysis["diagnostics"] = analysis["diagnostics"][:_TOLD_DIAGNOSTICS]
    detail = {
        "analysis": analysis,
        "parameters": _tell_parameters(page),
        "text_length": len(page.document.tool.definition),
    }
    return trigger_event(response, "tool:analysed", **detail)


def _tell_parameters(page: WorkbenchPage) -> list[dict[str, str]]:
    """The parameters as the editor completes and marks them."""
    return [
        {
            "name": row.param_name,
            "type": row.param_type,
            "description": row.description[:_TOLD_CHARACTERS],
        }
        for row in page.document.tool.parameters
    ]


def lead_to(request: HttpRequest, address: str) -> HttpResponse:
    """To another page, for htmx as for a browser without scripts."""
    if is_fragment(request):
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect(address)


def list_sources(sources: SourceSettings, user: User) -> list[dict[str, Any]]:
    """The data sources that the user may choose, with the reason why one cannot be used."""
    open_sources = named_sources_open_to(user)
    names = [None, *(source.name for source in open_sources if not source.is_service)]
    username = user.get_username()
    return [
        {
            "name": name or "",
            "label": name or DEFAULT_SOURCE_NAME,
            "engine": sources.dialects[name].value if name in sources.dialects else "",
            "reason": in_language(find_refusal(sources, name, username) or ""),
        }
        for name in names
    ]
