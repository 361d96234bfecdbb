"""What a language model said, in templates: as text alone, whatever marks it has."""

import re

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()
_PARAGRAPHS = re.compile(r"\n\s*\n")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")


@register.filter
def said(text: str) -> SafeString:
    """Paragraphs with what is between ** in bold; everything else is as it was written."""
    return format_html_join(
        "", "<p>{}</p>", ((_embolden(part),) for part in _PARAGRAPHS.split(text.strip()))
    )


def _embolden(text: str) -> SafeString:
    # Of a split by one group, every second part is what it took.
    parts = enumerate(_BOLD.split(text))
    return format_html_join(
        "",
        "{}",
        (
            (format_html("<strong>{}</strong>", part) if number % 2 else part,)
            for number, part in parts
        ),
    )
