"""A pasted query on its way to a tool: judged by its database, some of its literals kept."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from access.reader_language import in_language
from catalog.sources.settings import SourceSettings
from core.analysis import Analysis
from core.diagnostics import Diagnostic, Severity
from core.errors import StatementError
from core.messages import message
from core.statements.literals import propose_parameters
from core.toolspec import JsonValue, ParameterSpec, SqlLogic, ToolSpec
from toolbuilder.beginning.from_sql import propose_tool
from toolbuilder.beginning.naming import suggest_name
from toolbuilder.beginning.starters import READS_ONLY
from toolbuilder.editing.analysis import analyse
from tools.definitions import ParameterDocument, ToolDocument

_QUERIES = frozenset({"select", "with", "values", "table"})


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
        """The literals that stood in the query, by parameter."""
        return {one.name: one.example for one in self.taken if one.example is not None}

    def to_snapshot(self, name: str) -> ToolDocument:
        """The tool under this name."""
        return ToolDocument(
            name=name,
            definition=self.statement,
            data_source=self.data_source,
            annotations=READS_ONLY,
            parameters=tuple(map(_to_snapshot, self.taken)),
        )


def read_pasted(
    logic: SqlLogic, sources: SourceSettings, author: str, keep: Collection[str] = ()
) -> PastedTool:
    """The pasted query as a tool, without the parameters named in `keep`.

    Raises StatementError, with the place where there is one, for what is no query or what the
    database refuses.
    """
    if not logic.statement.strip():
        raise StatementError(message("paste.empty", "Paste a query first."))
    told = analyse(
        ToolSpec(id=0, name="draft", logic=logic), sources, author, declares_missing=True
    )
    _require_valid(told)
    proposal = propose_tool(logic, sources, author)
    return PastedTool(
        name=suggest_name(logic),
        statement=propose_parameters(logic.statement, logic.dialect, keep).statement.strip(),
        data_source=logic.data_source,
        lines=(*_list_present(told), *_list_proposed(proposal.parameters, keep)),
        note=next((in_language(found.message) for found in told.diagnostics), ""),
    )


def _require_valid(told: Analysis) -> None:
    if told.kind and told.kind.lower() not in _QUERIES:
        raise StatementError(
            message(
                "paste.no_query",
                "This is a {kind}; a tool reads with SELECT or WITH.",
                kind=told.kind.upper()[:20],
            )
        )
    for found in told.diagnostics:
        if found.severity is Severity.ERROR:
            raise StatementError(found.message, _place_of(found))


def _place_of(found: Diagnostic) -> int | None:
    return found.start if found.end else None


def _list_present(told: Analysis) -> Iterator[ProposedLine]:
    for found in told.parameters:
        yield ProposedLine(ParameterSpec(name=found.name, type=found.type), True, was_there=True)


def _list_proposed(
    proposed: Collection[ParameterSpec], keep: Collection[str]
) -> Iterator[ProposedLine]:
    for parameter in proposed:
        yield ProposedLine(parameter, parameter.name not in keep)


def _to_snapshot(parameter: ParameterSpec) -> ParameterDocument:
    lowest, highest = _bounds_of(parameter)
    return ParameterDocument(
        param_name=parameter.name,
        param_type=parameter.type.value,
        is_required=lowest is None,
        default=None if lowest is None else parameter.example,
        example=parameter.example,
        minimum=lowest,
        maximum=highest,
    )


def _bounds_of(parameter: ParameterSpec) -> tuple[str | None, str | None]:
    """Of a number of rows alone; wide enough for the one that stood in the query."""
    low, high, found = parameter.minimum, parameter.maximum, parameter.example
    if not (isinstance(low, int) and isinstance(high, int) and isinstance(found, int)):
        return None, None
    return str(min(low, found)), str(max(high, found))
