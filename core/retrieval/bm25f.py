"""Lexical scores over several fields, from postings that change with one tool at a time."""

from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.tokens import MARKS, find_terms

# Name, description, names of parameters, their descriptions.
FIELD_WEIGHTS = (2.0, 1.0, 0.5, 0.5)
FIELD_COUNT = len(FIELD_WEIGHTS)
# How much long texts pay for their length, and how soon further occurrences stop counting.
LENGTH_PENALTY = 0.6
SATURATION = 1.2
# A term of more rows than this share is kept as one value for every row: adding it is then one
# addition of arrays instead of a scattered one.
_DENSE_SHARE = 1 / 16
# Of a field; counts are kept in 16 bits.
_MOST_TERMS = 65_535

Scores = NDArray[np.float32]
Fields = Sequence[Sequence[str]]


class Bm25fIndex:
    """Documents by row number, each of four fields of terms.

    Simple BM25F (Robertson and Zaragoza 2009, section 3.6): counts are weighted and normalised for
    length by field, then saturated once. The IDF is never negative. Actions and concepts do not
    make a field longer. Several threads may read at a time, or one may write to its own copy.
    """

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._postings: list[_Postings] = []
        self._own: set[int] = set()
        self._terms: dict[int, array[int]] = {}
        self._lengths = np.zeros((0, FIELD_COUNT), dtype=np.int64)
        self._row_count = 0
        self._forget()

    def __len__(self) -> int:
        return len(self._terms)

    @property
    def row_count(self) -> int:
        """The length of score arrays: one more than the highest row ever put."""
        return self._row_count

    def copy(self) -> "Bm25fIndex":
        """The same documents, to be changed independently; postings are shared until one side writes."""
        twin = Bm25fIndex()
        twin._ids, twin._postings = dict(self._ids), list(self._postings)
        twin._terms, twin._lengths = dict(self._terms), self._lengths.copy()
        twin._row_count = self._row_count
        self._own = set()
        return twin

    def put(self, row: int, fields: Fields) -> None:
        """Store the document of a row in place of what the row held."""
        self.remove(row)
        if row >= len(self._lengths):
            more = max(64, row + 1, 2 * len(self._lengths)) - len(self._lengths)
            self._lengths = np.pad(self._lengths, ((0, more), (0, 0)))
        self._row_count = max(self._row_count, row + 1)
        counts: dict[str, list[int]] = {}
        for place, terms in enumerate(fields):
            for term in terms[:_MOST_TERMS]:
                counts.setdefault(term, [0] * FIELD_COUNT)[place] += 1
            self._lengths[row, place] = sum(1 for term in terms if not term.startswith(MARKS))
        self._terms[row] = array("i")
        for term, by_field in counts.items():
            number = self._ids.setdefault(term, len(self._postings))
            if number == len(self._postings):
                self._postings.append(_Postings(array("i"), array("H")))
                self._own.add(number)
            self._writable(number).add(row, by_field)
            self._terms[row].append(number)
        self._forget()

    def remove(self, row: int) -> None:
        """Remove the document of a row, if it holds one."""
        for number in self._terms.pop(row, ()):
            self._writable(number).discard(row)
        if row < len(self._lengths):
            self._lengths[row] = 0
        self._forget()

    def score(self, terms: Iterable[str]) -> Scores:
        """The score of every row; 0 if no term occurs. A term counts once."""
        total = np.zeros(self.row_count, dtype=np.float32)
        for term in dict.fromkeys(terms):
            # Only terms that are there: queries must not make the cache grow for ever.
            if (number := self._ids.get(term)) is None:
                continue
            known = self._cached.get(number)
            rows, impacts = known or self._cached.setdefault(number, self._impacts(number))
            if rows is None:
                total += impacts
            else:
                total[rows] += impacts
        return total

    def lookup(self, terms: Iterable[str]) -> "TermLookup":
        """The terms, ready to be looked up in many rows."""
        known = ((self._ids[term], term) for term in terms if term in self._ids)
        return TermLookup(dict(known), self._terms)

    def _forget(self) -> None:
        self._cached: dict[int, tuple[NDArray[np.intp] | None, Scores]] = {}
        self._weights: Scores | None = None

    def _writable(self, number: int) -> "_Postings":
        if number not in self._own:
            self._postings[number] = self._postings[number].copy()
            self._own.add(number)
        return self._postings[number]

    def _impacts(self, number: int) -> tuple[NDArray[np.intp] | None, Scores]:
        """What a term adds to which rows; without rows, one value for each row."""
        rows, counts = self._postings[number].to_arrays()
        if self._weights is None:
            # Of one occurrence by row and field: less in a field that is long for its kind.
            means = self._lengths.sum(axis=0) / max(1, len(self))
            relative = self._lengths / np.where(means > 0, means, 1)
            lengths = 1 - LENGTH_PENALTY + LENGTH_PENALTY * relative
            self._weights = (np.array(FIELD_WEIGHTS) / lengths).astype(np.float32)
        weighted = (counts * self._weights[rows]).sum(axis=1)
        rarity = np.log1p((len(self) - len(rows) + 0.5) / (len(rows) + 0.5))
        impacts = (rarity * weighted / (SATURATION + weighted)).astype(np.float32)
        if len(rows) <= _DENSE_SHARE * self.row_count:
            return rows, impacts
        dense = np.zeros(self.row_count, dtype=np.float32)
        dense[rows] = impacts
        return None, dense


