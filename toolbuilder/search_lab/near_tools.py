"""Tools that answer the same questions, named with what tells them apart and a text that says so."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from core.execution import CompiledTool
from core.retrieval.index import ToolIndex
from core.retrieval.near_tools import NearTool, OfferedText, Probe, find_near_tools, offer_text
from core.retrieval.tool_texts import IndexEntry
from core.toolspec import ToolSpec
from toolbuilder.models import SearchQuestion
from toolbuilder.search_lab.index import read_lab_index
from toolbuilder.search_lab.questions import MAX_QUESTIONS, expected_of
from toolbuilder.search_lab.search import find_seen
from toolbuilder.visibility import visible_questions
from tools.finding.index import to_search_tool

# A search or two for each.
_MOST_LOOKED_AT = 100
_MOST_PAIRS = 20


@dataclass(frozen=True, slots=True)
class NearPair:
    """A tool and one that is near it; `offered` is None if no sentence helps."""

    name: str
    near: NearTool
    offered: OfferedText | None

    @property
    def percent(self) -> int:
        """How alike they are, of 100."""
        return round(100 * self.near.likeness)


def find_near_draft(spec: ToolSpec, former_name: str, user: User) -> list[NearPair]:
    """What a tool that is about to be published would be near to, among the tools that the user sees.

    `former_name` is that of the served tool which it replaces, '' for none.
    """
    lab = read_lab_index()
    entry = IndexEntry(to_search_tool(CompiledTool(spec)))
    index = lab.search.index.copy()
    for name in {former_name, spec.name} & lab.tools.keys():
        index.remove(name)
    index.put(entry)
    seen = find_seen(lab, user) - {former_name}
    questions = list(visible_questions(user)[:MAX_QUESTIONS])
    return list(_find_pairs(index, entry, questions, seen | {spec.name}))


def find_near_pairs(members: Collection[str], user: User) -> list[NearPair]:
    """The pairs of near tools among these, each once, nearest first; of the first 100 by name, 20 pairs."""
    lab = read_lab_index()
    seen = frozenset(find_seen(lab, user).intersection(members))
    questions = list(visible_questions(user)[:MAX_QUESTIONS])
    pairs: dict[frozenset[str], NearPair] = {}
    for name in sorted(seen)[:_MOST_LOOKED_AT]:
        entry = lab.search.tools[name].entry
        for pair in _find_pairs(lab.search.index, entry, questions, seen):
            pairs.setdefault(frozenset((name, pair.near.name)), pair)
    nearest = sorted(pairs.values(), key=lambda pair: (-pair.near.likeness, pair.name))
    return nearest[:_MOST_PAIRS]


def _find_pairs(
    index: ToolIndex,
    entry: IndexEntry,
    questions: Sequence[SearchQuestion],
    allowed: frozenset[str],
) -> Iterator[NearPair]:
    """By words alone: a text that nobody has embedded yet has no vector."""
    for near in find_near_tools(index, entry.tool.name, allowed):
        names = {entry.tool.name, near.name}
        probes = [
            Probe(question.text, frozenset(expected))
            for question in questions
            if not names.isdisjoint(expected := expected_of(question))
        ]
        offered = offer_text(index, entry, near, probes, allowed=allowed)
        yield NearPair(entry.tool.name, near, offered)
