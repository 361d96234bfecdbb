"""Tables of the catalogue for tests of their documents, as a scan would have left them."""

from typing import Any

from catalog.models import CatalogColumn, CatalogTable, DataSource, ReferenceDocument

DEFAULT_COLUMNS = ("id", "email")


def make_table(name: str = "users", **values: Any) -> CatalogTable:
    """A table in schema public of the default data source; `columns` are names or rows of columns."""
    columns = values.pop("columns", DEFAULT_COLUMNS)
    table = CatalogTable.objects.create(name=name, **{"schema": "public", **values})
    for position, column in enumerate(columns):
        row = {"name": column, "type_name": "text"} if isinstance(column, str) else column
        CatalogColumn.objects.create(table=table, position=position, **row)
    return table


def make_data_source(name: str = "crm", **values: Any) -> DataSource:
    """A registered PostgreSQL database that is never asked anything."""
    return DataSource.objects.create(
        **{"name": name, "host": "h", "database": "d", "username": "u", **values}
    )


def texts() -> dict[str, str]:
    """The texts of all documents by key."""
    return dict(ReferenceDocument.objects.values_list("key", "text"))
