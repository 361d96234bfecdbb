"""Tools and data sources that pages let people choose; the apps above register what lists them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User

from core.catalogue.search_words import find_words, fold_text


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool that people may choose. `kind` is that of a defined one, PROXIED or BUILTIN.

    `text` is what agents read of it, `is_served` whether they have it now.
    """

    name: str
    kind: str = ""
    text: str = ""
    tags: tuple[str, ...] = ()
    is_served: bool = True

    def holds(self, words: Iterable[str]) -> bool:
        """Whether its texts hold each of the words, which are folded."""
        text = fold_text(" ".join((self.name, self.text, *self.tags)))
        return all(word in text for word in words)


# Functions of the person, each of whom is offered what they may see.
TOOLS: dict[str, Callable[[User], Iterable[OfferedTool]]] = {}
SOURCES: dict[str, Callable[[User], Iterable[str]]] = {}


def offered_tools(user: User) -> dict[str, OfferedTool]:
    """All tools that this person may choose, by name and in its order."""
    found = {tool.name: tool for find in TOOLS.values() for tool in find(user)}
    return dict(sorted(found.items()))


def offered_sources(user: User) -> list[str]:
    """The data sources that this person may choose; the default one has no name and is not among them."""
    return sorted({name for find in SOURCES.values() for name in find(user)})


def tool_names(user: User) -> list[str]:
    """All names of tools that this person may choose, in order."""
    return list(offered_tools(user))


def filter_tools(tools: Iterable[OfferedTool], query: str) -> list[OfferedTool]:
    """Those whose texts hold every word of the query."""
    words = find_words(query)
    return [tool for tool in tools if not words or tool.holds(words)]
