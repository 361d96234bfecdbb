"""The `{% icon %}` tag, known to every template without a `{% load %}`."""

from django import template
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str, classes: str = "") -> SafeString:
    """One symbol of static/web/icons.svg, 16 px and hidden from screen readers."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        classes,
        staticfiles_storage.url("web/icons.svg"),
        name,
    )
