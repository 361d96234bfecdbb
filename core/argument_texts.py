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
from core.messages import Message, Value, join, message
from core.toolspec import ParameterSpec, ParameterType

MAX_LINES = 20
REQUIRED = message("arguments.is_required", "required")
NOT_BLANK = message("arguments.not_blank", "must not be blank")
MAX_SHOWN_CHARACTERS = 60
MAX_SHOWN_VALUES = 20
# Python refuses to write integers of thousands of digits.
MAX_SHOWN_BITS = 128

_EXPECTED = {
    ParameterType.STRING: message("arguments.text", "must be text"),
    ParameterType.ENUM: message("arguments.text", "must be text"),
    ParameterType.NUMBER: message("arguments.number", "must be a number"),
    ParameterType.INTEGER: message("arguments.integer", "must be a whole number"),
    ParameterType.BOOLEAN: message("arguments.boolean", "must be true or false"),
    ParameterType.DATE: message("arguments.date", "must be a date like 2026-01-31"),
    ParameterType.DATETIME: message(
        "arguments.datetime", "must be a date and time like 2026-01-31T09:30:00Z"
    ),
    ParameterType.STRING_LIST: message("arguments.text_list", "must be a list of texts"),
    ParameterType.NUMBER_LIST: message("arguments.number_list", "must be a list of numbers"),
    ParameterType.INTEGER_LIST: message(
        "arguments.integer_list", "must be a list of whole numbers"
    ),
}


def invalid_arguments_text(
    tool_name: str,
    parameters: Sequence[ParameterSpec],
    arguments: Mapping[str, object],
    errors: Iterable[ErrorDetails],
) -> Message:
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
    return list_faults(tool_name, lines, left_out)


def list_faults(tool_name: str, faults: Sequence[Value], left_out: int = 0) -> Message:
    """The whole text from its lines, and the number of those that are left out."""
    listed = join(faults, "\n- ")
    if not left_out:
        return message(
            "arguments.invalid",
            "Invalid arguments for {tool}:\n- {faults}",
            tool=tool_name,
            faults=listed,
        )
    return message(
        "arguments.invalid_and_more",
        "Invalid arguments for {tool}:\n- {faults}\nand {count} more",
        tool=tool_name,
        faults=listed,
        count=left_out,
    )


def shown(value: object) -> str:
    """A value as an agent may see it again, in English: JSON-like, one line, about 60 characters."""
    return str(show_value(value))


def show_value(value: object) -> str | Message:
    """The same in any language; nothing of it is invisible."""
    if isinstance(value, str):
        return f'"{printable(value)}"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return _show_number(value)
    return _show_kind(value)


def printable(text: str) -> str:
    """The text on one line, cut at 60 characters, with control, bidi and broken characters escaped."""
    cut = text[:MAX_SHOWN_CHARACTERS]
    escaped = "".join(_escape(character) for character in cut)
    return escaped if len(cut) == len(text) else f"{escaped}…"


def describe_problem(spec: ParameterSpec, value: object, kinds: set[str]) -> Message:
    """What is wrong with the value, from the kinds of error that the engine met on it."""
    if value is None:
        return message("arguments.null", "must not be null")
    for kind, describe in _PROBLEMS:
        if kind in kinds:
            return describe(spec, value)
    if item_type(spec.type) is ParameterType.STRING and isinstance(value, str):
        for kind, describe in _TEXT_PROBLEMS:
            if kind in kinds:
                return describe(spec, value)
    if spec.allowed_values and not spec.type.is_list:
        return _one_of(spec, value)
    return _expect(_EXPECTED[spec.type], value)


def expect_text(value: object) -> Message:
    """What is wrong with a value that is no text."""
    return _expect(_EXPECTED[ParameterType.STRING], value)


def expect_object(example: str, value: object) -> Message:
    """What is wrong with a value that is no object such as the example."""
    expected = message("arguments.object", "must be an object like {example}", example=example)
    return _expect(expected, value)


def expect_list(value: object) -> Message:
    """What is wrong with a value that is no list."""
    return _expect(message("arguments.list", "must be a list"), value)


def _expect(expected: Message, value: object) -> Message:
    return message(
        "arguments.expected",
        "{expected} (got {value})",
        expected=expected,
        value=show_value(value),
    )


