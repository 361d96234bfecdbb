"""What each tool of a page of the list costs an agent that is shown it, in tokens."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache, lru_cache

from django.conf import settings

from catalog.models import DataSource, McpTool
from catalog.sources.settings import read_sources
from core.errors import DefinitionError
from core.execution import CompiledTool
from core.tool_entry import make_entry
from toolbuilder.listing.other_tools import OtherTool
from toolbuilder.toolsets.costs import count_tokens
from tools.builtin.registry import declared_tools
from tools.definitions import ToolDocument
from tools.models import RegistryRevision, ToolDefinition
from tools.proxied_rows import make_proxied_spec


def count_listed(ids: Collection[int], others: Iterable[OtherTool]) -> dict[str, int]:
    """By name the tokens of these own tools and of others, as far as they can be read.

    The same number of queries for any number of tools.
    """
    others = list(others)
    builtin = count_builtin(tuple(settings.MCP_BUILTIN_TOOLS))
    found = {tool.name: builtin[tool.name] for tool in others if tool.name in builtin}
    if ids:
        engines = DataSource.objects.order_by().values_list("name", "engine")
        counted = _counted_at(RegistryRevision.current(), frozenset(engines))
        if new := [id_ for id_ in ids if id_ not in counted]:
            sources = read_sources()
            for tool in ToolDefinition.objects.whole().filter(pk__in=new).order_by():
                counted[tool.pk] = (tool.name, None)
                # The list says which are broken.
                with suppress(DefinitionError):
                    spec = ToolDocument.of_row(tool).to_spec(sources)
                    counted[tool.pk] = (tool.name, count_tokens(CompiledTool(spec)))
        named = (counted[id_] for id_ in ids if id_ in counted)
        found |= {name: tokens for name, tokens in named if tokens is not None}
    proxied = McpTool.objects.filter(
        pk__in=[tool.id for tool in others if tool.id], accepted__isnull=False
    )
    for row in proxied.select_related("server").order_by():
        with suppress(DefinitionError):
            remote = make_proxied_spec(row)
            entry = make_entry(remote, remote.accepted.input_schema, {})
            found[remote.name] = entry.tokens
    return found


@lru_cache(maxsize=2)
def _counted_at(
    _revision: int, _engines: frozenset[tuple[str, str]]
) -> dict[int, tuple[str, int | None]]:
    """By id the names and tokens of own tools that were counted while rows and sources were so; to be filled."""
    return {}


@cache
def count_builtin(choice: tuple[str, ...]) -> dict[str, int]:
    """Of the built-in tools that are served with this choice."""
    return {name: count_tokens(tool) for name, tool in declared_tools(choice).items()}
