"""Tools from an OpenAPI document: pasted or uploaded, looked through, and added."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from access.reader_language import in_language
from access.views.gates import for_staff_with, user_of
from catalog.gates import named_sources_open_to
from catalog.models import DataSource
from catalog.rights import require_use
from catalog.sources.gates import rights_on_sources
from catalog.sources.services import find_allowable_host
from core.errors import EditError, ToolboxError
from core.ingest.openapi import OpenAPIReading
from core.messages import message
from gateways.http.kind import HTTP
from toolbuilder.gates import ADD_TOOLS, SEE_TOOLS, rights_of
from toolbuilder.taking_up.fetching import fetch_document
from toolbuilder.taking_up.ingesting import (
    IngestKind,
    IngestPlan,
    PlannedOperation,
    apply_ingest,
    find_service,
    plan_ingest,
    read_openapi_text,
    save_service,
)
from toolbuilder.taking_up.operations import keep_operations

# What a form may hold of text; the command takes larger documents.
MAX_DOCUMENT_BYTES = 2_000_000
# A form has at most a thousand fields.
OPERATIONS_SHOWN = 800
FAULTS_SHOWN = 100


@for_staff_with(SEE_TOOLS, ADD_TOOLS)
@require_http_methods(["GET", "HEAD", "POST"])
def ingest(request: HttpRequest) -> HttpResponse:
    """The form of a document; its operations with boxes to tick; with `add` the tools made of them."""
    if request.method != "POST":
        return _render(request, {})
    document, address = "", request.POST.get("server", "").strip()
    try:
        document = _read_document(request)
        reading = read_openapi_text(document)
        address = address or reading.find_server_url()
        source = _find_service(request, reading)
        reading = reading.at(source.server_url)
        plan = plan_ingest(reading, source)
        if "add" in request.POST:
            return _add(request, plan, source, reading)
    except ToolboxError as error:
        new = DataSource(engine=HTTP.name, server_url=address)
        may_allow = rights_on_sources(user_of(request)).may_add
        refusal = {
            "document": document,
            "error": in_language(error),
            "allowable_host": find_allowable_host(new) if may_allow else "",
        }
        return _render(request, refusal, status=422)
    shown = _search(plan, request.POST.get("words", "")[:200])
    context = {
        "document": document,
        "plan": plan,
        "counts": plan.counts,
        "shown": shown,
        "hidden_count": len(plan.operations) - len(shown),
        "faults": plan.faults[:FAULTS_SHOWN],
        "service": source,
        "is_new_service": source._state.adding,
        "allowed_host": source.allowed_hosts if source._state.adding else "",
    }
    return _render(request, context)


def _read_document(request: HttpRequest) -> str:
    file, address = request.FILES.get("file"), request.POST.get("address", "").strip()
    if file is None and address and not request.POST.get("document", "").strip():
        return fetch_document(address, MAX_DOCUMENT_BYTES)
    if file is None:
        return request.POST.get("document", "")
    if (file.size or 0) > MAX_DOCUMENT_BYTES:
        raise EditError(
            message(
                "ingest.too_large",
                "The document is larger than 2 MB; take it up with manage.py tools ingest.",
            )
        )
    try:
        return str(file.read(), "utf-8-sig")
    except UnicodeDecodeError as error:
        raise EditError(message("ingest.no_utf8", "The document is not UTF-8.")) from error


def _find_service(request: HttpRequest, reading: OpenAPIReading) -> DataSource:
    """The service that the form names; one that the user may use, or a new one that they may add."""
    name, server = (request.POST.get(key, "").strip() for key in ("source", "server"))
    if not name:
        raise EditError(
            message("ingest.no_name", "Name the HTTP service that has these operations.")
        )
    source = find_service(name, server, reading, allows_host="allow_host" in request.POST)
    user = user_of(request)
    if not source._state.adding:
        require_use(user, source)
    elif not rights_on_sources(user).may_add:
        raise EditError(
            message(
                "ingest.may_not_add",
                "There is no HTTP service {name}, and you may not add data sources.",
                name=name,
            )
        )
    return source


def _search(plan: IngestPlan, words: str) -> list[PlannedOperation]:
    """The operations that have every word, as many as a form can hold."""
    found = []
    for planned in plan.operations:
        operation = planned.operation
        texts = (operation.name, operation.method, operation.path, operation.summary)
        text = " ".join((*texts, *operation.tags)).lower()
        if all(word in text for word in words.lower().split()):
            found.append(planned)
    return found[:OPERATIONS_SHOWN]


def _add(
    request: HttpRequest, plan: IngestPlan, source: DataSource, reading: OpenAPIReading
) -> HttpResponse:
    chosen = set(request.POST.getlist("operation"))
    may_change = rights_of(request).may_change
    operations = [
        operation
        for operation in plan.operations
        if operation.key in chosen and (may_change or operation.kind is IngestKind.NEW)
    ]
    if not operations:
        raise EditError(message("ingest.nothing_chosen", "Choose at least one operation."))
    save_service(source)
    keep_operations(source, reading.operations)
    outcomes = list(apply_ingest(operations, user_of(request).get_username()))
    count = sum(outcome.version is not None for outcome in outcomes)
    text = ngettext(
        "%(count)d tool was taken up; new ones are inactive until you switch them on.",
        "%(count)d tools were taken up; new ones are inactive until you switch them on.",
        count,
    )
    messages.success(request, text % {"count": count})
    for outcome in [outcome for outcome in outcomes if outcome.refusal][:5]:
        messages.error(request, f"{outcome.name}: {in_language(outcome.refusal or '')}")
    return redirect(f"{reverse('tools')}?source={source.name}")


def _render(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    sources = named_sources_open_to(user_of(request))
    services = [source.name for source in sources if source.is_service]
    given = {key: request.POST.get(key, "") for key in ("source", "server", "words")}
    whole = {"services": services, "given": given, **context}
    return render(request, "toolbuilder/taking_up/ingest.html", whole, status=status)
