"""What a tool's query is planned to cost, judged before it is published."""

from collections.abc import Iterable, Mapping

from catalog.sources.settings import SourceSettings
from core.bindings import CallerFacts
from core.errors import DefinitionError, MissingFactError, PlanCostError
from core.execution import CompiledTool
from core.messages import message
from core.plans.ceiling import check_cost
from core.toolspec import Binding, JsonValue, ParameterSpec, ParameterType, SqlLogic, ToolSpec
from tools.source_loop import shared_loop
from tools.sources import Sources

_PLANNED_WITHIN_S = 30.0
# Of claims nobody gives an example, since agents do not see them; a text is "a".
_ANY: Mapping[ParameterType, JsonValue] = {
    ParameterType.NUMBER: 1,
    ParameterType.INTEGER: 1,
    ParameterType.DECIMAL: "1",
    ParameterType.DATE: "2026-01-01",
    ParameterType.DATETIME: "2026-01-01T00:00:00Z",
    ParameterType.UUID: "00000000-0000-0000-0000-000000000000",
    ParameterType.STRING_LIST: ["a"],
    ParameterType.NUMBER_LIST: [1],
    ParameterType.INTEGER_LIST: [1],
    ParameterType.JSON: {},
}


def cost_limit_of(spec: ToolSpec, sources: SourceSettings) -> int | None:
    """The lower of the tool's ceiling and its data source's; None where there is neither."""
    if not isinstance(spec.logic, SqlLogic):
        return None
    limits = (spec.plan_cost_limit, sources.cost_limits.get(spec.logic.data_source))
    return min((limit for limit in limits if limit is not None), default=None)


def check_planned_cost(spec: ToolSpec, sources: SourceSettings) -> None:
    """Raise DefinitionError when the query is planned over its ceiling; without a ceiling nothing is asked.

    It is planned with the examples of its parameters, with the optional ones and without them; one that
    needs a value and has neither example, default nor allowed values is refused. Raises DataSourceError
    where the database cannot be asked.
    """
    limit = cost_limit_of(spec, sources)
    if limit is None or not isinstance(spec.logic, SqlLogic):
        return
    tool, name = CompiledTool(spec), spec.logic.data_source

    async def plan(opened: Sources) -> list[float | None]:
        return [(await opened.get(name).explain(query)).cost for query in queries]

    optional = [row for row in spec.parameters if row.accepts_null and row.example is not None]
    choices: list[tuple[str, ...]] = [(), tuple(row.name for row in optional)]
    given = [_choose_values(spec.parameters, left_out) for left_out in dict.fromkeys(choices)]
    try:
        queries = [
            tool.query_for(tool.validate(arguments, facts), facts=facts)
            for arguments, facts in given
        ]
        costs = shared_loop().run(plan, sources, timeout_s=_PLANNED_WITHIN_S)
    except MissingFactError:
        # A claim with a pattern, or that the data source asks for, of which nobody has given a value yet.
        return
    try:
        for cost in costs:
            check_cost(cost, limit)
    except PlanCostError as error:
        raise DefinitionError(error.message) from error


def _choose_values(
    parameters: Iterable[ParameterSpec], left_out: Iterable[str]
) -> tuple[dict[str, JsonValue], CallerFacts]:
    """Arguments and facts of a caller that give each parameter a value of its kind."""
    arguments: dict[str, JsonValue] = {}
    claims: dict[str, JsonValue] = {}
    for spec in parameters:
        if spec.name in left_out or spec.binding is Binding.FIXED:
            continue
        value = _find_value(spec)
        if spec.binding is Binding.CLAIM:
            claims[str(spec.bound_value)] = value
        elif spec.binding is Binding.AGENT and value is not None:
            arguments[spec.name] = value
    return arguments, CallerFacts(owner="somebody", key_id="0", claims=claims)


def _find_value(spec: ParameterSpec) -> JsonValue:
    if spec.example is not None:
        return spec.example
    if spec.default is not None or spec.accepts_null:
        return spec.default
    if spec.allowed_values:
        return spec.allowed_values[0]
    if spec.type is ParameterType.BOOLEAN:
        return True
    if spec.binding is not Binding.AGENT:
        return _ANY.get(spec.type, "a")
    raise DefinitionError(
        message(
            "plan.no_example",
            "{name} needs an example: the query has a ceiling of planned cost, and is planned with the"
            " examples of its parameters",
            name=spec.name,
        )
    )
