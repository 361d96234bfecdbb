"""The list of tables: what its address asks for, and the rows that it shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, F, FloatField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce, Lower
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from access.list_addresses import ListState
from catalog.browsing.addresses import address_of, source_name_of
from catalog.gates import tables_open_to
from catalog.models import CatalogColumn, CatalogTable, Tag
from catalog.searching.search import search_tables
from core.catalogue.entries import DEFAULT_SOURCE_NAME, TableKind

PAGE_SIZE = 50
_DESCRIBED = ~Q(description="") | ~Q(source_comment="")
SORTS = {
    "": _("By name"),
    "rows": _("Most rows"),
    "columns": _("Most columns"),
    "described": _("Least described"),
    "changed": _("Last changed"),
}
STATES = {
    "": _("All"),
    "undescribed": _("Undescribed"),
    "hidden": _("Hidden from agents"),
    "gone": _("Gone"),
}
KINDS = {
    TableKind.TABLE: _("table"),
    TableKind.VIEW: _("view"),
    TableKind.MATERIALIZED_VIEW: _("materialized view"),
    TableKind.FOREIGN_TABLE: _("foreign table"),
}


@dataclass(frozen=True, kw_only=True)
class TableListState(ListState):
    """What the address of the list says; an empty `sort` is by name, or best first for a query."""

    url_name = "catalogue"
    query_characters = 1_000
    choices = {"state": STATES, "kind": list(TableKind), "sort": SORTS}

    source: str = ""
    tag: str = ""
    state: str = ""
    kind: str = ""
    sort: str = ""

    @classmethod
    def read(cls, given: QueryDict) -> Self:
        state = super().read(given)
        return replace(state, sort="") if state.q else state


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A table in the list; `found_columns` hold words of the query."""

    table: CatalogTable
    source_name: str
    address: str
    tags: list[str]
    column_count: int = 0
    described_count: int = 0
    found_columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One page of the list; `corrected` has words of the query with those looked for instead."""

    rows: list[TableRow]
    page: Page[int]
    corrected: tuple[tuple[str, tuple[str, ...]], ...] = ()


def read_listing(user: User, state: TableListState) -> Listing:
    """The page of tables that the state asks for; the same number of queries for any."""
    tables = filter_tables(tables_open_to(user), state)
    if not state.q:
        paginator = Paginator(_sort(tables, state.sort).values_list("pk", flat=True), PAGE_SIZE)
        page = paginator.get_page(state.page)
        return Listing(rows=_read_rows(list(page.object_list), {}), page=page)
    found = search_tables(
        state.q, tables.order_by(), offset=(state.page - 1) * PAGE_SIZE, limit=PAGE_SIZE
    )
    columns = {hit.table_id: hit.columns for hit in found.hits}
    return Listing(
        rows=_read_rows(list(columns), columns),
        page=Paginator(range(found.total), PAGE_SIZE).get_page(state.page),
        corrected=found.corrected,
    )


def filter_tables(
    tables: "QuerySet[CatalogTable]", state: TableListState
) -> "QuerySet[CatalogTable]":
    """Those that the filters let through, words aside; gone ones only where they are asked for."""
    if state.source == DEFAULT_SOURCE_NAME:
        tables = tables.filter(source=None)
    elif state.source:
        tables = tables.filter(source__name=state.source)
    if state.tag:
        tagged = CatalogTable.objects.filter(pk=OuterRef("pk"), tags__name=state.tag)
        tables = tables.filter(Exists(tagged))
    if state.kind:
        tables = tables.filter(kind=state.kind)
    if state.state == "gone":
        return tables.exclude(gone_at=None)
    tables = tables.filter(gone_at=None)
    if state.state == "hidden":
        return tables.filter(is_hidden=True)
    if state.state == "undescribed":
        bare = CatalogColumn.objects.filter(table=OuterRef("pk"), gone_at=None).exclude(_DESCRIBED)
        return tables.filter(~_DESCRIBED | Exists(bare))
    return tables


def read_tags(user: User) -> list[tuple[str, int]]:
    """The tags of the tables that the user may see, most used first, with their counts."""
    seen = Q(tables__in=tables_open_to(user).filter(gone_at=None))
    counted = Tag.objects.annotate(count=Count("tables", filter=seen)).filter(count__gt=0)
    return list(counted.order_by("-count", "name").values_list("name", "count")[:200])


def _sort(tables: "QuerySet[CatalogTable]", sort: str) -> "QuerySet[CatalogTable]":
    match sort:
        case "rows":
            return tables.order_by(F("row_estimate").desc(nulls_last=True), "name", "pk")
        case "changed":
            return tables.order_by(F("changed_at").desc(nulls_last=True), "name", "pk")
        case "columns":
            return tables.annotate(_n=_count_columns(Count("pk"))).order_by("-_n", "name", "pk")
        case "described":
            share = Cast(Count("pk", filter=_DESCRIBED), FloatField()) / Count("pk")
            return tables.annotate(_n=_count_columns(share)).order_by("_n", "name", "pk")
    return tables.order_by(Lower("name"), "schema", "pk")


def _count_columns(figure: object) -> Coalesce:
    columns = CatalogColumn.objects.filter(table=OuterRef("pk"), gone_at=None).order_by()
    figures = columns.values("table").annotate(figure=figure).values("figure")
    return Coalesce(Subquery(figures, output_field=FloatField()), Value(0.0))


def _read_rows(ids: Sequence[int], found_columns: Mapping[int, tuple[str, ...]]) -> list[TableRow]:
    tables = CatalogTable.objects.filter(pk__in=ids).select_related("source")
    by_id = tables.defer("sample", "search_text", "notes").prefetch_related("tags").in_bulk()
    columns = CatalogColumn.objects.filter(table_id__in=ids, gone_at=None).order_by()
    counted = columns.values("table_id").annotate(
        all=Count("pk"), described=Count("pk", filter=_DESCRIBED)
    )
    counts = {row["table_id"]: (row["all"], row["described"]) for row in counted}
    rows = []
    for table in (by_id[pk] for pk in ids if pk in by_id):
        column_count, described_count = counts.get(table.pk, (0, 0))
        rows.append(
            TableRow(
                table=table,
                source_name=source_name_of(table),
                address=address_of(table),
                tags=[tag.name for tag in table.tags.all()],
                column_count=column_count,
                described_count=described_count,
                found_columns=found_columns.get(table.pk, ()),
            )
        )
    return rows
