"""Values of parameters as people type them, and as JSON."""

from collections.abc import Collection
from typing import Any

from core.toolspec import JsonValue, ParameterType

# What an entry says beside its text.
NULL, EMPTY = "null", "empty"


class Absent:
    """The value that is not there, which is neither null nor an empty text."""


ABSENT = Absent()


def read_entry(text: str, state: str, kind: ParameterType, allowed: Collection[Any] = ()) -> Any:
    """The value of a field: ABSENT if nothing is typed, None or an empty one if `state` says so."""
    if state == NULL:
        return None
    if state == EMPTY:
        return [] if kind.is_list else ""
    return read_value(text, kind, allowed) if text.strip() else ABSENT


def read_value(text: str, kind: ParameterType, allowed: Collection[Any] = ()) -> JsonValue:
    """The typed text as JSON; one that does not fit the type stays a text, for a check to complain of.

    `allowed` are the values of a list to choose from: the one that is written so is meant.
    """
    for value in () if kind.is_list else allowed:
        if kind.kind.write_text(value) == text:
            return value
    return kind.kind.read_text(text)


def read_again(value: JsonValue, before: ParameterType, kind: ParameterType) -> JsonValue:
    """The value that the same typed text gives for another type."""
    if before is kind:
        return value
    read = read_entry(before.kind.write_text(value), state_of(value), kind)
    return value if read is ABSENT else read


def state_of(value: JsonValue) -> str:
    """What `read_entry` has to be told beside the text, to give this value."""
    if value is None:
        return NULL
    return EMPTY if value in ("", []) else ""
