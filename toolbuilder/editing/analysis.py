"""What the editor says of a tool that is being written: its own database is asked, nothing is run."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter

from catalog.models import DataSource
from catalog.sources.settings import SourceSettings, find_refusal, find_service_refusal
from core.analysis import (
    Analysis,
    FoundParameter,
    ResultColumn,
    analyse_operation,
    analyse_python,
    check_whole,
    complain_of_declarations,
)
from core.diagnostics import Diagnostic, Severity
from core.errors import (
    DataSourceError,
    DeadlineExceededError,
    DefinitionError,
    StatementError,
    StoppedError,
    ToolboxError,
)
from core.messages import Message, message
from core.statement import (
    STATEMENT_BYTE_LIMIT,
    CompiledStatement,
    compile_statement,
    find_command,
    find_placeholders,
)
from core.statements.comparisons import find_comparisons, find_listed_names
from core.statements.names import find_used_names
from core.statements.optional import find_optional_names
from core.statements.repairs import KnownNames, find_code, find_fix, needs_tables, place_of
from core.statements.suspects import Suspect, find_suspects
from core.toolspec import (
    HttpLogic,
    ParameterSpec,
    ParameterType,
    Presence,
    SqlLogic,
    ToolSpec,
)
from gateways.engine import OpenedSource
from gateways.engines import ENGINES
from toolbuilder.editing.explorer import SourceTables
from tools.source_loop import shared_loop
from tools.sources import Sources

DEADLINE_S = 3.0
# Of a longer text the names are not looked up for a fix; the database's own hint still makes one.
NAMES_LIMIT = 20_000
# Of a type's name before its brackets: SQLite's rule, but for what other engines call so.
_COLUMN_TYPES = {
    ParameterType.INTEGER: re.compile(r"(?<!PO)INT(?!ERVAL)|YEAR"),
    ParameterType.BOOLEAN: re.compile(r"BOOL"),
    ParameterType.DATETIME: re.compile(r"DATETIME|TIMESTAMP"),
    ParameterType.DATE: re.compile(r"DATE"),
    ParameterType.NUMBER: re.compile(r"REAL|FLOA|DOUB|\bNUM|\bDEC"),
}
_LISTS = {
    ParameterType.INTEGER: ParameterType.INTEGER_LIST,
    ParameterType.NUMBER: ParameterType.NUMBER_LIST,
}


def find_column_type(type_name: str) -> ParameterType:
    """The type of a parameter that is compared with such a column; STRING where nothing else is sure."""
    name = "" if type_name.endswith("]") else type_name.upper().partition("(")[0]
    kinds = (kind for kind, words in _COLUMN_TYPES.items() if words.search(name))
    return next(kinds, ParameterType.STRING)


def analyse(
    spec: ToolSpec,
    sources: SourceSettings,
    author: str,
    *,
    declares_missing: bool = False,
) -> Analysis:
    """The analysis of the tool's logic and parameters; never raises for what the author wrote.

    With `declares_missing`, parameters that are used and not declared are no fault: the caller
    adds them. A data source that is away is one warning beside all the rest.
    """
    began = perf_counter()
    if isinstance(spec.logic, SqlLogic):
        found = _SqlAnalysis(spec.logic, spec.parameters, sources, author).analyse()
    elif isinstance(spec.logic, HttpLogic):
        found = analyse_operation(spec.logic, spec.parameters)
        if reason := _refuse_service(spec.logic, sources, author):
            missing = Diagnostic(message=reason, code="source")
            found = replace(found, diagnostics=(*found.diagnostics, missing))
    else:
        found = analyse_python(spec.logic, spec.parameters)
    return replace(
        _judge_whole(found, spec, declares_missing),
        elapsed_ms=(perf_counter() - began) * 1_000,
    )


def _refuse_service(logic: HttpLogic, sources: SourceSettings, author: str) -> Message | None:
    if logic.data_source is None:
        return message("http.no_service", "choose the HTTP service that the request is sent to")
    return find_service_refusal(sources, logic.data_source, author)


def _judge_whole(found: Analysis, spec: ToolSpec, declares_missing: bool) -> Analysis:
    complaints = complain_of_declarations(found, spec.parameters)
    if declares_missing:
        complaints = [fault for fault in complaints if fault.code != "undeclared"]
    diagnostics = (*found.diagnostics, *complaints)
    if found.is_valid and not complaints:
        missing = [
            ParameterSpec(
                name=used.name,
                type=used.type,
                presence=Presence.OPTIONAL_NULL if used.is_optional else Presence.REQUIRED,
            )
            for used in found.parameters
            if not used.is_declared
        ]
        whole = check_whole(spec, (*spec.parameters, *missing))
        diagnostics = (*diagnostics, whole) if whole else diagnostics
    return replace(found, diagnostics=diagnostics)


@dataclass(slots=True)
class _Description:
    """What the database knows of a statement: columns, and a type for each parameter by name."""

    columns: tuple[ResultColumn, ...] = ()
    types: dict[str, ParameterType] = field(default_factory=dict)


class _SqlAnalysis:
    def __init__(
        self,
        logic: SqlLogic,
        parameters: Sequence[ParameterSpec],
        read: SourceSettings,
        author: str,
    ) -> None:
        self._logic = logic
        self._text = logic.statement
        self._declared = {spec.name: spec.type for spec in parameters}
        self._read = read
        self._tables: SourceTables | None = None
        self._diagnostics: list[Diagnostic] = []
        self._author = author

    def analyse(self) -> Analysis:
        # Nothing above the limit is read: what is typed there costs no more than its length.
        if len(self._text) > STATEMENT_BYTE_LIMIT:
            self._compile()
            return Analysis(text=self._text, diagnostics=tuple(self._diagnostics))
        statement = self._compile()
        description = self._ask(statement) if statement else _Description()
        is_refused = any(found.code != "source" for found in self._diagnostics)
        if is_refused and self._text.strip() and len(self._text) <= NAMES_LIMIT:
            self._note_others()
        return Analysis(
            text=self._text,
            kind=find_command(self._text, self._logic.dialect),
            parameters=self._find_parameters(description.types),
            columns=description.columns,
            diagnostics=tuple(self._diagnostics),
        )

    def _compile(self) -> CompiledStatement | None:
        try:
            return self._compile_with(frozenset())
        except StatementError as error:
            self._note_fault(error)
        return None

    def _compile_with(self, listed: frozenset[str]) -> CompiledStatement:
        lists = listed.union(name for name, kind in self._declared.items() if kind.is_list)
        return compile_statement(self._text, dialect=self._logic.dialect, list_names=lists)

    @cached_property
    def _listed(self) -> frozenset[str]:
        """Parameters of no declared type that stand alone in an IN."""
        names = find_listed_names(self._text, self._logic.dialect)
        return names.difference(self._declared)

    def _ask(self, statement: CompiledStatement) -> _Description:
        """What the source knows, all faults noted."""
        name = self._logic.data_source
        if reason := find_refusal(self._read, name, self._author):
            self._note_source(reason, Severity.ERROR)
            return _Description()

        async def ask(sources: Sources) -> _Description:
            if self._listed and ENGINES[self._logic.dialect].types_parameters:
                # What IN would take one value of is a list, unless that is used as a value as well.
                with suppress(StatementError):
                    listed = self._compile_with(self._listed)
                    found = await self._describe_variants(sources.get(name), listed)
                    # Items such as uuids are declared as texts.
                    others = dict.fromkeys(self._listed, ParameterType.STRING_LIST)
                    known = {
                        name: kind
                        for name, kind in found.types.items()
                        if kind.is_list or name not in others
                    }
                    return _Description(found.columns, others | known)
            return await self._describe_variants(sources.get(name), statement)

        try:
            return shared_loop().run(ask, self._read, timeout_s=DEADLINE_S)
        except StatementError as error:
            self._note_fault(error)
        except (DataSourceError, DeadlineExceededError, StoppedError) as error:
            unchecked = message(
                "source.not_checked",
                "not checked by the database: {reason}",
                reason=error.message,
            )
            self._note_source(unchecked, Severity.WARNING)
        except DefinitionError as error:
            self._note_source(error.message, Severity.ERROR)
        return _Description()

    async def _describe_variants(
        self, source: OpenedSource, statement: CompiledStatement
    ) -> _Description:
        """Every variant is judged; the whole statement says columns and types."""
        whole, *others = statement.variants()
        description = await self._describe(source, whole)
        for variant in others:
            await self._describe(source, variant)
        return description

    async def _describe(self, source: OpenedSource, statement: CompiledStatement) -> _Description:
        names = statement.parameter_names
        types = tuple(self._declared.get(name) for name in names)
        found = await source.inspect(statement, types, self._author)
        return _Description(
            tuple(ResultColumn(*column) for column in found.columns),
            # An engine may have no types for parameters.
            dict(zip(names, found.parameter_types, strict=bool(found.parameter_types))),
        )

    def _find_parameters(self, inferred: Mapping[str, ParameterType]) -> tuple[FoundParameter, ...]:
        places: dict[str, list[tuple[int, int]]] = {}
        for use in find_placeholders(self._text, self._logic.dialect):
            places.setdefault(use.name, []).append((use.start, use.end))
        is_untyped = not ENGINES[self._logic.dialect].types_parameters
        if is_untyped and len(self._text) <= NAMES_LIMIT and places.keys() - self._declared.keys():
            inferred = self._infer_by_columns()
        optional = find_optional_names(self._text, self._logic.dialect)
        defaults = dict.fromkeys(places, ParameterType.STRING)
        defaults |= dict.fromkeys(self._listed, ParameterType.STRING_LIST)
        return tuple(
            FoundParameter(
                name,
                self._declared.get(name) or inferred.get(name) or defaults[name],
                name in self._declared,
                tuple(where),
                name in optional,
            )
            for name, where in places.items()
        )

    def _infer_by_columns(self) -> dict[str, ParameterType]:
        """Types of parameters by the columns beside them, which the catalogue knows."""
        types: dict[str, ParameterType] = {}
        for columns in self._columns.values():
            for name, type_name in columns:
                types[name.lower()] = find_column_type(type_name)
        found: dict[str, ParameterType] = {}
        for comparison in find_comparisons(self._text, self._logic.dialect):
            kind = types.get(comparison.column[-1].lower())
            if kind and comparison.operator.endswith(("in", "any")):
                kind = _LISTS.get(kind, ParameterType.STRING_LIST)
            for value in comparison.values:
                name = self._text[value.start : value.end].strip(":{} ")
                if kind and value.is_parameter:
                    found.setdefault(name, kind)
        return found

    # Faults

    def _note_fault(self, error: StatementError) -> None:
        start, end = place_of(self._text, error.position)
        fix = find_fix(self._text, error, self._known_names(error), self._logic.dialect)
        code = error.code or "statement"
        self._diagnostics.append(
            Diagnostic(message=error.message, code=code, start=start, end=end, fix=fix)
        )

    def _note_others(self) -> None:
        """What else the database would refuse: names that the catalogue has not, each asked for alone."""
        name = self._logic.data_source
        blocks = find_used_names(self._text, self._logic.dialect)
        columns = {alias: [name for name, _ in listed] for alias, listed in self._columns.items()}
        noted = {found.start for found in self._diagnostics}
        suspects = [
            suspect
            for suspect in find_suspects(self._text, blocks, columns, self._logic.dialect)
            if suspect.start not in noted
        ]
        if not suspects or find_refusal(self._read, name, self._author):
            return

        async def ask(sources: Sources) -> list[StatementError]:
            return [
                error
                for suspect in suspects
                if (error := await _refuse(suspect, sources.get(name), self._logic, self._author))
            ]

        try:
            for error in shared_loop().run(ask, self._read, timeout_s=DEADLINE_S):
                self._note_fault(error)
        except ToolboxError:
            # What was said first of the statement stays.
            return

    def _note_source(self, text: Message, severity: Severity) -> None:
        self._diagnostics.append(Diagnostic(message=text, severity=severity, code="source"))

    def _known_names(self, error: StatementError) -> KnownNames:
        """What the catalogue knows, read only if a fix may come of it."""
        if not find_code(error) or len(self._text) > NAMES_LIMIT:
            return KnownNames()
        columns = {alias: [name for name, _ in listed] for alias, listed in self._columns.items()}
        tables = self._source_tables().table_names() if needs_tables(error) else []
        return KnownNames(tables, columns)

    @cached_property
    def _columns(self) -> Mapping[str, list[tuple[str, str]]]:
        blocks = find_used_names(self._text, self._logic.dialect)
        mentions = [table for block in blocks for table in block.tables]
        return self._source_tables().columns_of(mentions)

    def _source_tables(self) -> SourceTables:
        if self._tables is None:
            name = self._logic.data_source
            row = DataSource.objects.filter(name=name).first() if name is not None else None
            self._tables = SourceTables(row)
        return self._tables


async def _refuse(
    suspect: Suspect, source: OpenedSource, logic: SqlLogic, author: str
) -> StatementError | None:
    """What the database says against the name, at its place in the statement; None if it knows it."""
    if not suspect.question:
        alias = suspect.name.partition(".")[0]
        text = message("statement.no_alias", "no table is called {alias} here", alias=alias)
        return StatementError(text, suspect.start, code="42P01")
    try:
        question = compile_statement(suspect.question, dialect=logic.dialect)
        await source.inspect(question, (), author)
    except StatementError as error:
        if find_code(error) in {"42703", "42P01"}:
            return StatementError(error.message, suspect.start, code=error.code, hint=error.hint)
    return None
