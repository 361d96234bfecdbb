"""What a tool is about, and which ids it needs and gives, by the words of its names."""

from dataclasses import dataclass

from core.bm25 import stem_word
from core.retrieval.action_words import ENGLISH, split_words
from core.retrieval.actions import actions_of_tool
from core.retrieval.model import Tool
from core.retrieval.tokens import name_words

_VERBS = frozenset(word for line in ENGLISH.values() for word in split_words(line))
# What follows one of these says how or for whom, not what.
_PREPOSITIONS = frozenset({"by", "for", "from", "with", "in", "on", "at", "to", "of", "as", "per"})
_IDENTIFIERS = frozenset({"id", "ids", "uuid", "key", "code", "no", "number"})
_GIVING = frozenset({"list", "read", "create"})


@dataclass(frozen=True, slots=True)
class ToolEntities:
    """The entity of a tool, or "", the entities of the ids that it needs, and of those that it gives."""

    entity: str
    needs: frozenset[str]
    gives: frozenset[str]


def find_entities(tool: Tool) -> ToolEntities:
    """`list_orders(customer_id)` is about orders, gives their ids and needs a customer's."""
    entity = entity_of(tool.name)
    needs = {_needed(parameter.name, entity) for parameter in tool.parameters if parameter.required}
    gives = {entity} if _GIVING.intersection(actions_of_tool(tool)) else set()
    return ToolEntities(entity, frozenset(needs - {""}), frozenset(gives - {""}))


def entity_of(name: str) -> str:
    """The nouns of a tool's name up to its first preposition, in singular: `getUserById` is user."""
    nouns: list[str] = []
    has_verb = False
    for word in name_words(name).split():
        if word in _PREPOSITIONS and nouns:
            break
        if word in _VERBS and not has_verb:
            # Only the first: the `run` of stop_run and the `review` of get_review are things.
            has_verb = True
        elif word not in _PREPOSITIONS:
            nouns.append(stem_word(word))
    return " ".join(nouns)


def _needed(parameter: str, own: str) -> str:
    """The entity whose id a parameter takes, or ""; a mere `id` is of the tool's own entity."""
    words = name_words(parameter).split()
    if not words or words[-1] not in _IDENTIFIERS:
        return ""
    return " ".join(map(stem_word, words[:-1])) or own
