"""What each source says of the tools that a query may mean, and these opinions made one score."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose, isnan, nan

import numpy as np
from numpy.typing import NDArray

from core.retrieval.annotation_scores import NEUTRAL, score_annotations
from core.retrieval.fusion import Scores, fuse_deviations, fuse_ranks
from core.retrieval.index import Mask, RowTable, ToolIndex, Visible
from core.retrieval.intent import QueryIntent
from core.retrieval.profiles import Profile
from core.retrieval.request import Query, Reading
from core.retrieval.tokens import ACTION_MARK, CONCEPT_MARK, MARKS

_GRAPH_SEEDS = 10
# Of each source, when ranks are fused: what is further behind could not come to the front.
_POOL = 1_000

Opinions = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """The candidates' rows, and for each the score of every source.

    0 words, and otherwise NaN, is no opinion; None is a source that was not asked. `name` is the share
    of the words of a tool's name that the query says.
    """

    rows: NDArray[np.int64]
    bm25: Opinions
    graph: Opinions | None
    embedding: Opinions | None
    annotation: Opinions
    name: Opinions

    def at(self, place: int) -> dict[str, float]:
        """The scores of one candidate: 0 where a source has no opinion, 0.5 for annotations."""
        return {
            "bm25": _said(self.bm25, place, 0.0),
            "name": float(self.name[place]),
            "graph": _said(self.graph, place, 0.0),
            "embedding": _said(self.embedding, place, 0.0),
            "annotation": _said(self.annotation, place, NEUTRAL),
        }


class SignalSource:
    """Asks every source of an index about one query, as a profile wants it."""

    def __init__(self, index: ToolIndex, query: Query, reading: Reading, profile: Profile) -> None:
        self._index = index
        self._query = query
        self._reading = reading
        self._profile = profile

    def gather(self, wanted: Mask) -> Signals:
        """The opinions on the wanted rows of which some source speaks; no other row has any part in it.

        Raises EmbeddingError if the query's vector does not fit.
        """
        table = self._index.table
        bm25 = np.where(wanted, self._score_words(), np.float32(0))
        graph = self._expand(bm25, Visible(table, wanted))
        embedding = self._compare()
        annotation = _judge_annotations(self._reading.intent, table)
        opinions = [scores for scores in (graph, embedding) if scores is not None]
        if self._profile.annotations_find:
            opinions.append(annotation)
        rows = self._choose(bm25, opinions, wanted)
        return Signals(
            rows=rows,
            bm25=bm25[rows],
            graph=None if graph is None else graph[rows],
            embedding=None if embedding is None else embedding[rows],
            annotation=annotation[rows],
            name=self._index.said_names.shares(self._reading.terms, len(bm25))[rows],
        )

    def _score_words(self) -> Opinions:
        """The scores by words, concepts and actions, whose scores are as far apart as their weights."""
        terms: dict[str, list[str]] = {}
        for term in self._reading.terms:
            terms.setdefault(term[0] if term[0] in MARKS else "", []).append(term)
        words, profile = self._index.words, self._profile
        total = words.score(terms.get("", ()))
        if actions := terms.get(ACTION_MARK):
            total += np.float32(profile.action_weight) * words.score(actions)
        if concepts := terms.get(CONCEPT_MARK):
            total += self._concept_weights() * words.score(concepts)
        return total

    def _concept_weights(self) -> Opinions:
        """The weight of concepts by row: a tool in the query's language has its words as well."""
        same, other = self._profile.same_language_concept_weight, self._profile.concept_weight
        spoken = self._index.table.described_in(self._reading.language)
        return np.where(spoken, np.float32(same), np.float32(other))

    def _choose(
        self, bm25: Opinions, opinions: Sequence[Opinions], wanted: Mask
    ) -> NDArray[np.int64]:
        """The rows to be ranked; for a ranking by rank only those that are among the best somewhere."""
        spoken_of = bm25 > 0
        for scores in opinions:
            spoken_of |= ~np.isnan(scores)
        rows = np.flatnonzero(spoken_of & wanted)
        match self._profile.fusion:
            case "ranks":
                return rows[_among_best([bm25[rows], *(scores[rows] for scores in opinions)])]
            case "ordinal_ranks":
                return rows[np.argsort(self._index.table.name_order[rows])]
            case _:
                return rows

    def _compare(self) -> Opinions | None:
        vectors, profile = self._index.vectors, self._profile
        if self._query.vector is None or not vectors.has_vectors:
            return None
        offset = profile.uses_language_offset
        weights = profile.vector_weights
        found = vectors.score(self._query.vector, weights, language_offset=offset)
        # Rows of tools without vectors may lie behind the last that has some, or the other way.
        scores = np.full(len(self._index.table.everything), np.nan, dtype=np.float32)
        scores[: len(found)] = found[: len(scores)]
        return scores

    def _expand(self, bm25: Opinions, visible: Visible) -> Opinions | None:
        """The scores of the best rows by words, against the best of all, and of what is near them."""
        best = float(bm25.max(initial=0))
        if not self._profile.graph_weight or best <= 0:
            return None
        table = visible.table
        first = np.lexsort((table.name_order, -bm25))[:_GRAPH_SEEDS]
        seeds = {table.tools[r].name: float(bm25[r]) / best for r in first if bm25[r] > 0}
        scores = np.full(len(bm25), np.nan)
        for name, score in self._index.graph.expand(seeds, allowed=visible).items():
            scores[table.rows[name]] = score
        return scores


