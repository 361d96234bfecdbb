"""How a tool runs; an agent's call and the editor's trial take the same path."""

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

from msgspec import Struct

from core.arguments import (
    ArgumentsValidator,
    arguments_validator,
    input_schema,
)
from core.bindings import NOBODY, CallerFacts
from core.errors import DefinitionError, ExpressionError, StatementError
from core.expression import CompiledExpression, compile_expression, find_names
from core.http_calls import CallLimits, HttpCall, HttpService
from core.http_checks import check_declared, check_repeatable
from core.http_logic import OperationArguments, operation_schema, read_operation
from core.ingest.operations import Operation
from core.messages import Message, message
from core.parameter_checks import check_parameters
from core.results import Answer, QueryResult, query_answer, value_answer
from core.script import CompiledScript, compile_script, find_script_names
from core.statement import CompiledStatement, compile_statement
from core.toolspec import (
    EXPRESSION,
    SCRIPT,
    STATEMENT,
    ExpressionLogic,
    HttpLogic,
    JsonValue,
    ParameterSpec,
    ParameterType,
    ScriptLogic,
    SqlLogic,
    ToolSpec,
)

# What every client takes: MCP allows dots and 128 characters, several model APIs do not.
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Query(Struct, frozen=True, kw_only=True):
    """One run of a statement: values by parameter name, and the caps of this run.

    `caller` tells callers apart that wait for the same data source: they take turns. `cost_limit`
    bounds the planned cost where the data source looks at it before a run. `facts` say who the caller is
    to a data source that wants to know.
    """

    statement: CompiledStatement
    types: tuple[ParameterType, ...]
    values: Mapping[str, object]
    row_limit: int
    byte_limit: int
    timeout_ms: int
    caller: str = ""
    cost_limit: int | None = None
    facts: CallerFacts = NOBODY


class QuerySource(Protocol):
    """A database that runs queries read-only."""

    async def check(
        self, statement: CompiledStatement, types: tuple[ParameterType, ...], caller: str = ""
    ) -> None:
        """Raise StatementError when the database would refuse the statement; never runs it."""

    async def run(self, query: Query) -> QueryResult:
        """The rows. Raises DataSourceError, DeadlineExceededError."""


class QuerySources(Protocol):
    """What tools run on: databases by name, None for the default one, HTTP services, script processes."""

    def get(self, name: str | None) -> QuerySource:
        """The source. Raises DefinitionError, naming those that exist."""

    def service(self, name: str | None) -> HttpService:
        """The HTTP service. Raises DefinitionError where that is none that can be used."""

    async def script_runner(self) -> "ScriptRunner":
        """The processes of scripts, started."""


class ScriptRunner(Protocol):
    """Processes in which scripts run, apart from everything else."""

    def check(self) -> None:
        """Raise DefinitionError, with the reason, where scripts cannot be run safely."""

    async def run(
        self,
        script: CompiledScript,
        values: Mapping[str, object],
        timeout_ms: int,
        caller: str = "",
    ) -> JsonValue:
        """The result. Raises EvaluationError, DeadlineExceededError, ScriptsBusyError."""


