"""Columns to ToolSpec: the one place where loose columns become typed values."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from core.charts import FOR_AGENTS
from core.errors import DefinitionError
from core.languages import LANGUAGE_CODE
from core.messages import message
from core.script import is_script
from core.toolspec import (
    ArgumentsPolicy,
    Binding,
    BreakerRule,
    Dialect,
    ExpressionLogic,
    HttpLogic,
    JsonValue,
    Logic,
    ParameterSpec,
    ParameterType,
    Presence,
    ResultFormat,
    ScriptLogic,
    SqlLogic,
    ToolSpec,
)
from tools.fields import UnknownFlag
from tools.models import ToolDefinition

HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
LOGIC_KEYS = frozenset({"sql", "expression", "script"})
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_Choice = TypeVar("_Choice", bound=StrEnum)


class ToolColumns(Protocol):
    """The columns of a tool, of its row or of its document."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description_agent(self) -> str: ...
    @property
    def description_user(self) -> str: ...
    @property
    def tool_type(self) -> str: ...
    @property
    def definition(self) -> str: ...
    @property
    def data_source(self) -> Any: ...
    @property
    def result_format(self) -> str: ...
    @property
    def row_limit(self) -> int: ...
    @property
    def byte_limit(self) -> int: ...
    @property
    def timeout_ms(self) -> int: ...
    @property
    def annotations(self) -> Any: ...
    @property
    def tags(self) -> Any: ...
    @property
    def descriptions(self) -> Any: ...
    @property
    def record_arguments(self) -> str: ...
    @property
    def breaker_errors(self) -> int | None: ...
    @property
    def breaker_minutes(self) -> int | None: ...
    @property
    def plan_cost_limit(self) -> int | None: ...
    @property
    def chart(self) -> Any: ...


class ParameterColumns(Protocol):
    """The columns of a parameter, of its row or of its document."""

    @property
    def param_name(self) -> str: ...
    @property
    def param_type(self) -> str: ...
    @property
    def is_required(self) -> bool: ...
    @property
    def description(self) -> str: ...
    @property
    def descriptions(self) -> Any: ...
    @property
    def default(self) -> Any: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def allowed_values(self) -> Any: ...
    @property
    def minimum(self) -> str | None: ...
    @property
    def maximum(self) -> str | None: ...
    @property
    def pattern(self) -> str | None: ...
    @property
    def example(self) -> Any: ...
    @property
    def binding(self) -> str: ...
    @property
    def bound_value(self) -> Any: ...


class StoredTool(NamedTuple):
    """A row of a tool without the cost of a model; `data_source` is the source's name."""

    id: int
    name: str
    title: str
    description_agent: str
    description_user: str
    descriptions: Any
    tool_type: str
    definition: str
    data_source: str | None
    result_format: str
    row_limit: int
    byte_limit: int
    timeout_ms: int
    annotations: Any
    tags: Any
    breaker_errors: int | None
    breaker_minutes: int | None
    plan_cost_limit: int | None
    chart: Any
    is_active: bool | UnknownFlag
    created_by: str
    updated_by: str
    version: int
    record_arguments: str


class StoredParameter(NamedTuple):
    """A row of a parameter without the cost of a model."""

    param_name: str
    param_type: str
    is_required: Any
    description: str
    descriptions: Any
    default: Any
    nullable: Any
    allowed_values: Any
    minimum: str | None
    maximum: str | None
    pattern: str | None
    example: Any
    binding: str
    bound_value: Any


