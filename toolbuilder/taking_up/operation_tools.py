"""Operations of an HTTP service as tools: what each is made of, and what of it a person may change."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from core.errors import DefinitionError
from core.http_logic import operation_text
from core.ingest.operations import (
    Operation,
    OperationParameter,
    Place,
    annotations_of_method,
    description_of,
)
from core.ingest.schema_keywords import accepts_null, types_of
from core.parameter_checks import check_parameters
from core.toolspec import ParameterType
from tools.definitions import (
    MAX_PARAMETERS,
    PARAMETER_FIELDS,
    TOOL_FIELDS,
    ParameterDocument,
    ToolDocument,
)
from tools.models import ToolParameter, ToolType
from tools.specs import build_parameter

_TYPES = {
    "string": ParameterType.STRING,
    "integer": ParameterType.INTEGER,
    "number": ParameterType.NUMBER,
    "boolean": ParameterType.BOOLEAN,
}
_LISTS = {
    "string": ParameterType.STRING_LIST,
    "integer": ParameterType.INTEGER_LIST,
    "number": ParameterType.NUMBER_LIST,
}
_OF_PLAIN_ITEMS = frozenset({"type", "description", "format"})
_MAX_DESCRIPTION_CHARACTERS = 2_000


def make_operation_tool(operation: Operation, source_name: str) -> ToolDocument:
    """The tool of an operation, by its own name; a row for each parameter that fits one."""
    rows = filter(None, map(make_parameter, operation.parameters))
    hints = annotations_of_method(operation.method)
    return ToolDocument(
        name=operation.name,
        title=operation.summary,
        description_agent=description_of(operation),
        tool_type=ToolType.HTTP.value,
        definition=operation_text(operation),
        data_source=source_name,
        annotations={}
        if hints is None
        else {
            "readOnlyHint": bool(hints.read_only),
            "destructiveHint": bool(hints.destructive),
            "idempotentHint": bool(hints.idempotent),
            "openWorldHint": True,
        },
        tags=list(operation.tags),
        parameters=tuple(islice(rows, MAX_PARAMETERS)),
    )


def make_parameter(parameter: OperationParameter) -> ParameterDocument | None:
    """The parameter as a row, which can be described, bound and given a default; None if none fits.

    The operation goes on saying the rest: lengths, patterns, items.
    """
    kind = _type_of(parameter.schema)
    if kind is None:
        return None
    schema = parameter.schema
    described = parameter.description or str(schema.get("description", ""))
    row = ParameterDocument(
        param_name=parameter.argument,
        param_type=kind.value,
        is_required=parameter.required,
        description=described[:_MAX_DESCRIPTION_CHARACTERS],
        # A field of a body that is sent unasked would overwrite what is there.
        default=schema.get("default")
        if parameter.place is Place.QUERY and not parameter.required
        else None,
        nullable=accepts_null(schema) and parameter.place is Place.BODY,
        allowed_values=[value for value in schema.get("enum", ()) if value is not None],
        minimum=_bound(schema, "minimum"),
        maximum=_bound(schema, "maximum"),
    )
    # Else without what the document says wrongly of it, such as a default of another type.
    plain = row.replace(default=None, allowed_values=[], minimum=None, maximum=None)
    return next(filter(_is_servable, (row, plain)), None)


def merge_tool(stored: ToolDocument, before: ToolDocument, after: ToolDocument) -> ToolDocument:
    """The stored tool with what the document says now, but for what people have changed since `before`."""
    fields = {name: _newer(name, stored, before, after) for name in TOOL_FIELDS}
    old = {row.param_name: row for row in before.parameters}
    kept = {row.param_name: row for row in stored.parameters}
    rows = []
    for new in after.parameters:
        kept_row, old_row, row = kept.get(new.param_name), old.get(new.param_name), new
        if kept_row and old_row and kept_row.param_type == old_row.param_type:
            names = PARAMETER_FIELDS
            row = ParameterDocument(
                **{name: _newer(name, kept_row, old_row, new) for name in names}
            )
        rows.append(row)
    return ToolDocument(**{**fields, "name": stored.name, "parameters": tuple(rows)})


def _newer(name: str, stored: object, before: object, after: object) -> Any:
    is_untouched = getattr(stored, name) == getattr(before, name)
    return getattr(after if is_untouched else stored, name)


def _type_of(schema: Mapping[str, Any]) -> ParameterType | None:
    types = [name for name in types_of(schema) if name != "null"]
    if len(types) != 1 or "anyOf" in schema or "const" in schema:
        return None
    if types[0] == "array":
        items = schema.get("items") or {}
        is_plain = items.keys() <= _OF_PLAIN_ITEMS
        return _LISTS.get(str(items.get("type"))) if is_plain and "enum" not in schema else None
    if "enum" in schema and types[0] == "boolean":
        return None
    if types[0] == "string" and "enum" not in schema and schema.get("format") == "date":
        return ParameterType.DATE
    return _TYPES.get(types[0])


def _bound(schema: Mapping[str, Any], key: str) -> str | None:
    is_number = types_of(schema)[:1] in {("integer",), ("number",)}
    return str(schema[key]) if key in schema and is_number else None


def _is_servable(row: ParameterDocument) -> bool:
    try:
        check_parameters([build_parameter(ToolParameter(**row.to_document()))])
    except DefinitionError:
        return False
    return True
