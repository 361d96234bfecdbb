"""The tables and columns that rows of a file mean, or what they may have been meant to be."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from catalog.browsing.addresses import source_name_of
from catalog.exchange.cells import Fault, FileRow
from catalog.models import CatalogColumn, CatalogTable
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
        tables = [
            table
            for table in self._tables.get(row.table, [])
            if row.source in {None, source_name_of(table)} and row.schema in {None, table.schema}
        ]
        if not tables:
            if self._known is None:
                self._known = list(self._all.order_by().values_list("name", flat=True).distinct())
            return UnknownName(
                line=row.line, table=row.table, near=self._near(row.table, self._known)
            )
        if len(tables) > 1:
            names = sorted(f"{source_name_of(table)}: {table}" for table in tables)
            text = _("%(table)s may mean several: %(names)s; fill datasource and schema")
            return Fault(row.line, text % {"table": row.table, "names": ", ".join(names[:5])})
        if not row.column:
            return tables[0], None
        columns = self._columns[tables[0].pk]
        if (column := columns.get(row.column)) is not None:
            return tables[0], column
        present = [name for name, column in columns.items() if not column.gone_at]
        near = self._near(row.column, present)
        return UnknownName(line=row.line, table=row.table, column=row.column, near=near)

    def _near(self, name: str, known: Sequence[str]) -> list[str]:
        self._searches += 1
        return find_near(name, known) if self._searches <= MAX_NEAR_SEARCHES else []
