"""The variables of docs/reference/settings.md, and what this process makes of them, without any secret."""

import os
import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Literal

from django.conf import settings
from django.utils.translation import gettext

from catalog.sources.environment import find_names, variable_name
from config import env
from config.web.variable_texts import SOURCES, Variable, has_words, parse_variables

PAGE = settings.BASE_DIR / "docs/reference/settings.md"
HIDDEN = "•••"
Origin = Literal["environment", "up", ""]
_SECRET = re.compile(r"(?:^|_)(?:KEYS?|PASS|PASSWORDS?|TOKENS?|SECRETS?|WEBHOOK)(?:_|$)")
_HARMLESS_OPTIONS = frozenset(
    {
        *("application_name", "channel_binding", "connect_timeout", "sslmode", "sslrootcert"),
        "target_session_attrs",
    }
)


@dataclass(frozen=True, slots=True)
class ShownVariable:
    """A variable with its effective value, '' for a secret.

    `origin` is "environment", "up" if a running `manage.py up` gave it, or "" if it is not set.
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
    """All variables in the page's order; none if the documentation is not installed."""
    return tuple(parse_variables(PAGE.read_text(encoding="utf-8"))) if PAGE.exists() else ()


def list_variables() -> list[tuple[str, list[ShownVariable]]]:
    """Groups of the page with their variables as they are now."""
    variables: list[Variable] = []
    for variable in read_variables():
        if variable.name == SOURCES:
            # What the page has in the place of a default is an example.
            row = replace(variable, default="")
            variables += [replace(row, name=variable_name(name)) for name in find_names()] or [row]
        else:
            variables.append(variable)
    groups = groupby(map(_show, variables), key=lambda shown: shown.variable.group)
    return [(_translate(group), list(shown)) for group, shown in groups]


def is_secret(name: str) -> bool:
    """Whether the value of this variable must not be shown."""
    return bool(_SECRET.search(name))


def hide_credentials(value: str) -> str:
    """An address without the part before its @, and without values of options that may be secret.

    If a password may have been cut in two, by a `?` before an @, nothing but the scheme is left.
    """
    scheme, mark, rest = value.partition("://")
    if not mark:
        return value
    place, question, options = rest.partition("?")
    if "@" in options:
        return f"{scheme}://{HIDDEN}"
    user, at, host = place.rpartition("@")
    shown = []
    for option in options.split("&") if options else ():
        name = option.partition("=")[0]
        shown.append(option if name in _HARMLESS_OPTIONS else f"{name}={HIDDEN}")
    credentials = HIDDEN if user else ""
    return f"{scheme}://{credentials}{at}{host.partition('#')[0]}{question}{'&'.join(shown)}"


def split_markdown(text: str) -> list[tuple[str, bool]]:
    """Pieces of a line of Markdown, each with whether it is code."""
    pieces = text.split("`")
    return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]


def _translate(text: str) -> str:
    # Of an empty text gettext gives the head of its catalogue.
    return gettext(text) if has_words(text) else text


def _show(variable: Variable) -> ShownVariable:
    name = variable.name
    if os.environ.get(name) or os.environ.get(f"{name}_FILE"):
        origin: Origin = "environment"
    else:
        origin = "up" if env.text(name) else ""
    if is_secret(name):
        return ShownVariable(variable, origin, "", is_secret=True)
    value = getattr(settings, name, None)
    if value is None:
        value = env.text(name)
    if isinstance(value, bool):
        return ShownVariable(variable, origin, "on" if value else "off", is_secret=False)
    shown = []
    for part in map(str, value if isinstance(value, list | tuple) else [value]):
        # What should be an address and is none may hold a password anywhere.
        is_no_address = name.endswith("_URL") and "://" not in part
        shown.append(HIDDEN if part and is_no_address else hide_credentials(part))
    return ShownVariable(variable, origin, ", ".join(shown), is_secret=False)
