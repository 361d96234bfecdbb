"""The tables beside the editor, their columns, and what the editor completes."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_GET
from django.views.decorators.vary import vary_on_headers

from access.list_addresses import read_filters
from access.reader_language import in_language
from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.browsing.addresses import address_of
from catalog.browsing.listing import KINDS
from catalog.gates import SCAN, tables_open_to
from catalog.models import CatalogColumn, CatalogScan, DataSource, ScanState
from catalog.rights import open_sources
from core.catalogue.entries import DEFAULT_SOURCE_NAME, TableKind
from core.errors import DefinitionError
from core.messages import message
from toolbuilder.editing.column_card import read_card
from toolbuilder.editing.explorer import (
    ExplorerColumn,
    ExplorerTable,
    SourceTables,
    TablePage,
    complete_column,
)
from toolbuilder.editing.function_card import describe_function
from toolbuilder.gates import SEE_TOOLS
from toolbuilder.preferences.models import read_preferences

_TEXT_CHARACTERS = 1_000
_KIND_ICONS: dict[str, str] = {
    TableKind.TABLE: "table-2",
    TableKind.VIEW: "eye",
    TableKind.MATERIALIZED_VIEW: "layers",
    TableKind.FOREIGN_TABLE: "external-link",
}
_KIND_NAMES: dict[str, Any] = {
    kind.value: name for kind, name in KINDS.items() if kind != TableKind.TABLE
}
_ACTIVE = (ScanState.QUEUED, ScanState.RUNNING)


@dataclass(frozen=True, slots=True)
class ExplorerRow:
    """A table in the list; `found` are its columns with words of the query."""

    table: ExplorerTable
    found: list[ExplorerColumn]

    @property
    def icon_name(self) -> str:
        return _KIND_ICONS.get(self.table.kind, "table-2")

    @property
    def kind_name(self) -> str:
        """What it is in the reader's language, '' of a plain table."""
        return str(_KIND_NAMES.get(self.table.kind, ""))


@for_staff_with(SEE_TOOLS)
@require_GET
@vary_on_headers("HX-Request")
def tables(request: HttpRequest) -> HttpResponse:
    """The tables of a data source, found by `q`; the catalogue's list for browsers without scripts."""
    filters = read_filters(request.GET, ("source", "q"), _TEXT_CHARACTERS)
    source_name, query = filters["source"], filters["q"]
    if not is_fragment(request):
        shown = {"source": source_name or DEFAULT_SOURCE_NAME} | ({"q": query} if query else {})
        return redirect(f"{reverse('catalogue')}?{urlencode(shown)}")
    template = "toolbuilder/editing/_explorer_tables.html"
    try:
        source = _find_source(request, source_name)
    except DefinitionError as refusal:
        refused = {"refusal": in_language(refusal), "page": TablePage([], 0)}
        return render(request, template, refused)
    page = SourceTables(source).list_tables(query)
    context = {
        "page": page,
        "rows": [ExplorerRow(table, page.found.get(table.id, [])) for table in page.tables],
        "query": query,
        "is_cut": page.total > len(page.tables),
        "why_empty": "" if page.tables or query else _explain_empty(source),
        "may_scan": user_of(request).has_perm(SCAN),
        "starred": read_preferences(user_of(request)).tables,
    }
    return render(request, template, context)


@for_staff_with(SEE_TOOLS)
@require_GET
@vary_on_headers("HX-Request")
def columns(request: HttpRequest, table_id: int) -> HttpResponse:
    """The columns of a table; its page in the catalogue for browsers without scripts."""
    opened = tables_open_to(user_of(request)).present()
    table = opened.select_related("source").filter(pk=table_id).first()
    if not is_fragment(request):
        return redirect(address_of(table) if table else "catalogue")
    listed = SourceTables(table.source).list_columns(table.pk) if table else None
    context = {"table": table, "columns": listed}
    return render(request, "toolbuilder/editing/_explorer_columns.html", context)


