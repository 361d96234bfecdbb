"""The one way in which a tool runs, for an agent's call and for the editor's trial alike."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from core.arguments import arguments_validator, check_parameters, input_schema
from core.errors import DefinitionError
from core.expression import CompiledExpression, compile_expression, find_names
from core.results import Answer, QueryResult, query_answer, value_answer
from core.statement import CompiledStatement, compile_statement
from core.toolspec import ParameterType, SqlLogic, ToolSpec

# What every client takes: MCP allows dots and 128 characters, several model APIs do not.
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One run of a statement: values by parameter name, and the caps of this run."""

    statement: CompiledStatement
    types: tuple[ParameterType, ...]
    values: Mapping[str, object]
    row_limit: int
    byte_limit: int
    timeout_ms: int


class QuerySource(Protocol):
    """A database that runs queries read-only."""

    async def check(self, statement: CompiledStatement, types: tuple[ParameterType, ...]) -> None:
        """Raise StatementError when the database would refuse the statement; never runs it."""

    async def run(self, query: Query) -> QueryResult:
        """The rows. Raises DataSourceError, DeadlineExceededError."""


class QuerySources(Protocol):
    """The databases by name; None is the default one."""

    def get(self, name: str | None) -> QuerySource:
        """The source. Raises DefinitionError, naming those that exist."""


class CompiledTool:
    """A spec whose logic and parameters were found to fit; cheap to make, validates lazily."""

    def __init__(self, spec: ToolSpec) -> None:
        """Raises DefinitionError when the tool could not be served."""
        _check_name(spec.name)
        _check_limits(spec)
        check_parameters(spec.parameters)
        self.spec = spec
        self._logic = _compile_logic(spec)

    @property
    def statement(self) -> CompiledStatement | None:
        """The compiled query of a SQL tool."""
        return self._logic if isinstance(self._logic, CompiledStatement) else None

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, as agents see it."""
        return input_schema(self.spec.parameters)

    @cached_property
    def validate(self) -> Callable[[Mapping[str, object]], dict[str, object]]:
        """Turns a call's arguments into typed values; raises ArgumentsError."""
        return arguments_validator(self.spec.name, self.spec.parameters)

    @cached_property
    def statement_types(self) -> tuple[ParameterType, ...]:
        """Declared types in the order of the statement's $1..$n."""
        types = {parameter.name: parameter.type for parameter in self.spec.parameters}
        names = self.statement.parameter_names if self.statement else ()
        return tuple(types[name] for name in names)

    async def check(self, sources: QuerySources) -> None:
        """Raise DefinitionError when the tool's database would refuse its statement."""
        if self.statement is not None and isinstance(self.spec.logic, SqlLogic):
            source = sources.get(self.spec.logic.data_source)
            await source.check(self.statement, self.statement_types)

    async def run(self, values: Mapping[str, object], sources: QuerySources) -> Answer:
        """The answer for validated values. Raises ToolboxError with a text for the agent."""
        if isinstance(self._logic, CompiledExpression):
            return value_answer(self._logic.evaluate(values))
        assert isinstance(self.spec.logic, SqlLogic)  # noqa: S101 - narrows for the type checker
        source = sources.get(self.spec.logic.data_source)
        result = await source.run(self._query(self._logic, values))
        return query_answer(result, self.spec.result_format)

    def _query(self, statement: CompiledStatement, values: Mapping[str, object]) -> Query:
        return Query(
            statement=statement,
            types=self.statement_types,
            values=values,
            row_limit=self.spec.row_limit,
            byte_limit=self.spec.byte_limit,
            timeout_ms=self.spec.timeout_ms,
        )


def _compile_logic(spec: ToolSpec) -> CompiledStatement | CompiledExpression:
    declared = [parameter.name for parameter in spec.parameters]
    if isinstance(spec.logic, SqlLogic):
        statement = compile_statement(spec.logic.statement)
        _compare(declared, statement.parameter_names, "statement")
        return statement
    _compare(declared, find_names(spec.logic.expression), "expression")
    return compile_expression(spec.logic.expression, declared)


def _compare(declared: list[str], used: tuple[str, ...] | list[str], logic: str) -> None:
    if undeclared := [name for name in used if name not in declared]:
        names = ", ".join(undeclared)
        raise DefinitionError(f"the {logic} uses {names}, which is not declared; add the parameter")
    if unused := [name for name in declared if name not in used]:
        names = ", ".join(unused)
        raise DefinitionError(f"the {logic} does not use {names}; use it or remove the parameter")


def _check_name(name: str) -> None:
    if not TOOL_NAME.fullmatch(name):
        raise DefinitionError(
            "a tool's name has 1 to 64 letters, digits, underscores or hyphens, as in sales_by_region"
            f" (got {name[:64]!r})"
        )


def _check_limits(spec: ToolSpec) -> None:
    for name in ("row_limit", "byte_limit", "timeout_ms"):
        if getattr(spec, name) < 1:
            raise DefinitionError(f"{name} must be 1 or more (got {getattr(spec, name)})")
