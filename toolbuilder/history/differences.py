"""What is different between two states of a tool, as data and as lines for a terminal."""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core.toolspec import JsonValue
from tools.aliases import Renames
from tools.definitions import PARAMETER_FIELDS, TOOL_FIELDS, ParameterDocument, ToolDocument

# Texts that are shown line by line.
LONG_TEXTS = ("definition", "description_agent", "description_user")


class LineKind(StrEnum):
    """What became of a line."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


class ParameterKind(StrEnum):
    """What became of a parameter."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of either text; its numbers count from 1, None if it is not there."""

    kind: LineKind
    text: str
    old_number: int | None
    new_number: int | None


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field with another value."""

    name: str
    old: JsonValue
    new: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterChange:
    """A parameter that is not as it was; positions count from 1. A changed one may have moved too."""

    kind: ParameterKind
    name: str
    old_name: str = ""
    fields: tuple[FieldChange, ...] = ()
    old_position: int | None = None
    new_position: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDifference:
    """All that is different: `texts` are the long ones that changed, line by line, by field."""

    fields: tuple[FieldChange, ...] = ()
    texts: Mapping[str, tuple[TextLine, ...]] = field(default_factory=dict)
    parameters: tuple[ParameterChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fields or self.texts or self.parameters)


_MARKS = {LineKind.SAME: " ", LineKind.REMOVED: "-", LineKind.ADDED: "+"}


def compare(old: ToolDocument, new: ToolDocument) -> ToolDifference:
    """What is different in `new`; parameters in its order, those that are gone behind."""
    before, after = old.to_document(), new.to_document()
    changes = list(_compare_fields(before, after, TOOL_FIELDS))
    return ToolDifference(
        fields=tuple(change for change in changes if change.name not in LONG_TEXTS),
        texts={
            change.name: tuple(compare_lines(change.old, change.new))
            for change in changes
            if change.name in LONG_TEXTS
        },
        parameters=tuple(_compare_parameters(old, new)),
    )


def compare_lines(old: str, new: str) -> Iterator[TextLine]:
    """Every line of both texts, removed ones before those that replace them."""
    before, after = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            for offset, text in enumerate(before[old_start:old_end]):
                numbers = (old_start + offset + 1, new_start + offset + 1)
                yield TextLine(LineKind.SAME, text, *numbers)
            continue
        for number, text in enumerate(before[old_start:old_end], old_start + 1):
            yield TextLine(LineKind.REMOVED, text, number, None)
        for number, text in enumerate(after[new_start:new_end], new_start + 1):
            yield TextLine(LineKind.ADDED, text, None, number)


def find_renamed(old: ToolDocument, new: ToolDocument) -> dict[str, str]:
    """New names, by old one, of parameters that are the same but for the name."""
    before, after = _by_name(old), _by_name(new)
    added = [parameter for name, parameter in after.items() if name not in before]
    renamed: dict[str, str] = {}
    for name, parameter in before.items():
        if name in after:
            continue
        twin = next((row for row in added if row.replace(param_name=name) == parameter), None)
        if twin:
            added.remove(twin)
            renamed[name] = twin.param_name
    return renamed


def find_renames(old: ToolDocument, new: ToolDocument) -> Renames:
    """What of a change concerns those who call the tool by its old names."""
    return Renames(
        old_name=old.name,
        new_name=new.name,
        parameters=find_renamed(old, new),
        kept=[parameter.param_name for parameter in new.parameters],
    )


def difference_lines(difference: ToolDifference) -> Iterator[str]:
    """One line for each field and parameter; long texts with `-` and `+` before their lines."""
    yield from map(_field_line, difference.fields)
    for name, lines in difference.texts.items():
        yield f"{name}:"
        yield from (f"  {_MARKS[line.kind]} {line.text}" for line in lines)
    for change in difference.parameters:
        match change.kind:
            case ParameterKind.RENAMED:
                yield f"parameter {change.old_name}: renamed to {change.name}"
            case ParameterKind.MOVED:
                places = f"{change.old_position} to {change.new_position}"
                yield f"parameter {change.name}: moved from {places}"
            case _:
                yield f"parameter {change.name}: {change.kind}"
        yield from (f"  {_field_line(field_change)}" for field_change in change.fields)


def _field_line(change: FieldChange) -> str:
    old, new = (json.dumps(value, ensure_ascii=False) for value in (change.old, change.new))
    return f"{change.name}: {old} -> {new}"


def _compare_parameters(old: ToolDocument, new: ToolDocument) -> Iterator[ParameterChange]:
    before, after = _by_name(old), _by_name(new)
    renamed = find_renamed(old, new)
    old_names = {new_name: old_name for old_name, new_name in renamed.items()}
    old_places, new_places = _places(before), _places(after)
    moved = _find_moved(list(before), [old_names.get(name, name) for name in after])
    for name, parameter in after.items():
        old_name = old_names.get(name, name)
        change = ParameterChange(kind=ParameterKind.ADDED, name=name, new_position=new_places[name])
        if old_name not in before:
            yield change
            continue
        change = replace(change, old_position=old_places[old_name])
        if old_name != name:
            yield replace(change, kind=ParameterKind.RENAMED, old_name=old_name)
        elif fields := tuple(
            _compare_fields(vars(before[name]), vars(parameter), PARAMETER_FIELDS)
        ):
            yield replace(change, kind=ParameterKind.CHANGED, fields=fields)
        elif name in moved:
            yield replace(change, kind=ParameterKind.MOVED)
    for name in (name for name in before if name not in after and name not in renamed):
        yield ParameterChange(kind=ParameterKind.REMOVED, name=name, old_position=old_places[name])


def _compare_fields(
    old: Mapping[str, JsonValue], new: Mapping[str, JsonValue], names: tuple[str, ...]
) -> Iterator[FieldChange]:
    for name in names:
        if old[name] != new[name]:
            yield FieldChange(name, old[name], new[name])


def _by_name(tool: ToolDocument) -> dict[str, ParameterDocument]:
    return {parameter.param_name: parameter for parameter in tool.parameters}


def _find_moved(before: list[str], after: list[str]) -> set[str]:
    """The names at another place among those that both have, as few as explain the new order."""
    old = [name for name in before if name in after]
    new = [name for name in after if name in before]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    stayed = {
        name
        for block in matcher.get_matching_blocks()
        for name in old[block.a : block.a + block.size]
    }
    return set(old) - stayed


def _places(parameters: Mapping[str, ParameterDocument]) -> dict[str, int]:
    return {name: place for place, name in enumerate(parameters, start=1)}
