"""What the templates of calls and keys need beside Django's own: JSON, addresses."""

from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse

from access.call_log import CallLogState
from core.json_text import indent_json

register = template.Library()


@register.filter
def pretty_json(value: Any) -> str:
    """The value as JSON in several lines."""
    return indent_json(value)


@register.filter
def plain_json(value: Any) -> str:
    """A text as it is, another value as JSON in several lines, '' for None."""
    if value is None or isinstance(value, str):
        return value or ""
    return pretty_json(value)


@register.simple_tag
def calls_address(state: CallLogState, **changes: str) -> str:
    """The address of the call log with these changes."""
    return state.address(**changes)


@register.simple_tag
def tool_address(name: str) -> str:
    """The page of the tool of that name, '' if the name cannot be part of an address."""
    try:
        return reverse("tool", args=[name])
    except NoReverseMatch:
        return ""
