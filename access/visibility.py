"""Which calls and limits a person sees; what hides some of them is registered by the apps above."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.db.models import QuerySet

from access.models import CallRecord, ToolLimit

# Names of tools whose calls and limits a person does not see, each a function of the person.
HIDDEN_TOOLS: dict[str, Callable[[User], frozenset[str]]] = {}


def hidden_tools(user: User) -> frozenset[str]:
    """All of those names."""
    return frozenset().union(*(find(user) for find in HIDDEN_TOOLS.values()))


def visible_calls(user: User) -> "QuerySet[CallRecord]":
    """The calls that this person sees on every page, in exports and in the back office."""
    hidden = hidden_tools(user)
    return CallRecord.objects.exclude(tool_name__in=hidden) if hidden else CallRecord.objects.all()


def visible_limits(user: User) -> "QuerySet[ToolLimit]":
    """The limits that this person sees: of all tools, and of those that are not hidden."""
    hidden = hidden_tools(user)
    return ToolLimit.objects.exclude(tool_name__in=hidden) if hidden else ToolLimit.objects.all()
