"""What an agent reads when its arguments do not fit: one line per field, and what would be right."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice

from pydantic_core import ErrorDetails

from core.argument_schemas import (
    INT64_MAXIMUM,
    INT64_MINIMUM,
    MAX_LIST_ITEMS,
    MAX_PATTERN_TEXT_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    item_type,
)
from core.bindings import is_bound
from core.toolspec import ParameterSpec, ParameterType

MAX_LINES = 20
MAX_SHOWN_CHARACTERS = 60
MAX_SHOWN_VALUES = 20
# Python refuses to write integers of thousands of digits.
MAX_SHOWN_BITS = 128

_EXPECTED = {
    ParameterType.STRING: "must be text",
    ParameterType.ENUM: "must be text",
    ParameterType.NUMBER: "must be a number",
    ParameterType.INTEGER: "must be a whole number",
    ParameterType.BOOLEAN: "must be true or false",
    ParameterType.DATE: "must be a date like 2026-01-31",
    ParameterType.DATETIME: "must be a date and time like 2026-01-31T09:30:00Z",
    ParameterType.STRING_LIST: "must be a list of texts",
    ParameterType.NUMBER_LIST: "must be a list of numbers",
    ParameterType.INTEGER_LIST: "must be a list of whole numbers",
}


def invalid_arguments_text(
    tool_name: str,
    parameters: Sequence[ParameterSpec],
    arguments: Mapping[str, object],
    errors: Iterable[ErrorDetails],
) -> str:
    """The whole text: declared fields in order, then unknown ones; at most 20 lines, the rest counted.

    Bound parameters are named only where the caller sent them.
    """
    by_name: dict[str, list[ErrorDetails]] = {}
    for error in errors:
        by_name.setdefault(str(error["loc"][0]), []).append(error)
    declared = frozenset(spec.name for spec in parameters)
    unknown = [str(name) for name in arguments if name not in declared]
    failed = [
        spec for spec in parameters if spec.name in (arguments if is_bound(spec) else by_name)
    ]
    lines = [_field_line(spec, arguments, by_name.get(spec.name)) for spec in failed[:MAX_LINES]]
    names = [spec.name for spec in parameters if not is_bound(spec)]
    lines += [_unknown_line(name, names) for name in unknown[: MAX_LINES - len(lines)]]
    left_out = len(failed) + len(unknown) - len(lines)
    text = "\n- ".join([f"Invalid arguments for {tool_name}:", *lines])
    return f"{text}\nand {left_out} more" if left_out else text


def shown(value: object) -> str:
    """A value as an agent may see it again: JSON-like, one line, about 60 characters, nothing invisible."""
    if isinstance(value, str):
        return f'"{printable(value)}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return _shown_number(value)
    return _shown_kind(value)


def printable(text: str) -> str:
    """The text on one line, cut at 60 characters, with control, bidi and broken characters escaped."""
    cut = text[:MAX_SHOWN_CHARACTERS]
    escaped = "".join(_escape(character) for character in cut)
    return escaped if len(cut) == len(text) else f"{escaped}…"


def describe_problem(spec: ParameterSpec, value: object, kinds: set[str]) -> str:
    """What is wrong with the value, from the kinds of error that the engine met on it."""
    if value is None:
        return "must not be null"
    for kind, describe in _PROBLEMS:
        if kind in kinds:
            return describe(spec, value)
    if item_type(spec.type) is ParameterType.STRING and isinstance(value, str):
        for kind, describe in _TEXT_PROBLEMS:
            if kind in kinds:
                return describe(spec, value)
    if spec.allowed_values and not spec.type.is_list:
        return _one_of(spec, value)
    return f"{_EXPECTED[spec.type]} (got {shown(value)})"


def _field_line(
    spec: ParameterSpec, arguments: Mapping[str, object], errors: list[ErrorDetails] | None
) -> str:
    if errors is None:
        return f"{spec.name}: is set by the server; leave it out"
    if spec.name not in arguments:
        return f"{spec.name}: required"
    kinds = {error["type"] for error in errors}
    value = arguments[spec.name]
    location = errors[0]["loc"]
    if spec.type.is_list and isinstance(value, Sequence) and len(location) > 1:
        item_spec = replace(spec, type=item_type(spec.type))
        problem = describe_problem(item_spec, value[int(location[1])], kinds)
        return f"{spec.name}[{location[1]}]: {problem}"
    return f"{spec.name}: {describe_problem(spec, value, kinds)}"


def _unknown_line(name: str, names: list[str]) -> str:
    label = printable(name)
    close = get_close_matches(name[:MAX_SHOWN_CHARACTERS], names, n=1)
    if close:
        return f"{label}: unknown; did you mean {close[0]}?"
    return f"{label}: unknown; this tool takes {_listed(names) or 'no arguments'}"


def _listed(values: Sequence[object]) -> str:
    some = [printable(str(value)) for value in islice(values, MAX_SHOWN_VALUES)]
    left_out = len(values) - len(some)
    return ", ".join(some) + (f" and {left_out} more" if left_out else "")


def _shown_number(value: float) -> str:
    if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
        return "a number of more than 38 digits"
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(value), str(value))


def _shown_kind(value: object) -> str:
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    return f"a value of type {type(value).__name__}"


def _escape(character: str) -> str:
    if character == '"':
        return '\\"'
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _one_of(spec: ParameterSpec, value: object) -> str:
    return f"must be one of {_listed(spec.allowed_values)} (got {shown(value)})"


def _at_least(spec: ParameterSpec, value: object) -> str:
    limit = INT64_MINIMUM if spec.minimum is None else spec.minimum
    return f"must be at least {limit} (got {shown(value)})"


def _at_most(spec: ParameterSpec, value: object) -> str:
    limit = INT64_MAXIMUM if spec.maximum is None else spec.maximum
    return f"must be at most {limit} (got {shown(value)})"


def _finite(spec: ParameterSpec, value: object) -> str:
    return f"must be finite (got {shown(value)})"


def _too_many(spec: ParameterSpec, value: object) -> str:
    count = len(value) if isinstance(value, Sequence) else "more"
    return f"must have at most {MAX_LIST_ITEMS} items (got {count})"


def _too_long(spec: ParameterSpec, value: object) -> str:
    limit = MAX_TEXT_CHARACTERS if spec.pattern is None else MAX_PATTERN_TEXT_CHARACTERS
    return f"must be at most {limit} characters (got {len(str(value))})"


def _broken_text(spec: ParameterSpec, value: object) -> str:
    return f"must be valid Unicode text without lone surrogates (got {shown(value)})"


def _not_matching(spec: ParameterSpec, value: object) -> str:
    if "\x00" in str(value):
        return f"must not contain the NUL character (got {shown(value)})"
    return f"must match the pattern {spec.pattern} (got {shown(value)})"


_Describe = Callable[[ParameterSpec, object], str]

# A union reports every branch that failed, so the most telling kind comes first.
_PROBLEMS: tuple[tuple[str, _Describe], ...] = (
    ("too_long", _too_many),
    ("finite_number", _finite),
    ("literal_error", _one_of),
    ("greater_than_equal", _at_least),
    ("less_than_equal", _at_most),
)
_TEXT_PROBLEMS: tuple[tuple[str, _Describe], ...] = (
    ("string_too_long", _too_long),
    ("string_unicode", _broken_text),
    ("string_pattern_mismatch", _not_matching),
)
