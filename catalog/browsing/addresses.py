"""Where the pages of tables are: /catalogue/<data source>/<schema>.<table>/, whatever their names hold."""

from django.db.models import Q
from django.urls import reverse

from catalog.models import CatalogScan, CatalogTable
from core.catalogue.entries import DEFAULT_SOURCE_NAME

# Names that are near to an unknown one are looked for among so many.
NAMES_COMPARED = 20_000


class AnyTextConverter:
    """The rest of a path with slashes and line breaks, which <path:...> does not take."""

    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def source_name_of(row: CatalogTable | CatalogScan) -> str:
    """The name of the row's data source, which has to be loaded."""
    return row.source.name if row.source else DEFAULT_SOURCE_NAME


def address_of(table: CatalogTable, tab: str = "") -> str:
    """The page of a table with one of its tabs; its data source has to be loaded."""
    address = reverse("catalogue-table", args=[source_name_of(table), path_of(table)])
    return f"{address}?tab={tab}" if tab else address


def path_of(table: CatalogTable) -> str:
    """schema.table; dots in a schema are escaped, so that no two tables share a path."""
    if not table.schema:
        return table.name
    schema = table.schema.replace("%", "%25").replace(".", "%2E")
    return f"{schema}.{table.name}"


def match_path(path: str) -> Q:
    """Tables that a path may mean: its table, and all of that bare name."""
    schema, dot, name = path.partition(".")
    if not dot:
        return Q(name=path)
    return Q(name=path) | Q(schema=schema.replace("%2E", ".").replace("%25", "%"), name=name)
