"""What tools add to the catalogue's pages."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from access.views.gates import user_of
from catalog.browsing.views import Tab
from catalog.models import CatalogColumn, CatalogTable
from tools.uses.usage import count_tools_by_column, read_tools_using


def build_used_by(request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    """`uses` are the tools that use the table, `columns` pairs of a used column and how many use it."""
    uses = read_tools_using(table)
    counts = count_tools_by_column(table)
    columns = CatalogColumn.objects.filter(pk__in=counts)
    return {
        "uses": uses,
        "columns": [(column, counts[column.pk]) for column in columns],
        "may_see_tools": user_of(request).has_perm("tools.view_tooldefinition"),
    }


# A tab of a table's page, which guards who may see the table.
USED_BY = Tab(_("Used by tools"), "toolbuilder/uses/_used_by.html", build_used_by)
