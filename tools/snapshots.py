"""What a tool is at one time: frozen data, its JSON document and its rows, one from another."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from django.db.models import Model

from catalog.models import DataSource
from catalog.sources import explain_missing_source
from core.errors import DefinitionError
from core.messages import Message, message
from core.toolspec import (
    DEFAULT_BYTE_LIMIT,
    DEFAULT_ROW_LIMIT,
    DEFAULT_TIMEOUT_MS,
    Binding,
    JsonValue,
    ParameterType,
    ResultFormat,
)
from tools.models import ToolDefinition, ToolParameter, ToolType

MAX_DOCUMENT_CHARACTERS = 1_000_000
MAX_PARAMETERS = 200
MAX_INTEGER = 2**31 - 1
_MAX_DEPTH = 20
# PostgreSQL's jsonb holds neither.
_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterSnapshot:
    """One parameter; the fields are the columns of its row, loose where the column is."""

    param_name: str
    param_type: str = ParameterType.STRING.value
    is_required: bool = True
    description: str = ""
    default: JsonValue = None
    nullable: bool = False
    allowed_values: JsonValue = field(default_factory=list)
    minimum: str | None = None
    maximum: str | None = None
    pattern: str | None = None
    example: JsonValue = None
    binding: str = Binding.AGENT.value
    bound_value: JsonValue = None

    def to_document(self) -> dict[str, JsonValue]:
        """The fields by name."""
        return {name: getattr(self, name) for name in PARAMETER_FIELDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSnapshot:
    """A tool without what it is at the moment only: whether it is active, who wrote it and when.

    The fields are the columns of its row; `data_source` is a data source's name, None the default one.
    `parameters` stand in their order.
    """

    name: str = ""
    title: str = ""
    description_agent: str = ""
    description_user: str = ""
    tool_type: str = ToolType.SQL.value
    definition: str = ""
    data_source: str | None = None
    result_format: str = ResultFormat.JSON.value
    row_limit: int = DEFAULT_ROW_LIMIT
    byte_limit: int = DEFAULT_BYTE_LIMIT
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    annotations: JsonValue = field(default_factory=dict)
    tags: JsonValue = field(default_factory=list)
    parameters: tuple[ParameterSnapshot, ...] = ()

    def to_document(self) -> dict[str, JsonValue]:
        """As JSON, every field named."""
        document = _to_json({name: getattr(self, name) for name in TOOL_FIELDS})
        parameters = [_to_json(parameter.to_document()) for parameter in self.parameters]
        return {**document, "parameters": parameters}

    @property
    def content_hash(self) -> str:
        """SHA-256 of the document in one form, whatever wrote it; 64 hexadecimal digits."""
        return _hash(self.to_document())

    @property
    def logic_hash(self) -> str:
        """SHA-256 of what a test run depends on: logic, data source, limits and parameters without texts."""
        names = ("tool_type", "definition", "data_source", "row_limit", "byte_limit", "timeout_ms")
        parameters = [
            {**parameter.to_document(), "description": "", "example": None}
            for parameter in sorted(self.parameters, key=lambda one: one.param_name)
        ]
        return _hash(
            {**{name: getattr(self, name) for name in names}, "parameters": _to_json(parameters)}
        )


TOOL_FIELDS = tuple(one.name for one in fields(ToolSnapshot) if one.name != "parameters")
PARAMETER_FIELDS = tuple(one.name for one in fields(ParameterSnapshot))
_LOOSE = frozenset({"annotations", "tags", "default", "allowed_values", "example", "bound_value"})
# JSON's null in these columns, which only another program writes, means nothing else than this.
_EMPTY: Mapping[str, Any] = {"annotations": {}, "tags": [], "allowed_values": []}
_NULLABLE = frozenset({"data_source", "minimum", "maximum", "pattern"})
_NUMBERS = frozenset({"row_limit", "byte_limit", "timeout_ms"})
_FLAGS = frozenset({"is_required", "nullable"})
# In any case of letters, as in the columns.
_CODES = frozenset({"tool_type", "result_format", "param_type", "binding"})


def hash_document(document: JsonValue) -> str:
    """SHA-256 of JSON in one form: keys sorted, 1.0 the same as 1."""
    return _hash(_to_json(document))


def _hash(document: JsonValue) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_snapshot(tool: ToolDefinition) -> ToolSnapshot:
    """The tool as its rows are; best read with `ToolDefinition.objects.whole()`."""
    columns = _read_columns(tool, [name for name in TOOL_FIELDS if name != "data_source"])
    rows = sorted(tool.parameters.all(), key=lambda row: (row.position, row.id))
    return ToolSnapshot(
        **columns,
        data_source=tool.data_source.name if tool.data_source else None,
        parameters=tuple(ParameterSnapshot(**_read_columns(row, PARAMETER_FIELDS)) for row in rows),
    )


def read_document(document: JsonValue) -> ToolSnapshot:
    """The snapshot that a document holds; what it leaves out has its default.

    Raises DefinitionError, naming the field, for what could not even be stored; whether the tool could
    be served is not asked.
    """
    given = _require_fields(
        document, {*TOOL_FIELDS, "parameters"}, message("tool.the_tool", "the tool")
    )
    listed = given.pop("parameters", [])
    if not isinstance(listed, list | tuple) or len(listed) > MAX_PARAMETERS:
        raise DefinitionError(
            message(
                "tool.too_many_parameters",
                "parameters must be a list of at most {limit}",
                limit=MAX_PARAMETERS,
            )
        )
    values = {name: _read_value(name, value, name) for name, value in given.items()}
    return ToolSnapshot(**values, parameters=tuple(map(_read_parameter, listed)))


def build_rows(snapshot: ToolSnapshot) -> tuple[ToolDefinition, list[ToolParameter]]:
    """Unsaved rows that say the same. Raises DefinitionError for a data source that is not there."""
    columns = snapshot.to_document()
    parameters = columns.pop("parameters")
    columns["data_source"] = _find_source(snapshot.data_source)
    rows = [
        ToolParameter(position=position, **parameter)
        for position, parameter in enumerate(parameters, start=1)
    ]
    return ToolDefinition(**columns), rows


def assign_columns(tool: ToolDefinition, snapshot: ToolSnapshot) -> None:
    """Give a row, not saved here, the columns that the snapshot says; its parameters apart."""
    made, _parameters = build_rows(snapshot)
    for name in TOOL_FIELDS:
        setattr(tool, name, getattr(made, name))


def write_parameters(tool: ToolDefinition, snapshot: ToolSnapshot) -> None:
    """Make a stored tool's parameters say the same; those that keep their name keep their row."""
    ids = dict(tool.parameters.order_by("-id").values_list("param_name", "id"))
    rows = build_rows(snapshot)[1]
    for row in rows:
        row.tool = tool
        row.pk = ids.pop(row.param_name, None)
    kept = [row for row in rows if row.pk]
    tool.parameters.exclude(pk__in=[row.pk for row in kept]).delete()
    ToolParameter.objects.bulk_update(kept, ["position", *PARAMETER_FIELDS])
    ToolParameter.objects.bulk_create(row for row in rows if not row.pk)


