"""Several sources' scores combined into one, by ranks or by standard scores.

A source is an array of scores, one for each candidate, NaN for no opinion.
"""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
_LEAST_SPREAD = 1e-7
Source = tuple[NDArray[np.floating], float]


def fuse_ranks(sources: Sequence[Source], k: int, *, shared: bool = True) -> Scores:
    """Weighted reciprocal-rank fusion, the sum of weight / (k + rank): Cormack et al. 2009.

    Equal scores share the best of their ranks (1, 2, 2, 4); with `shared` off they have ranks in the
    order of the candidates. A candidate without opinion in a source gets nothing from it.
    """
    total = np.zeros(len(sources[0][0]) if sources else 0)
    for scores, weight in sources:
        known = np.flatnonzero(~np.isnan(scores))
        ranks = rank_scores(scores[known], shared=shared)
        total[known] += weight / (k + ranks)
    return total


def standardize(scores: NDArray[np.floating]) -> Scores:
    """Standard scores, with mean 0 and deviation 1: how many deviations a candidate is above the mean.

    A candidate without opinion (NaN) is as the average, 0, and so are all of a source of one value.
    """
    values = scores.astype(np.float64)
    unknown = np.isnan(values)
    count = len(values) - int(np.count_nonzero(unknown))
    if count < len(values):
        values[unknown] = 0
    values -= values.sum() / max(1, count)
    if count < len(values):
        values[unknown] = 0
    # By a product of the centred values: in one pass, where std() takes four.
    # Not `@`: for long arrays BLAS starts threads, which on busy cores wait 30 ms for each other.
    spread = sqrt(float(np.einsum("i,i->", values, values)) / max(1, count))
    # The scores are float32: a lesser spread is rounding.
    if spread <= _LEAST_SPREAD:
        return np.zeros(len(scores))
    values /= spread
    return values


def rank_scores(scores: NDArray[np.floating], *, shared: bool = True) -> NDArray[np.int64]:
    """Ranks from 1 for the highest; with `shared` equal scores have the best of their ranks."""
    order = np.argsort(-scores, kind=None if shared else "stable")
    sorted_ranks = np.arange(1, len(scores) + 1)
    if shared:
        descending = scores[order]
        # Each group of equals has the rank of its first.
        sorted_ranks[1:][descending[1:] == descending[:-1]] = 0
        sorted_ranks = np.maximum.accumulate(sorted_ranks)
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[order] = sorted_ranks
    return ranks


def best_places(
    scores: NDArray[np.floating], tie_order: NDArray[np.int64], limit: int
) -> NDArray[np.int64]:
    """The places of the highest scores, best first, ties in the given order."""
    if len(scores) > 4 * limit > 0:
        places = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    else:
        places = np.arange(len(scores))
    ranked: NDArray[np.int64] = places[np.lexsort((tie_order[places], -scores[places]))][:limit]
    return ranked
