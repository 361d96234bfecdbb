"""A pasted query as the beginning of a tool: its literals become typed parameters."""

import math
from dataclasses import dataclass
from datetime import datetime

from catalog.sources.settings import SourceSettings
from core.statements.literals import ROW_COUNT_NAME, ProposedParameter, propose_parameters
from core.toolspec import JsonValue, ParameterSpec, ParameterType, SqlLogic, ToolSpec
from toolbuilder.editing.analysis import analyse

MOST_ROWS = 1_000


@dataclass(frozen=True, slots=True)
class SqlProposal:
    """The query with `:name` instead of literals, and a declaration for each, its literal as example."""

    statement: str
    parameters: tuple[ParameterSpec, ...]


def propose_tool(logic: SqlLogic, sources: SourceSettings, author: str) -> SqlProposal:
    """What a pasted query could be as a tool; the types are the database's where it answers."""
    proposal = propose_parameters(logic.statement, logic.dialect)
    written = SqlLogic(proposal.statement, logic.data_source, logic.dialect)
    told = analyse(
        ToolSpec(id=0, name="draft", logic=written), sources, author, declares_missing=True
    )
    types = {} if not told.columns else {found.name: found.type for found in told.parameters}
    declared = (_declare(one, types.get(one.name, one.type)) for one in proposal.parameters)
    return SqlProposal(proposal.statement, tuple(declared))


def _declare(proposed: ProposedParameter, told: ParameterType) -> ParameterSpec:
    # A list is ours to say: of `IN (...)` the database tells the type of one value.
    kind = proposed.type if proposed.type.is_list else told
    is_count = proposed.name == ROW_COUNT_NAME and not proposed.column
    return ParameterSpec(
        name=proposed.name,
        type=kind,
        example=_fit(proposed, kind),
        minimum=1 if is_count else None,
        maximum=MOST_ROWS if is_count else None,
    )


def _fit(proposed: ProposedParameter, kind: ParameterType) -> JsonValue:
    """The literal as JSON of that type: 1 compared with a text is '1'; None where it is no such value."""
    example = proposed.example
    if kind is ParameterType.STRING:
        return example if isinstance(example, str) else str(example)
    if not isinstance(example, str):
        return example
    match kind:
        case ParameterType.BOOLEAN:
            return example.lower() in {"t", "true", "1", "yes", "on"}
        case ParameterType.INTEGER | ParameterType.NUMBER:
            return _to_number(example)
        case ParameterType.DATE | ParameterType.DATETIME:
            return _to_moment(example, kind)
    return example


def _to_number(text: str) -> int | float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def _to_moment(text: str, kind: ParameterType) -> str | None:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment.date().isoformat() if kind is ParameterType.DATE else moment.isoformat()
