"""The tools on data sources, for the pages of these."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as _

from catalog.models import DataSource
from catalog.sources.cards import SHOWN_USES, SourceUse, SourceUser
from tools.models import ToolDefinition, ToolType

_VIEW = "tools.view_tooldefinition"


def count_tools_by_source() -> Mapping[int | None, int]:
    """How many tools are on each data source, by its id; None is the default."""
    counted = _tools().order_by().values_list("data_source").annotate(count=Count("pk"))
    return dict(counted)


def read_tools_on(user: User, source: DataSource | None) -> Sequence[SourceUser]:
    """The first of the tools on it, by name."""
    tools = _tools().filter(data_source=source).order_by("name")
    may_see = user.has_perm(_VIEW)
    return [
        SourceUser(tool.name, _address_of(tool) if may_see else "", tool.is_active)
        for tool in tools.only("name", "is_active")[:SHOWN_USES]
    ]


def find_list_of_tools(user: User, source_name: str) -> str:
    """The list of the tools on that data source, '' for those who may not see tools."""
    if not user.has_perm(_VIEW):
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
