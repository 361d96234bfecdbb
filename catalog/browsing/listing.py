"""The list of tables: what its address asks for, and the rows that it shows."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, F, FloatField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce, Lower
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from access.list_addresses import read_filters, read_page
from catalog.browsing.addresses import address_of, source_name_of
from catalog.gates import tables_open_to
from catalog.models import CatalogColumn, CatalogTable, Tag
from catalog.searching.search import TableSearch, search_tables
from core.catalogue.entries import DEFAULT_SOURCE_NAME, TableKind

PAGE_SIZE = 50
_QUERY_CHARACTERS = 1_000
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """What the address of the list says; empty means any, of `sort` the best first."""

    q: str = ""
    source: str = ""
    tag: str = ""
    state: str = ""
    kind: str = ""
    sort: str = ""
    page: int = 1

    @classmethod
    def read(cls, given: QueryDict) -> "ListState":
        """From an address; what makes no sense in it is left out."""
        names = ("q", "source", "tag", "state", "kind", "sort")
        texts = read_filters(given, names, _QUERY_CHARACTERS)
        state = cls(**texts, page=read_page(given))
        return replace(
            state,
            state=state.state if state.state in STATES else "",
            kind=state.kind if state.kind in list(TableKind) else "",
            sort=state.sort if state.sort in SORTS and not state.q else "",
        )

    @property
    def is_filtered(self) -> bool:
        """Whether tables may be missing from the list because of it."""
        return bool(self.q or self.source or self.tag or self.state or self.kind)

    def address(self, **changes: str | int) -> str:
        """Of the list with these changes, from its first page unless `page` is one of them."""
        state = replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]
        query = QueryDict(mutable=True)
        query.update({name: value for name, value in asdict(state).items() if value})
        if state.page == 1:
            query.pop("page", None)
        return f"{reverse('catalogue')}{'?' if query else ''}{query.urlencode()}"


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


def read_listing(user: User, state: ListState) -> Listing:
    """The page of tables that the state asks for; the same number of queries for any."""
    tables = filter_tables(tables_open_to(user), state)
    if not state.q:
        paginator = Paginator(_sort(tables, state.sort).values_list("pk", flat=True), PAGE_SIZE)
        page = paginator.get_page(state.page)
        return Listing(rows=_read_rows(list(page.object_list)), page=page)
    found = search_tables(
        state.q, tables.order_by(), offset=(state.page - 1) * PAGE_SIZE, limit=PAGE_SIZE
    )
    return _listing_of(found, state.page)


def filter_tables(tables: "QuerySet[CatalogTable]", state: ListState) -> "QuerySet[CatalogTable]":
    """Those that the filters let through, words aside; gone ones only where they are asked for."""
    if state.source == DEFAULT_SOURCE_NAME:
        tables = tables.filter(source=None)
    elif state.source:
        tables = tables.filter(source__name=state.source)
    if state.tag:
        tables = tables.filter(Exists(_tagged(state.tag)))
    if state.kind:
        tables = tables.filter(kind=state.kind)
    return _filter_state(tables, state.state)


def read_tags(user: User) -> list[tuple[str, int]]:
    """The tags of the tables that the user may see, most used first, with their counts."""
    seen = Q(tables__in=tables_open_to(user).filter(gone_at=None))
    counted = Tag.objects.annotate(count=Count("tables", filter=seen)).filter(count__gt=0)
    return list(counted.order_by("-count", "name").values_list("name", "count")[:200])


def _tagged(name: str) -> "QuerySet[CatalogTable]":
    return CatalogTable.objects.filter(pk=OuterRef("pk"), tags__name=name)


def _filter_state(tables: "QuerySet[CatalogTable]", state: str) -> "QuerySet[CatalogTable]":
    if state == "gone":
        return tables.exclude(gone_at=None)
    tables = tables.filter(gone_at=None)
    if state == "hidden":
        return tables.filter(is_hidden=True)
    if state == "undescribed":
        bare = CatalogColumn.objects.filter(table=OuterRef("pk"), gone_at=None).exclude(_DESCRIBED)
        return tables.filter(~_DESCRIBED | Exists(bare))
    return tables


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


def _listing_of(found: TableSearch, number: int) -> Listing:
    columns = {hit.table_id: hit.columns for hit in found.hits}
    page = Paginator(range(found.total), PAGE_SIZE).get_page(number)
    return Listing(
        rows=_read_rows([hit.table_id for hit in found.hits], columns),
        page=page,
        corrected=found.corrected,
    )


def _read_rows(
    ids: Sequence[int], found_columns: Mapping[int, tuple[str, ...]] | None = None
) -> list[TableRow]:
    tables = CatalogTable.objects.filter(pk__in=ids).select_related("source")
    by_id = tables.defer("sample", "search_text", "notes").prefetch_related("tags").in_bulk()
    columns = CatalogColumn.objects.filter(table_id__in=ids, gone_at=None).order_by()
    counted = columns.values("table_id").annotate(
        all=Count("pk"), described=Count("pk", filter=_DESCRIBED)
    )
    counts = {row["table_id"]: (row["all"], row["described"]) for row in counted}
    return [
        _row(by_id[id_], counts.get(id_, (0, 0)), (found_columns or {}).get(id_, ()))
        for id_ in ids
        if id_ in by_id
    ]


def _row(table: CatalogTable, counts: tuple[int, int], found: tuple[str, ...]) -> TableRow:
    source_name = source_name_of(table)
    return TableRow(
        table=table,
        source_name=source_name,
        address=address_of(table, source_name),
        tags=[tag.name for tag in table.tags.all()],
        column_count=counts[0],
        described_count=counts[1],
        found_columns=found,
    )
