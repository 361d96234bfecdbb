"""Tools that answer the same questions, the words that tell them apart, and sentences that say so."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.retrieval.action_words import split_words
from core.retrieval.actions import READING, action_spans, actions_of_tool
from core.retrieval.dense import Vector
from core.retrieval.index import Mask, ToolIndex
from core.retrieval.model import Tool
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from core.retrieval.tokens import Language, find_words, fold, is_stop_term, language_of
from core.retrieval.tool_texts import IndexEntry

# Of the score that a tool has by its own words, so much or more is too close; measured in docs/retrieval.md.
NEAR = 0.6
_LOOKED_AT = 10
_MOST_NEAR = 3
_MOST_WORDS = 4
_TEXT_CHARACTERS = 300
# One that reaches less of a tool's score is looked at no further.
_LEAST_SHARE = 0.4
# Of no use to a person who is to tell two tools apart.
_EMPTY_WORDS = frozenset(("id", "one", "only", "given"))
_MOST_LABELS = 3
# Of parameters that say how an answer is given, not what it is about, and of switches.
_PLAIN_LABELS = frozenset(
    split_words(
        "limit, offset, page, size, count, format, sort, top, max, min, rows, name, code, type, "
        "status, value, key, text, query, start, end, since, until, include, exclude, with, without, "
        "is, has, show, new, old, open, closed, active, inactive, latest, recent, last, first, next, "
        "best, full, per, each, every, before, after, between, over, under, within, across, vs, "
        "versus, now, daily, other, same"
    )
)
# A word of a name with such an end is hardly ever a noun.
_NO_NOUN = re.compile(r"(?:ing|ed|ly|al|ic|ive|ous|ful|less|able|ible|ary)$")
_LEAST_NOUN = 3
_SENTENCES: dict[Language, tuple[str, str, str]] = {
    "ko": (
        "질문이 {own}에 관한 것이면 이 도구를, {other}에 관한 것이면 {name} 도구를 사용하세요.",
        "질문이 {own}에 관한 것이면 이 도구를 사용하세요.",
        "질문이 {other}에 관한 것이면 {name} 도구를 사용하세요.",
    ),
    "ja": (
        "{own}に関する質問にはこのツールを、{other}に関する質問には {name} を使ってください。",
        "{own}に関する質問にはこのツールを使ってください。",
        "{other}に関する質問には {name} を使ってください。",
    ),
    "en": (
        "Use this tool when the question is about {own}; when it is about {other}, use {name} instead.",
        "Use this tool when the question is about {own}.",
        "When the question is about {other}, use {name} instead.",
    ),
}
# How a language quotes a word, joins the last two of a list, and ends a sentence.
_PUNCTUATION: dict[Language, tuple[str, str, str]] = {
    "ko": ("‘{}’", ", ", "."),
    "ja": ("「{}」", "", "。"),
    "en": ('"{}"', " or ", "."),
}


@dataclass(frozen=True, slots=True)
class NearTool:
    """A tool that is found by another's words.

    `likeness` is the share of the other's own score by words that it reaches, and the other way
    round, their mean: 1 if both say the same. `own_words` are said by the other alone, `other_words`
    by this one alone, most telling first, at most 4.
    """

    name: str
    likeness: float
    own_words: tuple[str, ...] = ()
    other_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """A question with the tools of which one should come first."""

    text: str
    expected: frozenset[str]
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class OfferedText:
    """A description that tells a tool apart, and how many of the probes find the right tool first."""

    description: str
    probe_count: int
    right_before: int
    right_after: int


def find_near_tools(
    index: ToolIndex, name: str, allowed: Collection[str] | Mask | None = None
) -> list[NearTool]:
    """At most 3 allowed tools that do the same to the same things as a tool of the index, nearest first.

    Words, concepts and actions are compared, not vectors: nearly all texts are alike to a small model.
    A tool that reads is not near one that writes, nor one that creates near one that sends.
    """
    table = index.table
    tool = table.tools[table.rows[name]]
    near: list[NearTool] = []
    for other, share in _score_shares(index, tool, allowed).items():
        candidate = table.tools[table.rows[other]]
        is_other = other != name and share >= _LEAST_SHARE
        if not is_other or not do_the_same(tool, candidate):
            continue
        back = _score_shares(index, candidate, {name, other}).get(name, 0.0)
        if (likeness := (share + back) / 2) >= NEAR:
            own, others = tell_words(index, tool, candidate), tell_words(index, candidate, tool)
            near.append(NearTool(other, min(1.0, likeness), own, others))
    return sorted(near, key=lambda found: (-found.likeness, found.name))[:_MOST_NEAR]


def tell_words(index: ToolIndex, tool: Tool, other: Tool) -> tuple[str, ...]:
    """Words of a tool that the other neither says nor means, at most 4: of its name, parameters, texts.

    Words of actions are left out, since near tools do the same, and all but one of those that are alike.
    """
    said = {term for _, terms in _words_of(other) for term in terms}
    meant = set(index.glossary.find(_text_of(other)))
    told: list[str] = []
    for word, terms in _words_of(tool):
        folded = fold(word)
        concepts = index.glossary.find_folded(folded)
        is_new = said.isdisjoint(terms) and meant.isdisjoint(concepts)
        is_plain = folded in _EMPTY_WORDS or any(map(is_stop_term, terms))
        is_plain = is_plain or any(action_spans(folded))
        if is_new and not is_plain and len(folded) > 1 and not folded.isdigit():
            told.append(folded)
            said.update(terms)
            meant.update(concepts)
    return tuple(told[:_MOST_WORDS])


def tell_labels(index: ToolIndex, tool: Tool, other: Tool) -> tuple[str, ...]:
    """What a tool is about and the other is not, as nouns of its author, at most 3.

    These are terms of the glossary, names of parameters, tags, and words of the name that can only be
    nouns; what a description says besides is none of them.
    """
    said = {term for _, terms in _words_of(other) for term in terms}
    meant = set(index.glossary.find(_text_of(other)))
    folded = fold(
        "\n".join((*tool.tags, tool.title, tool.name, tool.description[:_TEXT_CHARACTERS]))
    )
    named = [folded[start:end] for _, start, end in index.glossary.spans(folded)]
    named = [term for term in named if not term.endswith(("ed", "ly"))]
    asked = [fold(each.name) for each in tool.parameters if each.type != "boolean"]
    words = [word for word in fold(tool.name).split() if not _NO_NOUN.search(word)]
    labels: list[str] = []
    for label in (*named, *asked, *map(fold, tool.tags), *words):
        noun = label.removesuffix(" id")
        terms = {term for _, found in find_words(noun) for term in found}
        concepts = index.glossary.find_folded(noun)
        is_plain = not _PLAIN_LABELS.isdisjoint(noun.split()) or noun in _EMPTY_WORDS
        is_plain = is_plain or any(map(is_stop_term, terms)) or any(action_spans(noun))
        is_short = noun.isascii() and len(noun) < _LEAST_NOUN
        is_new = said.isdisjoint(terms) and meant.isdisjoint(concepts)
        if is_new and noun and not is_plain and not is_short and not any(map(str.isdigit, noun)):
            labels.append(noun)
            said.update(terms)
            meant.update(concepts)
    return tuple(labels[:_MOST_LABELS])


def offer_text(
    index: ToolIndex,
    entry: IndexEntry,
    near: NearTool,
    probes: Sequence[Probe],
    *,
    allowed: Collection[str] | None = None,
) -> OfferedText | None:
    """The tool's description with a sentence that tells it apart from a near one; None if none helps.

    Each sentence is tried on a copy of the index: what is offered finds the right tool first for more
    probes than the description does now. `probes` are saved questions of both tools; two that only the
    telling words tell apart are added.
    """
    asked = [*probes, *_word_probes(index, entry.tool, near)]
    before = count_right(index, asked, allowed)
    best: OfferedText | None = None
    edited = index.copy()
    for description in describe_apart(index, entry.tool, near.name):
        edited.put(replace(entry, tool=replace(entry.tool, description=description)))
        right = count_right(edited, asked, allowed)
        if right > (best.right_after if best else before):
            best = OfferedText(description, len(asked), before, right)
    return best


def count_right(
    index: ToolIndex, probes: Iterable[Probe], allowed: Collection[str] | None = None
) -> int:
    """How many of the probes find one of their tools first, among those allowed."""
    ranker = ToolRanker(index)
    found = (
        (ranker.rank(SearchQuery(probe.text, probe.vector, limit=1), allowed), probe.expected)
        for probe in probes
    )
    return sum(bool(tools) and tools[0].name in expected for tools, expected in found)


def _score_shares(
    index: ToolIndex, tool: Tool, allowed: Collection[str] | Mask | None
) -> dict[str, float]:
    """The score by words of the nearest tools against that of the tool itself, by its own text."""
    query = SearchQuery(_text_of(tool), limit=_LOOKED_AT)
    scores = {found.name: found.signals["bm25"] for found in ToolRanker(index).rank(query, allowed)}
    own = scores.get(tool.name, 0.0)
    return {name: score / own for name, score in scores.items()} if own > 0 else {}


def do_the_same(tool: Tool, other: Tool) -> bool:
    """Whether two tools only read, or share an action that writes."""
    actions, others = set(actions_of_tool(tool)), set(actions_of_tool(other))
    is_reading = actions <= READING and others <= READING
    return is_reading or not actions.isdisjoint(others - READING)


def _text_of(tool: Tool) -> str:
    return f"{tool.name} {tool.title} {tool.description[:_TEXT_CHARACTERS]}"


def _words_of(tool: Tool) -> Iterator[tuple[str, Sequence[str]]]:
    parameters = " ".join(parameter.name for parameter in tool.parameters)
    texts = (tool.name, parameters, *tool.tags, tool.title, tool.description[:_TEXT_CHARACTERS])
    return find_words("\n".join(texts))


def _word_probes(index: ToolIndex, tool: Tool, near: NearTool) -> Iterator[Probe]:
    """What the two have in common, asked once with the words of each."""
    table = index.table
    others = {term for _, terms in _words_of(table.tools[table.rows[near.name]]) for term in terms}
    shared = dict.fromkeys(
        word for word, terms in find_words(_text_of(tool)) if not others.isdisjoint(terms)
    )
    for name, words in ((tool.name, near.own_words), (near.name, near.other_words)):
        if words:
            yield Probe(" ".join((*shared, *words)), frozenset({name}))


def describe_apart(index: ToolIndex, tool: Tool, near: str) -> Iterator[str]:
    """The description with each sentence that can be made of labels, the one that says most first.

    It is in the description's language; a label of a third language would be strange there.
    """
    language = language_of(tool.description or tool.title)
    language = language if language in _SENTENCES else "en"
    quote, joint, stop = _PUNCTUATION[language]
    other = index.table.tools[index.table.rows[near]]

    def name_labels(labels: Sequence[str]) -> str:
        quoted = [quote.format(each) for each in labels if language_of(each) in (language, "en")]
        *first, last = quoted or [""]
        separator = joint if language == "ja" else ", "
        return joint.join(filter(None, (separator.join(first), last)))

    said = name_labels(tell_labels(index, tool, other))
    told = name_labels(tell_labels(index, other, tool))
    text = tool.description.rstrip()
    if text and text[-1] not in ".!?。！？":
        text += stop
    space = "" if language == "ja" or not text else " "
    for sentence in _SENTENCES[language]:
        if ("{own}" not in sentence or said) and ("{other}" not in sentence or told):
            yield f"{text}{space}{sentence.format(own=said, other=told, name=near)}"
