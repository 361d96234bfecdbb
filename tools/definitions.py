"""A tool as one document, which drafts, versions, files, forms and served rows read and write."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Self

from django.db.models import Model
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    model_validator,
)

from catalog.models import DataSource
from catalog.sources.settings import SourceSettings, explain_missing_source
from core.charts import read_chart
from core.errors import DefinitionError
from core.messages import message
from core.toolspec import (
    DEFAULT_BYTE_LIMIT,
    DEFAULT_ROW_LIMIT,
    DEFAULT_TIMEOUT_MS,
    ArgumentsPolicy,
    Binding,
    JsonValue,
    ParameterType,
    ResultFormat,
    ToolSpec,
)
from tools.models import ToolDefinition, ToolParameter, ToolType
from tools.specs import build_spec

MAX_DOCUMENT_CHARACTERS = 1_000_000
MAX_PARAMETERS = 200
MAX_INTEGER = 2**31 - 1
_MAX_DEPTH = 20
# PostgreSQL's jsonb holds neither.
_NOT_STORABLE = re.compile("[\0\ud800-\udfff]")


def _place_of(info: ValidationInfo) -> str:
    name = info.data.get("param_name")
    return f"{info.field_name}" if name is None else f"{name}: {info.field_name}"


def _read_text(value: object, info: ValidationInfo) -> JsonValue:
    if not isinstance(value, str):
        raise DefinitionError(
            message("tool.field_no_text", "{field} must be text", field=_place_of(info))
        )
    return require_storable(value, _place_of(info))


def _read_text_or_null(value: object, info: ValidationInfo) -> JsonValue:
    return None if value is None else _read_text(value, info)


def _read_code(value: object, info: ValidationInfo) -> JsonValue:
    """In any case of letters, as in the columns."""
    return _read_text(value.strip().upper() if isinstance(value, str) else value, info)


def _read_bound(value: object, info: ValidationInfo) -> JsonValue:
    if isinstance(value, int | float):
        return json.dumps(require_storable(value, _place_of(info)))
    return _read_text_or_null(value, info)


def _read_number(value: object, info: ValidationInfo) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_INTEGER:
        raise DefinitionError(
            message(
                "tool.field_no_number",
                "{field} must be a whole number up to {limit}",
                field=_place_of(info),
                limit=str(MAX_INTEGER),
            )
        )
    return value


def _read_flag(value: object, info: ValidationInfo) -> bool:
    if not isinstance(value, bool):
        raise DefinitionError(
            message("tool.field_no_boolean", "{field} must be true or false", field=_place_of(info))
        )
    return value


def _read_json(value: Any, info: ValidationInfo) -> JsonValue:
    value = _EMPTY.get(info.field_name or "") if value is None else value
    return require_storable(value, _place_of(info))


# JSON's null in these columns, which only another program writes, means nothing else than this.
_EMPTY: Mapping[str, Any] = {
    "annotations": {},
    "tags": [],
    "allowed_values": [],
    "descriptions": {},
}
_FLAGS = frozenset({"is_required", "nullable"})

_Text = Annotated[str, BeforeValidator(_read_text)]
_TextOrNull = Annotated[str | None, BeforeValidator(_read_text_or_null)]
_Code = Annotated[str, BeforeValidator(_read_code)]
_Bound = Annotated[str | None, BeforeValidator(_read_bound)]
_Number = Annotated[int, BeforeValidator(_read_number)]
_NumberOrNull = Annotated[
    int | None,
    BeforeValidator(lambda value, info: None if value is None else _read_number(value, info)),
]
_Flag = Annotated[bool, BeforeValidator(_read_flag)]
_Json = Annotated[Any, BeforeValidator(_read_json)]


class _Document(BaseModel):
    """Frozen fields that are columns of a row, loose where the column is.

    Reading one raises DefinitionError, naming the field, for what could not even be stored; whether the
    tool could be served is not asked. What a document leaves out has its default.
    """

    model_config = ConfigDict(frozen=True)

    def replace(self, **fields: Any) -> Self:
        """The same with these fields."""
        return self.model_copy(update=fields)

    @model_validator(mode="before")
    @classmethod
    def _require_fields(cls, given: Any) -> Any:
        if isinstance(given, cls):
            return given
        part = message("tool.a_parameter", "a parameter")
        if "parameters" in cls.model_fields:
            part = message("tool.the_tool", "the tool")
        if not isinstance(given, Mapping):
            raise DefinitionError(
                message("tool.part_no_object", "{part} must be a JSON object", part=part)
            )
        if unknown := sorted(str(key) for key in given if key not in cls.model_fields):
            raise DefinitionError(
                message(
                    "tool.part_unknown_fields",
                    "{part} has no {unknown}; there are {known}",
                    part=part,
                    unknown=", ".join(unknown)[:200],
                    known=", ".join(sorted(cls.model_fields)),
                )
            )
        return given


class ParameterDocument(_Document):
    """One parameter."""

    param_name: _Text = ""
    param_type: _Code = ParameterType.STRING.value
    is_required: _Flag = True
    description: _Text = ""
    descriptions: _Json = Field(default_factory=dict)
    default: _Json = None
    nullable: _Flag = False
    allowed_values: _Json = Field(default_factory=list)
    minimum: _Bound = None
    maximum: _Bound = None
    pattern: _TextOrNull = None
    example: _Json = None
    binding: _Code = Binding.AGENT.value
    bound_value: _Json = None

    def to_document(self) -> dict[str, JsonValue]:
        """As JSON, every field named."""
        return {name: _to_json(getattr(self, name)) for name in PARAMETER_FIELDS}


def _read_parameters(value: object) -> object:
    if not isinstance(value, list | tuple) or len(value) > MAX_PARAMETERS:
        raise DefinitionError(
            message(
                "tool.too_many_parameters",
                "parameters must be a list of at most {limit}",
                limit=MAX_PARAMETERS,
            )
        )
    return value


class ToolDocument(_Document):
    """A tool without what it is at the moment only: whether it is active, who wrote it and when.

    `data_source` is a data source's name, None the default one. `parameters` are in their order.
    """

    name: _Text = ""
    title: _Text = ""
    description_agent: _Text = ""
    description_user: _Text = ""
    descriptions: _Json = Field(default_factory=dict)
    tool_type: _Code = ToolType.SQL.value
    definition: _Text = ""
    data_source: _TextOrNull = None
    result_format: _Code = ResultFormat.JSON.value
    row_limit: _Number = DEFAULT_ROW_LIMIT
    byte_limit: _Number = DEFAULT_BYTE_LIMIT
    timeout_ms: _Number = DEFAULT_TIMEOUT_MS
    annotations: _Json = Field(default_factory=dict)
    tags: _Json = Field(default_factory=list)
    record_arguments: _Text = ArgumentsPolicy.FULL.value
    breaker_errors: _NumberOrNull = None
    breaker_minutes: _NumberOrNull = None
    plan_cost_limit: _NumberOrNull = None
    chart: Annotated[
        Any,
        BeforeValidator(lambda value, info: read_chart(require_storable(value, _place_of(info)))),
    ] = None
    parameters: Annotated[tuple[ParameterDocument, ...], BeforeValidator(_read_parameters)] = ()

    @classmethod
    def of_row(
        cls, tool: ToolDefinition, rows: Iterable[ToolParameter] | None = None
    ) -> "ToolDocument":
        """The tool as its rows are; best read with `ToolDefinition.objects.whole()`.

        `rows` are parameters in their order, in place of those that are stored.
        """
        if rows is None:
            rows = sorted(tool.parameters.all(), key=lambda row: (row.position, row.id))
        return cls.model_construct(
            **_read_columns(tool, [name for name in TOOL_FIELDS if name != "data_source"]),
            data_source=tool.source_name,
            parameters=tuple(
                ParameterDocument.model_construct(**_read_columns(row, PARAMETER_FIELDS))
                for row in rows
            ),
        )

    def to_document(self) -> dict[str, JsonValue]:
        """As JSON, every field named."""
        document: dict[str, JsonValue] = {
            name: _to_json(getattr(self, name)) for name in TOOL_FIELDS
        }
        return {**document, "parameters": [row.to_document() for row in self.parameters]}

    def to_spec(self, sources: SourceSettings, *, tool_id: int = 0) -> ToolSpec:
        """The tool to be compiled. Raises DefinitionError, naming the column, when it cannot be read."""
        if self.data_source not in sources.users_of:
            known = (name for name in sources.users_of if name is not None)
            raise DefinitionError(explain_missing_source(self.data_source, known))
        return replace(build_spec(self, self.parameters, sources.dialects), id=tool_id)

    @property
    def content_hash(self) -> str:
        """SHA-256 of the document in one form, whatever wrote it; 64 hexadecimal digits."""
        # A tool without them has the hash that it had before there were any.
        document = _without_later(self.to_document())
        return _hash({**document, "parameters": [*map(_without_later, document["parameters"])]})

    @property
    def logic_hash(self) -> str:
        """SHA-256 of what a trial depends on: logic, data source, limits and parameters without texts."""
        names = ("tool_type", "definition", "data_source", "row_limit", "byte_limit", "timeout_ms")
        parameters: list[JsonValue] = [
            _without_later(
                {**parameter.to_document(), "description": "", "descriptions": {}, "example": None}
            )
            for parameter in sorted(self.parameters, key=lambda row: row.param_name)
        ]
        return _hash({**{name: getattr(self, name) for name in names}, "parameters": parameters})


_LATER: Mapping[str, JsonValue] = {
    "breaker_errors": None,
    "breaker_minutes": None,
    "plan_cost_limit": None,
    "chart": None,
    "descriptions": {},
    "record_arguments": ArgumentsPolicy.FULL.value,
}
TOOL_FIELDS = tuple(name for name in ToolDocument.model_fields if name != "parameters")
PARAMETER_FIELDS = tuple(ParameterDocument.model_fields)


def _without_later(document: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        name: value
        for name, value in document.items()
        if name not in _LATER or value != _LATER[name]
    }


def write_columns(
    tool: ToolDefinition, document: ToolDocument, known: Mapping[str, DataSource] | None = None
) -> None:
    """Give a row, not saved here, the columns that the document says; its parameters apart.

    `known` are all data sources by name, where they were read already. Raises DefinitionError for a
    data source that is not there.
    """
    columns = {name: value for name, value in document.to_document().items() if name in TOOL_FIELDS}
    if "record_arguments" not in document.model_fields_set:
        # Nobody meant to keep more of its calls than before.
        del columns["record_arguments"]
    if document.data_source is not None:
        if known is None:
            known = DataSource.objects.in_bulk(field_name="name")
        if (source := known.get(document.data_source)) is None:
            raise DefinitionError(explain_missing_source(document.data_source, known))
        columns["data_source"] = source
    for name, value in columns.items():
        setattr(tool, name, value)


def parameter_rows(tool: ToolDefinition, document: ToolDocument) -> Iterator[ToolParameter]:
    """New rows, not saved here, of the parameters that the document says."""
    for position, parameter in enumerate(document.parameters, start=1):
        yield ToolParameter(tool=tool, position=position, **parameter.to_document())


def write_parameters(tool: ToolDefinition, document: ToolDocument) -> None:
    """Make a stored tool's parameters say the same; those that keep their name keep their row."""
    ids = dict(tool.parameters.order_by("-id").values_list("param_name", "id"))
    rows = list(parameter_rows(tool, document))
    for row in rows:
        row.pk = ids.pop(row.param_name, None)
    kept = [row for row in rows if row.pk]
    tool.parameters.exclude(pk__in=[row.pk for row in kept]).delete()
    ToolParameter.objects.bulk_update(kept, ["position", *PARAMETER_FIELDS])
    ToolParameter.objects.bulk_create(row for row in rows if not row.pk)


