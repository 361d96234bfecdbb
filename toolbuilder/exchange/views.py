"""Tools as files in the browser: chosen ones exported, and files imported after their plan was shown."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from access.reader_language import in_language
from access.views.gates import for_staff_with, user_of
from catalog.sources.editing import FILLED_IN
from catalog.sources.settings import read_sources
from core.errors import EditError
from toolbuilder.editing.views.requests import lead_to
from toolbuilder.exchange.directories import file_name, read_tools
from toolbuilder.exchange.exchanged import ExchangedSource, ExchangedTool, SkippedPart, ToolFiles
from toolbuilder.exchange.files import tool_document, write_yaml
from toolbuilder.exchange.formats import read_files
from toolbuilder.exchange.importing import (
    ImportConflict,
    ImportKind,
    ImportOutcome,
    PlannedTool,
    apply_import,
    plan_import,
)
from toolbuilder.exchange.patching import write_document
from toolbuilder.exchange.toolbox.document import is_toolbox
from toolbuilder.exchange.toolbox.taking import take_toolbox
from toolbuilder.exchange.uploads import join_texts, read_uploads
from toolbuilder.gates import ADD_TOOLS, SEE_TOOLS, may_change
from toolbuilder.history.difference_view import ShownDifference, show_difference
from toolbuilder.listing.bulk import read_chosen
from toolbuilder.visibility import visible_tools
from tools.definitions import ToolDocument

# A form has at most a thousand fields.
TOOLS_SHOWN = 500
FAULTS_SHOWN = 200
MAX_NOTE_CHARACTERS = 1_000
_PLACE = ("engine", "host", "database", "path", "server_url")
# What the command does with sources, or asks of its reader.
_OF_COMMAND = frozenset({"toolbox.password_variable", "toolbox.source_incomplete"})


@dataclass(frozen=True, slots=True)
class ShownTool:
    """A tool of the files beside the stored one; `choice` is what becomes of it.

    `is_closed` is one that the person may not change, `is_overtaken` one that says something else than
    when its differences were shown.
    """

    planned: PlannedTool
    choice: str = ""
    is_closed: bool = False
    is_overtaken: bool = False
    difference: ShownDifference | None = None

    @property
    def is_conflict(self) -> bool:
        """Whether the stored one says something else."""
        return self.planned.kind is ImportKind.CHANGED


@dataclass(frozen=True, slots=True)
class NeededSource:
    """A data source that tools of the files need: where it is, and the address of its form, filled in."""

    name: str
    place: str
    address: str


@for_staff_with(SEE_TOOLS)
@require_http_methods(["GET", "HEAD", "POST"])
def export_tools(request: HttpRequest) -> HttpResponse:
    """The chosen tools as one YAML file, or as a ZIP with a file for each; a POST leads to the download."""
    chosen = read_chosen(request)
    given = request.POST if request.method == "POST" else request.GET
    file_format = "zip" if given.get("format") == "zip" else "yaml"
    if request.method == "POST":
        ids = ",".join(map(str, chosen.ids))
        query = {"ids": ids}
        if given.get("every") == "yes":
            query = {"every": "yes", "filter": given.get("filter", "")}
        address = f"{reverse('tools-export')}?{urlencode({'format': file_format, **query})}"
        return lead_to(request, address)
    rows = visible_tools(user_of(request)).whole().filter(pk__in=chosen.ids).order_by("name")
    tools = read_tools(rows)
    if not tools:
        messages.error(request, _("Choose at least one tool."))
        return redirect("tools")
    data = _zip(tools) if file_format == "zip" else write_yaml(tools).encode()
    kind = "application/zip" if file_format == "zip" else "application/yaml; charset=utf-8"
    response = HttpResponse(data, content_type=kind)
    name = f"tools-{timezone.localdate():%Y%m%d}.{file_format}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _zip(tools: Iterable[ExchangedTool]) -> bytes:
    written = io.BytesIO()
    names: set[str] = set()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for tool in tools:
            name = file_name("tools", tool.name, names)
            names.add(name)
            archive.writestr(name, write_document(tool_document(tool)))
    return written.getvalue()


@for_staff_with(SEE_TOOLS, ADD_TOOLS)
@require_http_methods(["GET", "HEAD", "POST"])
def import_tools(request: HttpRequest) -> HttpResponse:
    """The form of files; their plan, or every fault of them; with `apply` the tools made of them."""
    if request.method != "POST":
        return _render(request, {})
    context: dict[str, Any] = {}
    try:
        uploads = request.FILES.getlist("files")
        texts = read_uploads(uploads) if uploads else {"": request.POST.get("document", "")}
        content = _read_content(texts)
        context["document"] = join_texts(texts)
    except EditError as error:
        return _render(request, {"error": in_language(error)}, status=422)
    if content.faults:
        found = {"faults": content.faults[:FAULTS_SHOWN], "fault_count": len(content.faults)}
        return _render(request, {**context, **found}, status=422)
    shown = _plan(request, content)
    refusal = ""
    if "apply" in request.POST:
        if len(shown) > TOOLS_SHOWN:
            refusal = _("More than %d tools: import them with manage.py tools apply.") % TOOLS_SHOWN
        elif any(tool.is_overtaken for tool in shown):
            refusal = _(
                "Tools were changed by somebody else meanwhile; look at the differences again."
            )
        elif any(tool.is_conflict and not tool.choice for tool in shown):
            refusal = _("Choose for each tool that is there whether it is replaced.")
        else:
            outcomes = _apply(request, shown)
            context["refused"] = [outcome for outcome in outcomes if outcome.refusal]
            if not context["refused"]:
                return _tell(request, outcomes)
    kinds, needed = [tool.planned.kind for tool in shown], _find_needed(content)
    registered = {source.name for source in content.sources} - {source.name for source in needed}
    context |= {
        "error": refusal,
        "content": content,
        "shown": shown[:TOOLS_SHOWN],
        "hidden_count": max(len(shown) - TOOLS_SHOWN, 0),
        "counts": {kind.value: kinds.count(kind) for kind in ImportKind},
        "others": len(content.toolsets) + len(content.concepts) + len(registered),
        "needed": needed,
        "note": request.POST.get("note", ""),
    }
    is_refused = bool(refusal or context.get("refused"))
    return _render(request, context, status=422 if is_refused else 200)


def _read_content(texts: dict[str, str]) -> ToolFiles:
    """What the files say, of our form or, alone, of MCP Toolbox's."""
    text = next(iter(texts.values()), "")
    if len(texts) != 1 or not is_toolbox(text):
        return read_files(texts)
    taking = take_toolbox(text, {})
    content = ToolFiles(tools=list(taking.tools))
    content.skipped = [
        SkippedPart(found.name, found.text)
        for found in taking.findings
        if found.text.code not in _OF_COMMAND
    ]
    content.sources = [
        ExchangedSource(name=source.name, columns=dict(source.columns)) for source in taking.needed
    ]
    return content


