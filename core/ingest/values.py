"""Arguments as the texts of a request: single values, lists and objects in OpenAPI's styles."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence

from core.errors import ArgumentsError
from core.ingest.escapes import escape
from core.ingest.operations import OperationParameter
from core.ingest.schema_keywords import types_of
from core.messages import message
from core.toolspec import JsonValue

MAX_ITEMS = 10_000
_SEPARATORS = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}


def value_text(name: str, value: JsonValue, types: tuple[str, ...] = ()) -> str:
    """A single value as text: true and false, numbers as JSON writes them, nothing for null.

    A whole number where `types` allow only those has no fraction. Raises ArgumentsError.
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isfinite(value):
        is_whole = "integer" in types and "number" not in types and value.is_integer()
        return str(int(value)) if is_whole else repr(value)
    if isinstance(value, int) and value.bit_length() <= 128:
        return str(value)
    raise ArgumentsError(
        message(
            "arguments.plain_value", "{name}: must be a text, a number, true or false", name=name
        )
    )


def json_text(name: str, value: JsonValue) -> str:
    """The value as compact JSON. Raises ArgumentsError for what has no JSON form."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentsError(
            message("arguments.json_value", "{name}: must be a value that JSON can hold", name=name)
        ) from error


def simple_items(parameter: OperationParameter, value: JsonValue) -> list[str]:
    """The texts that style simple joins with commas: items of a list, names and values of an object."""
    if parameter.style == "json":
        return [json_text(parameter.argument, value)]
    if isinstance(value, Mapping):
        pairs = list(_pairs(parameter, value))
        if parameter.explode:
            return [f"{name}={text}" for name, text in pairs]
        return [text for pair in pairs for text in pair]
    if isinstance(value, (list, tuple)):
        return list(_items(parameter, value))
    return [_text(parameter, value)]


def query_pairs(parameter: OperationParameter, value: JsonValue) -> list[tuple[str, str]]:
    """Names with escaped values for a query, in OpenAPI's styles for queries, RFC 6570 for form."""
    name = parameter.name
    if parameter.style == "json":
        return [(name, escape(json_text(parameter.argument, value)))]
    if parameter.style == "deepObject" and isinstance(value, (Mapping, list, tuple)):
        return [(inner, escape(text)) for inner, text in deep_pairs(parameter, value)]
    if isinstance(value, Mapping):
        return _object_pairs(parameter, value)
    if not isinstance(value, (list, tuple)):
        return [(name, escape(_text(parameter, value)))]
    texts = [escape(text) for text in _items(parameter, value)]
    if parameter.explode:
        return [(name, text) for text in texts]
    # An empty list has no form that a service could tell from one empty text.
    return [(name, _SEPARATORS.get(parameter.style, ",").join(texts))] if texts else []


def deep_pairs(parameter: OperationParameter, value: JsonValue) -> list[tuple[str, str]]:
    """Names with texts in the style deepObject: `a[b]=1`, and of lists `a[]=1`, or `a[0][b]=1` for objects.

    OpenAPI says this of one level of objects; of the others, what services agree on that read it.
    """
    found: list[tuple[str, str]] = []
    left: list[tuple[str, JsonValue]] = [(parameter.name, value)]
    while left:
        _check_count(parameter, len(found) + len(left))
        name, item = left.pop()
        if isinstance(item, Mapping):
            left += [(f"{name}[{key}]", inner) for key, inner in reversed([*item.items()])]
        elif isinstance(item, (list, tuple)):
            is_plain = not any(isinstance(inner, (Mapping, list, tuple)) for inner in item)
            places = [""] * len(item) if is_plain else range(len(item))
            inside = [
                (f"{name}[{place}]", inner) for place, inner in zip(places, item, strict=True)
            ]
            left += reversed(inside)
        elif item is not None:
            found.append((name, value_text(parameter.argument, item)))
    return found


def _object_pairs(
    parameter: OperationParameter, value: Mapping[str, JsonValue]
) -> list[tuple[str, str]]:
    pairs = list(_pairs(parameter, value))
    if parameter.style == "form" and parameter.explode:
        return [(name, escape(text)) for name, text in pairs]
    separator = _SEPARATORS.get(parameter.style, ",")
    joined = separator.join(escape(text) for pair in pairs for text in pair)
    return [(parameter.name, joined)] if pairs else []


def _pairs(
    parameter: OperationParameter, value: Mapping[str, JsonValue]
) -> Iterator[tuple[str, str]]:
    _check_count(parameter, len(value))
    for name, item in value.items():
        if item is not None:
            yield str(name), _text(parameter, item)


def _items(parameter: OperationParameter, value: Sequence[JsonValue]) -> Iterator[str]:
    _check_count(parameter, len(value))
    types = types_of(parameter.schema.get("items", {}))
    for item in value:
        yield value_text(parameter.argument, item, types)


def _check_count(parameter: OperationParameter, count: int) -> None:
    if count > MAX_ITEMS:
        raise ArgumentsError(
            message(
                "arguments.too_many_items",
                "{name}: must have at most {limit} items",
                name=parameter.argument,
                limit=MAX_ITEMS,
            )
        )


def _text(parameter: OperationParameter, value: JsonValue) -> str:
    return value_text(parameter.argument, value, types_of(parameter.schema))
