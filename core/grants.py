"""Grants: which tools a caller may use, directly, by toolset or by group, and which data sources with SQL of its own."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from core.messages import Message, message


class BuiltinGroup(StrEnum):
    """Built-in tools that are granted together."""

    EMBEDDINGS = "embeddings"
    SEARCH = "search"
    DATABASE = "database"
    CATALOGUE = "catalogue"
    UTILITIES = "utilities"


# Of `Grant.sources`: the data source of tools that name none.
DEFAULT_SOURCE = ""
MOST_KEPT = 1_000
EVERY_TOOL = message("grant.every_tool", "every tool is granted")
NAMED = message("grant.named", "the tool is granted by its name")
NOT_GRANTED = message("grant.none", "neither the tool, nor a toolset or group of it, is granted")
NOT_AT_ENDPOINT = message("grant.not_at_endpoint", "it is not in the toolset of this endpoint")
NO_FREE_SQL = message(
    "grant.no_free_sql", "SQL of the caller's own is not granted on its data source"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a caller may use: every tool that `tools`, a toolset or a group names; `tools` None is every one.

    `sources` are the data sources on which it may run SQL that is its own; None is every one.
    """

    tools: frozenset[str] | None = None
    toolsets: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    sources: frozenset[str] | None = None

    def may_query(self, source: str) -> bool:
        """Whether SQL of the caller's own may run there."""
        return self.sources is None or source in self.sources


EVERYTHING = Grant()
NOTHING = Grant(tools=frozenset(), sources=frozenset())


@dataclass(frozen=True, slots=True)
class ToolsetSpec:
    """A toolset as it is served: the tools that it names, and those that have one of its tags."""

    name: str
    tools: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    description: str = ""

    def holds(self, name: str, tags: Iterable[str]) -> bool:
        """Whether a tool with these tags is in it."""
        return name in self.tools or not self.tags.isdisjoint(tags)


@dataclass(frozen=True, slots=True)
class ToolPlace:
    """Where a tool belongs: its tags, its group if it is built in, the source of free SQL if it runs any."""

    tags: tuple[str, ...] = ()
    group: str = ""
    free_sql_on: str | None = None


class Visibility:
    """The one rule of what a caller sees, for lists, searches, calls and pages; never changed."""

    def __init__(
        self,
        places: Mapping[str, ToolPlace],
        toolsets: Mapping[str, ToolsetSpec],
        renamed: Mapping[str, str] | None = None,
    ) -> None:
        """`places` are of every served tool, by name; `renamed` has new names by old one, which mean the same."""
        self._places = places
        self._renamed = renamed or {}
        self._toolsets = {
            name: replace(spec, tools=self._with_new_names(spec.tools))
            for name, spec in toolsets.items()
        }
        self._members: dict[str, frozenset[str]] = {}
        self._seen: dict[tuple[Grant, str], frozenset[str] | None] = {}
        # Few: only built-in tools have groups and run SQL of their callers.
        self._grouped = {name: place.group for name, place in places.items() if place.group}
        self._free = {
            name: place.free_sql_on
            for name, place in places.items()
            if place.free_sql_on is not None
        }

    def names(self, grant: Grant, toolset: str = "") -> frozenset[str] | None:
        """Names that the caller sees at the endpoint of a toolset, '' for that of all tools; None is every one.

        At the endpoint of a toolset that there is not, none.
        """
        key = (grant, toolset)
        if key not in self._seen:
            # What callers that have left saw is not worth its memory.
            if len(self._seen) >= MOST_KEPT:
                self._seen.clear()
            is_whole = not toolset and grant.tools is None and grant.sources is None
            self._seen[key] = None if is_whole else self._find_names(grant, toolset)
        return self._seen[key]

    def _find_names(self, grant: Grant, toolset: str) -> frozenset[str]:
        if grant.tools is None:
            seen = set(self._places)
        else:
            granted = self._with_new_names(grant.tools)
            seen = {name for name in granted if name in self._places}
            seen |= {name for name, group in self._grouped.items() if group in grant.groups}
            seen.update(*map(self.members, grant.toolsets))
        if toolset:
            seen &= self.members(toolset)
        closed = {name for name, source in self._free.items() if not grant.may_query(source)}
        return frozenset(seen - closed)

    def explain(self, grant: Grant, toolset: str, name: str) -> "Verdict":
        """Whether the caller sees the served tool at the endpoint, as `names` says, and why."""
        if toolset and name not in self.members(toolset):
            return Verdict(False, NOT_AT_ENDPOINT)
        if name in self._free and not grant.may_query(self._free[name]):
            return Verdict(False, NO_FREE_SQL)
        if grant.tools is None or name in self._with_new_names(grant.tools):
            return Verdict(True, EVERY_TOOL if grant.tools is None else NAMED)
        if (group := self._grouped.get(name, "")) in grant.groups:
            return Verdict(True, message("grant.group", "the group {group}", group=group))
        holding = [held for held in sorted(grant.toolsets) if name in self.members(held)]
        if not holding:
            return Verdict(False, NOT_GRANTED)
        return Verdict(True, message("grant.toolset", "the toolset {toolset}", toolset=holding[0]))

    def _with_new_names(self, names: frozenset[str]) -> frozenset[str]:
        return names | {self._renamed[name] for name in names & self._renamed.keys()}

    def members(self, toolset: str) -> frozenset[str]:
        """Names of the served tools of the toolset; none if there is no such toolset."""
        if toolset not in self._toolsets:
            return frozenset()
        if toolset not in self._members:
            holds = self._toolsets[toolset].holds
            self._members[toolset] = frozenset(
                name for name, place in self._places.items() if holds(name, place.tags)
            )
        return self._members[toolset]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a caller sees a tool, and why, in a few words."""

    is_seen: bool
    because: Message
