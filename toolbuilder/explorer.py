"""Tables and columns of one data source for the editor: its explorer, completion and near names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from operator import and_
from typing import Any

from django.db.models import Count, Q, QuerySet

from catalog.models import CatalogColumn, CatalogTable, DataSource
from core.catalogue.entries import TableName
from core.catalogue.search_words import find_words
from core.catalogue.sql_names import quote_name, quote_table
from core.statements.names import TableMention

TABLE_LIMIT = 500
# Beyond so many columns the browser asks for those of a table when it needs them.
COMPLETION_COLUMN_LIMIT = 5_000
_DEFAULT_PATH = ("public",)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerTable:
    """A table; `insert` is its name as the statement has to write it, `comment` what it is about."""

    id: int
    insert: str
    schema: str
    name: str
    display_name: str
    comment: str
    kind: str
    row_estimate: int | None
    column_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerColumn:
    """A column; `insert` is its name as the statement has to write it."""

    insert: str
    name: str
    type_name: str
    display_name: str
    comment: str
    is_nullable: bool
    is_primary_key: bool


@dataclass(frozen=True, slots=True)
class TablePage:
    """The first tables by name, and how many there are."""

    tables: list[ExplorerTable]
    total: int


class SourceTables:
    """The present tables of one data source, None the default; who may use it is not asked here."""

    def __init__(self, source: DataSource | None) -> None:
        self._tables = CatalogTable.objects.present().filter(source=source)
        path = source.search_path if source and source.engine != "sqlite" else ""
        names = [name.strip().strip('"') for name in path.split(",")]
        self._search_path = tuple(filter(None, names)) or _DEFAULT_PATH

    def list_tables(self, query: str = "", limit: int = TABLE_LIMIT) -> TablePage:
        """Tables of which every word of the query is somewhere in names, comments or columns; two queries."""
        words = [Q(search_text__contains=word) for word in find_words(query)]
        tables = self._tables.filter(reduce(and_, words, Q()))
        present = Count("columns", filter=Q(columns__gone_at=None))
        shown = tables.defer("sample", "search_text", "notes").annotate(column_count=present)
        return TablePage([self._entry(table) for table in shown[:limit]], tables.count())

    def list_columns(self, table_id: int) -> list[ExplorerColumn]:
        """The present columns of a table of this source, in its order; one query."""
        columns = CatalogColumn.objects.filter(table__in=self._tables, table=table_id, gone_at=None)
        return [_column_entry(column) for column in columns]

    def completion(self) -> dict[str, list[str]]:
        """Columns by table, both as SQL writes them, for completion; two queries.

        Tables of a large source come without columns.
        """
        tables = dict(self._names())
        found: dict[str, list[str]] = {insert: [] for insert in tables.values()}
        columns = CatalogColumn.objects.filter(table__in=self._tables, gone_at=None)
        rows = list(columns.values_list("table_id", "name")[: COMPLETION_COLUMN_LIMIT + 1])
        if len(rows) > COMPLETION_COLUMN_LIMIT:
            return found
        for table_id, name in rows:
            if table_id in tables:
                found[tables[table_id]].append(quote_name(name))
        return found

    def table_names(self) -> list[str]:
        """Every table as SQL writes it; one query."""
        return [insert for _, insert in self._names()]

    def columns_of(self, mentions: Collection[TableMention]) -> dict[str, list[tuple[str, str]]]:
        """By alias, names and types of the columns of the mentioned tables that exist; one query."""
        names = {mention.path[-1].lower() for mention in mentions}
        columns = CatalogColumn.objects.filter(table__in=self._named(names), gone_at=None)
        rows = columns.values_list("table__schema", "table__name", "name", "type_name")
        known: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for schema, table, name, type_name in rows:
            known.setdefault((schema, table.lower()), []).append((name, type_name))
        found = {mention.alias: self._choose(mention, known) for mention in mentions}
        return {alias: listed for alias, listed in found.items() if listed}

    def _named(self, names: Collection[str]) -> "QuerySet[CatalogTable]":
        wanted = reduce(lambda one, name: one | Q(name__iexact=name), names, Q(pk=None))
        return self._tables.filter(wanted).order_by()

    def _choose(
        self,
        mention: TableMention,
        known: Mapping[tuple[str, str], list[tuple[str, str]]],
    ) -> list[tuple[str, str]]:
        name = mention.path[-1].lower()
        has_schema = len(mention.path) > 1
        schemas: Sequence[str] = mention.path[-2:-1] if has_schema else (*self._search_path, "")
        return next((known[schema, name] for schema in schemas if (schema, name) in known), [])

    def _names(self) -> list[tuple[int, str]]:
        rows = self._tables.values_list("pk", "schema", "name")
        return [(pk, self._insert(schema, name)) for pk, schema, name in rows]

    def _insert(self, schema: str, name: str) -> str:
        """The bare name where the search path finds it."""
        return (
            quote_name(name)
            if schema in self._search_path
            else quote_table(TableName(schema, name))
        )

    def _entry(self, table: CatalogTable) -> ExplorerTable:
        return ExplorerTable(
            id=table.pk,
            insert=self._insert(table.schema, table.name),
            schema=table.schema,
            name=table.name,
            display_name=table.display_name,
            comment=table.told_description,
            kind=table.kind,
            row_estimate=table.row_estimate,
            column_count=getattr(table, "column_count", 0),
        )


def to_json(entry: ExplorerTable | ExplorerColumn) -> dict[str, Any]:
    """The entry for the browser."""
    return asdict(entry)


def _column_entry(column: CatalogColumn) -> ExplorerColumn:
    return ExplorerColumn(
        insert=quote_name(column.name),
        name=column.name,
        type_name=column.type_name,
        display_name=column.display_name,
        comment=column.told_description,
        is_nullable=column.is_nullable,
        is_primary_key=column.is_primary_key,
    )
