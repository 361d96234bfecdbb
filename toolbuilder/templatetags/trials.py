"""Test runs in templates."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from core.json_text import encode_json
from core.toolspec import JsonValue, ParameterType
from toolbuilder.editing.page import ParameterRow
from toolbuilder.editing.result import PastTrial, show_past
from toolbuilder.models import ToolTrial

register = template.Library()


@register.filter
def past_trials(trials: Iterable[ToolTrial], rows: Iterable[ParameterRow]) -> list[PastTrial]:
    """The runs as the menu shows and repeats them, with the parameters of the page."""
    known = tuple(ParameterType)
    types = {row.name: ParameterType(row.type) for row in rows if row.type in known}
    return show_past(trials, types)


@register.filter
def data_script(value: JsonValue, element_id: str) -> SafeString:
    """The value as JSON in an element of that id, as Django's `json_script` but faster with many rows."""
    text = encode_json(value).decode()
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    # Nothing of HTML is left in it.
    safe = mark_safe(text)  # noqa: S308
    return format_html('<script id="{}" type="application/json">{}</script>', element_id, safe)


@register.filter
def as_json(value: JsonValue) -> str:
    """The value as compact JSON; '' for null."""
    return "" if value is None else encode_json(value).decode()
