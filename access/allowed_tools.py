"""Which tools a key has: what the column `allowed_tools` says, read in this one place."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

EVERY_TOOL = "*"
MAX_TOOLS = 1_000
NO_TOOLS = _('Name at least one tool, as in ["sales_by_region"], or write ["*"] for every tool.')


def every_tool() -> list[str]:
    """What the column holds for a key that has every tool."""
    return [EVERY_TOOL]


def read_allowed_tools(stored: object) -> frozenset[str] | None:
    """The names that the column allows; None is every tool, written as `["*"]` and in no other way.

    Anything that is not a list of names, as another program may have written it, allows nothing.
    """
    if not isinstance(stored, list) or not all(isinstance(name, str) for name in stored):
        return frozenset()
    return None if stored == [EVERY_TOOL] else frozenset(stored)


def check_allowed_tools(stored: Any) -> None:
    """Raise ValidationError unless `stored` is `["*"]` or a list of names."""
    names = read_allowed_tools(stored)
    is_readable = isinstance(stored, list) and (not stored or names != frozenset())
    if not is_readable or (names and (EVERY_TOOL in names or not all(map(str.strip, names)))):
        raise ValidationError(NO_TOOLS)
    if names is not None and len(names) > MAX_TOOLS:
        text = _("a key names at most %(limit)s tools; choose every tool instead")
        raise ValidationError(text, params={"limit": MAX_TOOLS})
