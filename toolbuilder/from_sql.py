"""A pasted query as the beginning of a tool: its literals become typed parameters."""

from dataclasses import dataclass

from catalog.sources import SourceSettings
from core.statements.literals import ROW_COUNT_NAME, ProposedParameter, propose_parameters
from core.toolspec import ParameterSpec, ParameterType, SqlLogic, ToolSpec
from toolbuilder.analysis import analyse

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


def _fit(proposed: ProposedParameter, kind: ParameterType) -> object:
    """The literal as JSON of that type: 1 compared with a text is '1'."""
    example = proposed.example
    if kind is ParameterType.STRING and not isinstance(example, str):
        return str(example)
    if kind is ParameterType.BOOLEAN and isinstance(example, str):
        return example.lower() in {"t", "true", "1", "yes", "on"}
    return example
