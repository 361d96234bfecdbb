"""How the rows of a tool are drawn as a chart: what people chose, read from JSON."""

from collections.abc import Mapping

from core.errors import DefinitionError
from core.messages import message
from core.toolspec import JsonValue

CHART_KINDS = ("bar", "line", "scatter")
_TEXTS = ("across", "height", "colour")
_LARGEST_FIRST = "largest_first"
FOR_AGENTS = "for_agents"
_MAX_CHARACTERS = 500


def read_chart(value: JsonValue) -> dict[str, JsonValue] | None:
    """The chart, every field named; None where nothing is chosen.

    `across`, `height` and `colour` are names of columns, '' for no colour; whether the result has them
    is not asked. `for_agents` stands there only where agents get the picture. Raises DefinitionError.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise DefinitionError(message("tool.chart_no_object", "chart must be a JSON object"))
    known = ("kind", *_TEXTS, _LARGEST_FIRST, FOR_AGENTS)
    if unknown := sorted(str(name) for name in value if name not in known):
        raise DefinitionError(
            message(
                "tool.chart_unknown",
                "chart has no {unknown}; there are {known}",
                unknown=", ".join(unknown)[:200],
                known=", ".join(known),
            )
        )
    kind = value.get("kind", CHART_KINDS[0])
    if kind not in CHART_KINDS:
        raise DefinitionError(
            message(
                "tool.chart_kind",
                "chart: kind must be one of {kinds}",
                kinds=", ".join(CHART_KINDS),
            )
        )
    names = {name: value.get(name, "") for name in _TEXTS}
    for name, text in names.items():
        is_missing = not text and name != "colour"
        if not isinstance(text, str) or is_missing or len(text) > _MAX_CHARACTERS:
            raise DefinitionError(
                message("tool.chart_column", "chart: {name} must be a column's name", name=name)
            )
    is_sorted, is_for_agents = value.get(_LARGEST_FIRST, False), value.get(FOR_AGENTS, False)
    if not isinstance(is_sorted, bool) or not isinstance(is_for_agents, bool):
        raise DefinitionError(
            message("tool.chart_order", "chart: largest_first and for_agents must be true or false")
        )
    chart: dict[str, JsonValue] = {"kind": kind, **names, _LARGEST_FIRST: is_sorted}
    return {**chart, FOR_AGENTS: True} if is_for_agents else chart
