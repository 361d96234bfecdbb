"""Rows of the catalogue, as scans and people write them."""

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.models import CatalogColumn, CatalogTable, Tag
from catalog.searching.texts import refresh_search_texts

# A column is its name, or its name with its columns.
Columns = Sequence[str] | Mapping[str, Mapping[str, Any]]


def make_table(
    name: str = "sales", columns: Columns = (), *, tags: Sequence[str] = (), **values: Any
) -> CatalogTable:
    """A table of the default data source that can be found at once."""
    table = CatalogTable.objects.create(**{"schema": "public", "name": name, **values})
    named = columns if isinstance(columns, Mapping) else {column: {} for column in columns}
    CatalogColumn.objects.bulk_create(
        CatalogColumn(table=table, name=column, position=position, **texts)
        for position, (column, texts) in enumerate(named.items(), start=1)
    )
    table.tags.set([Tag.objects.get_or_create(name=tag)[0] for tag in tags])
    refresh_search_texts([table.pk])
    table.refresh_from_db()
    return table


def column_of(table: CatalogTable, name: str) -> CatalogColumn:
    """A column of the table, read anew."""
    return CatalogColumn.objects.get(table=table, name=name)
