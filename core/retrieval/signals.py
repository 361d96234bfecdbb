"""Each source's scores of the tools that a query may mean, and these combined into one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose, isnan, nan

import numpy as np
from numpy.typing import NDArray

from core.retrieval.fusion import Scores, Source, fuse_ranks, standardize
from core.retrieval.index import Mask, ToolIndex
from core.retrieval.intent import NEUTRAL, score_annotations
from core.retrieval.profiles import Profile
from core.retrieval.request import ParsedQuery
from core.retrieval.tokens import ACTION_MARK, CONCEPT_MARK, MARKS

_GRAPH_SEEDS = 10
# Of each source, when ranks are fused: what is further behind could not come to the front.
_POOL = 1_000

Opinions = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """The candidates' rows, and for each the score of every source; `chosen` takes them out of an array.

    0 for words, otherwise NaN, is no opinion; None is a source that is not used. `name` is the share
    of the words of a tool's name that the query contains, `use` what agents called after such questions.
    """

    rows: NDArray[np.int64]
    # All rows in their order need no copies, which would cost as much as what was learned.
    chosen: slice | NDArray[np.int64]
    bm25: Opinions
    graph: Opinions | None
    embedding: Opinions | None
    annotation: Opinions
    name: Opinions
    use: Opinions | None = None

    def at(self, places: Sequence[int]) -> list[dict[str, float]]:
        """The scores of some candidates: 0 where a source has no opinion, 0.5 for annotations."""
        sources = {
            "bm25": self.bm25,
            "name": self.name,
            "graph": self.graph,
            "embedding": self.embedding,
            "annotation": self.annotation,
            "use": self.use,
        }
        columns = []
        for source, scores in sources.items():
            neutral = NEUTRAL if source == "annotation" else 0.0
            found = [neutral] * len(places) if scores is None else scores[places].tolist()
            columns.append([neutral if isnan(score) else score for score in found])
        return [dict(zip(sources, row, strict=True)) for row in zip(*columns, strict=True)]


def gather_signals(
    index: ToolIndex, query: ParsedQuery, profile: Profile, candidates: Mask
) -> Signals:
    """The scores of the candidates on which some source has an opinion; other rows have no influence.

    Raises EmbeddingError if the query's vector does not fit.
    """
    bm25 = _score_words(index, query, profile)
    # Rows that hold no tool have no words.
    if candidates is not index.table.everything:
        bm25 = np.where(candidates, bm25, np.float32(0))
    graph = _score_graph(index, bm25, candidates) if profile.graph_weight else None
    embedding = _score_meaning(index, query, profile)
    # There are few different annotations.
    places, different = index.table.annotations
    fits = (score_annotations(query.intent, annotations) for annotations in different)
    decided = [nan if isclose(score, NEUTRAL) else score for score in fits]
    annotation = np.array(decided, dtype=np.float32)[places]
    opinions = [scores for scores in (graph, embedding) if scores is not None]
    if profile.annotations_find:
        opinions.append(annotation)
    rows = _choose_rows(bm25, opinions, candidates)
    if profile.fusion == "ranks":
        rows = rows[_among_best([bm25[rows], *(scores[rows] for scores in opinions)])]
    elif profile.fusion == "ordinal_ranks":
        rows = rows[np.argsort(index.table.name_order[rows])]
    use = index.table.score_use(query.all_concepts) if profile.use_weight else None
    is_whole = len(rows) == len(bm25) and profile.fusion == "deviations"
    chosen: slice | NDArray[np.int64] = slice(None) if is_whole else rows
    return Signals(
        rows=rows,
        chosen=chosen,
        bm25=bm25[chosen],
        graph=None if graph is None else graph[chosen],
        embedding=None if embedding is None else embedding[chosen],
        annotation=annotation[chosen],
        name=index.name_coverage.shares((*query.terms, *query.loans), len(bm25))[chosen],
        use=None if use is None else use[chosen],
    )


def fuse_signals(signals: Signals, profile: Profile) -> Scores:
    """One score for each candidate, combined as the profile says."""
    total = np.zeros(len(signals.rows))
    for part in split_score(signals, profile).values():
        total += part
    return total


def split_score(signals: Signals, profile: Profile) -> dict[str, Scores]:
    """What each source adds to the score of each candidate; these parts make the score."""
    weighted = {
        "graph": (signals.graph, profile.graph_weight),
        "embedding": (signals.embedding, profile.embedding_weight),
    }
    others = {
        source: (scores, weight)
        for source, (scores, weight) in weighted.items()
        if scores is not None and weight
    }
    if profile.fusion == "deviations":
        # A tool without any of the words is not average: its score by words is 0. Roots, since sums
        # of rarities have a long tail, in which one rare word would outweigh all meaning.
        sources: dict[str, Source] = {
            "bm25": (np.sqrt(signals.bm25), profile.bm25_weight),
            **others,
        }
        parts = {name: weight * standardize(scores) for name, (scores, weight) in sources.items()}
        leaning = signals.annotation - np.float32(NEUTRAL)
        leaning[np.isnan(leaning)] = 0
        parts["annotation"] = (profile.annotation_weight * leaning).astype(np.float64)
        # Squared, since half a name in a query is a coincidence more often than not.
        parts["name"] = profile.name_weight * np.square(signals.name, dtype=np.float64)
        if signals.use is not None:
            parts["use"] = (profile.use_weight * signals.use).astype(np.float64)
        return parts
    words = np.where(signals.bm25 > 0, signals.bm25, np.float32(np.nan))
    sources = {"bm25": (words, profile.bm25_weight), **others}
    sources["annotation"] = (signals.annotation, profile.annotation_weight)
    is_shared = profile.fusion == "ranks"
    return {
        source: fuse_ranks([own], profile.k, shared=is_shared) for source, own in sources.items()
    }


def _score_words(index: ToolIndex, query: ParsedQuery, profile: Profile) -> Opinions:
    """The scores by words, concepts and actions, whose scores are as far apart as their weights."""
    terms: dict[str, list[str]] = {}
    for term in query.terms:
        terms.setdefault(term[0] if term[0] in MARKS else "", []).append(term)
    total = index.words.score(terms.get("", ()))
    if actions := terms.get(ACTION_MARK):
        total += np.float32(profile.action_weight) * index.words.score(actions)
    if concepts := terms.get(CONCEPT_MARK):
        # A tool in the query's language has its words as well.
        own, other = profile.same_language_concept_weight, profile.concept_weight
        weights = index.table.weigh(query.language, own=own, other=other)
        total += weights * index.words.score(concepts)
    for kin, kin_weight in ((query.loans, profile.loan_weight), (query.roots, profile.root_weight)):
        if kin:
            total += np.float32(kin_weight) * index.words.score(kin)
    if query.meant:
        # A tool in the query's language is found by its words.
        weights = index.table.weigh(query.language, own=0, other=profile.soft_concept_weight)
        total += weights * index.words.score(query.meant)
    return total


def _score_graph(index: ToolIndex, bm25: Opinions, candidates: Mask) -> Opinions | None:
    """The scores of the best rows by words, against the best of all, and of what is near them."""
    best = float(np.max(bm25, initial=0))
    if best <= 0:
        return None
    table = index.table
    first = np.lexsort((table.name_order, -bm25))[:_GRAPH_SEEDS]
    seeds = {table.tools[row].name: float(bm25[row]) / best for row in first if bm25[row] > 0}
    scores = np.full(len(bm25), np.nan)
    near = table.related_tools.expand(seeds, allows=lambda name: bool(candidates[table.rows[name]]))
    for name, score in near.items():
        scores[table.rows[name]] = score
    return scores


def _score_meaning(index: ToolIndex, query: ParsedQuery, profile: Profile) -> Opinions | None:
    if query.vector is None or not index.vectors.has_vectors:
        return None
    known = index.vectors.score(
        query.vector, profile.vector_weights, language_offset=profile.uses_language_offset
    )
    if len(known) == len(index.table.everything):
        return known
    # Rows of tools without vectors may lie behind the last that has some, or the other way.
    scores = np.full(len(index.table.everything), np.nan, dtype=np.float32)
    scores[: len(known)] = known[: len(scores)]
    return scores


def _choose_rows(
    bm25: Opinions, opinions: Sequence[Opinions], candidates: Mask
) -> NDArray[np.int64]:
    has_opinion = bm25 > 0
    for scores in opinions:
        has_opinion |= ~np.isnan(scores)
    return np.flatnonzero(has_opinion & candidates)


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
