"""Changes of a tool after which calls that agents make today are refused, or answered otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from core.toolspec import Binding, ParameterType
from toolbuilder.history.differences import find_renamed
from tools.definitions import ParameterDocument, ToolDocument

# What took the old type's values takes them still.
_WIDENED = frozenset(
    {
        (ParameterType.INTEGER, ParameterType.NUMBER),
        (ParameterType.INTEGER_LIST, ParameterType.NUMBER_LIST),
        (ParameterType.ENUM, ParameterType.STRING),
        (ParameterType.DATE, ParameterType.STRING),
        (ParameterType.DATETIME, ParameterType.STRING),
        (ParameterType.UUID, ParameterType.STRING),
        (ParameterType.INTEGER, ParameterType.DECIMAL),
        (ParameterType.NUMBER, ParameterType.DECIMAL),
    }
)
# Old names may answer for some days.
RENAMED_CODES = frozenset({"tool-renamed", "parameter-renamed"})


@dataclass(frozen=True, slots=True)
class BreakingChange:
    """`code` names the kind, as in `parameter-removed`; `text` is a sentence for a person."""

    code: str
    parameter: str
    text: str


def find_breaking_changes(old: ToolDocument, new: ToolDocument) -> tuple[BreakingChange, ...]:
    """What breaks, in the order of the old parameters, then new ones; of what agents see only."""
    return tuple(_find(old, new))


def _find(old: ToolDocument, new: ToolDocument) -> Iterator[BreakingChange]:
    if old.name != new.name:
        text = _("The tool is no longer called %(old)s.") % {"old": old.name}
        yield BreakingChange("tool-renamed", "", text)
    if old.tool_type != new.tool_type:
        yield BreakingChange("answer-changed", "", _("The answers have another form."))
    before, after = _given_by_agents(old), _given_by_agents(new)
    renamed = find_renamed(old, new)
    for name, parameter in before.items():
        if name in after:
            yield from _compare_parameter(parameter, after[name])
        elif (new_name := renamed.get(name)) in after:
            words = {"old": name, "new": new_name}
            text = _("%(old)s is now called %(new)s.") % words
            yield BreakingChange("parameter-renamed", name, text)
        else:
            text = _("%(name)s is gone; calls that give it are refused.") % {"name": name}
            yield BreakingChange("parameter-removed", name, text)
    for name, parameter in after.items():
        is_new = name not in before and name not in renamed.values()
        if parameter.is_required and is_new:
            yield _newly_required(name)


def _compare_parameter(old: ParameterDocument, new: ParameterDocument) -> Iterator[BreakingChange]:
    name = new.param_name
    if new.is_required and not old.is_required:
        yield _newly_required(name)
    elif _accepts_null(old) and not _accepts_null(new):
        text = _("%(name)s no longer takes null.") % {"name": name}
        yield BreakingChange("null-refused", name, text)
    types = old.param_type.strip().upper(), new.param_type.strip().upper()
    if types[0] != types[1] and types not in _WIDENED:
        words = {"name": name, "old": old.param_type, "new": new.param_type}
        text = _("%(name)s was %(old)s and is now %(new)s.") % words
        yield BreakingChange("type-narrowed", name, text)
    if lost := _lost_values(old, new):
        words = {"name": name, "values": ", ".join(lost)}
        text = _("%(name)s no longer takes %(values)s.") % words
        yield BreakingChange("values-narrowed", name, text)
    has_other_pattern = bool(new.pattern) and new.pattern != old.pattern
    rises = _is_beyond(new.minimum, old.minimum)
    falls = bool(new.maximum) and (not old.maximum or _is_beyond(old.maximum, new.maximum))
    if has_other_pattern or rises or falls:
        text = _("%(name)s takes a smaller range or another pattern.") % {"name": name}
        yield BreakingChange("range-narrowed", name, text)


def _newly_required(name: str) -> BreakingChange:
    text = _("%(name)s has to be given now.") % {"name": name}
    return BreakingChange("parameter-required", name, text)


def _given_by_agents(tool: ToolDocument) -> dict[str, ParameterDocument]:
    agent = Binding.AGENT.value
    return {row.param_name: row for row in tool.parameters if row.binding == agent}


def _accepts_null(parameter: ParameterDocument) -> bool:
    return parameter.nullable or (not parameter.is_required and parameter.default is None)


def _lost_values(old: ParameterDocument, new: ParameterDocument) -> list[str]:
    """Values that were allowed and are not now, or words for those that no list named."""
    before, after = (
        [str(value) for value in row.allowed_values]
        if isinstance(row.allowed_values, list | tuple)
        else []
        for row in (old, new)
    )
    if after and not before:
        return [_("values outside its list")]
    return [value for value in before if after and value not in after]


def _is_beyond(bound: str | None, other: str | None) -> bool:
    """Whether a bound is greater than the other one; a missing one is the smallest."""
    if not bound:
        return False
    if not other:
        return True
    try:
        return float(bound) > float(other)
    except ValueError:
        # Dates in ISO 8601.
        return bound > other
