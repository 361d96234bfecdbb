"""All built-in tools, and the choice of those that an installation serves."""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from django.conf import settings

from core.bindings import CallerFacts
from core.errors import ConfigurationError
from tools.builtin.catalogue import CatalogueReader
from tools.builtin.catalogue_tools import CONNECTION, DETAILS, SUMMARIES, TAGS, catalogue_tools
from tools.builtin.documents import DocumentSearch
from tools.builtin.embedding_tools import EMBEDDING, REFERENCES, SIMILARITY, embedding_tools
from tools.builtin.postgres_query import SPEC as POSTGRES_QUERY
from tools.builtin.postgres_query import postgres_query_tool
from tools.builtin.search_tools import CALL, SEARCH, FindTools, search_tools
from tools.builtin.services import BuiltinServices
from tools.builtin.tool import BuiltinTool
from tools.builtin.utilities import COMPLETION, SANITIZER, completion_tool, sanitizer_tool

EVERY_TOOL, NO_TOOL = "all", "none"
# No tool of a person may have one of them.
BUILTIN_NAMES = frozenset(
    spec.name
    for spec in (
        *(SEARCH, CALL, EMBEDDING, SIMILARITY, REFERENCES, POSTGRES_QUERY),
        *(SUMMARIES, TAGS, DETAILS, CONNECTION, COMPLETION, SANITIZER),
    )
)


def read_reserved_names() -> frozenset[str]:
    """The names of the built-in tools that MCP_BUILTIN_TOOLS asks for."""
    wanted = set(settings.MCP_BUILTIN_TOOLS)
    return BUILTIN_NAMES if EVERY_TOOL in wanted else BUILTIN_NAMES & wanted


@cache
def declared_tools(wanted: tuple[str, ...]) -> dict[str, BuiltinTool]:
    """The built-in tools that MCP_BUILTIN_TOOLS asks for, to be looked at: running one is the runtime's."""
    services = BuiltinServices()
    tools = builtin_tools(services.search, services.catalogue, _find_nothing)
    return choose_tools(tools, wanted)


async def _find_nothing(_query: str, _limit: int, _facts: CallerFacts) -> dict[str, Any]:
    return {"tools": [], "degraded": True}


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
