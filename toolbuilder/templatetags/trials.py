"""Test runs in templates."""

from collections.abc import Iterable

from django import template

from toolbuilder.editing.result import PastTrial, show_past
from toolbuilder.models import ToolTrial

register = template.Library()


@register.filter
def past_trials(trials: Iterable[ToolTrial]) -> list[PastTrial]:
    """The runs as the menu shows and repeats them."""
    return show_past(trials)