def build_spec(
    tool: ToolColumns,
    parameters: Iterable[ParameterColumns | ParameterSpec],
    dialects: Mapping[str | None, Dialect] | None = None,
) -> ToolSpec:
    """The tool as plain data. Raises DefinitionError, naming the column, when it cannot be read.

    `dialects` are those of the data sources by name; one that is not there is taken for PostgreSQL.
    """
    row = tool if isinstance(tool, ToolDefinition | StoredTool) else None
    if row is not None:
        _require_flag(row.is_active, "is_active")
    if not isinstance(tool.tags, list) or any(not isinstance(tag, str) for tag in tool.tags):
        raise DefinitionError(
            message("tool.column_texts", "{column} must be a JSON list of texts", column="tags")
        )
    breaker = None
    if tool.breaker_errors is not None and tool.breaker_minutes is not None:
        breaker = BreakerRule(tool.breaker_errors, tool.breaker_minutes)
    return ToolSpec(
        id=row.id if row else 0,
        name=tool.name,
        title=tool.title,
        description=tool.description_agent or tool.description_user,
        descriptions=_read_descriptions(tool.descriptions, "descriptions"),
        logic=_read_logic(tool, dialects or {}),
        parameters=tuple(
            known if isinstance(known, ParameterSpec) else build_parameter(known)
            for known in parameters
        ),
        result_format=_choose(ResultFormat, tool.result_format, "result_format"),
        row_limit=tool.row_limit,
        byte_limit=tool.byte_limit,
        timeout_ms=tool.timeout_ms,
        annotations=_read_annotations(tool.annotations),
        tags=tuple(tool.tags),
        version=row.version if row else 0,
        record_arguments=_choose(
            ArgumentsPolicy, tool.record_arguments, "record_arguments", str.lower
        ),
        breaker=breaker,
        plan_cost_limit=tool.plan_cost_limit,
        # A chart that nobody can draw is no reason not to serve the tool.
        chart=tool.chart if isinstance(tool.chart, dict) and tool.chart.get(FOR_AGENTS) else None,
    )


def read_plain_logic(
    tool_type: str, definition: str, data_source: str | None
) -> tuple[str, str | None]:
    """The logic's text and the data source's name, of a definition that may be JSON.

    One that cannot be read, or whose text would then be taken for another kind, is left as it is.
    """
    try:
        given = _read_json_definition(definition)
    except DefinitionError:
        return definition, data_source
    if tool_type == "SQL" and "sql" in given:
        return given["sql"], given.get("data_source", data_source)
    for key, wants_script in (("expression", False), ("script", True)):
        if tool_type == "PYTHON" and key in given and is_script(given[key]) is wants_script:
            return given[key], data_source
    return definition, data_source


def _read_logic(tool: ToolColumns, dialects: Mapping[str | None, Dialect]) -> Logic:
    kind = tool.tool_type.strip().upper()
    data_source = tool.source_name if isinstance(tool, ToolDefinition) else tool.data_source
    if kind == "HTTP":
        return HttpLogic(tool.definition, data_source)
    given = _read_json_definition(tool.definition)
    match kind:
        case "SQL":
            source = given.get("data_source", data_source)
            dialect = dialects.get(source, Dialect.POSTGRESQL)
            return SqlLogic(given.get("sql", tool.definition), source, dialect)
        case "PYTHON":
            if "expression" in given and "script" in given:
                raise DefinitionError(
                    message(
                        "tool.expression_or_script",
                        "definition: give an expression or a script, not both",
                    )
                )
            text = given.get("expression", given.get("script", tool.definition))
            if "script" in given or ("expression" not in given and is_script(text)):
                return ScriptLogic(text)
            return ExpressionLogic(text)
    raise DefinitionError(
        message(
            "tool.type",
            "tool_type must be SQL, PYTHON or HTTP (got {type})",
            type=repr(tool.tool_type),
        )
    )


def _read_json_definition(definition: str) -> dict[str, str]:
    """The texts of a JSON definition, or nothing when the definition is raw text."""
    if not definition.lstrip().startswith("{"):
        return {}
    try:
        given = json.loads(definition)
    except ValueError:
        return {}
    if not isinstance(given, dict) or not LOGIC_KEYS & given.keys():
        return {}
    for key, value in given.items():
        if not isinstance(value, str):
            raise DefinitionError(
                message("tool.definition_text", "definition: {key} must be text", key=key)
            )
    return given


