"""The editor's page, its analysis while somebody types, and whose draft it is."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from access.call_log import shown_arguments
from access.reader_language import in_language
from access.views.gates import SEE_CALLS, for_staff_with, is_fragment, user_of
from access.visibility import visible_calls
from catalog.gates import named_sources_open_to
from catalog.models import DataSource, ServiceSecret
from catalog.sources.settings import (
    SourceSettings,
    find_refusal,
    find_service_refusal,
    read_sources,
)
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.catalogue.masking import MASK
from core.errors import DefinitionError
from core.expressions.numbers import CONSTANTS
from core.expressions.table import Function
from core.messages import message
from core.script import SCRIPT_BYTE_LIMIT
from core.scripts.functions import SCRIPT_FUNCTIONS, SCRIPT_METHODS
from core.scripts.names import RESULT
from core.statement import STATEMENT_BYTE_LIMIT
from core.toolspec import ResultFormat
from toolbuilder.cases.shown import show_cases
from toolbuilder.editing.drafts import Work, discard_draft, find_tool, find_work, read_work
from toolbuilder.editing.drafts import take_over as take_draft_over
from toolbuilder.editing.explanations import EXPLANATIONS
from toolbuilder.editing.http_form import BODY_KINDS, METHODS
from toolbuilder.editing.page import WorkbenchPage, build_page
from toolbuilder.editing.running import caller_choices
from toolbuilder.editing.snippets import list_snippets
from toolbuilder.editing.views.requests import (
    analysed_context,
    editor_action,
    lead_to,
    page_context,
    page_state_of,
    read_posted,
    require_editable,
    save_posted,
    saving_action,
    tell_analysis,
    tell_parameters,
)
from toolbuilder.exchange.ownership import read_file_state
from toolbuilder.gates import SEE_TOOLS, rights_of
from toolbuilder.help.links import help_url
from toolbuilder.help.tour import needs_tour
from toolbuilder.listing.views import tool_page
from toolbuilder.preferences.models import read_preferences
from toolbuilder.taking_up.operations import fill_from_operation, list_operations
from tools.builtin.registry import BUILTIN_NAMES
from tools.definitions import ToolDocument
from tools.models import ToolType
from tools.names import find_proxied_server
from tools.specs import HINTS

KEYWORDS = (
    *(
        "and",
        "assert",
        "break",
        "continue",
        "def",
        "del",
        "elif",
        "else",
        "except",
        "finally",
        "for",
    ),
    *("if", "in", "is", "lambda", "not", "or", "pass", "raise", "return", "try", "while"),
    *("True", "False", "None"),
)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def workbench(
    request: HttpRequest, name: str | None = None, uid: uuid.UUID | None = None
) -> HttpResponseBase:
    """The editor of a tool or a new draft; a POST, without JavaScript, saves first.

    People who may not change tools read the tool's page instead, as all do of a tool that is owned by
    files. Searches and calls name built-in and proxied tools too: their names lead to what there is of them.
    """
    if request.method == "POST":
        return _save_page(request, name=name, uid=uid)
    if name in BUILTIN_NAMES:
        return redirect(help_url("reference/builtin-tools"))
    tool = find_tool(name=name) if name else None
    file_state = read_file_state(tool) if tool else None
    try:
        is_owned = file_state is not None and file_state.toolset
        if name and (is_owned or not rights_of(request, tool).may_change):
            return tool_page(request, name)
        work = require_editable(request, read_work(tool) if tool else find_work(name, uid))
    except Http404:
        if name and (server := find_proxied_server(name)):
            return redirect("mcp-server", server)
        raise
    work = _with_recorded_values(request, work)
    page = build_page(work, read_sources(), user_of(request).get_username())
    return render_page(request, page, file_state=file_state)


def _with_recorded_values(request: HttpRequest, work: Work) -> Work:
    """The work with the arguments of the call that the address names as values of its trial."""
    user, number = user_of(request), request.GET.get("call", "")
    is_number = number.isascii() and number.isdigit() and len(number) < 19
    if not is_number or not user.has_perm(SEE_CALLS):
        return work
    call = visible_calls(user).filter(pk=number, tool_name=work.document.tool.name).first()
    values = shown_arguments(call) if call else None
    if not isinstance(values, dict):
        return work
    names = {parameter.param_name for parameter in work.document.tool.parameters}
    given = {name: value for name, value in values.items() if name in names and value != MASK}
    return replace(work, document=replace(work.document, test_values=given))


@for_staff_with(SEE_TOOLS)
@require_safe
@vary_on_headers("HX-Request")
def explanation(request: HttpRequest, rule: str) -> HttpResponse:
    """What stands behind a fault; the page of the documentation for browsers without scripts."""
    found = EXPLANATIONS.get(rule)
    if found is None:
        raise Http404
    if not is_fragment(request):
        return redirect(found.topic.address)
    return render(request, "toolbuilder/editing/_explanation.html", {"explanation": found})


@saving_action
def analyse(request: HttpRequest, page: WorkbenchPage) -> HttpResponse:
    """Saves what is typed and says what the database thinks of it, without running it."""
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
def operation(request: HttpRequest, work: Work) -> HttpResponse:
    """The chosen operation of the service becomes the request of the tool; other texts stay as they are."""
    document = read_posted(request, work)
    chosen = request.POST.get("operation", "")
    tool = fill_from_operation(document.tool, chosen, is_new=work.tool is None)
    if tool is None:
        raise DefinitionError(
            message("editor.no_operation", "The service has no such operation any more.")
        )
    save_posted(request, work, replace(document, tool=tool))
    return lead_to(request, work.address)


@saving_action
def _save_page(request: HttpRequest, page: WorkbenchPage) -> HttpResponse:
    return render_page(request, page)


def render_page(request: HttpRequest, page: WorkbenchPage, **more: Any) -> HttpResponse:
    """The whole page; `more` such as the `trial` that it shows, or a `status`."""
    status, user = more.pop("status", 200), user_of(request)
    if "file_state" not in more:
        more["file_state"] = read_file_state(page.work.tool) if page.work.tool else None
    open_sources, layout = named_sources_open_to(user), read_preferences(user).layout
    context = {
        "sources": list_sources(page.sources, open_sources, user.get_username()),
        "services": list_services(page.sources, open_sources, user.get_username()),
        "secrets": list_secret_names(page.document.tool),
        "operations": list_operations(page.document.tool),
        "kinds": [(ToolType.SQL, "SQL"), (ToolType.PYTHON, "Python"), (ToolType.HTTP, "HTTP")],
        "methods": METHODS,
        "body_kinds": BODY_KINDS,
        "formats": [result_format.value for result_format in ResultFormat],
        "hints": HINTS,
        "python_data": completion_data(),
        "snippets": list_snippets(),
        "declared": tell_parameters(page),
        "byte_limits": {"SQL": STATEMENT_BYTE_LIMIT, "PYTHON": SCRIPT_BYTE_LIMIT},
        # Sent in a form, a byte may take three.
        "form_bytes": (settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0) // 3,
        **caller_choices(page.examined.spec, page.sources, user_of(request)),
        **page_context(request, page),
        "cases": show_cases(page.work),
        "layout": layout,
        "offers_tour": needs_tour(user, layout),
        **more,
    }
    return render(request, "toolbuilder/editing/page.html", context, status=status)


def render_analysed(request: HttpRequest, page: WorkbenchPage) -> HttpResponse:
    """The parts of the page that a change of the form changes, and the event that says so."""
    context = analysed_context(request, page)
    return tell_analysis(render(request, "toolbuilder/editing/_analysed.html", context))


def list_sources(
    sources: SourceSettings, open_sources: Sequence[DataSource], username: str
) -> list[dict[str, Any]]:
    """The data sources that the user may choose, with the reason why one cannot be used."""
    names = [None, *(source.name for source in open_sources if not source.is_service)]
    return [
        {
            "name": name or "",
            "label": name or DEFAULT_SOURCE_NAME,
            "engine": sources.dialects[name].value if name in sources.dialects else "",
            "reason": in_language(find_refusal(sources, name, username) or ""),
        }
        for name in names
    ]


def list_services(
    sources: SourceSettings, open_sources: Sequence[DataSource], username: str
) -> list[dict[str, Any]]:
    """The HTTP services that the user may choose, each with its address or the reason against it."""
    return [
        {
            "name": source.name,
            "address": source.server_url.rstrip("/"),
            "reason": in_language(find_service_refusal(sources, source.name, username) or ""),
        }
        for source in open_sources
        if source.is_service
    ]


def list_secret_names(tool: ToolDocument) -> list[str]:
    """The named secrets of an HTTP tool's service."""
    if tool.tool_type != ToolType.HTTP or not tool.data_source:
        return []
    kept = ServiceSecret.objects.filter(source__name=tool.data_source)
    return list(kept.values_list("name", flat=True))


@cache
def completion_data() -> dict[str, Any]:
    """Functions, methods, constants and keywords as the editor's Python completion takes them, by name.

    A method that several kinds of value have in the same form is listed once, with their names.
    """
    kinds: dict[tuple[str, str, str], list[str]] = {}
    for kind, methods in SCRIPT_METHODS.items():
        for name, method in methods.items():
            form = (name, name + _signature(method, skipped=1), method.doc)
            kinds.setdefault(form, []).append(kind.__name__)
    return {
        "functions": [
            {"name": name, "signature": name + _signature(function), "comment": function.doc}
            for name, function in sorted(SCRIPT_FUNCTIONS.items())
        ],
        "methods": [
            {"name": name, "signature": signature, "comment": f"{', '.join(owners)}: {doc}"}
            for (name, signature, doc), owners in sorted(kinds.items())
        ],
        "constants": [{"name": name, "comment": value.doc} for name, value in CONSTANTS.items()],
        "keywords": [*KEYWORDS, RESULT],
    }


def _signature(function: Function, skipped: int = 0) -> str:
    """Without the first so many parameters; a method is called on its first one."""
    parameters = list(function.signature.parameters.values())
    return str(function.signature.replace(parameters=parameters[skipped:]))
