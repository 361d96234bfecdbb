"""The ranking of tools for a query: words, graph, meaning and annotations made one order."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from core.retrieval.action_words import Action
from core.retrieval.bm25f import TermLookup
from core.retrieval.fusion import Scores, best_places
from core.retrieval.index import Mask, RowTable, ToolIndex
from core.retrieval.profiles import DEFAULT, Profile
from core.retrieval.request import ParsedQuery, SearchQuery, parse_query
from core.retrieval.signals import Signals, fuse_signals, gather_signals, split_score
from core.retrieval.tokens import ACTION_MARK, CONCEPT_MARK

_MOST_RELATED = 3


@dataclass(frozen=True, slots=True)
class MatchedTerms:
    """What of a query a tool has: its words, the concepts that it names, the action it asks for.

    `meant` are concepts that the query only means, of a tool for which they count.
    """

    words: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    action: Action | None = None
    meant: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RankedTool:
    """A tool found, with what speaks for it.

    `signals`: bm25 and graph from 0, embedding -1 to 1, annotation 0 to 1, name, the share of the words
    of its name that the query says, 0 to 1, and use, 0 to 1. `used` is what of use each concept gives.
    """

    name: str
    score: float
    signals: dict[str, float]
    matched: MatchedTerms
    used: tuple[tuple[str, float], ...] = ()


class ToolRanker:
    """Ranks the tools of an index; it only reads, so that threads may share it."""

    def __init__(self, index: ToolIndex) -> None:
        self._index = index

    def is_degraded(self, query: SearchQuery) -> bool:
        """Whether the ranking goes by words alone, for want of a vector on either side."""
        return query.vector is None or not self._index.vectors.has_vectors

    def rank(
        self,
        query: SearchQuery,
        allowed: Collection[str] | Mask | None = None,
        profile: Profile = DEFAULT,
    ) -> list[RankedTool]:
        """The best tools for a query, best first, ties by name; none for an empty query.

        Tools that are not `allowed` (None: all are) and those of another kind take no rank.
        Raises EmbeddingError if the query's vector does not fit the tools'.
        """
        parsed = parse_query(query, self._index.glossary, profile)
        if not parsed.folded or not query.result_limit or not len(self._index):
            return []
        table = self._index.table
        candidates = table.mask_of(allowed)
        if query.kind is not None:
            candidates = candidates & table.kinds[query.kind]
        signals = gather_signals(self._index, parsed, profile, candidates)
        scores = fuse_signals(signals, profile)
        if profile.judges_requests and parsed.intent.only_reads:
            scores = _hold_back_deleting(scores, signals, parsed, table)
        kin = (*parsed.loans, *parsed.roots)
        lookup = self._index.words.lookup((*parsed.terms, *kin, *parsed.meant))
        matches = _Matches(parsed, lookup, table.described_in(parsed.language))
        best = best_places(scores, table.name_order[signals.chosen], query.result_limit).tolist()
        concepts = () if signals.use is None else parsed.all_concepts
        found = zip(
            scores[best].tolist(), signals.rows[best].tolist(), signals.at(best), strict=True
        )
        return [
            RankedTool(
                name=table.tools[row].name,
                score=score,
                signals=of_sources,
                matched=matches.find(row),
                used=table.explain_use(concepts, table.tools[row].name) if concepts else (),
            )
            for score, row, of_sources in found
        ]

    def split_scores(
        self,
        query: SearchQuery,
        names: Iterable[str],
        allowed: Collection[str] | Mask | None = None,
        profile: Profile = DEFAULT,
    ) -> dict[str, dict[str, float]]:
        """What each source adds to the scores of these tools, as far as the query may mean them.

        Raises EmbeddingError if the query's vector does not fit the tools'.
        """
        parsed = parse_query(query, self._index.glossary, profile)
        if not parsed.folded or not len(self._index):
            return {}
        table = self._index.table
        signals = gather_signals(self._index, parsed, profile, table.mask_of(allowed))
        parts = split_score(signals, profile)
        rows = {name: table.rows[name] for name in names if name in table.rows}
        places = {name: np.flatnonzero(signals.rows == row) for name, row in rows.items()}
        return {
            name: {source: float(part[found[0]]) for source, part in parts.items()}
            for name, found in places.items()
            if len(found)
        }

    def find_concepts(self, query: SearchQuery, profile: Profile = DEFAULT) -> tuple[str, ...]:
        """The ids of the concepts that a query names, then of those that it means."""
        return parse_query(query, self._index.glossary, profile).all_concepts

    def find_related(
        self, name: str, allowed: Collection[str] | Mask | None = None
    ) -> tuple[str, ...]:
        """Names of up to 3 allowed tools that a tool is used with, best first."""
        table = self._index.table
        mask = table.mask_of(allowed)
        neighbours = table.related_tools.neighbours(name)
        return tuple(
            islice((other for other in neighbours if mask[table.rows[other]]), _MOST_RELATED)
        )


class _Matches:
    """What the tools of rows have of one query."""

    def __init__(self, parsed: ParsedQuery, lookup: TermLookup, own_language: Mask) -> None:
        self._lookup, self._own_language, self._words = lookup, own_language, parsed.words
        self._concepts = [(concept, CONCEPT_MARK + concept) for concept in parsed.concepts]
        self._actions = [(action, ACTION_MARK + action) for action in parsed.actions]
        self._meant = [(term.removeprefix(CONCEPT_MARK), term) for term in parsed.meant]

    def find(self, row: int) -> MatchedTerms:
        present = self._lookup.terms_in(row)
        if not present:
            return MatchedTerms()
        words = [word for word, terms in self._words if not present.isdisjoint(terms)]
        # A tool in the query's language is found by its words.
        meant = () if self._own_language[row] else self._meant
        return MatchedTerms(
            tuple(dict.fromkeys(words)),
            tuple([concept for concept, term in self._concepts if term in present]),
            next((action for action, term in self._actions if term in present), None),
            tuple([concept for concept, term in meant if term in present]),
        )


def _hold_back_deleting(
    scores: Scores, signals: Signals, parsed: ParsedQuery, table: RowTable
) -> Scores:
    """Deleting tools above all others put just below the best of these, in an order of their own.

    One whose name the query says may stay. Where every candidate deletes, nothing changes.
    """
    deleting = table.kinds["delete"][signals.chosen]
    best = np.where(deleting, -np.inf, scores).max(initial=-np.inf)
    above = np.flatnonzero(deleting & (scores >= best))
    if best == -np.inf or not len(above):
        return scores
    named = [
        row for name in parsed.possible_names() for row in table.rows_by_spoken_name.get(name, ())
    ]
    above = above[~np.isin(signals.rows[above], named)]
    # Each distinct score gets a next lower number below the best.
    held, places = np.unique(-scores[above], return_inverse=True)
    steps = best - (1 + np.arange(len(held))) * np.spacing(abs(best) + 1e-9)
    result = scores.copy()
    result[above] = steps[places]
    return result