def build_parameter(row: ParameterColumns) -> ParameterSpec:
    """The parameter as plain data. Raises DefinitionError, naming the column, when it cannot be read."""
    for column in ("is_required", "nullable"):
        _require_flag(getattr(row, column), f"{row.param_name}: {column}")
    return ParameterSpec(
        # Python and the statement lexer read identifiers in this form.
        name=unicodedata.normalize("NFKC", row.param_name),
        type=_choose(ParameterType, row.param_type, f"{row.param_name}: param_type"),
        description=row.description,
        descriptions=_read_descriptions(row.descriptions, f"{row.param_name}: descriptions"),
        presence=_read_presence(row),
        default=row.default,
        nullable=row.nullable,
        allowed_values=_read_allowed_values(row),
        minimum=_read_bound(row.minimum),
        maximum=_read_bound(row.maximum),
        pattern=row.pattern or None,
        example=row.example,
        binding=_choose(Binding, row.binding, f"{row.param_name}: binding"),
        bound_value=row.bound_value,
    )


def _read_descriptions(value: Any, column: str) -> tuple[tuple[str, str], ...]:
    if not value:
        return ()
    is_read = isinstance(value, dict) and all(
        LANGUAGE_CODE.fullmatch(language) and isinstance(text, str)
        for language, text in value.items()
    )
    if not is_read:
        raise DefinitionError(
            message(
                "tool.descriptions_form",
                "{column} must be a JSON object of texts by language, as in {example}",
                column=column,
                example='{"ko": "...", "ja": "..."}',
            )
        )
    return tuple(sorted((language, text) for language, text in value.items() if text.strip()))


def _require_flag(value: bool | UnknownFlag, column: str) -> None:
    if isinstance(value, UnknownFlag):
        raise DefinitionError(
            message(
                "tool.yes_or_no",
                "{column} must be Y or N (got {value})",
                column=column,
                value=repr(str(value)[:20]),
            )
        )


def _read_presence(row: ParameterColumns) -> Presence:
    if row.is_required and row.default is not None:
        raise DefinitionError(
            message(
                "parameter.required_default",
                "{name}: a required parameter has no default; make it optional or drop the default",
                name=row.param_name,
            )
        )
    if row.is_required:
        return Presence.REQUIRED
    return Presence.OPTIONAL_NULL if row.default is None else Presence.OPTIONAL_DEFAULT


def _read_allowed_values(row: ParameterColumns) -> tuple[str | int | float, ...]:
    values = row.allowed_values or []
    is_list = isinstance(values, list)
    if not is_list or any(
        isinstance(value, bool) or not isinstance(value, str | int | float) for value in values
    ):
        raise DefinitionError(
            message(
                "parameter.allowed_form",
                "{name}: allowed_values must be a JSON list of texts or numbers",
                name=row.param_name,
            )
        )
    return tuple(values)


def _read_bound(text: str | None) -> int | float | str | None:
    if not text:
        return None
    if not _NUMBER.fullmatch(text.strip()):
        return text.strip()
    number = float(text)
    return int(number) if number.is_integer() else number


def _read_annotations(value: JsonValue) -> dict[str, bool]:
    if not isinstance(value, dict) or any(not isinstance(hint, bool) for hint in value.values()):
        raise DefinitionError(
            message(
                "tool.annotations_form",
                'annotations must be a JSON object of booleans, as in {"readOnlyHint": true}',
            )
        )
    if unknown := sorted(value.keys() - set(HINTS)):
        raise DefinitionError(
            message(
                "tool.annotations_unknown",
                "annotations: unknown {unknown}; known are {known}",
                unknown=", ".join(unknown),
                known=", ".join(HINTS),
            )
        )
    return value


def _choose(
    choices: type[_Choice], value: str, column: str, fold: Callable[[str], str] = str.upper
) -> _Choice:
    try:
        return choices(fold(value.strip()))
    except ValueError:
        known = ", ".join(choices)
        raise DefinitionError(
            message(
                "tool.column_choice",
                "{column} must be one of {known} (got {value})",
                column=column,
                known=known,
                value=repr(value),
            )
        ) from None
