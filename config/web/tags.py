"""The tags `{% icon %}`, `{% modules_in %}` and `{% help_url %}`, known to every template without a `{% load %}`."""

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.utils.html import format_html
from django.utils.safestring import SafeString

from toolbuilder.help.links import help_url

register = template.Library()
register.simple_tag(help_url)


@register.simple_tag
def icon(name: str, classes: str = "") -> SafeString:
    """One symbol of static/web/icons.svg, 16 px and hidden from screen readers."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        classes,
        staticfiles_storage.url("web/icons.svg"),
        name,
    )


@register.simple_tag
def modules_in(*folders: str) -> list[str]:
    """Names of our own JavaScript modules in these folders of static/, such as `web/toast.js`, in order."""
    root = settings.BASE_DIR / "static"
    paths = [path for folder in folders for path in sorted(root.glob(f"{folder}/*.js"))]
    return [path.relative_to(root).as_posix() for path in paths]
