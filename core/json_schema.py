"""Whether a value fits a JSON schema, checked by pydantic's engine, which reads patterns in linear time."""

from collections.abc import Mapping
from typing import Any

from pydantic_core import CoreSchema, SchemaError, SchemaValidator, ValidationError, core_schema

from core.errors import DefinitionError
from core.json_text import MAX_LEVELS, is_deeper_than
from core.messages import message
from core.toolspec import JsonValue

MAX_PROBLEMS = 20
_SCALARS: Mapping[str, CoreSchema] = {
    "boolean": core_schema.bool_schema(strict=True),
    "null": core_schema.none_schema(),
}
_BOUNDS = {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"}


class SchemaCheck:
    """The check of one schema, in the keywords that `core.ingest.schemas` keeps.

    What the engine cannot judge (uniqueItems, format, counts of properties, patterns that are not
    linear) is left to the service. The value is never changed. Raises DefinitionError for what is no
    schema.
    """

    def __init__(self, schema: Mapping[str, JsonValue]) -> None:
        try:
            self._validator = SchemaValidator(_to_core(schema))
        except (AttributeError, RecursionError, SchemaError, TypeError, ValueError) as error:
            raise DefinitionError(
                message(
                    "parameter.schema_unreadable",
                    "a parameter's JSON schema cannot be read; take the operation up again",
                )
            ) from error

    def problems(self, name: str, value: JsonValue) -> list[str]:
        """A line for each part that does not fit, with its place; none where all fits.

        More levels than clients and servers read fit no schema.
        """
        if is_deeper_than(MAX_LEVELS, value):
            return [f"{name}: must have at most {MAX_LEVELS} levels"]
        try:
            self._validator.validate_python(value)
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=False, include_input=False)
            lines: dict[str, None] = {}
            for detail in details:
                # Among the keys are the engine's names of alternatives, such as list[int] or dict.
                keys = (str(key)[:60] for key in detail["loc"] if not str(key).startswith("~"))
                text = detail["msg"]
                lines[f"{'.'.join((name, *keys))}: {text[:1].lower()}{text[1:]}"] = None
            return list(lines)[:MAX_PROBLEMS]
        return []


def _to_core(schema: Mapping[str, JsonValue]) -> CoreSchema:
    if "enum" in schema or "const" in schema:
        values = [schema["const"]] if "const" in schema else list(schema["enum"])
        plain = [value for value in values if value is None or isinstance(value, str | int)]
        # Lists and objects among the values are rare; then the service judges.
        return core_schema.literal_schema(plain) if len(plain) == len(values) else _ANY
    if alternatives := schema.get("anyOf"):
        return _union([_to_core(alternative) for alternative in alternatives])
    types = schema.get("type")
    if not types:
        types = ["object"] if "properties" in schema else ["array"] if "items" in schema else []
    types = [types] if isinstance(types, str) else list(types)
    return _union([_of_type(name, schema) for name in types]) if types else _ANY


def _union(schemas: list[CoreSchema]) -> CoreSchema:
    if len(schemas) == 1:
        return schemas[0]
    labelled: list[CoreSchema | tuple[CoreSchema, str]] = [
        (schema, f"~{number}") for number, schema in enumerate(schemas)
    ]
    return core_schema.union_schema(labelled, mode="left_to_right")


_ANY = core_schema.any_schema()


def _of_type(name: str, schema: Mapping[str, JsonValue]) -> CoreSchema:
    match name:
        case "string":
            return _text_schema(schema)
        case "integer" | "number":
            bounds: dict[str, Any] = {
                bound: schema[key]
                for key, bound in _BOUNDS.items()
                if type(schema.get(key)) in {int, float}
            }
            # A whole number may be written 5.0, as JSON Schema has it; true is none.
            number = core_schema.float_schema(strict=True, allow_inf_nan=False, **bounds)
            whole = core_schema.float_schema(multiple_of=1)
            return core_schema.chain_schema([number, whole]) if name == "integer" else number
        case "array":
            return core_schema.list_schema(
                _to_core(schema.get("items") or {}),
                min_length=schema.get("minItems"),
                max_length=schema.get("maxItems"),
            )
        case "object":
            return _object_schema(schema)
    return _SCALARS.get(name, _ANY)


def _text_schema(schema: Mapping[str, JsonValue]) -> CoreSchema:
    limits = {"min_length": schema.get("minLength"), "max_length": schema.get("maxLength")}
    plain = core_schema.str_schema(strict=True, **limits)
    if "pattern" not in schema:
        return plain
    exact = core_schema.str_schema(strict=True, pattern=schema["pattern"], **limits)
    try:
        SchemaValidator(exact)
    except SchemaError:
        return plain
    return exact


def _object_schema(schema: Mapping[str, JsonValue]) -> CoreSchema:
    required = set(schema.get("required", ()))
    properties: Mapping[str, Any] = schema.get("properties", {})
    fields = {
        name: core_schema.typed_dict_field(_to_core(value), required=name in required)
        for name, value in properties.items()
    }
    extra = schema.get("additionalProperties", True)
    return core_schema.typed_dict_schema(
        fields,
        extra_behavior="forbid" if extra is False else "allow",
        extras_schema=_to_core(extra) if isinstance(extra, Mapping) and extra else None,
    )