def _read_columns(row: Model, names: Iterable[str]) -> dict[str, JsonValue]:
    values = {name: getattr(row, name) for name in names}
    # What is neither Y nor N counts as yes; a draft of such a tool mends it.
    values |= {name: bool(values[name]) for name in _FLAGS & values.keys()}
    return {name: _EMPTY.get(name) if value is None else value for name, value in values.items()}


def _find_source(name: str | None) -> DataSource | None:
    if name is None:
        return None
    try:
        return DataSource.objects.get(name=name)
    except DataSource.DoesNotExist:
        names = DataSource.objects.order_by("name").values_list("name", flat=True)
        raise DefinitionError(explain_missing_source(name, names)) from None


def _read_parameter(document: JsonValue) -> ParameterSnapshot:
    given = _require_fields(document, PARAMETER_FIELDS, message("tool.a_parameter", "a parameter"))
    name = str(given.get("param_name", ""))
    values = {key: _read_value(key, value, f"{name}: {key}") for key, value in given.items()}
    return ParameterSnapshot(**{"param_name": "", **values})


def _require_fields(
    document: JsonValue, known: Iterable[str], what: Message
) -> dict[str, JsonValue]:
    if not isinstance(document, Mapping):
        raise DefinitionError(
            message("tool.part_no_object", "{part} must be a JSON object", part=what)
        )
    names = sorted(known)
    if unknown := sorted(str(key) for key in document if key not in names):
        raise DefinitionError(
            message(
                "tool.part_unknown_fields",
                "{part} has no {unknown}; there are {known}",
                part=what,
                unknown=", ".join(unknown)[:200],
                known=", ".join(names),
            )
        )
    return dict(document)


