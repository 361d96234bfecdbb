"""What tools add to the pages of the catalogue and of data sources."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as _

from access.views.gates import user_of
from catalog.browsing.views import Tab
from catalog.models import CatalogColumn, CatalogTable, DataSource
from catalog.sources.cards import SHOWN_USES, SourceUse, SourceUser
from toolbuilder.gates import SEE_TOOLS
from tools.models import ToolDefinition, ToolType, ToolUse
from tools.uses.usage import count_tools_by_column, read_tools_using


def build_used_by(request: HttpRequest, table: CatalogTable) -> dict[str, Any]:
    """`uses` are the tools that use the table, `columns` pairs of a used column and how many use it."""
    uses = read_tools_using(table)
    counts = count_tools_by_column(table)
    columns = CatalogColumn.objects.filter(pk__in=counts)
    return {
        "uses": uses,
        "columns": [(column, counts[column.pk]) for column in columns],
        "may_see_tools": user_of(request).has_perm(SEE_TOOLS),
    }


def count_tools_by_source() -> Mapping[int | None, int]:
    """How many tools are on each data source, by its id; None is the default."""
    counted = _tools().order_by().values_list("data_source").annotate(count=Count("pk"))
    return dict(counted)


def read_tools_on(user: User, source: DataSource | None) -> Sequence[SourceUser]:
    """The first of the tools on it, by name."""
    tools = _tools().filter(data_source=source).order_by("name")
    may_see = user.has_perm(SEE_TOOLS)
    return [
        SourceUser(tool.name, _address_of(tool) if may_see else "", tool.is_active)
        for tool in tools.only("name", "is_active")[:SHOWN_USES]
    ]


def read_tools_of_columns(
    source: DataSource, table: str, columns: Collection[str] | None
) -> list[str]:
    """Names of the tools that use any of these columns of the table, or, for None, the table."""
    uses = ToolUse.objects.filter(table__source=source, table__name__iexact=table)
    if columns is not None:
        uses = uses.filter(column__name__in=columns)
    return list(uses.order_by("tool__name").values_list("tool__name", flat=True).distinct())


def find_list_of_tools(user: User, source_name: str) -> str:
    """The list of the tools on that data source, '' for those who may not see tools."""
    if not user.has_perm(SEE_TOOLS):
        return ""
    return f"{reverse('tools')}?{urlencode({'source': source_name})}"


def _tools() -> "QuerySet[ToolDefinition]":
    # Python asks no data source, but a row that names one holds it all the same.
    return ToolDefinition.objects.exclude(data_source=None, tool_type=ToolType.PYTHON)


def _address_of(tool: ToolDefinition) -> str:
    """The tool's page; other programs write rows too, and not every name can be an address."""
    try:
        return reverse("tool", args=[tool.name])
    except NoReverseMatch:
        return reverse("admin:tools_tooldefinition_change", args=[tool.pk])


TOOLS = SourceUse(_("Tools"), count_tools_by_source, read_tools_on, find_list_of_tools)
# A tab of a table's page, which guards who may see the table.
USED_BY = Tab(_("Used by tools"), "toolbuilder/uses/_used_by.html", build_used_by)
