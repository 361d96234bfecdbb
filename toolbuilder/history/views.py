"""The history of a tool: its versions, what is different between them, and the way back to one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Case, Count, IntegerField, QuerySet, Value, When
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from access.figures import FAILED, OF_A_TOOL, CallFigures
from access.list_addresses import read_page
from access.models import CallRecord
from access.reader_language import in_language
from access.views.gates import for_staff_with, is_fragment, user_of
from core.errors import (
    DataSourceUnavailableError,
    DefinitionError,
    EditError,
    RedCasesError,
)
from toolbuilder.cases.gate import CaseResults, read_override
from toolbuilder.editing.code_view import color_logic
from toolbuilder.editing.drafts import open_as_draft, read_draft
from toolbuilder.editing.publishing import restore_version
from toolbuilder.editing.views.requests import lead_to
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS, may_change, rights_of
from toolbuilder.history.difference_view import show_difference
from toolbuilder.history.versions import is_recorded, read_version
from toolbuilder.models import ToolDraft, ToolVersion
from toolbuilder.visibility import visible_drafts, visible_tools, visible_versions
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

NOW, DRAFT = "now", "draft"
_CHOICES_SHOWN = 200
_VERSIONS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version and the calls of its time; `is_now` says that it is what the tool says now."""

    version: ToolVersion
    figures: CallFigures
    is_now: bool


@for_staff_with(SEE_TOOLS)
@require_GET
def version_list(request: HttpRequest, name: str) -> HttpResponse:
    """All versions, newest first, 50 a page, with the calls of the time of each."""
    tool = _find_tool(request, name)
    found = _versions_of(request, tool).defer("document", "cases").order_by("-number")
    page = Paginator(found, _VERSIONS_SHOWN).get_page(read_page(request.GET))
    versions = list(page.object_list)
    newer = found.filter(number__gt=versions[0].number).last() if versions else None
    figures = _read_figures(versions, newer.published_at if newer else None)
    now = tool.version if is_recorded(tool) else None
    context = {
        "tool": tool,
        "rows": [
            VersionRow(version, figures.get(version.number, CallFigures()), version.number == now)
            for version in versions
        ],
        "is_unrecorded": now is None,
        "page": page,
        "rights": rights_of(request, tool),
        "draft": visible_drafts(user_of(request)).changed().filter(tool=tool).first(),
    }
    return render(request, "toolbuilder/history/versions.html", context)


