"""Whether a value fits a JSON schema, checked by pydantic's engine, which reads patterns in linear time."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import CoreSchema, SchemaError, SchemaValidator, ValidationError, core_schema

from core.errors import DefinitionError
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
        """A line for each part that does not fit, with its place; none where all fits."""
        try:
            self._validator.validate_python(value)
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=False, include_input=False)
            lines = (f"{_place(name, one['loc'])}: {_words(one['msg'])}" for one in details)
            return list(dict.fromkeys(lines))[:MAX_PROBLEMS]
        return []


def _place(name: str, path: Sequence[int | str]) -> str:
    # Between the keys stand the engine's names of alternatives, such as list[int] or dict.
    return ".".join((name, *(str(part)[:60] for part in path if not str(part).startswith("~"))))


def _words(message: str) -> str:
    return message[:1].lower() + message[1:]


def _to_core(schema: Mapping[str, JsonValue]) -> CoreSchema:
    if "enum" in schema or "const" in schema:
        return _choice_schema(schema)
    if alternatives := schema.get("anyOf"):
        return _union([_to_core(each) for each in alternatives])
    named = schema.get("type")
    types = [named] if isinstance(named, str) else list(named or _implied(schema))
    return _union([_of_type(each, schema) for each in types]) if types else core_schema.any_schema()


def _implied(schema: Mapping[str, JsonValue]) -> list[str]:
    return ["object"] if "properties" in schema else ["array"] if "items" in schema else []


def _union(schemas: list[CoreSchema]) -> CoreSchema:
    if len(schemas) == 1:
        return schemas[0]
    labelled: list[CoreSchema | tuple[CoreSchema, str]] = [
        (each, f"~{number}") for number, each in enumerate(schemas)
    ]
    return core_schema.union_schema(labelled, mode="left_to_right")


def _choice_schema(schema: Mapping[str, JsonValue]) -> CoreSchema:
    values = [schema["const"]] if "const" in schema else list(schema["enum"])
    plain = [value for value in values if value is None or isinstance(value, str | int)]
    # Lists and objects among the values are rare; then the service judges.
    return core_schema.literal_schema(plain) if len(plain) == len(values) else _ANY


_ANY = core_schema.any_schema()


def _of_type(name: str, schema: Mapping[str, JsonValue]) -> CoreSchema:
    match name:
        case "string":
            return _text_schema(schema)
        case "integer" | "number":
            return _number_schema(name, schema)
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


def _number_schema(name: str, schema: Mapping[str, JsonValue]) -> CoreSchema:
    bounds: dict[str, Any] = {
        bound: schema[key] for key, bound in _BOUNDS.items() if _is_number(schema.get(key))
    }
    # A whole number may be written 5.0, as JSON Schema has it; true is none.
    number = core_schema.float_schema(strict=True, allow_inf_nan=False, **bounds)
    return _whole(number) if name == "integer" else number


def _whole(number: CoreSchema) -> CoreSchema:
    return core_schema.chain_schema([number, core_schema.float_schema(multiple_of=1)])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _object_schema(schema: Mapping[str, JsonValue]) -> CoreSchema:
    required = set(schema.get("required", ()))
    properties: Mapping[str, Any] = schema.get("properties", {})
    fields = {
        name: core_schema.typed_dict_field(_to_core(each), required=name in required)
        for name, each in properties.items()
    }
    extra = schema.get("additionalProperties", True)
    return core_schema.typed_dict_schema(
        fields,
        extra_behavior="forbid" if extra is False else "allow",
        extras_schema=_to_core(extra) if isinstance(extra, Mapping) and extra else None,
    )
