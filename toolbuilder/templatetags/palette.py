"""Filters of the command palette's templates."""

from collections.abc import Iterable

from django import template

from toolbuilder.palette.search import Labelled, holds_words

register = template.Library()


@register.filter
def found_by(items: Iterable[Labelled], query: str) -> list[Labelled]:
    """Those whose label holds every word of the query, all if there is none."""
    return [item for item in items if holds_words(query, item.label)]
