"""Concepts that a question means without naming them: those whose terms are nearest to its vector."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.dense import Vector, unit_vector

# A glossary of a few concepts has none that is near.
_LEAST_CONCEPTS = 20


class ConceptVectors:
    """The vectors of concepts, each of one length; they never change.

    A concept's vector is the mean of those of its terms in each language, less the mean of all concepts
    in that language: a model finds terms of the question's own language alike whatever they mean.
    """

    def __init__(self, vectors: Mapping[str, Vector]) -> None:
        self._ids = list(vectors)
        rows = [np.asarray(vector, dtype=np.float32) for vector in vectors.values()]
        self._matrix = np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)

    def only(self, concepts: Collection[str]) -> "ConceptVectors":
        """Those of these concepts."""
        rows = zip(self._ids, self._matrix, strict=True)
        return ConceptVectors({concept: row for concept, row in rows if concept in concepts})

    def nearest(self, query: Vector | None, named: Collection[str], count: int) -> Sequence[str]:
        """The ids of the nearest concepts that the query does not name, nearest first.

        None without a vector, with one of another length, and of less than 20 concepts.
        """
        if query is None or len(self._ids) < _LEAST_CONCEPTS:
            return ()
        if len(query) != self._matrix.shape[1]:
            return ()
        # Not `@`: BLAS would start threads, which on busy cores wait for each other.
        scores = np.vecdot(self._matrix, unit_vector(query))
        # As many as could be named, and those that are wanted.
        most = min(count + len(named), len(scores) - 1)
        places = np.argpartition(-scores, most)[: most + 1]
        nearest = (self._ids[place] for place in places[np.argsort(-scores[places], kind="stable")])
        unnamed = (concept for concept in nearest if concept not in named)
        return [concept for concept, _ in zip(unnamed, range(count), strict=False)]


def combine_terms(vectors: Mapping[tuple[str, str], Vector]) -> dict[str, NDArray[np.float32]]:
    """The vector of each concept from those of its terms, by concept and language."""
    keys = list(vectors)
    units = np.stack([unit_vector(vectors[key]) for key in keys])
    spoken = np.array([language for _, language in keys])
    for language in dict.fromkeys(spoken):
        own = spoken == language
        units[own] -= units[own].mean(axis=0)
    rows: dict[str, list[NDArray[np.float32]]] = {}
    for (concept, _), unit in zip(keys, units, strict=True):
        rows.setdefault(concept, []).append(unit)
    return {concept: np.mean(found, axis=0) for concept, found in rows.items()}