def _find_needed(content: ToolFiles) -> list[NeededSource]:
    """Data sources that the tools name and that are not there, with what the files say of them."""
    named = {tool.snapshot.data_source for tool in content.tools}
    said = {source.name: source.columns for source in content.sources}
    needed = []
    for name in sorted(filter(None, named - read_sources().users_of.keys())):
        columns = {"name": name, **said.get(name, {})}
        query = {key: columns[key] for key in FILLED_IN if columns.get(key)}
        place = " ".join(str(columns[key]) for key in _PLACE if columns.get(key))
        needed.append(NeededSource(name, place, f"{reverse('source-add')}?{urlencode(query)}"))
    return needed


def _plan(request: HttpRequest, content: ToolFiles) -> list[ShownTool]:
    """The tools of the files, those that differ first, with what was chosen for them."""
    user, choices = user_of(request), {str(ImportConflict.SKIP), str(ImportConflict.REPLACE)}
    shown: list[ShownTool] = []
    for planned in plan_import(content.tools):
        choice = request.POST.get(f"choice-{planned.given.name}", "")
        is_closed = not _may_write(user, planned)
        seen = request.POST.get(f"seen-{planned.given.name}") if choice else None
        is_overtaken = bool(planned.base and seen and seen != planned.base.content_hash)
        difference = None
        if planned.stored and planned.difference and len(shown) < TOOLS_SHOWN:
            old = ToolDocument.of_row(planned.stored)
            difference = show_difference(old, planned.given.snapshot)
        choice = choice if choice in choices and not is_overtaken else ""
        choice = str(ImportConflict.SKIP) if is_closed else choice
        shown.append(ShownTool(planned, choice, is_closed, is_overtaken, difference))
    order = (ImportKind.CHANGED, ImportKind.NEW, ImportKind.SAME)
    return sorted(shown, key=lambda tool: order.index(tool.planned.kind))


def _may_write(user: User, planned: PlannedTool) -> bool:
    """Whether the user may change the tool as it is and as it would be; a new one needs no more than the page."""
    if planned.stored is None:
        return True
    return may_change(user, planned.stored) and may_change(user, planned.given.snapshot)


def _apply(request: HttpRequest, shown: Sequence[ShownTool]) -> list[ImportOutcome]:
    """What became of each tool; all are published, or none where one is refused."""
    chosen = [
        tool.planned
        for tool in shown
        if not tool.is_conflict or tool.choice == ImportConflict.REPLACE
    ]
    note = request.POST.get("note", "").replace("\0", "").strip()[:MAX_NOTE_CHARACTERS]
    with transaction.atomic():
        outcomes = list(apply_import(chosen, user_of(request).get_username(), note=note))
        if any(outcome.refusal for outcome in outcomes):
            transaction.set_rollback(True)
    return outcomes


def _tell(request: HttpRequest, outcomes: Iterable[ImportOutcome]) -> HttpResponse:
    count = sum(outcome.version is not None for outcome in outcomes)
    text = ngettext("%(count)d tool was imported.", "%(count)d tools were imported.", count)
    messages.success(request, text % {"count": count})
    return redirect("tools")


def _render(request: HttpRequest, context: Mapping[str, Any], status: int = 200) -> HttpResponse:
    return render(request, "toolbuilder/exchange/import.html", dict(context), status=status)
