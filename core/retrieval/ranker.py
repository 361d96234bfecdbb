"""The ranking of tools for a query: words, graph, meaning and annotations made one order."""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.retrieval.action_words import Action
from core.retrieval.bm25f import TermLookup
from core.retrieval.fusion import Scores
from core.retrieval.index import Mask, RowTable, ToolIndex, Visible
from core.retrieval.profiles import DEFAULT, Profile
from core.retrieval.request import Query, Reading, read_query
from core.retrieval.signals import Signals, SignalSource, fuse_signals
from core.retrieval.tokens import ACTION_MARK, CONCEPT_MARK
from core.retrieval.tool_graph import ToolGraph

_MOST_RELATED = 3


@dataclass(frozen=True, slots=True)
class Why:
    """What of a query a tool meets: its words, the concepts that it means, the action it asks for."""

    words: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    action: Action | None = None


@dataclass(frozen=True, slots=True)
class RankedTool:
    """A tool found, with what speaks for it.

    `signals`: bm25 and graph from 0, embedding -1 to 1, annotation 0 to 1, and name, the share of the
    words of its name that the query says, 0 to 1.
    `related`: names of up to 3 visible tools that it is used with, best first.
    """

    name: str
    score: float
    signals: dict[str, float]
    why: Why
    related: tuple[str, ...]


class ToolRanker:
    """Ranks the tools of an index; it only reads, so that threads may share it."""

    def __init__(self, index: ToolIndex) -> None:
        self._index = index

    def is_degraded(self, query: Query) -> bool:
        """Whether the ranking goes by words alone, for want of a vector on either side."""
        return query.vector is None or not self._index.vectors.has_vectors

    def rank(
        self,
        query: Query,
        allowed: Collection[str] | Mask | None = None,
        profile: Profile = DEFAULT,
    ) -> list[RankedTool]:
        """The best tools for a query, best first, ties by name; none for an empty query.

        Tools that are not `allowed` (None: all are) take no rank and are related to nothing; those of
        another kind take no rank. Raises EmbeddingError if the query's vector does not fit the tools'.
        """
        reading = read_query(query, self._index.glossary, profile)
        if not reading.folded or not query.result_limit or not len(self._index):
            return []
        table = self._index.table
        mask = table.mask_of(allowed)
        wanted = mask if query.kind is None else mask & table.kinds[query.kind]
        signals = SignalSource(self._index, query, reading, profile).gather(wanted)
        scores = fuse_signals(signals, profile)
        if profile.judges_requests and reading.intent.only_reads:
            scores = _hold_back_deleting(scores, signals.rows, reading, table)
        best = _best_places(scores, table.name_order[signals.rows], query.result_limit)
        lookup = self._index.words.lookup(reading.terms)
        told = _Telling(self._index.graph, reading, signals, Visible(table, mask), lookup)
        return [told.tell(int(place), float(scores[place])) for place in best]


@dataclass(frozen=True, slots=True)
class _Telling:
    """What is told of the candidates that are among the best."""

    graph: ToolGraph
    reading: Reading
    signals: Signals
    visible: Visible
    lookup: TermLookup

    def tell(self, place: int, score: float) -> RankedTool:
        row = int(self.signals.rows[place])
        name = self.visible.table.tools[row].name
        near = (other for other in self.graph.neighbours(name) if other in self.visible)
        return RankedTool(
            name=name,
            score=score,
            signals=self.signals.at(place),
            why=self._explain(row),
            related=tuple(islice(near, _MOST_RELATED)),
        )

    def _explain(self, row: int) -> Why:
        there = self.lookup.terms_in(row)
        met = dict.fromkeys(
            word for word, terms in self.reading.words if not there.isdisjoint(terms)
        )
        concepts = [name for name in self.reading.concepts if CONCEPT_MARK + name in there]
        actions = self.reading.actions
        action = next((action for action in actions if ACTION_MARK + action in there), None)
        return Why(tuple(met), tuple(concepts), action)


def _hold_back_deleting(
    scores: Scores, rows: NDArray[np.int64], reading: Reading, table: RowTable
) -> Scores:
    """Deleting tools above all others put just below the best of these, in an order of their own.

    One whose name the query says may stay. Where every candidate deletes, nothing changes.
    """
    deleting = table.kinds["delete"][rows]
    best = scores.max(where=~deleting, initial=-np.inf)
    if best == -np.inf:
        return scores
    above = np.flatnonzero(deleting & (scores >= best))
    if len(above):
        above = above[~np.isin(rows[above], table.rows_named(reading.said_names()))]
    return _put_below(best, above, scores) if len(above) else scores


def _put_below(best: np.float64, above: NDArray[np.intp], scores: Scores) -> Scores:
    """Each distinct score of those places gets a next lower number below `best`."""
    held, places = np.unique(-scores[above], return_inverse=True)
    steps = best - (1 + np.arange(len(held))) * np.spacing(abs(best) + 1e-9)
    result = scores.copy()
    result[above] = steps[places]
    return result


def _best_places(scores: Scores, name_order: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """The places of the highest scores in their order, ties by name."""
    places = np.arange(len(scores))
    if len(scores) > 4 * limit:
        places = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    order = np.lexsort((name_order[places], -scores[places]))
    return places[order][:limit]
