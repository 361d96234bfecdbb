"""The tables and columns that rows of a file mean, or what they may have been meant to be."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from catalog.exchange.rows import Fault, FileRow
from catalog.models import CatalogColumn, CatalogTable
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.catalogue.near_names import find_near

# Looking for near names takes milliseconds; nobody reads thousands of them.
MAX_NEAR_SEARCHES = 100

# PostgreSQL takes no U+0000, and half a surrogate has no UTF-8.
_IMPOSSIBLE = re.compile(r"[\0\ud800-\udfff]")

Place = tuple[CatalogTable, CatalogColumn | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownName:
    """A row of a table or column that the catalogue has not, with names that are near."""

    line: int
    table: str
    column: str = ""
    near: Sequence[str] = ()


class Places:
    """Finds the tables and columns of rows; three queries for all of them."""

    def __init__(self, tables: QuerySet[CatalogTable], rows: Sequence[FileRow]) -> None:
        names = {row.table for row in rows if not _IMPOSSIBLE.search(row.table)}
        named = tables.filter(name__in=names)
        found = list(named.select_related("source").defer("search_text").prefetch_related("tags"))
        self._tables: dict[str, list[CatalogTable]] = defaultdict(list)
        for table in found:
            self._tables[table.name].append(table)
        self._columns: dict[int, dict[str, CatalogColumn]] = {table.pk: {} for table in found}
        if any(row.column for row in rows):
            for column in CatalogColumn.objects.filter(table__in=list(self._columns)):
                self._columns[column.table_id][column.name] = column
        self._all = tables
        self._known: list[str] | None = None
        self._searches = 0

    def find(self, row: FileRow) -> Place | UnknownName | Fault:
        """The table of the row and, where it names one, its column."""
        tables = [table for table in self._tables.get(row.table, []) if self._is_meant(row, table)]
        if not tables:
            near = self._near(row.table, self._known_tables())
            return UnknownName(line=row.line, table=row.table, near=near)
        if len(tables) > 1:
            return Fault(row.line, _explain_several(row, tables))
        if not row.column:
            return tables[0], None
        columns = self._columns[tables[0].pk]
        if (column := columns.get(row.column)) is not None:
            return tables[0], column
        near = self._near(row.column, [name for name, one in columns.items() if not one.gone_at])
        return UnknownName(line=row.line, table=row.table, column=row.column, near=near)

    def source_name(self, table: CatalogTable) -> str:
        """The name of its data source, as files have it."""
        return _source_name(table)

    def _is_meant(self, row: FileRow, table: CatalogTable) -> bool:
        is_source = row.source is None or row.source == _source_name(table)
        return is_source and row.schema in {None, table.schema}

    def _near(self, name: str, known: Sequence[str]) -> list[str]:
        self._searches += 1
        return find_near(name, known) if self._searches <= MAX_NEAR_SEARCHES else []

    def _known_tables(self) -> list[str]:
        if self._known is None:
            self._known = list(self._all.order_by().values_list("name", flat=True).distinct())
        return self._known


def _explain_several(row: FileRow, tables: Sequence[CatalogTable]) -> str:
    names = sorted(f"{_source_name(table)}: {table}" for table in tables)
    return _("%(table)s may mean several: %(names)s; fill datasource and schema") % {
        "table": row.table,
        "names": ", ".join(names[:5]),
    }


def _source_name(table: CatalogTable) -> str:
    return table.source.name if table.source else DEFAULT_SOURCE_NAME
