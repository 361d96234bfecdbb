"""Names of tools, for pages that let people choose some; the apps above register what lists them."""

from collections.abc import Callable, Iterable

from django.contrib.auth.models import User

# Functions of the person, each of whom is offered the names that they may see.
TOOL_NAMES: dict[str, Callable[[User], Iterable[str]]] = {}


def tool_names(user: User) -> list[str]:
    """All names that this person may choose, in order."""
    return sorted({name for find in TOOL_NAMES.values() for name in find(user)})
