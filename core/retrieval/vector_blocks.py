"""One vector a row, in blocks that copies share until one of them writes."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbeddingError
from core.messages import message
from core.retrieval.dense import (
    NO_LANGUAGE,
    SCORE_DECIMALS,
    Scores,
    Vector,
    language_means,
    unit_vector,
)
from core.retrieval.tokens import LANGUAGES, Language

BLOCK_ROWS = 1_024


class VectorBlocks:
    """Vectors at unit length as float32; a changed row costs a copy of its block, not of all.

    The score is the cosine less the mean of all rows of the same language, as DenseIndex has it.
    """

    def __init__(self) -> None:
        self._blocks: list[NDArray[np.float32]] = []
        self._own: set[int] = set()
        self._languages = np.zeros(0, dtype=np.int8)
        self._sums = np.zeros((len(LANGUAGES), 0), dtype=np.float64)
        self._counts = np.zeros(len(LANGUAGES), dtype=np.int64)

    @property
    def has_vectors(self) -> bool:
        return bool(self._counts.any())

    @property
    def dimension(self) -> int:
        """Numbers a vector; 0 before the first."""
        return self._sums.shape[1]

    def copy(self) -> "VectorBlocks":
        """The same vectors, to be changed independently."""
        twin = VectorBlocks()
        twin._blocks, twin._languages = list(self._blocks), self._languages.copy()
        twin._sums, twin._counts = self._sums.copy(), self._counts.copy()
        self._own = set()
        return twin

    def put(self, row: int, language: Language, vector: Vector) -> None:
        """Store the vector of a row in place of what the row held.

        Raises EmbeddingError if it has another dimension than the rest, or no direction.
        """
        unit = unit_vector(vector)
        if self.dimension and len(unit) != self.dimension:
            raise EmbeddingError(
                message(
                    "embedding.vectors_length",
                    "the vectors of all columns must be of one length, from one model",
                )
            )
        self.remove(row)
        if not self.dimension:
            self._sums = np.zeros((len(LANGUAGES), len(unit)), dtype=np.float64)
        while row >= len(self._blocks) * BLOCK_ROWS:
            self._own.add(len(self._blocks))
            self._blocks.append(np.zeros((BLOCK_ROWS, len(unit)), dtype=np.float32))
        if more := len(self._blocks) * BLOCK_ROWS - len(self._languages):
            self._languages = np.pad(self._languages, (0, more), constant_values=NO_LANGUAGE)
        self._writable(row // BLOCK_ROWS)[row % BLOCK_ROWS] = unit
        self._languages[row] = LANGUAGES.index(language)
        self._sums[self._languages[row]] += unit
        self._counts[self._languages[row]] += 1

    def remove(self, row: int) -> None:
        """Remove the vector of a row, if it holds one."""
        if row < len(self._languages) and self._languages[row] != NO_LANGUAGE:
            block = self._writable(row // BLOCK_ROWS)
            self._sums[self._languages[row]] -= block[row % BLOCK_ROWS]
            self._counts[self._languages[row]] -= 1
            self._languages[row] = NO_LANGUAGE
            block[row % BLOCK_ROWS] = 0

    def score(self, vector: Vector | None, count: int) -> Scores:
        """The score of the first `count` rows, NaN if unknown.

        Raises EmbeddingError if the vector does not fit those of the rows.
        """
        scores = np.full(count, np.nan, dtype=np.float32)
        if vector is None or not self.has_vectors:
            return scores
        unit = self._check(vector)
        known = min(count, len(self._languages))
        # Not `@`: BLAS would start threads, which on busy cores wait for each other.
        products = [np.vecdot(block, unit) for block in self._blocks]
        likeness = np.concatenate(products)[:known]
        languages = self._languages[:known]
        offsets = np.append(self._offsets(unit), np.float32(0)).take(languages)
        scores[:known] = np.round(likeness - offsets, SCORE_DECIMALS)
        scores[:known][languages == NO_LANGUAGE] = np.nan
        return scores

    def score_others(
        self, vector: Vector, others: Iterable[Vector], languages: Iterable[Language]
    ) -> Scores:
        """The scores of vectors that are not stored; the means are of those that are.

        Raises EmbeddingError if any of them does not fit.
        """
        unit = self._check(vector)
        rows = [self._check(other) for other in others]
        if not rows:
            return np.zeros(0, dtype=np.float32)
        places = [LANGUAGES.index(language) for language in languages]
        offsets = self._offsets(unit)[places]
        scores: Scores = np.round(np.stack(rows) @ unit - offsets, SCORE_DECIMALS).astype(
            np.float32
        )
        return scores

    def _check(self, vector: Vector) -> NDArray[np.float32]:
        unit = unit_vector(vector)
        if self.dimension and len(unit) != self.dimension:
            raise EmbeddingError(
                message(
                    "embedding.column_vector_length",
                    "a vector must have {dimension} numbers like those of the columns, not {count}",
                    dimension=self.dimension,
                    count=len(unit),
                )
            )
        return unit

    def _offsets(self, unit: NDArray[np.float32]) -> Scores:
        sums = self._sums @ unit if self.dimension else np.zeros(len(LANGUAGES))
        return language_means(sums, self._counts)

    def _writable(self, number: int) -> NDArray[np.float32]:
        if number not in self._own:
            self._blocks[number] = self._blocks[number].copy()
            self._own.add(number)
        return self._blocks[number]
