"""Advice on stored tools and on drafts."""

from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import MD5, Upper

from access.reader_language import in_language
from catalog.sources.settings import read_sources
from core.errors import DefinitionError
from core.lint import Advice, AdviceLevel, Neighbours, advise
from core.lints.advice import problem
from core.lints.descriptions import fold_name
from core.messages import message
from core.toolspec import ToolSpec
from tools.models import FOLDED_NAME, FOLDED_TEXT, ToolDefinition
from tools.names import read_reserved_names
from tools.specs import build_spec


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAdvice:
    """Advice in the reader's language; `field` is the id of the form's field that mends it, '' if none.

    `start` and `end` count characters of the logic.
    """

    level: AdviceLevel
    code: str
    text: str
    field: str
    start: int = 0
    end: int = 0


_FIELDS = {
    "name": "name",
    "description": "description_agent",
    "annotations": "annotation-readOnlyHint",
    "logic": "definition",
}


def show_advice(advice: Advice) -> ShownAdvice:
    """The advice for a page; a parameter's field is `p-<name>-description`."""
    place, _, parameter = advice.place.partition(".")
    return ShownAdvice(
        level=advice.level,
        code=advice.code,
        text=in_language(advice.message),
        field=f"p-{parameter}-description" if parameter else _FIELDS.get(place, ""),
        start=advice.start,
        end=advice.end,
    )


def advise_tools(names: Collection[str] = ()) -> dict[str, list[Advice]]:
    """The advice on tools by name, of all active ones unless named; tools without advice too.

    Raises DefinitionError for a name that no tool has.
    """
    tools = ToolDefinition.objects.whole()
    chosen = tools.filter(name__in=names) if names else tools.active()
    others, reserved = read_neighbours(), read_reserved_names()
    dialects = read_sources().dialects
    found: dict[str, list[Advice]] = {}
    for tool in chosen.order_by("name"):
        try:
            spec = build_spec(tool, tool.parameters.all(), dialects)
            found[tool.name] = advise(spec, others, reserved, settings.AGENT_LANGUAGES)
        except DefinitionError as error:
            found[tool.name] = [problem("unreadable", "{reason}", reason=error.message)]
    if missing := sorted(set(names) - found.keys()):
        raise DefinitionError(
            message("tool.missing", "there is no tool {names}", names=", ".join(missing))
        )
    return found


def advise_draft(spec: ToolSpec) -> list[Advice]:
    """The advice on a tool that is being edited, compared with the active ones; one query."""
    others = ToolDefinition.objects.active().exclude(pk=spec.id)
    # Of thousands of tools only those are read that will be named.
    name = fold_name(spec.name)
    text = MD5(Upper(Value(spec.description.strip())))
    candidates = others.alias(folded_name=FOLDED_NAME, folded_text=FOLDED_TEXT).filter(
        Q(folded_name__in=[name, f"{name}s"]) | Q(folded_text=text)
    )
    neighbours, reserved = _to_neighbours(candidates), read_reserved_names()
    return advise(spec, neighbours, reserved, settings.AGENT_LANGUAGES)


def read_neighbours() -> Neighbours:
    """The active tools as agents distinguish them; one query."""
    return _to_neighbours(ToolDefinition.objects.active())


def _to_neighbours(tools: "QuerySet[ToolDefinition]") -> Neighbours:
    return Neighbours(dict(tools.order_by().values_list("name", "description_agent")))
