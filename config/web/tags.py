"""The tags of icons, modules and help, which every template knows without a `{% load %}`."""

from functools import cache

from django import template
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from config.web.bundles import STYLES, find_bundle, find_modules
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
    return find_modules(*folders) if settings.DEBUG else _known_modules(*folders)


_known_modules = cache(find_modules)


@register.simple_tag
def module_url(name: str) -> str:
    """The address of a module, which is that of its bundle where it has one."""
    return staticfiles_storage.url(find_bundle(name) or name)


@register.simple_tag
def style_links(bundle: str) -> SafeString:
    """The link to a bundle of style sheets; while developing, those to the sheets."""
    names = STYLES[bundle] if settings.DEBUG else [bundle]
    addresses = ((staticfiles_storage.url(name),) for name in names)
    return format_html_join("", '<link rel="stylesheet" href="{}">', addresses)


@register.simple_tag
def preload_modules(*names: str) -> SafeString:
    """Links that fetch modules before they are imported: those of a name, or all of a folder; a bundle once.

    Chromium takes compiled code from its cache for what is fetched as a script, and never for what is
    fetched as a module. `modulepreload` takes what the first link brought; other browsers know that alone.
    """
    modules = (
        each for name in names for each in ([name] if name.endswith(".js") else modules_in(name))
    )
    return format_html_join(
        "",
        '<link rel="preload" as="script" crossorigin href="{0}"><link rel="modulepreload" href="{0}">',
        ((address,) for address in dict.fromkeys(map(module_url, modules))),
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
