"""Likeness in meaning: vectors of tools against that of a query, on equal terms between languages."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbeddingError
from core.messages import message
from core.retrieval.tokens import LANGUAGES, Language

Vector = Sequence[float] | NDArray[np.floating]
Scores = NDArray[np.float32]
# Rows of equal vectors shall have equal scores, wherever a matrix product rounds them.
_DECIMALS = 6
_NONE = -1
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
        self._row_count = 0
        self._mixed: dict[tuple[float, float], NDArray[np.float32]] = {}

    @property
    def has_vectors(self) -> bool:
        return bool((self._languages != _NONE).any())

    @property
    def row_count(self) -> int:
        """The length of score arrays: one more than the highest row ever put."""
        return self._row_count

    @property
    def dimension(self) -> int:
        """Numbers a vector; 0 before the first."""
        return self._vectors.shape[2]

    def copy(self) -> "DenseIndex":
        """The same vectors, to be changed apart."""
        twin = DenseIndex()
        twin._vectors, twin._languages = self._vectors.copy(), self._languages.copy()
        twin._sums, twin._row_count = self._sums.copy(), self._row_count
        twin._mixed = {weights: mixed.copy() for weights, mixed in self._mixed.items()}
        return twin

    def put(self, row: int, language: Language, vectors: tuple[Vector, Vector]) -> None:
        """Take in the vectors of a row's name and text, in place of what the row held.

        Raises EmbeddingError if they have other dimensions than the rest, or no direction.
        """
        pair = np.stack([self._check(vector) for vector in vectors])
        self.remove(row)
        self._make_room(row, pair.shape[1])
        self._row_count = max(self._row_count, row + 1)
        self._vectors[row] = pair
        self._languages[row] = LANGUAGES.index(language)
        self._sums[self._languages[row]] += pair
        self._mix_again(row)

    def remove(self, row: int) -> None:
        """Take out the vectors of a row, if it holds some."""
        if row < len(self._languages) and self._languages[row] != _NONE:
            self._sums[self._languages[row]] -= self._vectors[row]
            self._languages[row] = _NONE
            self._vectors[row] = 0
            self._mix_again(row)

    def score(
        self, query: Vector, weights: tuple[float, float], *, language_offset: bool = True
    ) -> Scores:
        """The score of every row, of name and text by their weights; NaN where a row has no vectors.

        Raises EmbeddingError if the query's vector does not fit.
        """
        vector = self._check(query)
        languages = self._languages[: self.row_count]
        # Not `@`: BLAS would start threads, which on busy cores wait for each other.
        scores: Scores = np.einsum("ij,j->i", self._mix(weights), vector)
        if language_offset:
            scores -= np.append(self._offsets(vector, weights), 0)[languages]
        scores = np.round(scores, _DECIMALS)
        scores[languages == _NONE] = np.nan
        return scores

    def _mix(self, weights: tuple[float, float]) -> NDArray[np.float32]:
        # The score is linear in both vectors, so that one product of half the size is enough.
        mixed = self._mixed.get(weights)
        if mixed is None:
            used = self._vectors[: self.row_count]
            mixed = weights[0] * used[:, 0] + weights[1] * used[:, 1]
            self._mixed = {weights: mixed}
        return mixed

    def _mix_again(self, row: int) -> None:
        """Bring the products up to date for one row; those that have no room for it are forgotten."""
        self._mixed = {each: mixed for each, mixed in self._mixed.items() if row < len(mixed)}
        for (of_name, of_text), mixed in self._mixed.items():
            mixed[row] = of_name * self._vectors[row, 0] + of_text * self._vectors[row, 1]

    def _offsets(self, vector: NDArray[np.float32], weights: tuple[float, float]) -> Scores:
        counts = np.bincount(self._languages + 1, minlength=len(LANGUAGES) + 1)[1:]
        sums = weights[0] * self._sums[:, 0] + weights[1] * self._sums[:, 1]
        return language_means(sums @ vector, counts).astype(np.float32)

    def _check(self, vector: Vector) -> NDArray[np.float32]:
        numbers = np.asarray(vector, dtype=np.float32)
        length = float(np.linalg.norm(numbers))
        if numbers.ndim != 1 or not np.isfinite(length) or length == 0:
            raise EmbeddingError(
                message(
                    "embedding.vector_form", "a vector must be a list of numbers, not all of them 0"
                )
            )
        if self.dimension and len(numbers) != self.dimension:
            raise EmbeddingError(
                message(
                    "embedding.vector_length",
                    "a vector must have {dimension} numbers like the others, not {count}",
                    dimension=self.dimension,
                    count=len(numbers),
                )
            )
        return numbers / np.float32(length)

    def _make_room(self, row: int, dimension: int) -> None:
        if not self.dimension:
            self._vectors = np.zeros((len(self._languages), 2, dimension), dtype=np.float32)
            self._sums = np.zeros((len(LANGUAGES), 2, dimension), dtype=np.float64)
        if row >= len(self._languages):
            more = max(64, row + 1, 2 * len(self._languages)) - len(self._languages)
            self._vectors = np.pad(self._vectors, ((0, more), (0, 0), (0, 0)))
            self._languages = np.pad(self._languages, (0, more), constant_values=_NONE)


def language_means(sums: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The mean score of each language from the sums and numbers of its rows, shrunk to that of all.

    Empirical Bayes with one strength for all languages: (sum + k x mean of all) / (number + k), k = 5.
    """
    overall = sums.sum() / max(1, counts.sum())
    return np.asarray((sums + SHRINKAGE * overall) / (counts + SHRINKAGE), dtype=np.float64)
