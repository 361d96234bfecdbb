"""Advice on stored tools and on drafts."""

from collections.abc import Collection

from catalog.sources import read_sources
from core.errors import DefinitionError
from core.lint import Advice, Neighbours, advise
from core.lints.advice import problem
from core.toolspec import ToolSpec
from toolbuilder.models import ToolDefinition
from toolbuilder.reserved_names import read_reserved_names
from toolbuilder.specs import build_spec


def advise_tools(names: Collection[str] = ()) -> dict[str, list[Advice]]:
    """The advice on tools by name, of all active ones unless named; tools without advice too.

    Raises DefinitionError for a name that no tool has.
    """
    tools = ToolDefinition.objects.select_related("data_source").prefetch_related("parameters")
    chosen = tools.filter(name__in=names) if names else tools.filter(is_active=True)
    others, reserved = read_neighbours(), read_reserved_names()
    dialects = read_sources().dialects
    found: dict[str, list[Advice]] = {}
    for tool in chosen.order_by("name"):
        try:
            spec = build_spec(tool, tool.parameters.all(), dialects)
            found[tool.name] = advise(spec, others, reserved)
        except DefinitionError as error:
            found[tool.name] = [problem("unreadable", "{reason}", reason=str(error))]
    if missing := sorted(set(names) - found.keys()):
        raise DefinitionError(f"there is no tool {', '.join(missing)}")
    return found


def advise_draft(spec: ToolSpec) -> list[Advice]:
    """The advice on a tool that is being edited, compared with the active ones; one query."""
    return advise(spec, read_neighbours(besides=spec.id), read_reserved_names())


def read_neighbours(besides: int = 0) -> Neighbours:
    """The active tools as agents tell them apart; one query."""
    rows = ToolDefinition.objects.filter(is_active=True).exclude(pk=besides).order_by()
    return Neighbours(dict(rows.values_list("name", "description_agent")))