def fuse_signals(signals: Signals, profile: Profile) -> Scores:
    """One score for each candidate, by the profile's way."""
    weighted = (
        (signals.graph, profile.graph_weight),
        (signals.embedding, profile.embedding_weight),
    )
    others = [(scores, weight) for scores, weight in weighted if scores is not None and weight]
    if profile.fusion == "deviations":
        # A tool without any of the words is no average one: its score by words is 0. Roots, since sums
        # of rarities have a long tail, in which one rare word would outweigh all meaning.
        fused = fuse_deviations([(np.sqrt(signals.bm25), profile.bm25_weight), *others])
        leaning = np.where(np.isnan(signals.annotation), 0, signals.annotation - NEUTRAL)
        # Squared, since a name that is said by half is a coincidence more often than not.
        said = profile.name_weight * np.square(signals.name, dtype=np.float64)
        scores: Scores = fused + profile.annotation_weight * leaning + said
        return scores
    words = np.where(signals.bm25 > 0, signals.bm25, np.float32(np.nan))
    ranked = [(words, profile.bm25_weight), *others]
    ranked.append((signals.annotation, profile.annotation_weight))
    return fuse_ranks(ranked, profile.k, shared=profile.fusion == "ranks")


def _among_best(opinions: Sequence[Opinions]) -> Mask:
    """The candidates that are among the thousand best of any source, with all that equal the last."""
    chosen = np.zeros(len(opinions[0]), dtype=np.bool_)
    for scores in opinions:
        if len(scores) <= _POOL:
            return np.ones(len(scores), dtype=np.bool_)
        known = np.where(np.isnan(scores), -np.inf, scores)
        least = np.partition(known, -_POOL)[-_POOL]
        chosen |= (known >= least) & (known > -np.inf)
    return chosen


def _judge_annotations(intent: QueryIntent, table: RowTable) -> Opinions:
    """The score of every row by its annotations; there are few different ones."""
    places, different = table.annotations
    scores = (score_annotations(intent, annotations) for annotations in different)
    decided = [nan if isclose(score, NEUTRAL) else score for score in scores]
    return np.array(decided, dtype=np.float32)[places]


def _said(scores: Opinions | None, place: int, unsaid: float) -> float:
    score = unsaid if scores is None else float(scores[place])
    return unsaid if isnan(score) else score
