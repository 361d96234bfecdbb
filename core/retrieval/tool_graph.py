"""Tools as nodes, joined by what they are about, the ids they hand each other, and their tags."""

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from heapq import nsmallest
from typing import Any

from core.ingest.mcp import tools_of_mcp_list
from core.ingest.openapi import tools_of_openapi
from core.retrieval.entities import find_entities
from core.retrieval.model import MCPAnnotations, Tool
from core.retrieval.tokens import name_words

# How much each kind of edge counts; edges of several kinds add up.
EDGE_WEIGHTS = {"gives": 1.0, "entity": 0.6, "tag": 0.2}
ANNOTATION_BONUS = 0.1
# What more tools share says nothing about two of them.
_MOST_MEMBERS = 50
_MOST_NEIGHBOURS = 40
_DECAY = 0.5

_Group = tuple[str, str]


class ToolGraph:
    """Tools and their edges: same entity, one gives the id that the other needs, shared tags.

    Edges are implied by groups, so that one tool comes and goes without touching the others.
    """

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}
        self._asked: dict[str, list[_Group]] = {}
        self._joined: dict[str, list[_Group]] = {}
        self._groups: defaultdict[_Group, set[str]] = defaultdict(set)
        self._neighbours: dict[str, dict[str, float]] = {}

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    @property
    def tools(self) -> Mapping[str, Tool]:
        return self._tools

    def copy(self) -> "ToolGraph":
        """The same graph, to be changed apart."""
        twin = ToolGraph()
        twin._tools = dict(self._tools)
        twin._asked, twin._joined = dict(self._asked), dict(self._joined)
        for group, names in self._groups.items():
            twin._groups[group] = set(names)
        return twin

    def add_tool(self, tool: Tool) -> None:
        """Take in a tool, in place of one of its name."""
        self.remove_tool(tool.name)
        self._tools[tool.name] = tool
        found = find_entities(tool)
        shared = _groups("entity", {found.entity} - {""}) + _groups("tag", set(tool.tags))
        self._asked[tool.name] = _groups("gives", found.needs) + shared
        self._joined[tool.name] = _groups("gives", found.gives) + shared
        for group in self._joined[tool.name]:
            self._groups[group].add(tool.name)
        self._neighbours = {}

    def remove_tool(self, name: str) -> None:
        """Take out a tool, if it is there."""
        if self._tools.pop(name, None) is None:
            return
        del self._asked[name]
        for group in self._joined.pop(name):
            self._groups[group].discard(name)
            if not self._groups[group]:
                del self._groups[group]
        self._neighbours = {}

    def ingest_mcp_tools(
        self, tools: Collection[Mapping[str, Any]], *, server_name: str = ""
    ) -> list[Tool]:
        """Take in the tools of an MCP server's `tools/list`; the tools that were taken in."""
        return self._ingest(tools_of_mcp_list(tools, server_name=server_name))

    def ingest_openapi(self, document: Mapping[str, Any]) -> list[Tool]:
        """Take in the operations of an OpenAPI document; the tools that were taken in."""
        return self._ingest(tools_of_openapi(document))

    def attributes(self, name: str) -> dict[str, Any]:
        """What is told of a node; `annotations` under MCP's own keys, where it has some."""
        tool = self._tools[name]
        told: dict[str, Any] = {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "tags": list(tool.tags),
            "metadata": dict(tool.metadata),
        }
        if tool.annotations is not None:
            told["annotations"] = tool.annotations.to_dict()
        return told

    def neighbours(self, name: str) -> Mapping[str, float]:
        """Tools with an edge from this one and its weight, best first, ties by name, at most 40."""
        if name not in self._neighbours:
            self._neighbours[name] = self._find_neighbours(name)
        return self._neighbours[name]

    def related(
        self, name: str, limit: int = 3, allowed: Container[str] | None = None
    ) -> list[str]:
        """Names of the tools that belong to one, best first: those that give what it needs, then others."""
        near = self.neighbours(name) if name in self else {}
        return [other for other in near if allowed is None or other in allowed][: max(0, limit)]

    def expand(
        self, seeds: Mapping[str, float], *, depth: int = 2, allowed: Container[str] | None = None
    ) -> dict[str, float]:
        """Scores of seeds and of what is near them: each step counts half, times the edge's weight.

        Breadth first; a tool has the best of its scores. A tool that is not allowed leads nowhere.
        """
        scores = {name: score for name, score in seeds.items() if name in self}
        front = dict(scores)
        for _ in range(depth):
            front = self._step(front, scores, allowed)
            scores |= front
        return scores

    def similarity(self, first: str, second: str) -> float:
        """How alike the parameters and annotations of two nodes are, 0 to 1."""
        return similarity(self._tools[first], self._tools[second])

    def _ingest(self, tools: Iterable[Tool]) -> list[Tool]:
        taken = list(tools)
        for tool in taken:
            self.add_tool(tool)
        return taken

    def _find_neighbours(self, name: str) -> dict[str, float]:
        weights: defaultdict[str, float] = defaultdict(float)
        for group in self._asked.get(name, ()):
            members = self._groups.get(group, set())
            if len(members) <= _MOST_MEMBERS:
                for other in members - {name}:
                    weights[other] += EDGE_WEIGHTS[group[0]]
        best = nsmallest(_MOST_NEIGHBOURS, weights.items(), key=lambda item: (-item[1], item[0]))
        return dict(best)

    def _step(
        self,
        front: Mapping[str, float],
        scores: Mapping[str, float],
        allowed: Container[str] | None,
    ) -> dict[str, float]:
        found: dict[str, float] = {}
        for other, score in self._reached(front):
            is_better = score > max(scores.get(other, 0.0), found.get(other, 0.0))
            if is_better and (allowed is None or other in allowed):
                found[other] = score
        return found

    def _reached(self, front: Mapping[str, float]) -> Iterator[tuple[str, float]]:
        for name, score in front.items():
            for other, weight in self.neighbours(name).items():
                yield other, score * _DECAY * min(1.0, weight)


def similarity(first: Tool, second: Tool) -> float:
    """Jaccard's index of the parameters' names, and 0.1 x the share of equal hints; at most 1."""
    names = [{name_words(p.name) for p in tool.parameters} for tool in (first, second)]
    union = names[0] | names[1]
    jaccard = len(names[0] & names[1]) / len(union) if union else 0.0
    return min(
        1.0, jaccard + ANNOTATION_BONUS * _equal_hints(first.annotations, second.annotations)
    )


def _equal_hints(first: MCPAnnotations | None, second: MCPAnnotations | None) -> float:
    """The share of equal ones among the hints that both give; 0 where one gives none."""
    if first is None or second is None:
        return 0.0
    one, other = first.to_dict(), second.to_dict()
    both = one.keys() & other.keys()
    return sum(one[key] == other[key] for key in both) / len(both) if both else 0.0


def _groups(kind: str, keys: Iterable[str]) -> list[_Group]:
    return [(kind, key) for key in sorted(keys)]
