"""The variables of docs/reference/settings.md, and what this process makes of them, without any secret."""

import os
import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Literal

from django.conf import settings
from django.utils.translation import gettext

from catalog.environment import find_names, variable_name
from config import env
from config.web.variable_texts import SOURCES, Variable, has_words, parse_variables

PAGE = settings.BASE_DIR / "docs/reference/settings.md"
HIDDEN = "•••"
Origin = Literal["environment", "up", ""]
_SECRET = re.compile(r"(?:^|_)(?:KEYS?|PASS|PASSWORDS?|TOKENS?|SECRETS?)(?:_|$)")
_HARMLESS_OPTIONS = frozenset(
    {"application_name", "channel_binding", "connect_timeout", "sslmode", "sslrootcert"}
)


@dataclass(frozen=True, slots=True)
class ShownVariable:
    """A variable with its effective value, '' for a secret.

    `origin` is "environment", "up" where a running `manage.py up` gave it, or "" where it is not set.
    """

    variable: Variable
    origin: Origin
    value: str
    is_secret: bool

    @property
    def meaning(self) -> list[tuple[str, bool]]:
        """Pieces of the text in the reader's language, each with whether it is code."""
        return split_markdown(_translate(self.variable.meaning))

    @property
    def default(self) -> list[tuple[str, bool]]:
        """Of the documentation, in pieces as `meaning`."""
        return split_markdown(_translate(self.variable.default))


@cache
def read_variables() -> tuple[Variable, ...]:
    """All variables in the page's order; none where the documentation is not installed."""
    return tuple(parse_variables(PAGE.read_text())) if PAGE.exists() else ()


def list_variables() -> list[tuple[str, list[ShownVariable]]]:
    """Groups of the page with their variables as they are now."""
    shown = [_show(one) for variable in read_variables() for one in _expand(variable)]
    grouped = groupby(shown, key=lambda one: one.variable.group)
    return [(_translate(group), list(variables)) for group, variables in grouped]


def is_secret(name: str) -> bool:
    """Whether the value of this variable must not be shown."""
    return bool(_SECRET.search(name))


def hide_credentials(value: str) -> str:
    """An address without what stands before its @, and without values of options that may be secret.

    Where a password may have been cut in two, by a `?` before an @, nothing but the scheme is left.
    """
    scheme, mark, rest = value.partition("://")
    if not mark:
        return value
    place, question, options = rest.partition("?")
    if "@" in options:
        return f"{scheme}://{HIDDEN}"
    user, at, host = place.rpartition("@")
    shown = "&".join(map(_hide_option, options.split("&"))) if options else ""
    return f"{scheme}://{HIDDEN if user else ''}{at}{host.partition('#')[0]}{question}{shown}"


def split_markdown(text: str) -> list[tuple[str, bool]]:
    """Pieces of a line of Markdown, each with whether it is code."""
    pieces = text.split("`")
    return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]


def _translate(text: str) -> str:
    # Of an empty text gettext gives the head of its catalogue.
    return gettext(text) if has_words(text) else text


def _expand(variable: Variable) -> list[Variable]:
    if variable.name != SOURCES:
        return [variable]
    # What the page has in the place of a default is an example.
    row = replace(variable, default="")
    return [replace(row, name=variable_name(name)) for name in find_names()] or [row]


def _show(variable: Variable) -> ShownVariable:
    name = variable.name
    secret = is_secret(name)
    return ShownVariable(variable, _find_origin(name), "" if secret else _read_value(name), secret)


def _find_origin(name: str) -> Origin:
    if os.environ.get(name):
        return "environment"
    return "up" if env.text(name) else ""


def _read_value(name: str) -> str:
    value = getattr(settings, name, None)
    if value is None:
        value = env.text(name)
    if isinstance(value, bool):
        return "on" if value else "off"
    given = value if isinstance(value, list | tuple) else [value]
    return ", ".join(_hide(name, str(one)) for one in given)


def _hide(name: str, value: str) -> str:
    # What should be an address and is none may hold a password anywhere.
    is_no_address = name.endswith("_URL") and "://" not in value
    return HIDDEN if value and is_no_address else hide_credentials(value)


def _hide_option(option: str) -> str:
    name, _mark, _value = option.partition("=")
    return option if name in _HARMLESS_OPTIONS else f"{name}={HIDDEN}"
