"""The tags `{% icon %}`, `{% modules_in %}`, `{% help_url %}` and `{% help_button %}`, known to every template without a `{% load %}`."""

from functools import cache

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from toolbuilder.help.links import help_url
from toolbuilder.help.panes import PANES

register = template.Library()
register.simple_tag(help_url)


@register.simple_tag
def icon(name: str, classes: str = "") -> SafeString:
    """One symbol of static/web/icons.svg, 16 px and hidden from screen readers."""
    return _draw_icon(name, classes) if settings.DEBUG else _drawn_icon(name, classes)


def _draw_icon(name: str, classes: str) -> SafeString:
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        classes,
        staticfiles_storage.url("web/icons.svg"),
        name,
    )


# A list of tools shows three hundred. Names in templates end somewhere.
_drawn_icon = cache(_draw_icon)


@register.simple_tag
def modules_in(*folders: str) -> list[str]:
    """Names of our own JavaScript modules in these folders of static/, such as `web/toast.js`, in order."""
    return _find_modules(folders) if settings.DEBUG else _known_modules(folders)


def _find_modules(folders: tuple[str, ...]) -> list[str]:
    root = settings.BASE_DIR / "static"
    paths = [path for folder in folders for path in sorted(root.glob(f"{folder}/*.js"))]
    return [path.relative_to(root).as_posix() for path in paths]


_known_modules = cache(_find_modules)


@register.simple_tag
def preload_module(name: str) -> SafeString:
    """Links that fetch a module before it is imported.

    Chromium takes compiled code from its cache for what is fetched as a script, and never for what is
    fetched as a module. `modulepreload` takes what the first link brought; other browsers know that alone.
    """
    return format_html(
        '<link rel="preload" as="script" crossorigin href="{}"><link rel="modulepreload" href="{}">',
        *(staticfiles_storage.url(name),) * 2,
    )


@register.simple_tag
def help_button(name: str) -> SafeString:
    """The "?" of a pane: opens the drawer with its text, or leads to it in the documentation."""
    pane = PANES[name]
    label = _("Help: %(name)s") % {"name": pane.label}
    return format_html(
        '<a class="button quiet small icon-only help-button" href="{}" data-help="{}" aria-label="{}" title="{}">{}</a>',
        pane.topic.address,
        reverse("help-pane", args=[name]),
        label,
        label,
        icon("circle-help"),
    )
