"""The keywords of one schema without its members: which are kept, and how null and choices are written."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.ingest.texts import clean_text
from core.json_text import encode_json
from core.toolspec import JsonValue

MAX_DESCRIPTION_CHARACTERS = 2_000
MAX_ENUM_VALUES = 500
MAX_PATTERN_CHARACTERS = 200
MAX_DEFAULT_BYTES = 1_000

JsonSchema = dict[str, JsonValue]

_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_LIMITS = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
# An alternative of nothing else restricts how other fields combine: not for a flat list of arguments.
_CONDITIONS = frozenset({"required", "not", "title", "description", "type"})
_CHOICE = frozenset({"type", "enum", "const", "description"})


def as_mapping(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_sequence(value: object) -> Sequence[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, (list, tuple)) else ()


def types_of(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """The types that the schema names or, with none named, shows by its members; each once."""
    declared = schema.get("type")
    listed = as_sequence(declared) or (declared,)
    types = dict.fromkeys(name for name in listed if isinstance(name, str) and name in _TYPES)
    if types:
        return tuple(types)
    if "properties" in schema:
        return ("object",)
    return ("array",) if "items" in schema else ()


def type_word(schema: Mapping[str, Any]) -> str:
    """The first type but null, also of alternatives; any if none is named."""
    named = [*types_of(schema)]
    for alternative in as_sequence(schema.get("anyOf")):
        named += types_of(as_mapping(alternative))
    return next((name for name in named if name != "null"), "any")


def is_file(schema: Mapping[str, Any]) -> bool:
    """Whether the value, or each item of the list, is a file of a form."""
    options = (schema, as_mapping(schema.get("items")), *as_sequence(schema.get("anyOf")))
    return any(as_mapping(option).get("format") == "binary" for option in options)


def copy_keywords(schema: Mapping[str, Any]) -> JsonSchema:
    """The keywords that constrain the value itself, checked, in the words of JSON Schema 2020-12."""
    types = types_of(schema)
    found: JsonSchema = {}
    if types:
        found["type"] = types[0] if len(types) == 1 else list(types)
    if description := clean_text(schema.get("description"), MAX_DESCRIPTION_CHARACTERS):
        found["description"] = description
    values = as_sequence(schema.get("enum"))
    if "const" in schema and _is_small(schema["const"]):
        found["const"] = schema["const"]
    # A long list is left out whole: a part of it would refuse good values.
    elif 0 < len(values) <= MAX_ENUM_VALUES and all(map(_is_small, values)):
        found["enum"] = list(values)
    found |= _copy_limits(schema)
    for key in ("format", "pattern"):
        if 0 < len(text := clean_text(schema.get(key))) <= MAX_PATTERN_CHARACTERS:
            found[key] = text
    # OpenAPI 3.0 says of a file that it is binary, 3.1 what it holds.
    if schema.get("contentMediaType") == "application/octet-stream":
        found.setdefault("format", "binary")
    if "default" in schema and _is_small(schema["default"]):
        found["default"] = schema["default"]
    # The second is what Swagger 2.0, which has no word for it, is commonly given.
    is_nullable = schema.get("nullable", schema.get("x-nullable")) is True
    return with_null(found) if is_nullable else found


def _copy_limits(schema: Mapping[str, Any]) -> JsonSchema:
    counts = {key: schema.get(key) for key in _COUNTS}
    found: JsonSchema = {
        key: count
        for key, count in counts.items()
        if isinstance(count, int) and not isinstance(count, bool) and count >= 0
    }
    for inclusive, exclusive in _LIMITS.items():
        limit, beyond = schema.get(inclusive), schema.get(exclusive)
        # OpenAPI 3.0 says with true that the limit itself is excluded, 3.1 gives the number.
        if _is_number(limit):
            found[exclusive if beyond is True else inclusive] = limit
        if _is_number(beyond):
            found[exclusive] = beyond
    if schema.get("uniqueItems") is True:
        found["uniqueItems"] = True
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_small(value: JsonValue) -> bool:
    if isinstance(value, str):
        return len(value) <= MAX_DEFAULT_BYTES
    if isinstance(value, (list, dict)):
        try:
            return len(encode_json(value)) <= MAX_DEFAULT_BYTES
        except (TypeError, RecursionError):
            return False
    return value is None or isinstance(value, (bool, int, float))


def is_null(schema: Mapping[str, Any]) -> bool:
    """Whether nothing but null fits."""
    return (
        types_of(schema) == ("null",)
        or ("const" in schema and schema["const"] is None)
        or schema.get("enum") == [None]
    )


def is_condition(schema: Mapping[str, Any]) -> bool:
    """Whether the alternative only says which other fields have to be there."""
    return "required" in schema and _CONDITIONS.issuperset(schema)


def with_null(schema: JsonSchema) -> JsonSchema:
    """The schema that accepts null too."""
    found = dict(schema)
    types = list(types_of(schema))
    if types and "null" not in types:
        found["type"] = [*types, "null"]
    if "enum" in schema and None not in schema["enum"]:
        found["enum"] = [*schema["enum"], None]
    if "const" in schema and schema["const"] is not None:
        found["enum"] = [found.pop("const"), None]
    if "anyOf" in schema and not any(map(is_null, schema["anyOf"])):
        found["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    return found


def accepts_null(schema: Mapping[str, Any]) -> bool:
    """Whether null is a value of the schema rather than no value."""
    if "anyOf" in schema:
        return any(map(accepts_null, schema["anyOf"]))
    return "null" in types_of(schema) or None in schema.get("enum", ())


def unite(schemas: Iterable[JsonSchema]) -> JsonSchema:
    """One schema for what fits any of these; choices become one choice."""
    listed = list(schemas)
    different = [schema for place, schema in enumerate(listed) if schema not in listed[:place]]
    if len(different) <= 1:
        return dict(different[0]) if different else {}
    are_choices = all(
        _CHOICE.issuperset(schema) and ("enum" in schema or "const" in schema)
        for schema in different
    )
    if not are_choices:
        return {"anyOf": different}
    values: list[JsonValue] = []
    for schema in different:
        for value in schema.get("enum", [schema.get("const")]):
            # True == 1 in Python, but they are two values of JSON.
            if not any(value == known and type(value) is type(known) for known in values):
                values.append(value)
    types = list(dict.fromkeys(name for schema in different for name in types_of(schema)))
    found: JsonSchema = {"enum": values}
    if types and all(types_of(schema) for schema in different):
        found["type"] = types[0] if len(types) == 1 else types
    return found
