"""Test runs in templates."""

from collections.abc import Iterable

from django import template

from toolbuilder.models import ToolTrial
from toolbuilder.workbench.result import PastTrial, show_past

register = template.Library()


@register.filter
def past_trials(trials: Iterable[ToolTrial]) -> list[PastTrial]:
    """The runs as the menu shows and repeats them."""
    return show_past(trials)
