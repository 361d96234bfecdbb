"""The tabs of a table's page; apps above this one add theirs to TABS when they start."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from catalog.browsing.addresses import address_of, source_name_of
from catalog.browsing.columns import read_columns, read_sample
from catalog.browsing.related import read_related, read_relation_choices
from catalog.browsing.texts import table_text
from catalog.gates import user_of
from catalog.models import CatalogTable

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


def _build_sample(request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    return {"sample": read_sample(table)}


def build_related(request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    """What the tab of relations shows."""
    user = user_of(request)
    return {**read_related(user, table), "choices": read_relation_choices(user, table)}


def _build_notes(request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    page = f"{address_of(table, source_name_of(table))}?tab=notes"
    return {"field": table_text(table, "notes", page)}


TABS: dict[str, Tab] = {
    "columns": Tab(_("Columns"), "catalog/browsing/_columns.html", _build_columns),
    "sample": Tab(_("Sample"), "catalog/browsing/_sample.html", _build_sample),
    "related": Tab(_("Related"), "catalog/browsing/_related.html", build_related),
    "notes": Tab(_("Notes"), "catalog/browsing/_notes.html", _build_notes),
}
