"""What the templates of calls and keys need beside Django's own: durations, JSON, addresses."""

from typing import Any

import orjson
from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.formats import number_format

from access.call_log import CallLogState

register = template.Library()


@register.filter
def milliseconds(value: float | None) -> str:
    """As people read it: 0.41 ms, 12 ms, 3.2 s; a dash for none."""
    if value is None:
        return "–"
    if value >= 1_000:
        return f"{number_format(value / 1_000, 1)} s"
    return f"{number_format(value, 2 if value < 1 else 1 if value < 10 else 0)} ms"


@register.filter
def percent(value: float) -> str:
    """With one digit behind the point below ten."""
    return f"{number_format(value, 1 if 0 < value < 10 else 0)} %"


@register.filter
def pretty_json(value: Any) -> str:
    """The value as JSON in several lines."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


@register.simple_tag
def calls_address(state: CallLogState, **changes: str) -> str:
    """The address of the call log with these changes."""
    return state.address(**changes)


@register.simple_tag
def tool_address(name: str) -> str:
    """The page of the tool of that name, '' where a name cannot stand in an address."""
    try:
        return reverse("tool", args=[name])
    except NoReverseMatch:
        return ""
