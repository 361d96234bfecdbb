"""Values as an error shows them to the agent that sent them: short, on one line, nothing invisible."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice

from core.messages import Message, Value, message

MAX_SHOWN_CHARACTERS = 60
MAX_SHOWN_VALUES = 20
# Python refuses to write integers of thousands of digits.
MAX_SHOWN_BITS = 128
# What has no clear beginning or end in a list with commas.
_MISREAD = re.compile(r'[,"]|^\s|\s$|^$')


def shown(value: object) -> str:
    """The value in English: JSON-like, one line, about 60 characters."""
    return str(show_value(value))


def show_value(value: object) -> str | Message:
    """The same in any language."""
    if isinstance(value, str):
        return f'"{printable(value)}"'
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(value, int) and value.bit_length() > MAX_SHOWN_BITS:
            return message("value.long_number", "a number of more than 38 digits")
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(value), str(value))
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    kind = message("value.of_type", "a value of type {kind}", kind=type(value).__name__)
    if isinstance(value, (list, tuple)):
        kind = message("value.list", "a list of {count}", count=len(value))
    return message("value.object", "an object") if isinstance(value, Mapping) else kind


def printable(text: str) -> str:
    """The text on one line, cut at 60 characters, with control, bidi and broken characters escaped."""
    escaped = ""
    for character in text[:MAX_SHOWN_CHARACTERS]:
        code = ord(character)
        if character == '"':
            escaped += '\\"'
        elif character.isprintable():
            escaped += character
        else:
            escaped += f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return escaped if len(text) <= MAX_SHOWN_CHARACTERS else f"{escaped}…"


def show_list(values: Sequence[object]) -> Value:
    """The values with commas between, in quotes where they could be misread; beyond 20 they are counted."""
    names = ", ".join(
        printable(text)
        if text.isprintable() and not _MISREAD.search(text)
        else f'"{printable(text)}"'
        for text in map(str, islice(values, MAX_SHOWN_VALUES))
    )
    if (left_out := len(values) - MAX_SHOWN_VALUES) > 0:
        return message(
            "arguments.and_more", "{names} and {count} more", names=names, count=left_out
        )
    return names


def expect(expected: Message, value: object) -> Message:
    """What is wrong with a value that is not what was expected, as in `must be text (got 5)`."""
    return message(
        "arguments.expected",
        "{expected} (got {value})",
        expected=expected,
        value=show_value(value),
    )
