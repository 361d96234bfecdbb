"""Likeness in meaning: vectors of tools against that of a query, on equal terms between languages."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbeddingError
from core.messages import message
from core.retrieval.tokens import LANGUAGES, Language

Vector = Sequence[float] | NDArray[np.floating]
VectorPair = tuple[NDArray[np.float32], NDArray[np.float32]]
Scores = NDArray[np.float32]
# Rows of equal vectors must have equal scores, however a matrix product rounds them.
SCORE_DECIMALS = 6
# The language of a row without vectors.
NO_LANGUAGE = -1
# The mean of a language counts as if so many more rows had the mean of all: that of one row alone
# is the row itself, which could then be like no query at all.
SHRINKAGE = 5


class DenseIndex:
    """Two vectors a row, of the name and of the text, kept at unit length as float32.

    The score is `q·d - q·mean(vectors of the rows in d's language)`: a model that finds texts of one
    language alike whatever they say would otherwise answer in the query's language only. The mean of
    a language with few rows is drawn towards that of all, see `language_means`.
    """

    def __init__(self) -> None:
        self._vectors = np.zeros((0, 2, 0), dtype=np.float32)
        self._languages = np.zeros(0, dtype=np.int8)
        self._sums = np.zeros((len(LANGUAGES), 2, 0), dtype=np.float64)
        # Of rows with vectors, by language.
        self._counts = np.zeros(len(LANGUAGES), dtype=np.int64)
        self._row_count = 0
        self._mixed: dict[tuple[float, float], NDArray[np.float32]] = {}

    @property
    def has_vectors(self) -> bool:
        return bool(self._counts.any())

    @property
    def row_count(self) -> int:
        """The length of score arrays: one more than the highest row ever put."""
        return self._row_count

    @property
    def dimension(self) -> int:
        """Numbers a vector; 0 before the first."""
        return self._vectors.shape[2]

    def copy(self) -> "DenseIndex":
        """The same vectors, to be changed independently."""
        twin = DenseIndex()
        twin._vectors, twin._languages = self._vectors.copy(), self._languages.copy()
        twin._sums, twin._row_count = self._sums.copy(), self._row_count
        twin._counts = self._counts.copy()
        twin._mixed = {weights: mixed.copy() for weights, mixed in self._mixed.items()}
        return twin

    def put(self, row: int, language: Language, vectors: tuple[Vector, Vector]) -> None:
        """Store the vectors of a row's name and text in place of what the row held.

        Raises EmbeddingError if they have other dimensions than the rest, or no direction.
        """
        pair = np.stack([self._check(vector) for vector in vectors])
        self.remove(row)
        if not self.dimension:
            self._vectors = np.zeros((len(self._languages), 2, pair.shape[1]), dtype=np.float32)
            self._sums = np.zeros((len(LANGUAGES), 2, pair.shape[1]), dtype=np.float64)
        if row >= len(self._languages):
            more = max(64, row + 1, 2 * len(self._languages)) - len(self._languages)
            self._vectors = np.pad(self._vectors, ((0, more), (0, 0), (0, 0)))
            self._languages = np.pad(self._languages, (0, more), constant_values=NO_LANGUAGE)
        self._row_count = max(self._row_count, row + 1)
        self._vectors[row] = pair
        self._languages[row] = LANGUAGES.index(language)
        self._sums[self._languages[row]] += pair
        self._counts[self._languages[row]] += 1
        self._mix_again(row)

    def remove(self, row: int) -> None:
        """Remove the vectors of a row, if it holds some."""
        if row < len(self._languages) and self._languages[row] != NO_LANGUAGE:
            self._sums[self._languages[row]] -= self._vectors[row]
            self._counts[self._languages[row]] -= 1
            self._languages[row] = NO_LANGUAGE
            self._vectors[row] = 0
            self._mix_again(row)

    def score(
        self, query: Vector, weights: tuple[float, float], *, language_offset: bool = True
    ) -> Scores:
        """The score of every row, of name and text by their weights; NaN for a row without vectors.

        Raises EmbeddingError if the query's vector does not fit.
        """
        vector = self._check(query)
        languages = self._languages[: self.row_count]
        # The score is linear in both vectors, so that one product of half the size is enough.
        mixed = self._mixed.get(weights)
        if mixed is None:
            used = self._vectors[: self.row_count]
            mixed = weights[0] * used[:, 0] + weights[1] * used[:, 1]
            self._mixed = {weights: mixed}
        # Not `@`: BLAS would start threads, which on busy cores wait for each other.
        scores: Scores = np.vecdot(mixed, vector)
        if language_offset:
            sums = (weights[0] * self._sums[:, 0] + weights[1] * self._sums[:, 1]) @ vector
            scores -= np.append(language_means(sums, self._counts), np.float32(0)).take(languages)
        scores = np.round(scores, SCORE_DECIMALS, out=scores)
        if self._counts.sum() < self.row_count:
            scores[languages == NO_LANGUAGE] = np.nan
        return scores

    def _mix_again(self, row: int) -> None:
        """Bring the products up to date for one row; those that have no room for it are forgotten."""
        self._mixed = {weights: mixed for weights, mixed in self._mixed.items() if row < len(mixed)}
        for (of_name, of_text), mixed in self._mixed.items():
            mixed[row] = of_name * self._vectors[row, 0] + of_text * self._vectors[row, 1]

    def _check(self, vector: Vector) -> NDArray[np.float32]:
        unit = unit_vector(vector)
        if self.dimension and len(unit) != self.dimension:
            raise EmbeddingError(
                message(
                    "embedding.vector_length",
                    "a vector must have {dimension} numbers like the others, not {count}",
                    dimension=self.dimension,
                    count=len(unit),
                )
            )
        return unit


def unit_vector(vector: Vector) -> NDArray[np.float32]:
    """The vector at length 1 as float32. Raises EmbeddingError if it has no direction."""
    numbers = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(numbers))
    if numbers.ndim != 1 or not np.isfinite(length) or length == 0:
        raise EmbeddingError(
            message(
                "embedding.vector_form", "a vector must be a list of numbers, not all of them 0"
            )
        )
    unit: NDArray[np.float32] = numbers / np.float32(length)
    return unit


def language_means(sums: NDArray[np.float64], counts: NDArray[np.int64]) -> Scores:
    """The mean score of each language from the sums and numbers of its rows, shrunk to that of all rows.

    Empirical Bayes with one strength for all languages: (sum + k x mean of all) / (number + k), k = 5.
    """
    overall = sums.sum() / max(1, counts.sum())
    return np.asarray((sums + SHRINKAGE * overall) / (counts + SHRINKAGE), dtype=np.float32)
