"""A search request, and what is read out of its words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from core.retrieval.action_words import Action
from core.retrieval.actions import Kind, action_tokens, actions_of_query, find_actions
from core.retrieval.dense import Vector
from core.retrieval.glossary import Glossary
from core.retrieval.intent import QueryIntent, classify_intent, intent_of_actions
from core.retrieval.kindred import asked_loans, asked_roots, find_by_word
from core.retrieval.profiles import Profile
from core.retrieval.tokens import (
    CONCEPT_MARK,
    Language,
    find_words,
    fold,
    is_stop_term,
    language_of,
)

# A request is a sentence or two; what is pasted behind it is no help and costs time.
MAX_QUERY_CHARACTERS = 1_000
MAX_RESULTS = 200
_MOST_NAME_WORDS = 8
# Which record, person or page is meant pulls the vector away from what is to be done with it.
_RECORD = re.compile(
    r"https?://\S+"
    r"|[\w.+-]{1,64}@[\w-]+\.[\w.-]+"
    r"|#\d+"
    r"|(?<![a-z0-9_-])(?=(?:[a-z_-]*\d){3})[a-z]{1,6}[-_]?\d[a-z0-9_-]*"
    r"|(?<![\d.,:/-])\d{5,}(?![\d.,:/-])",
    re.ASCII | re.IGNORECASE,
)
_LEAST_CHARACTERS = 4


@dataclass(frozen=True, slots=True, eq=False)
class SearchQuery:
    """What is searched: a text, its vector (None: by words only), the kind of tool (None: any).

    `limit` is held between 0 and 200; only the first 1,000 characters of the text count.
    """

    text: str
    vector: Vector | None = None
    kind: Kind | None = None
    limit: int = 5

    @property
    def clipped(self) -> str:
        return self.text[:MAX_QUERY_CHARACTERS].strip()

    @property
    def embedded_text(self) -> str:
        """The text whose vector is to be searched with: without numbers of records, addresses and links.

        What would leave nearly nothing is left as it is.
        """
        rest = " ".join(_RECORD.sub(" ", self.clipped).split())
        return rest if len(rest) >= _LEAST_CHARACTERS else self.clipped

    @property
    def result_limit(self) -> int:
        return max(0, min(self.limit, MAX_RESULTS))


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """What a query says: its words with their terms and those of their kin, concepts, actions, and what it intends.

    `terms` is all that is looked up in the index of words, `meant` the concepts that it does not name,
    `loans` and `roots` the kin of its words; `language` is that of the text.
    """

    vector: Vector | None
    folded: str
    words: tuple[tuple[str, Sequence[str]], ...]
    concepts: tuple[str, ...]
    actions: tuple[Action, ...]
    intent: QueryIntent
    terms: tuple[str, ...]
    language: Language
    meant: tuple[str, ...] = ()
    loans: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()

    @property
    def all_concepts(self) -> tuple[str, ...]:
        """The ids of the concepts that it names, then of those that it means."""
        return (*self.concepts, *(term.removeprefix(CONCEPT_MARK) for term in self.meant))

    def possible_names(self) -> Iterator[str]:
        """Every run of up to 8 words, joined: the names of tools that the query may speak of."""
        words = self.folded.split()
        for first in range(len(words)):
            for last in range(first + 1, min(first + _MOST_NAME_WORDS, len(words)) + 1):
                yield "".join(words[first:last])


def parse_query(query: SearchQuery, glossary: Glossary, profile: Profile) -> ParsedQuery:
    """What a query says, as far as the profile makes use of it."""
    text = query.clipped
    folded = fold(text)
    matches = find_actions(folded)
    actions = actions_of_query(folded, matches)
    if profile.judges_requests:
        intent = intent_of_actions(actions)
    else:
        intent = classify_intent(text, seed_words_only=True)
    if not profile.uses_actions:
        actions = ()
    words = [(word, terms) for word, terms in find_words(text) if not all(map(is_stop_term, terms))]
    concepts: tuple[str, ...] = ()
    meant: Sequence[str] = ()
    spans = [(match.start, match.end) for match in matches]
    if profile.uses_glossary:
        named = [*glossary.spans(folded)]
        concepts = tuple(dict.fromkeys(term.removeprefix(CONCEPT_MARK) for term, _, _ in named))
        spans += ((first, last) for _, first, last in named)
        meant = glossary.find_meant(query.vector, concepts, profile.soft_concepts)
    # What stands for a concept or an action finds other languages and forms already.
    unknown = find_unknown(words, folded, spans)
    loans = find_by_word(asked_loans, unknown) if profile.loan_weight else {}
    roots = find_by_word(asked_roots, unknown) if profile.root_weight else {}
    return ParsedQuery(
        vector=query.vector,
        folded=folded,
        words=tuple(
            (word, (*found, *loans.get(word, ()), *roots.get(word, ()))) for word, found in words
        ),
        concepts=concepts,
        actions=actions,
        intent=intent,
        terms=(
            *(term for _, terms in words for term in terms),
            *action_tokens(actions),
            *(CONCEPT_MARK + concept for concept in concepts),
        ),
        language=language_of(text),
        meant=tuple(CONCEPT_MARK + concept for concept in meant),
        loans=tuple(chain.from_iterable(loans.values())),
        roots=tuple(chain.from_iterable(roots.values())),
    )


def find_unknown(
    words: Iterable[tuple[str, Sequence[str]]], folded: str, known: Iterable[tuple[int, int]]
) -> list[tuple[str, Sequence[str]]]:
    """The words of a folded text that lie in none of the known places."""
    places = list(known)
    unknown, start = [], 0
    for word, terms in words:
        written = word.casefold()
        found = folded.find(written, start)
        start = found + len(written) if found >= 0 else start
        if not any(first < start and found < last for first, last in places):
            unknown.append((word, terms))
    return unknown