def _read_value(name: str, value: JsonValue, place: str) -> JsonValue:
    if name in _LOOSE:
        return require_storable(_EMPTY.get(name) if value is None else value, place)
    if name in _NUMBERS:
        return _require_number(value, place)
    if name in _FLAGS:
        return _require_flag(value, place)
    if value is None and name in _NULLABLE:
        return None
    if name in {"minimum", "maximum"} and isinstance(value, int | float):
        return json.dumps(require_storable(value, place))
    if not isinstance(value, str):
        raise DefinitionError(message("tool.field_no_text", "{field} must be text", field=place))
    return require_storable(value.strip().upper() if name in _CODES else value, place)


def _require_number(value: JsonValue, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_INTEGER:
        raise DefinitionError(
            message(
                "tool.field_no_number",
                "{field} must be a whole number up to {limit}",
                field=place,
                limit=str(MAX_INTEGER),
            )
        )
    return value


def _require_flag(value: JsonValue, place: str) -> bool:
    if not isinstance(value, bool):
        raise DefinitionError(
            message("tool.field_no_boolean", "{field} must be true or false", field=place)
        )
    return value


def require_storable(value: JsonValue, place: str) -> JsonValue:
    """The value. Raises DefinitionError, naming the place, for what the database would not keep."""
    _check_storable(value, place, 0)
    if len(json.dumps(value)) > MAX_DOCUMENT_CHARACTERS:
        raise DefinitionError(
            message(
                "tool.field_too_long",
                "{field} is longer than {limit} characters",
                field=place,
                limit=MAX_DOCUMENT_CHARACTERS,
            )
        )
    return value


def _check_storable(value: JsonValue, place: str, depth: int) -> None:
    match value:
        case str():
            if _NOT_STORABLE.search(value):
                raise DefinitionError(
                    message(
                        "tool.field_character",
                        "{field} has a character that cannot be stored",
                        field=place,
                    )
                )
        case float():
            if not math.isfinite(value):
                raise DefinitionError(
                    message(
                        "tool.field_number",
                        "{field} has a number that JSON does not know",
                        field=place,
                    )
                )
        case None | bool() | int():
            pass
        case dict() | list() | tuple():
            _check_parts(value, place, depth)
        case _:
            raise DefinitionError(
                message("tool.field_no_json", "{field} must be JSON", field=place)
            )


def _check_parts(value: Any, place: str, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise DefinitionError(
            message(
                "tool.field_nested",
                "{field} is nested deeper than {limit}",
                field=place,
                limit=_MAX_DEPTH,
            )
        )
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise DefinitionError(
                    message("tool.field_no_json", "{field} must be JSON", field=place)
                )
            _check_storable(key, place, depth + 1)
        value = value.values()
    for part in value:
        _check_storable(part, place, depth + 1)


def _to_json(value: Any) -> JsonValue:
    """Lists for tuples, and whole numbers without a fraction, as the database gives them back."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, dict):
        return {key: _to_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(part) for part in value]
    return int(value) if value.is_integer() else value