def _read_columns(row: Model, names: Iterable[str]) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    # What is neither Y nor N counts as yes; a draft of such a tool mends it.
    values |= {name: bool(values[name]) for name in _FLAGS & values.keys()}
    return {name: _EMPTY.get(name) if value is None else value for name, value in values.items()}


def require_storable(value: Any, place: str, *, limit: int = MAX_DOCUMENT_CHARACTERS) -> JsonValue:
    """The value. Raises DefinitionError, naming the place, for what the database would not keep."""
    _check_storable(value, place, 0)
    if len(json.dumps(value)) > limit:
        raise DefinitionError(
            message(
                "tool.field_too_long",
                "{field} is longer than {limit} characters",
                field=place,
                limit=limit,
            )
        )
    checked: JsonValue = value
    return checked


def _check_storable(value: Any, place: str, depth: int) -> None:
    if value is None or isinstance(value, bool | int):
        return
    if isinstance(value, str):
        if _NOT_STORABLE.search(value):
            raise DefinitionError(
                message(
                    "tool.field_character",
                    "{field} has a character that cannot be stored",
                    field=place,
                )
            )
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise DefinitionError(
                message(
                    "tool.field_number", "{field} has a number that JSON does not know", field=place
                )
            )
    elif depth > _MAX_DEPTH:
        raise DefinitionError(
            message(
                "tool.field_nested",
                "{field} is nested deeper than {limit}",
                field=place,
                limit=_MAX_DEPTH,
            )
        )
    elif isinstance(value, list | tuple):
        for part in value:
            _check_storable(part, place, depth + 1)
    elif isinstance(value, dict) and set(map(type, value)) <= {str}:
        _check_storable([*value, *value.values()], place, depth)
    else:
        raise DefinitionError(message("tool.field_no_json", "{field} must be JSON", field=place))


def _hash(document: JsonValue) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _to_json(value: Any) -> JsonValue:
    """Lists for tuples, and whole numbers without a fraction, as the database gives them back."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, dict):
        return {key: _to_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(part) for part in value]
    return int(value) if value.is_integer() else value
