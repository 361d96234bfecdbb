"""The tools and data sources that people may give to a key or a toolset."""

from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from access.tool_names import OfferedTool
from catalog.gates import named_sources_open_to
from core.execution import CompiledTool
from toolbuilder.search_lab.index import read_lab_index
from toolbuilder.visibility import hidden_tool_names, visible_tools
from tools.builtin.registry import declared_tools
from tools.builtin.tool import BuiltinTool
from tools.finding.index import FindableTool
from tools.models import ToolType

PROXIED, BUILTIN = "PROXIED", "BUILTIN"
KIND_LABELS = {
    **dict(ToolType.choices),
    PROXIED: _("MCP server"),
    BUILTIN: _("Built in"),
}


def read_served_tools() -> dict[str, FindableTool]:
    """Every served tool by name, those that search and call others too."""
    searched = read_lab_index().search.tools
    builtin = declared_tools(tuple(settings.MCP_BUILTIN_TOOLS))
    return {**builtin, **{name: tool.served for name, tool in searched.items()}}


def list_offered_tools(user: User) -> Iterator[OfferedTool]:
    """Defined tools that the user sees, served or not, and the served ones of other kinds."""
    served = read_served_tools()
    columns = ("name", "tool_type", "description_agent", "tags")
    for name, kind, text, tags in visible_tools(user).present().values_list(*columns):
        is_list = isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)
        yield OfferedTool(
            name=name,
            kind=kind,
            text=text,
            tags=tuple(tags) if is_list else (),
            is_served=name in served,
        )
    hidden = hidden_tool_names(user)
    for name, tool in served.items():
        if not isinstance(tool, CompiledTool) and name not in hidden:
            kind = BUILTIN if isinstance(tool, BuiltinTool) else PROXIED
            tags = tuple(tool.spec.tags)
            yield OfferedTool(name=name, kind=kind, text=tool.spec.description, tags=tags)


def list_offered_sources(user: User) -> list[str]:
    """Names of the data sources that the user may use, without the default one."""
    return [source.name for source in named_sources_open_to(user)]