def _field_line(
    spec: ParameterSpec, arguments: Mapping[str, object], errors: list[ErrorDetails] | None
) -> Message:
    if errors is None:
        return message(
            "arguments.set_by_server", "{name}: is set by the server; leave it out", name=spec.name
        )
    if spec.name not in arguments:
        return name_fault(spec.name, REQUIRED)
    kinds = {error["type"] for error in errors}
    value = arguments[spec.name]
    location = errors[0]["loc"]
    if spec.type.is_list and isinstance(value, Sequence) and len(location) > 1:
        item_spec = replace(spec, type=item_type(spec.type))
        problem = describe_problem(item_spec, value[int(location[1])], kinds)
        return name_fault(f"{spec.name}[{location[1]}]", problem)
    return name_fault(spec.name, describe_problem(spec, value, kinds))


def name_fault(name: str, problem: Message) -> Message:
    """What is wrong with the argument of this name."""
    return message("arguments.fault", "{name}: {problem}", name=name, problem=problem)


def _unknown_line(name: str, names: list[str]) -> Message:
    label = printable(name)
    if close := get_close_matches(name[:MAX_SHOWN_CHARACTERS], names, n=1):
        return message(
            "arguments.unknown_near",
            "{name}: unknown; did you mean {near}?",
            name=label,
            near=close[0],
        )
    if not names:
        return message(
            "arguments.unknown_of_none",
            "{name}: unknown; this tool takes no arguments",
            name=label,
        )
    return message(
        "arguments.unknown",
        "{name}: unknown; this tool takes {known}",
        name=label,
        known=_listed(names),
    )


def _listed(values: Sequence[object]) -> Value:
    names = ", ".join(printable(str(value)) for value in islice(values, MAX_SHOWN_VALUES))
    if (left_out := len(values) - MAX_SHOWN_VALUES) > 0:
        return message(
            "arguments.and_more", "{names} and {count} more", names=names, count=left_out
        )
    return names


def _show_number(value: float) -> str | Message:
    if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
        return message("value.long_number", "a number of more than 38 digits")
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(value), str(value))


def _show_kind(value: object) -> Message:
    if isinstance(value, Mapping):
        return message("value.object", "an object")
    if isinstance(value, (list, tuple)):
        return message("value.list", "a list of {count}", count=len(value))
    return message("value.of_type", "a value of type {kind}", kind=type(value).__name__)


def _escape(character: str) -> str:
    if character == '"':
        return '\\"'
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _one_of(spec: ParameterSpec, value: object) -> Message:
    return message(
        "arguments.one_of",
        "must be one of {allowed} (got {value})",
        allowed=_listed(spec.allowed_values),
        value=show_value(value),
    )


def _at_least(spec: ParameterSpec, value: object) -> Message:
    return message(
        "arguments.at_least",
        "must be at least {limit} (got {value})",
        limit=str(INT64_MINIMUM if spec.minimum is None else spec.minimum),
        value=show_value(value),
    )


def _at_most(spec: ParameterSpec, value: object) -> Message:
    return message(
        "arguments.at_most",
        "must be at most {limit} (got {value})",
        limit=str(INT64_MAXIMUM if spec.maximum is None else spec.maximum),
        value=show_value(value),
    )


def _finite(spec: ParameterSpec, value: object) -> Message:
    return message("arguments.finite", "must be finite (got {value})", value=show_value(value))


def _too_many(spec: ParameterSpec, value: object) -> Message:
    got = message("value.more", "more")
    return limit_items(MAX_LIST_ITEMS, str(len(value)) if isinstance(value, Sequence) else got)


def limit_items(limit: int, count: Value) -> Message:
    """What is wrong with a list of too many items."""
    return message(
        "arguments.too_many",
        "must have at most {limit} items (got {count})",
        limit=str(limit),
        count=count,
    )


def limit_characters(limit: int, count: int) -> Message:
    """What is wrong with a list of texts that are too long together."""
    return message(
        "arguments.too_much_text",
        "must have at most {limit} characters together (got {count})",
        limit=limit,
        count=count,
    )


def _too_long(spec: ParameterSpec, value: object) -> Message:
    limit = MAX_TEXT_CHARACTERS if spec.pattern is None else MAX_PATTERN_TEXT_CHARACTERS
    return message(
        "arguments.too_long",
        "must be at most {limit} characters (got {count})",
        limit=str(limit),
        count=str(len(str(value))),
    )


def _broken_text(spec: ParameterSpec, value: object) -> Message:
    return message(
        "arguments.broken_text",
        "must be valid Unicode text without lone surrogates (got {value})",
        value=show_value(value),
    )


def _not_matching(spec: ParameterSpec, value: object) -> Message:
    if "\x00" in str(value):
        return message(
            "arguments.nul",
            "must not contain the NUL character (got {value})",
            value=show_value(value),
        )
    return message(
        "arguments.pattern",
        "must match the pattern {pattern} (got {value})",
        pattern=spec.pattern or "",
        value=show_value(value),
    )


_Describe = Callable[[ParameterSpec, object], Message]

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
