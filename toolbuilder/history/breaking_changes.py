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


@dataclass(frozen=True, slots=True)
class BreakingChange:
    """`code` names the kind, as in `parameter-removed`; `text` is a sentence for a person."""

    code: str
    parameter: str
    text: str


def find_breaking_changes(old: ToolDocument, new: ToolDocument) -> tuple[BreakingChange, ...]:
    """What breaks, in the order of the old parameters, then new ones; of what agents see only."""
    return (*_of_tool(old, new), *_of_old_parameters(old, new), *_of_new_parameters(old, new))


def _of_tool(old: ToolDocument, new: ToolDocument) -> Iterator[BreakingChange]:
    if old.name != new.name:
        text = _("The tool is no longer called %(old)s.") % {"old": old.name}
        yield BreakingChange("tool-renamed", "", text)
    if old.tool_type != new.tool_type:
        yield BreakingChange("answer-changed", "", _("The answers have another form."))


def _of_old_parameters(old: ToolDocument, new: ToolDocument) -> Iterator[BreakingChange]:
    before, after = _seen(old), _seen(new)
    renamed = find_renamed(old, new)
    for name, parameter in before.items():
        if name in after:
            yield from _of_parameter(parameter, after[name])
        elif (new_name := renamed.get(name)) in after:
            words = {"old": name, "new": new_name}
            text = _("%(old)s is now called %(new)s.") % words
            yield BreakingChange("parameter-renamed", name, text)
        else:
            text = _("%(name)s is gone; calls that give it are refused.") % {"name": name}
            yield BreakingChange("parameter-removed", name, text)


def _of_new_parameters(old: ToolDocument, new: ToolDocument) -> Iterator[BreakingChange]:
    before = _seen(old)
    renamed = set(find_renamed(old, new).values())
    for name, parameter in _seen(new).items():
        if parameter.is_required and name not in before and name not in renamed:
            yield _newly_required(name)


def _of_parameter(old: ParameterDocument, new: ParameterDocument) -> Iterator[BreakingChange]:
    name = new.param_name
    if new.is_required and not old.is_required:
        yield _newly_required(name)
    elif _accepts_null(old) and not _accepts_null(new):
        text = _("%(name)s no longer takes null.") % {"name": name}
        yield BreakingChange("null-refused", name, text)
    if _is_narrower_type(old.param_type, new.param_type):
        words = {"name": name, "old": old.param_type, "new": new.param_type}
        text = _("%(name)s was %(old)s and is now %(new)s.") % words
        yield BreakingChange("type-narrowed", name, text)
    if lost := _lost_values(old, new):
        words = {"name": name, "values": ", ".join(lost)}
        text = _("%(name)s no longer takes %(values)s.") % words
        yield BreakingChange("values-narrowed", name, text)
    if _has_tighter_bounds(old, new):
        text = _("%(name)s takes a smaller range or another pattern.") % {"name": name}
        yield BreakingChange("range-narrowed", name, text)


def _newly_required(name: str) -> BreakingChange:
    text = _("%(name)s has to be given now.") % {"name": name}
    return BreakingChange("parameter-required", name, text)


def _seen(tool: ToolDocument) -> dict[str, ParameterDocument]:
    """The parameters that agents give."""
    agent = Binding.AGENT.value
    return {one.param_name: one for one in tool.parameters if one.binding == agent}


def _accepts_null(parameter: ParameterDocument) -> bool:
    return parameter.nullable or (not parameter.is_required and parameter.default is None)


def _is_narrower_type(old: str, new: str) -> bool:
    before, after = old.strip().upper(), new.strip().upper()
    return before != after and (before, after) not in _WIDENED


def _lost_values(old: ParameterDocument, new: ParameterDocument) -> list[str]:
    """Values that were allowed and are not now, or words for those that no list named."""
    before, after = _values(old), _values(new)
    if not after:
        return []
    if not before:
        return [_("values outside its list")]
    return [value for value in before if value not in after]


def _values(parameter: ParameterDocument) -> list[str]:
    values = parameter.allowed_values
    return [str(value) for value in values] if isinstance(values, list | tuple) else []


def _has_tighter_bounds(old: ParameterDocument, new: ParameterDocument) -> bool:
    is_other_pattern = bool(new.pattern) and new.pattern != old.pattern
    rises = _is_beyond(new.minimum, old.minimum)
    falls = bool(new.maximum) and (not old.maximum or _is_beyond(old.maximum, new.maximum))
    return is_other_pattern or rises or falls


def _is_beyond(bound: str | None, other: str | None) -> bool:
    """Whether a bound is greater than the other one; one that is not there is the smallest."""
    if not bound:
        return False
    if not other:
        return True
    try:
        return float(bound) > float(other)
    except ValueError:
        # Dates in ISO 8601.
        return bound > other
