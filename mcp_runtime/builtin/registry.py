"""All built-in tools, and the choice of those that an installation serves."""

from collections.abc import Collection, Mapping

from core.errors import ConfigurationError
from mcp_runtime.builtin.catalogue import CatalogueReader
from mcp_runtime.builtin.catalogue_tools import catalogue_tools
from mcp_runtime.builtin.documents import DocumentSearch
from mcp_runtime.builtin.embedding_tools import embedding_tools
from mcp_runtime.builtin.postgres_query import postgres_query_tool
from mcp_runtime.builtin.search_tools import FindTools, search_tools
from mcp_runtime.builtin.tool import BuiltinTool
from mcp_runtime.builtin.utilities import completion_tool, sanitizer_tool

EVERY_TOOL, NO_TOOL = "all", "none"


def builtin_tools(
    search: DocumentSearch, catalogue: CatalogueReader, find_tools: FindTools
) -> dict[str, BuiltinTool]:
    """Every built-in tool by name, in the order in which they are listed."""
    tools = [
        *search_tools(find_tools),
        *embedding_tools(search),
        postgres_query_tool(),
        *catalogue_tools(catalogue),
        completion_tool(),
        sanitizer_tool(),
    ]
    return {tool.spec.name: tool for tool in tools}


def choose_tools(
    tools: Mapping[str, BuiltinTool], wanted: Collection[str]
) -> dict[str, BuiltinTool]:
    """The tools that MCP_BUILTIN_TOOLS asks for: `all`, `none`, or names.

    Raises ConfigurationError for a name that no built-in tool has.
    """
    names = set(wanted) - {EVERY_TOOL, NO_TOOL}
    if unknown := sorted(names - tools.keys()):
        raise ConfigurationError(
            f"MCP_BUILTIN_TOOLS names {', '.join(unknown)}, which is no built-in tool; there are"
            f" {', '.join(tools)}, and the words {EVERY_TOOL} and {NO_TOOL}"
        )
    return {name: tool for name, tool in tools.items() if EVERY_TOOL in wanted or name in names}