class TermLookup:
    """Terms to be looked up in the documents of rows, in one state of an index."""

    __slots__ = ("_ids", "_known", "_rows")

    def __init__(self, known: Mapping[int, str], rows: Mapping[int, "array[int]"]) -> None:
        self._known = known
        self._ids = frozenset(known)
        self._rows = rows

    def terms_in(self, row: int) -> set[str]:
        """Those of the terms that the document of a row has."""
        return {self._known[number] for number in self._ids.intersection(self._rows.get(row, ()))}


class _Postings:
    """The rows of one term with how often it occurs in each of their fields; in no order."""

    __slots__ = ("_counts", "_rows")

    def __init__(self, rows: "array[int]", counts: "array[int]") -> None:
        self._rows = rows
        self._counts = counts

    def copy(self) -> "_Postings":
        return _Postings(self._rows[:], self._counts[:])

    def add(self, row: int, counts: Sequence[int]) -> None:
        """Add a row that is not there yet; a field's count is at most 65,535."""
        self._rows.append(row)
        self._counts.extend(counts)

    def discard(self, row: int) -> None:
        """Remove a row that is there; the last one takes its place."""
        place = self._rows.index(row)
        self._rows[place] = self._rows[-1]
        self._rows.pop()
        last = self._counts[-FIELD_COUNT:]
        self._counts[place * FIELD_COUNT : (place + 1) * FIELD_COUNT] = last
        del self._counts[-FIELD_COUNT:]

    def to_arrays(self) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Rows, and counts as (rows, fields); copies, since the postings go on changing."""
        rows = np.array(self._rows, dtype=np.intp)
        counts = np.array(self._counts, dtype=np.float32)
        return rows, counts.reshape(-1, FIELD_COUNT)


class TextIndex:
    """Texts of one field, ready to be searched; it never changes, so that threads may share it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._index = Bm25fIndex()
        for row, text in enumerate(texts):
            self._index.put(row, ((), find_terms(text), (), ()))

    def rank(self, query: str, limit: int) -> list[tuple[int, float]]:
        """Numbers of texts and their scores, best first, at most `limit`; ties in the texts' order.

        A text that shares no term with the query is never among them.
        """
        scores = self._index.score(find_terms(query))
        order = np.argsort(-scores, kind="stable")[: max(0, limit)]
        return [(int(row), float(scores[row])) for row in order if scores[row] > 0]
