"""The list of tables and the page of a table with its tabs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from access.views.gates import is_fragment, user_of
from catalog.browsing.addresses import (
    NAMES_COMPARED,
    address_of,
    match_path,
    path_of,
    source_name_of,
)
from catalog.browsing.columns import read_columns, read_sample
from catalog.browsing.fields import read_known_tags, read_tag_names, table_text
from catalog.browsing.listing import (
    KINDS,
    SORTS,
    STATES,
    TableListState,
    read_listing,
    read_tags,
)
from catalog.browsing.related import read_related, read_relation_choices
from catalog.gates import for_staff, named_sources_open_to, rights_of, tables_open_to
from catalog.models import CatalogTable
from catalog.scans.views import read_scan_panel
from catalog.searching.search import record_search
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.catalogue.near_names import find_near

DEFAULT_TAB = "columns"


@dataclass(frozen=True, slots=True)
class Tab:
    """A part of the page: `build` makes what `template` shows."""

    label: str | Promise
    template: str
    build: Callable[[HttpRequest, CatalogTable], dict[str, Any]]


def _build_columns(request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    page, rows = read_columns(user_of(request), table, request.GET.get("page", "1"))
    return {"page": page, "rows": rows}


def _build_sample(_request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    return {"sample": read_sample(table)}


def build_related(request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    """What the tab of relations shows."""
    user = user_of(request)
    return {**read_related(user, table), "choices": read_relation_choices(user, table)}


def _build_notes(_request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    return {"field": table_text(table, "notes", address_of(table, "notes"))}


TABS: dict[str, Tab] = {
    "columns": Tab(_("Columns"), "catalog/browsing/_columns.html", _build_columns),
    "sample": Tab(_("Sample"), "catalog/browsing/_sample.html", _build_sample),
    "related": Tab(_("Related"), "catalog/browsing/_related.html", build_related),
    "notes": Tab(_("Notes"), "catalog/browsing/_notes.html", _build_notes),
}


@for_staff
@require_GET
@vary_on_headers("HX-Request")
def table_list(request: HttpRequest) -> HttpResponse:
    """Tables of all data sources: searched, filtered, sorted, 50 a page."""
    state = TableListState.read(request.GET)
    user = user_of(request)
    listing = read_listing(user, state)
    if state.q and state.page == 1:
        record_search(user, state.q, listing.page.paginator.count)
    context = {
        "state": state,
        "listing": listing,
        "page_numbers": list(listing.page.paginator.get_elided_page_range(listing.page.number)),
        "words": " ".join((state.q, *(word for _, words in listing.corrected for word in words))),
        "rights": rights_of(request),
    }
    if not is_fragment(request):
        sources = named_sources_open_to(user)
        context |= {
            "sources": [DEFAULT_SOURCE_NAME, *(source.name for source in sources)],
            "tags": read_tags(user),
            "kinds": KINDS.items(),
            "states": STATES.items(),
            "sorts": SORTS.items(),
            "is_empty": not tables_open_to(user).exists(),
            **read_scan_panel(request, sources),
        }
        return render(request, "catalog/browsing/list.html", context)
    response = render(request, "catalog/browsing/_list_answer.html", context)
    address = state.address(page=state.page)
    if not request.headers.get("HX-Current-URL", "").endswith(address):
        response["HX-Push-Url"] = address
    return response


@for_staff
@require_GET
@vary_on_headers("HX-Request")
def table_page(request: HttpRequest, source_name: str, path: str) -> HttpResponse:
    """A table, with one of its tabs; of an unknown one, 404 and the names that are near."""
    table = _find_table(request, source_name, path)
    if table is None:
        return _answer_unknown(request, source_name, path)
    name = request.GET.get("tab", "")
    name = name if name in TABS else DEFAULT_TAB
    address = address_of(table)
    context = {
        "table": table,
        "source_name": source_name_of(table),
        "address": address,
        "tabs": TABS,
        "tab_name": name,
        "tab": TABS[name],
        "rights": rights_of(request),
        **TABS[name].build(request, table),
    }
    if is_fragment(request):
        return render(request, "catalog/browsing/_tabs.html", context)
    context |= {
        "display_name": table_text(table, "display_name", address),
        "description": table_text(table, "description", address),
        "tag_names": read_tag_names(table),
        "known_tags": read_known_tags(user_of(request)),
    }
    return render(request, "catalog/browsing/table.html", context)


def _find_table(request: HttpRequest, source_name: str, path: str) -> CatalogTable | None:
    """The table of that path, else the only one of that bare name."""
    if "\0" in path:
        return None
    tables = tables_open_to(user_of(request)).select_related("source").defer("search_text")
    name = None if source_name == DEFAULT_SOURCE_NAME else source_name
    found = list(tables.filter(match_path(path), source__name=name)[:20])
    exact = [table for table in found if path_of(table) == path]
    return exact[0] if exact else (found[0] if len(found) == 1 else None)


def _answer_unknown(request: HttpRequest, source_name: str, path: str) -> HttpResponse:
    tables = (
        tables_open_to(user_of(request))
        .select_related("source")
        .only("schema", "name", "source__name")
    )
    known = {f"{source_name_of(table)}.{table}": table for table in tables[:NAMES_COMPARED]}
    near = find_near(f"{source_name}.{path}", list(known), limit=5)
    context = {
        "path": path,
        "near": [(name, address_of(known[name])) for name in near],
    }
    return render(request, "catalog/browsing/unknown_table.html", context, status=404)