@for_staff_with(SEE_TOOLS)
@require_GET
@vary_on_headers("HX-Request")
def column(request: HttpRequest, column_id: int) -> HttpResponse:
    """What is known of a column, with its most frequent values; its table's page for browsers without scripts."""
    user = user_of(request)
    opened = CatalogColumn.objects.filter(gone_at=None, table__in=tables_open_to(user).present())
    found = get_object_or_404(opened.select_related("table__source"), pk=column_id)
    if not is_fragment(request):
        return redirect(address_of(found.table))
    context = {"card": read_card(found, user)}
    return render(request, "toolbuilder/editing/_column_card.html", context)


@for_staff_with(SEE_TOOLS)
@require_GET
@vary_on_headers("HX-Request")
def card(request: HttpRequest) -> HttpResponse:
    """The card of a name in a statement: `column` of `table`, `table` as SQL writes it, or `function`.

    Of what is not known, or not open to the user, nothing. Browsers without scripts have the catalogue.
    """
    if not is_fragment(request):
        return redirect("catalogue")
    asked = read_filters(request.GET, ("source", "table", "column", "function"), _TEXT_CHARACTERS)
    user, nothing = user_of(request), HttpResponse()
    try:
        source = _find_source(request, asked["source"])
    except DefinitionError:
        return nothing
    if asked["function"]:
        forms = describe_function(asked["function"], source, user)
        return render(request, "toolbuilder/editing/_function_card.html", {"forms": forms})
    table_id = SourceTables(source).find_table_id(asked["table"]) or 0
    table = tables_open_to(user).select_related("source").filter(pk=table_id).first()
    if table and not asked["column"]:
        count = table.columns.filter(gone_at=None).count()
        context = {"table": table, "column_count": count}
        return render(request, "toolbuilder/editing/_table_card.html", context)
    found = table and table.columns.filter(gone_at=None, name=asked["column"]).first()
    if not table or not found:
        return nothing
    found.table = table
    shown = read_card(found, user)
    return render(request, "toolbuilder/editing/_column_card.html", {"card": shown})


@for_staff_with(SEE_TOOLS)
@require_GET
@cache_control(private=True, no_cache=True)
@conditional_page
def schema(request: HttpRequest) -> HttpResponse:
    """Tables, columns and relations for completion as JSON; with `table` that table's columns alone.

    Of a data source that the user may not use, or that does not exist, nothing; the list says why.
    """
    filters = read_filters(request.GET, ("source", "table"), _TEXT_CHARACTERS)
    try:
        found = SourceTables(_find_source(request, filters["source"]))
    except DefinitionError:
        return _answer_json({"tables": [], "columns": []})
    if filters["table"]:
        listed = found.list_columns_of(filters["table"])
        return _answer_json({"columns": [complete_column(column) for column in listed]})
    return _answer_json(found.completion())


def _find_source(request: HttpRequest, name: str) -> DataSource | None:
    """The data source of that name, '' the default; DefinitionError unless the user may use it."""
    if name in {"", DEFAULT_SOURCE_NAME}:
        return None
    source = open_sources(user_of(request)).filter(name=name).first()
    if source is None:
        raise DefinitionError(
            message("start.source_closed", "There is no such data source, or you may not use it.")
        )
    return source


def _explain_empty(source: DataSource | None) -> str:
    """What the scans of a data source without tables say: scanning, scanned or unscanned."""
    scans = CatalogScan.objects.filter(source=source).order_by()
    states = set(scans.values_list("state", flat=True).distinct())
    if states.intersection(_ACTIVE):
        return "scanning"
    return "scanned" if ScanState.DONE in states else "unscanned"


def _answer_json(data: dict[str, Any]) -> JsonResponse:
    form = {"ensure_ascii": False, "separators": (",", ":")}
    return JsonResponse(data, json_dumps_params=form)
