"""A pasted query as the beginning of a tool: judged by its database, its literals typed parameters."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from access.reader_language import in_language
from catalog.sources.settings import SourceSettings
from core.diagnostics import Severity
from core.errors import StatementError
from core.messages import message
from core.statements.literals import ROW_COUNT_NAME, ProposedParameter, propose_parameters
from core.tool_entry import READS_ONLY
from core.toolspec import JsonValue, ParameterSpec, ParameterType, SqlLogic, ToolSpec
from toolbuilder.beginning.naming import suggest_name
from toolbuilder.editing.analysis import analyse
from tools.definitions import ParameterDocument, ToolDocument

MOST_ROWS = 1_000
_QUERIES = frozenset({"select", "with", "values", "table"})


@dataclass(frozen=True, slots=True)
class SqlProposal:
    """The query with `:name` instead of literals, and a declaration for each, its literal as example."""

    statement: str
    parameters: tuple[ParameterSpec, ...]


@dataclass(frozen=True, slots=True)
class ProposedLine:
    """A parameter as the preview lists it; one that was in the query already cannot be unticked."""

    parameter: ParameterSpec
    is_taken: bool
    was_there: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PastedTool:
    """What a pasted query would be as a tool; `note` says what the database could not tell."""

    name: str
    statement: str
    data_source: str | None
    lines: tuple[ProposedLine, ...]
    note: str = ""

    @property
    def taken(self) -> list[ParameterSpec]:
        """The parameters that the statement has."""
        return [line.parameter for line in self.lines if line.is_taken]

    @property
    def test_values(self) -> dict[str, JsonValue]:
        """The literals that the query had, by parameter."""
        return {spec.name: spec.example for spec in self.taken if spec.example is not None}

    def to_document(self, name: str) -> ToolDocument:
        """The tool under this name."""
        return ToolDocument(
            name=name,
            definition=self.statement,
            data_source=self.data_source,
            annotations=READS_ONLY,
            parameters=tuple(map(_to_document, self.taken)),
        )


def read_pasted(
    logic: SqlLogic, sources: SourceSettings, author: str, keep: Collection[str] = ()
) -> PastedTool:
    """The pasted query as a tool, without the parameters named in `keep`.

    Raises StatementError, with its place if it has one, for what is no query or what the database
    refuses.
    """
    if not logic.statement.strip():
        raise StatementError(message("paste.empty", "Paste a query first."))
    spec = ToolSpec(id=0, name="draft", logic=logic)
    analysis = analyse(spec, sources, author, declares_missing=True)
    if analysis.kind and analysis.kind.lower() not in _QUERIES:
        raise StatementError(
            message(
                "paste.no_query",
                "This is a {kind}; a tool reads with SELECT or WITH.",
                kind=analysis.kind.upper()[:20],
            )
        )
    for found in analysis.diagnostics:
        if found.severity is Severity.ERROR:
            raise StatementError(found.message, found.start if found.end else None)
    present = [ParameterSpec(name=found.name, type=found.type) for found in analysis.parameters]
    proposed = propose_tool(logic, sources, author).parameters
    return PastedTool(
        name=suggest_name(logic),
        statement=propose_parameters(logic.statement, logic.dialect, keep).statement.strip(),
        data_source=logic.data_source,
        lines=(
            *(ProposedLine(parameter, True, was_there=True) for parameter in present),
            *(ProposedLine(parameter, parameter.name not in keep) for parameter in proposed),
        ),
        note=next((in_language(found.message) for found in analysis.diagnostics), ""),
    )


def propose_tool(logic: SqlLogic, sources: SourceSettings, author: str) -> SqlProposal:
    """What a pasted query could be as a tool; the types are the database's if it answers."""
    proposal = propose_parameters(logic.statement, logic.dialect)
    written = SqlLogic(proposal.statement, logic.data_source, logic.dialect)
    spec = ToolSpec(id=0, name="draft", logic=written)
    analysis = analyse(spec, sources, author, declares_missing=True)
    types = (
        {} if not analysis.columns else {found.name: found.type for found in analysis.parameters}
    )
    parameters = []
    for proposed in proposal.parameters:
        # A list is ours to say: of `IN (...)` the database knows the type of one value.
        is_list = proposed.type.is_list
        kind = proposed.type if is_list else types.get(proposed.name, proposed.type)
        is_count = proposed.name == ROW_COUNT_NAME and not proposed.column
        parameters.append(
            ParameterSpec(
                name=proposed.name,
                type=kind,
                description="" if proposed.column.isascii() else proposed.column,
                example=_fit(proposed, kind),
                minimum=1 if is_count else None,
                maximum=MOST_ROWS if is_count else None,
            )
        )
    return SqlProposal(proposal.statement, tuple(parameters))


def _fit(proposed: ProposedParameter, kind: ParameterType) -> JsonValue:
    """The literal as JSON of that type: 1 compared with a text is '1'; None if it is no such value."""
    value: Any = proposed.example
    if kind is ParameterType.STRING:
        return str(value)
    if not isinstance(value, str):
        return value
    try:
        match kind:
            case ParameterType.BOOLEAN:
                value = value.lower() in {"t", "true", "1", "yes", "on"}
            case ParameterType.INTEGER | ParameterType.NUMBER:
                number = float(value)
                finite = number if math.isfinite(number) else None
                value = int(number) if number.is_integer() else finite
            case ParameterType.DATE:
                value = datetime.fromisoformat(value.strip()).date().isoformat()
            case ParameterType.DATETIME:
                value = datetime.fromisoformat(value.strip()).isoformat()
    except ValueError:
        return None
    return value


def _to_document(parameter: ParameterSpec) -> ParameterDocument:
    low, high, found = parameter.minimum, parameter.maximum, parameter.example
    row = ParameterDocument(
        param_name=parameter.name,
        param_type=parameter.type.value,
        description=parameter.description,
        example=found,
    )
    if not (isinstance(low, int) and isinstance(high, int) and isinstance(found, int)):
        return row
    # A number of rows; the bounds take in the one that the query had.
    lowest, highest = str(min(low, found)), str(max(high, found))
    return row.replace(is_required=False, default=found, minimum=lowest, maximum=highest)
