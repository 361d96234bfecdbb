"""Tools from an OpenAPI document: pasted or uploaded, looked through, and added."""

from dataclasses import dataclass
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
from core.errors import EditError, ToolboxError
from core.messages import message
from toolbuilder.exchange.importing import ImportOutcome
from toolbuilder.gates import ADD_TOOLS, SEE_TOOLS, rights_of
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

# What a form may hold of text; the command takes larger documents.
MAX_DOCUMENT_BYTES = 2_000_000
# A form has at most a thousand fields.
OPERATIONS_SHOWN = 800
FAULTS_SHOWN = 100
ADD_SOURCES = "catalog.add_datasource"


@dataclass(frozen=True, slots=True)
class _Preview:
    """A document that was read, and what taking it up would do on that service."""

    plan: IngestPlan
    source: DataSource
    words: str

    @property
    def shown(self) -> list[PlannedOperation]:
        """The operations that match the words, as many as a form can hold."""
        words = self.words.lower().split()
        found = [one for one in self.plan.operations if all(w in _told(one) for w in words)]
        return found[:OPERATIONS_SHOWN]


@for_staff_with(SEE_TOOLS, ADD_TOOLS)
@require_http_methods(["GET", "HEAD", "POST"])
def ingest(request: HttpRequest) -> HttpResponse:
    """The form of a document; its operations with boxes to tick; with `add` the tools made of them."""
    if request.method != "POST":
        return _render(request, {})
    document = ""
    try:
        document = _read_document(request)
        preview = _preview(request, document)
        if "add" in request.POST:
            return _add(request, preview)
    except ToolboxError as error:
        return _render(request, {"document": document, "error": in_language(error)}, status=422)
    return _render(request, {"document": document, **_preview_context(preview)})


def _read_document(request: HttpRequest) -> str:
    file = request.FILES.get("file")
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


def _preview(request: HttpRequest, document: str) -> _Preview:
    reading = read_openapi_text(document)
    name, server = (request.POST.get(key, "").strip() for key in ("source", "server"))
    if not name:
        raise EditError(
            message("ingest.no_name", "Name the HTTP service that has these operations.")
        )
    source = find_service(name, server, reading)
    user = user_of(request)
    if not source._state.adding:
        require_use(user, source)
    elif not user.has_perm(ADD_SOURCES):
        raise EditError(
            message(
                "ingest.may_not_add",
                "There is no HTTP service {name}, and you may not add data sources.",
                name=name,
            )
        )
    return _Preview(plan_ingest(reading, source), source, request.POST.get("words", "")[:200])


def _add(request: HttpRequest, preview: _Preview) -> HttpResponse:
    chosen = set(request.POST.getlist("operation"))
    may_change = rights_of(request).may_change
    plan = [
        one
        for one in preview.plan.operations
        if one.key in chosen and (may_change or one.kind is IngestKind.NEW)
    ]
    if not plan:
        raise EditError(message("ingest.nothing_chosen", "Choose at least one operation."))
    save_service(preview.source)
    outcomes = list(apply_ingest(plan, user_of(request).get_username()))
    _tell(request, outcomes)
    return redirect(f"{reverse('tools')}?source={preview.source.name}")


def _tell(request: HttpRequest, outcomes: list[ImportOutcome]) -> None:
    count = sum(outcome.version is not None for outcome in outcomes)
    text = ngettext(
        "%(count)d tool was taken up; new ones are inactive until you switch them on.",
        "%(count)d tools were taken up; new ones are inactive until you switch them on.",
        count,
    )
    messages.success(request, text % {"count": count})
    for outcome in [one for one in outcomes if one.refusal][:5]:
        messages.error(request, f"{outcome.name}: {in_language(outcome.refusal or '')}")


def _told(one: PlannedOperation) -> str:
    operation = one.operation
    texts = (operation.name, operation.method, operation.path, operation.summary, *operation.tags)
    return " ".join(texts).lower()


def _preview_context(preview: _Preview) -> dict[str, Any]:
    plan, shown = preview.plan, preview.shown
    return {
        "plan": plan,
        "counts": plan.counts,
        "shown": shown,
        "hidden_count": len(plan.operations) - len(shown),
        "faults": plan.faults[:FAULTS_SHOWN],
        "service": preview.source,
        "is_new_service": preview.source._state.adding,
    }


def _render(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    services = [one.name for one in named_sources_open_to(user_of(request)) if one.is_service]
    given = {key: request.POST.get(key, "") for key in ("source", "server", "words")}
    whole = {"services": services, "given": given, **context}
    return render(request, "toolbuilder/taking_up/ingest.html", whole, status=status)
