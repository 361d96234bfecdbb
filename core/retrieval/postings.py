"""Where a term occurs: rows and counts by field, compact, growing and shrinking one row at a time."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

FIELD_COUNT = 4


class Postings:
    """The rows of one term with how often it occurs in each of their fields; in no order."""

    __slots__ = ("_counts", "_rows")

    def __init__(self, rows: "array[int]", counts: "array[int]") -> None:
        self._rows = rows
        self._counts = counts

    @classmethod
    def empty(cls) -> "Postings":
        return cls(array("i"), array("H"))

    def __len__(self) -> int:
        return len(self._rows)

    def copy(self) -> "Postings":
        """The same postings, to be changed apart."""
        return Postings(self._rows[:], self._counts[:])

    def add(self, row: int, counts: Sequence[int]) -> None:
        """Take in a row that is not there yet; a field's count is at most 65,535."""
        self._rows.append(row)
        self._counts.extend(counts)

    def discard(self, row: int) -> None:
        """Take out a row that is there; the last one takes its place."""
        place = self._rows.index(row)
        self._rows[place] = self._rows[-1]
        self._rows.pop()
        last = self._counts[-FIELD_COUNT:]
        self._counts[place * FIELD_COUNT : (place + 1) * FIELD_COUNT] = last
        del self._counts[-FIELD_COUNT:]

    def to_arrays(self) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Rows, and counts as (rows, fields); copies, so that the postings may go on changing."""
        rows = np.array(self._rows, dtype=np.intp)
        counts = np.array(self._counts, dtype=np.float32)
        return rows, counts.reshape(-1, FIELD_COUNT)
