"""Where the pages of tables are: /catalogue/<data source>/<schema>.<table>/, whatever their names hold."""

from django.db.models import Q
from django.urls import reverse

from catalog.models import CatalogTable
from core.catalogue.entries import DEFAULT_SOURCE_NAME


class AnyTextConverter:
    """The rest of a path with slashes and line breaks, which <path:...> does not take."""

    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def source_name_of(table: CatalogTable) -> str:
    """The name of the table's data source, which has to be loaded."""
    return table.source.name if table.source else DEFAULT_SOURCE_NAME


def address_of(table: CatalogTable, source_name: str) -> str:
    """The page of a table."""
    return reverse("catalogue-table", args=[source_name, path_of(table)])


def path_of(table: CatalogTable) -> str:
    """schema.table; dots in a schema are escaped, so that no two tables share a path."""
    if not table.schema:
        return table.name
    return f"{_escape(table.schema)}.{table.name}"


def match_path(path: str) -> Q:
    """Tables that a path may mean: its table, and all of that bare name."""
    by_name = Q(name=path)
    schema, dot, name = path.partition(".")
    return by_name | Q(schema=_unescape(schema), name=name) if dot else by_name


def _escape(schema: str) -> str:
    return schema.replace("%", "%25").replace(".", "%2E")


def _unescape(schema: str) -> str:
    return schema.replace("%2E", ".").replace("%25", "%")
