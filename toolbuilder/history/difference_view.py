"""A difference of two states of a tool as pages show it: named, in words, long texts folded."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Model
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.toolspec import JsonValue
from toolbuilder.history.breaking_changes import BreakingChange, find_breaking_changes
from toolbuilder.history.differences import (
    FieldChange,
    LineKind,
    ParameterChange,
    ParameterKind,
    TextLine,
    compare,
    compare_lines,
)
from tools.definitions import ToolDocument
from tools.models import ToolDefinition, ToolParameter

# Equal lines that are shown on either side of a change.
CONTEXT_LINES = 3
GAP = "gap"
_LABELS: Mapping[str, str | Promise] = {
    "definition": gettext_lazy("Logic"),
    "description_agent": gettext_lazy("For the agent"),
    "description_user": gettext_lazy("For people"),
}
_KINDS: Mapping[ParameterKind, str | Promise] = {
    ParameterKind.ADDED: gettext_lazy("added"),
    ParameterKind.REMOVED: gettext_lazy("removed"),
    ParameterKind.RENAMED: gettext_lazy("renamed"),
    ParameterKind.CHANGED: gettext_lazy("changed"),
    ParameterKind.MOVED: gettext_lazy("moved"),
}


@dataclass(frozen=True, slots=True)
class ShownField:
    """A field with another value; '' is shown as nothing."""

    label: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line; `kind` is that of a TextLine, or GAP, whose text says how many lines are left out."""

    kind: str
    text: str
    old_number: int | None = None
    new_number: int | None = None


@dataclass(frozen=True, slots=True)
class ShownText:
    """A long text that changed, line by line."""

    label: str
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True, slots=True)
class ShownParameter:
    """A parameter that is not as it was; `note` says where it went."""

    kind: ParameterKind
    label: str
    name: str
    old_name: str
    note: str
    fields: tuple[ShownField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDifference:
    """All that is different; `count` are fields, texts and parameters."""

    breaking: tuple[BreakingChange, ...] = ()
    fields: tuple[ShownField, ...] = ()
    texts: tuple[ShownText, ...] = ()
    parameters: tuple[ShownParameter, ...] = ()

    @property
    def count(self) -> int:
        return len(self.fields) + len(self.texts) + len(self.parameters)


def show_difference(old: ToolDocument, new: ToolDocument) -> ShownDifference:
    """What is different in `new`, in the reader's language, and what of it breaks agents' calls."""
    found = compare(old, new)
    return ShownDifference(
        breaking=find_breaking_changes(old, new),
        fields=tuple(_show_field(change, ToolDefinition) for change in found.fields),
        texts=tuple(
            ShownText(_label_of(name, ToolDefinition), tuple(_fold(lines)))
            for name, lines in found.texts.items()
        ),
        parameters=tuple(map(_show_parameter, found.parameters)),
    )


def show_text(label: str, old: str, new: str) -> ShownText:
    """A long text line by line, folded around what changed."""
    return ShownText(label, tuple(_fold(tuple(compare_lines(old, new)))))


def _show_parameter(change: ParameterChange) -> ShownParameter:
    places = {"old": change.old_position, "new": change.new_position}
    is_moved = change.kind is ParameterKind.MOVED
    return ShownParameter(
        kind=change.kind,
        label=str(_KINDS[change.kind]),
        name=change.name,
        old_name=change.old_name,
        note=_("from place %(old)d to place %(new)d") % places if is_moved else "",
        fields=tuple(_show_field(field, ToolParameter) for field in change.fields),
    )


def _show_field(change: FieldChange, model: type[Model]) -> ShownField:
    old, new = (_write(change.name, value) for value in (change.old, change.new))
    return ShownField(_label_of(change.name, model), old, new)


def _label_of(name: str, model: type[Model]) -> str:
    if name in _LABELS:
        return str(_LABELS[name])
    labels = {field.name: field.verbose_name for field in model._meta.fields}
    return str(capfirst(labels[name]))


def _write(name: str, value: JsonValue) -> str:
    if name == "data_source":
        return value or DEFAULT_SOURCE_NAME
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None or value in ([], {}):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _fold(lines: Sequence[TextLine]) -> Iterator[ShownLine]:
    """The lines near a change, with a gap in place of the others."""
    changed = [number for number, line in enumerate(lines) if line.kind is not LineKind.SAME]
    reach = range(-CONTEXT_LINES, CONTEXT_LINES + 1)
    near = {number + step for number in changed for step in reach}
    for is_near, group in groupby(enumerate(lines), key=lambda pair: pair[0] in near):
        members = [line for _number, line in group]
        if is_near:
            for line in members:
                yield ShownLine(line.kind, line.text, line.old_number, line.new_number)
        else:
            count = len(members)
            yield ShownLine(GAP, ngettext("%d equal line", "%d equal lines", count) % count)
