"""A difference of two states of a tool as lines for a terminal."""

import json
from collections.abc import Iterator

from toolbuilder.history.differences import (
    FieldChange,
    LineKind,
    ParameterChange,
    ParameterKind,
    TextLine,
    ToolDifference,
)

_MARKS = {LineKind.SAME: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}


def difference_lines(difference: ToolDifference) -> Iterator[str]:
    """One line for each field and parameter; long texts with `-` and `+` before their lines."""
    yield from map(_field_line, difference.fields)
    for name, lines in difference.texts.items():
        yield f"{name}:"
        yield from map(_text_line, lines)
    for change in difference.parameters:
        yield from _parameter_lines(change)


def _field_line(change: FieldChange) -> str:
    old, new = (json.dumps(value, ensure_ascii=False) for value in (change.old, change.new))
    return f"{change.name}: {old} -> {new}"


def _text_line(line: TextLine) -> str:
    return f"  {_MARKS[line.kind]} {line.text}"


def _parameter_lines(change: ParameterChange) -> Iterator[str]:
    match change.kind:
        case ParameterKind.RENAMED:
            yield f"parameter {change.old_name}: renamed to {change.name}"
        case ParameterKind.MOVED:
            places = f"{change.old_position} to {change.new_position}"
            yield f"parameter {change.name}: moved from {places}"
        case _:
            yield f"parameter {change.name}: {change.kind}"
    yield from (f"  {_field_line(one)}" for one in change.fields)