@for_staff_with(SEE_TOOLS)
@require_GET
def version_page(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """All that a version says."""
    tool = _find_tool(request, name)
    version = _find_version(request, tool, number)
    snapshot = read_version(version)
    names = [parameter.param_name for parameter in snapshot.parameters]
    tags = snapshot.tags if isinstance(snapshot.tags, list) else []
    context = {
        **_context(request, tool, version),
        "snapshot": snapshot,
        "tags": [tag for tag in tags if isinstance(tag, str)],
        "logic": color_logic(snapshot.definition, snapshot.tool_type, names),
    }
    return render(request, "toolbuilder/history/version.html", context)


@for_staff_with(SEE_TOOLS)
@require_GET
def version_difference(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """From the older to the newer of two states: the version and `with`, a number, `now` or `draft`.

    Left out, it is the version before.
    """
    tool = _find_tool(request, name)
    version = _find_version(request, tool, number)
    other = request.GET.get("with", "")
    previous = _versions_of(request, tool).filter(number__lt=number).order_by("-number").first()
    if not other:
        other = str(previous.number) if previous else NOW
    is_number = other.isascii() and other.isdigit() and len(other) < 12
    if other == NOW:
        other_document = ToolDocument.of_row(tool)
    elif other == DRAFT:
        draft = get_object_or_404(visible_drafts(user_of(request)), tool=tool)
        other_document = read_draft(draft).tool
    elif is_number:
        other_document = read_version(_find_version(request, tool, int(other)))
    else:
        raise Http404
    old, new = read_version(version), other_document
    is_other_older = is_number and int(other) < number
    if is_other_older:
        old, new = new, old
    numbers = _versions_of(request, tool).exclude(number=number).values_list("number", flat=True)
    context = {
        **_context(request, tool, version),
        "other": other,
        "is_other_older": is_other_older,
        "numbers": list(numbers.order_by("-number")[:_CHOICES_SHOWN]),
        "has_draft": ToolDraft.objects.filter(tool=tool).exists(),
        "difference": show_difference(old, new),
    }
    return render(request, "toolbuilder/history/difference.html", context)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def version_restore(request: HttpRequest, name: str, number: int) -> HttpResponse:
    """Serves what the version says, as a new version; asks first, with what it changes."""
    tool = _find_tool(request, name)
    version = _find_version(request, tool, number)
    if not all(may_change(user_of(request), one) for one in (tool, read_version(version))):
        raise PermissionDenied(
            _("Ask an administrator for the right, or sign in as somebody else.")
        )
    if not request.POST.keys() & {"confirmed", "as_draft"}:
        return _ask(request, tool, version)
    try:
        if "as_draft" in request.POST:
            open_as_draft(tool, version.document, user_of(request).get_username())
            messages.success(request, _("Your draft says what version %d said.") % number)
            return lead_to(request, reverse("tool", args=[tool.name]))
        publication = restore_version(
            version,
            user_of(request).get_username(),
            note=_note(request),
            override_reason=read_override(request.POST),
        )
    except RedCasesError:
        return _ask(request, tool, version, cases=CaseResults(list(tool.cases.all())))
    except (DefinitionError, DataSourceUnavailableError, EditError) as error:
        return _ask(request, tool, version, refusal=in_language(error))
    if publication.is_new_version:
        words = {"number": number, "new": publication.version.number}
        text = _("Version %(number)d is served again, as version %(new)d.") % words
        messages.success(request, text)
    else:
        messages.info(request, _("Nothing to restore: this is what is served."))
    return lead_to(request, reverse("tool-versions", args=[publication.tool.name]))


def _ask(
    request: HttpRequest,
    tool: ToolDefinition,
    version: ToolVersion,
    *,
    refusal: str = "",
    cases: CaseResults | None = None,
) -> HttpResponse:
    context = {
        **_context(request, tool, version),
        "cases": cases,
        "override_reason": request.POST.get("override_reason", ""),
        "refusal": refusal,
        "note": _note(request),
        "difference": show_difference(ToolDocument.of_row(tool), read_version(version)),
        "has_draft": ToolDraft.objects.changed().filter(tool=tool).exists(),
    }
    context["may_open_as_draft"] = bool(refusal) and not context["has_draft"]
    is_part = is_fragment(request)
    template = f"toolbuilder/history/{'_restore_dialog' if is_part else 'restore'}.html"
    status = 422 if refusal or cases else 200
    response = render(request, template, context, status=status)
    if is_part:
        response["HX-Retarget"], response["HX-Reswap"] = "#dialogs", "innerHTML"
    return response


def _context(request: HttpRequest, tool: ToolDefinition, version: ToolVersion) -> dict[str, Any]:
    is_now = version.number == tool.version and is_recorded(tool)
    return {"tool": tool, "version": version, "is_now": is_now, "rights": rights_of(request, tool)}


def _find_tool(request: HttpRequest, name: str) -> ToolDefinition:
    return get_object_or_404(visible_tools(user_of(request)).whole(), name=name)


def _versions_of(request: HttpRequest, tool: ToolDefinition) -> "QuerySet[ToolVersion]":
    return visible_versions(user_of(request)).filter(tool=tool)


def _find_version(request: HttpRequest, tool: ToolDefinition, number: int) -> ToolVersion:
    # The column is narrower than what an address may say.
    if number >= 2**31:
        raise Http404
    return get_object_or_404(_versions_of(request, tool).select_related("tool"), number=number)


def _note(request: HttpRequest) -> str:
    return request.POST.get("note", "").replace("\0", "").strip()[:1_000]


def _read_figures(versions: Sequence[ToolVersion], end: datetime | None) -> dict[int, CallFigures]:
    """By version number: calls since it was published and before the next one; one query."""
    if not versions:
        return {}
    calls = CallRecord.objects.filter(
        OF_A_TOOL,
        tool_name__in={version.tool_name for version in versions},
        at__gte=versions[-1].published_at,
    )
    calls = calls.filter(at__lt=end) if end else calls
    spans = [When(at__gte=version.published_at, then=Value(version.number)) for version in versions]
    number = Case(*spans, default=Value(0), output_field=IntegerField())
    rows = calls.order_by().annotate(version=number).values("version")
    counted = rows.annotate(calls=Count("pk"), errors=Count("pk", filter=FAILED))
    return {row["version"]: CallFigures(row["calls"], row["errors"]) for row in counted}