class CompiledTool:
    """A spec whose logic and parameters were found to fit; cheap to make, validates lazily."""

    def __init__(self, spec: ToolSpec, *, waits: bool = False) -> None:
        """Raises DefinitionError when the tool could not be served.

        Where it `waits`, its logic is compiled when it is first needed: by `compile`, `check` or `run`.
        """
        _check_name_and_limits(spec)
        check_parameters(spec.parameters)
        self.spec = spec
        if not waits:
            self.compile()

    def compile(self) -> None:
        """Make the logic ready, unless it is. Raises DefinitionError when the tool could not be served."""
        _ = self._logic

    @cached_property
    def _logic(self) -> CompiledStatement | CompiledExpression | CompiledScript | Operation:
        return _compile_logic(self.spec)

    @property
    def statement(self) -> CompiledStatement | None:
        """The compiled query of a SQL tool."""
        return self._logic if isinstance(self._logic, CompiledStatement) else None

    @property
    def is_immediate(self) -> bool:
        """Whether a run never waits for anything, so that it needs no deadline and no task."""
        return isinstance(self.spec.logic, ExpressionLogic)

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, as agents see it; made for who asks, since it is half a tool's memory."""
        return self.describe_input(self.spec.parameters)

    def describe_input(self, parameters: Sequence[ParameterSpec]) -> dict[str, Any]:
        """The schema with the texts of these parameters, which are otherwise the tool's own."""
        if isinstance(self.spec.logic, HttpLogic):
            assert isinstance(self._logic, Operation)  # noqa: S101 - narrows
            return operation_schema(self._logic, parameters)
        return input_schema(parameters)

    @cached_property
    def validate(self) -> ArgumentsValidator:
        """Turns a call's arguments, and the caller's facts, into typed values; raises ArgumentsError."""
        if isinstance(self._logic, Operation):
            return OperationArguments(self.spec.name, self._logic, self.spec.parameters)
        return arguments_validator(self.spec.name, self.spec.parameters)

    async def check(self, sources: QuerySources) -> None:
        """Raise DefinitionError when the tool's database or the script processes would refuse it."""
        if isinstance(self._logic, CompiledScript):
            (await sources.script_runner()).check()
        elif isinstance(self.spec.logic, HttpLogic):
            sources.service(self.spec.logic.data_source)
        elif isinstance(self.spec.logic, SqlLogic) and self.statement is not None:
            source = sources.get(self.spec.logic.data_source)
            for statement in self.statement.variants():
                await source.check(statement, self._types_of(statement))

    async def run(
        self,
        values: Mapping[str, object],
        sources: QuerySources,
        caller: str = "",
        facts: CallerFacts = NOBODY,
    ) -> Answer:
        """The answer for validated values. Raises ToolboxError with a text for the agent.

        Callers that wait for the same data source, service or script process take turns.
        """
        match self._logic:
            case CompiledExpression() as expression:
                return value_answer(expression.evaluate(values))
            case CompiledScript() as script:
                scripts = await sources.script_runner()
                return value_answer(await scripts.run(script, values, self.spec.timeout_ms, caller))
            case CompiledStatement():
                query = self.query_for(values, caller, facts)
                assert isinstance(self.spec.logic, SqlLogic)  # noqa: S101 - narrows
                source = sources.get(self.spec.logic.data_source)
                return query_answer(await source.run(query), self.spec.result_format)
            case Operation() as operation:
                assert isinstance(self.spec.logic, HttpLogic)  # noqa: S101 - narrows
                service = sources.service(self.spec.logic.data_source)
                return await HttpCall(service, self.call_limits, caller).run(operation, values)

    @property
    def call_limits(self) -> CallLimits:
        """The caps of one call of an HTTP tool."""
        spec = self.spec
        return CallLimits(
            row_limit=spec.row_limit, byte_limit=spec.byte_limit, timeout_ms=spec.timeout_ms
        )

    @cached_property
    def _whole_types(self) -> tuple[ParameterType, ...]:
        """Those of the whole statement, which most tools always run; of no tool before its first call."""
        assert self.statement is not None  # noqa: S101 - asked of SQL tools alone
        return self._types_of(self.statement)

    def query_for(
        self, values: Mapping[str, object], caller: str = "", facts: CallerFacts = NOBODY
    ) -> Query:
        """The run of a SQL tool's statement with these validated values, within the tool's caps."""
        assert self.statement is not None  # noqa: S101 - asked of SQL tools alone
        statement = self.statement.for_values(values)
        return Query(
            statement=statement,
            types=self._whole_types if statement is self._logic else self._types_of(statement),
            values=values,
            row_limit=self.spec.row_limit,
            byte_limit=self.spec.byte_limit,
            timeout_ms=self.spec.timeout_ms,
            caller=caller,
            cost_limit=self.spec.plan_cost_limit,
            facts=facts,
        )

    def _types_of(self, statement: CompiledStatement) -> tuple[ParameterType, ...]:
        """Declared types in the order of the statement's $1..$n."""
        types = {parameter.name: parameter.type for parameter in self.spec.parameters}
        return tuple(types[name] for name in statement.parameter_names)


def _compile_logic(
    spec: ToolSpec,
) -> CompiledStatement | CompiledExpression | CompiledScript | Operation:
    declared = [parameter.name for parameter in spec.parameters]
    match spec.logic:
        case SqlLogic(statement=text, dialect=dialect):
            lists = frozenset(param.name for param in spec.parameters if param.type.is_list)
            statement = compile_statement(text, dialect=dialect, list_names=lists)
            _require_declared(declared, statement.parameter_names, STATEMENT)
            _check_clauses(spec, statement)
            return statement
        case ExpressionLogic(expression):
            try:
                return compile_expression(expression, declared)
            except ExpressionError:
                _require_declared(declared, find_names(expression, declared), EXPRESSION)
                raise
        case ScriptLogic(script):
            _require_declared(declared, find_script_names(script, declared), SCRIPT)
            return compile_script(script, declared)
        case HttpLogic(text):
            operation = read_operation(text)
            check_declared(operation, spec.parameters)
            check_repeatable(operation, spec.annotations)
            return operation


def _check_clauses(spec: ToolSpec, statement: CompiledStatement) -> None:
    """An optional clause that can never be left out is a mistake of its author."""
    absentable = {parameter.name for parameter in spec.parameters if parameter.accepts_null}
    for clause in statement.clauses:
        if not absentable.intersection(clause.names):
            names = ", ".join(clause.names)
            raise StatementError(
                message(
                    "statement.clause_always_stays",
                    "this [[ ]] is never left out: make {names} optional, or remove the brackets",
                    names=names,
                ),
                clause.start,
            )


def _require_declared(declared: list[str], used: Sequence[str], logic: Message) -> None:
    if undeclared := [name for name in used if name not in declared]:
        raise DefinitionError(
            message(
                "logic.names_undeclared",
                "the {logic} uses {names}, which is not declared; add the parameter",
                logic=logic,
                names=", ".join(undeclared),
            )
        )


def _check_name_and_limits(spec: ToolSpec) -> None:
    if not spec.name:
        raise DefinitionError(
            message("tool.no_name", "the tool has no name; give it one, as in sales_by_region")
        )
    if not TOOL_NAME.fullmatch(spec.name):
        raise DefinitionError(
            message(
                "tool.name_form",
                "a tool's name has 1 to 64 letters, digits, underscores or hyphens, as in"
                " sales_by_region (got {name})",
                name=repr(spec.name[:64]),
            )
        )
    limits = {name: getattr(spec, name) for name in ("row_limit", "byte_limit", "timeout_ms")}
    if spec.breaker is not None:
        limits |= {"breaker_errors": spec.breaker.errors, "breaker_minutes": spec.breaker.minutes}
    if spec.plan_cost_limit is not None:
        limits["plan_cost_limit"] = spec.plan_cost_limit
    for name, value in limits.items():
        if value < 1:
            raise DefinitionError(
                message(
                    "tool.limit_below_one",
                    "{name} must be 1 or more (got {got})",
                    name=name,
                    got=str(value),
                )
            )
