"""Tools that belong together: by what they are about, the ids that they hand each other, and tags."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from core.retrieval.action_words import ENGLISH, split_words
from core.retrieval.actions import actions_of_tool
from core.retrieval.model import Tool
from core.retrieval.tokens import fold, stem_word

# How much each kind of edge counts; edges of several kinds add up.
EDGE_WEIGHTS = {"gives": 1.0, "entity": 0.6, "tag": 0.2}
# What more tools share says nothing about two of them.
_MOST_MEMBERS = 50
_MOST_NEIGHBOURS = 40
_DECAY = 0.5
_VERBS = frozenset(word for line in ENGLISH.values() for word in split_words(line))
# What follows one of these says how or for whom, not what.
_PREPOSITIONS = frozenset({"by", "for", "from", "with", "in", "on", "at", "to", "of", "as", "per"})
_IDENTIFIERS = frozenset({"id", "ids", "uuid", "key", "code", "no", "number"})
_GIVING = frozenset({"list", "read", "create"})

_Group = tuple[str, str]


class RelatedTools:
    """Tools and their edges: same entity, one gives the id that the other needs, shared tags.

    `list_orders(customer_id)` is about orders, gives their ids and needs a customer's.
    """

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._groups: dict[str, list[_Group]] = {}
        self._members: defaultdict[_Group, set[str]] = defaultdict(set)
        self._neighbours: dict[str, dict[str, float]] = {}
        for tool in tools:
            entity = entity_of(tool.name)
            needed = {
                _needed_entity(each.name, entity) for each in tool.parameters if each.required
            }
            shared = [("tag", tag) for tag in sorted(set(tool.tags))]
            if entity:
                shared.insert(0, ("entity", entity))
            self._groups[tool.name] = [("gives", id_) for id_ in sorted(needed - {""})] + shared
            gives = entity and _GIVING.intersection(actions_of_tool(tool))
            for group in (*([("gives", entity)] if gives else ()), *shared):
                self._members[group].add(tool.name)

    def neighbours(self, name: str) -> Mapping[str, float]:
        """Tools with an edge from this one and its weight, best first, ties by name, at most 40.

        Those that give what it needs come first; an unknown tool has none.
        """
        if name not in self._neighbours:
            weights: defaultdict[str, float] = defaultdict(float)
            for group in self._groups.get(name, ()):
                members = self._members.get(group, set())
                if len(members) <= _MOST_MEMBERS:
                    for other in members - {name}:
                        weights[other] += EDGE_WEIGHTS[group[0]]
            best = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
            self._neighbours[name] = dict(best[:_MOST_NEIGHBOURS])
        return self._neighbours[name]

    def expand(
        self,
        seeds: Mapping[str, float],
        *,
        depth: int = 2,
        allows: Callable[[str], bool] = lambda name: True,
    ) -> dict[str, float]:
        """Scores of seeds and of what is near them: each step counts half, times the edge's weight.

        Breadth first; a tool has the best of its scores. A tool that is not allowed leads nowhere.
        """
        scores = {name: score for name, score in seeds.items() if name in self._groups}
        front = dict(scores)
        for _ in range(depth):
            steps = (
                (other, score * _DECAY * min(1.0, weight))
                for name, score in front.items()
                for other, weight in self.neighbours(name).items()
            )
            reached: dict[str, float] = {}
            for other, score in steps:
                best = max(scores.get(other, 0.0), reached.get(other, 0.0))
                if score > best and allows(other):
                    reached[other] = score
            front = reached
            scores |= reached
        return scores


def entity_of(name: str) -> str:
    """The nouns of a tool's name up to its first preposition, in singular: `getUserById` is user."""
    nouns: list[str] = []
    has_verb = False
    for word in fold(name).split():
        if word in _PREPOSITIONS and nouns:
            break
        if word in _VERBS and not has_verb:
            # Only the first: the `run` of stop_run and the `review` of get_review are things.
            has_verb = True
        elif word not in _PREPOSITIONS:
            nouns.append(stem_word(word))
    return " ".join(nouns)


def _needed_entity(parameter: str, own: str) -> str:
    """The entity whose id a parameter takes, or ""; a mere `id` is of the tool's own entity."""
    words = fold(parameter).split()
    if not words or words[-1] not in _IDENTIFIERS:
        return ""
    return " ".join(map(stem_word, words[:-1])) or own
