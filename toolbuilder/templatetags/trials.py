"""Test runs in templates."""

from collections.abc import Iterable

from django import template

from core.toolspec import ParameterType
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
