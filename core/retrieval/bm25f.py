"""Lexical scores over several fields, from postings that change with one tool at a time."""

from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.postings import FIELD_COUNT, Postings
from core.retrieval.tokens import MARKS

# Name, description, names of parameters, their descriptions.
FIELD_WEIGHTS = (2.0, 1.0, 0.5, 0.5)
LENGTH_PENALTY = 0.6
SATURATION = 1.2
# A term of more rows than this share is kept as one value for every row: adding it is then one
# addition of arrays instead of a scattered one.
_DENSE_SHARE = 0.125
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
        self._postings: list[Postings] = []
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
        """The same documents, to be changed apart; postings are shared until one side writes."""
        twin = Bm25fIndex()
        twin._ids, twin._postings = dict(self._ids), list(self._postings)
        twin._terms, twin._lengths = dict(self._terms), self._lengths.copy()
        twin._row_count = self._row_count
        self._own = set()
        return twin

    def put(self, row: int, fields: Fields) -> None:
        """Take in the document of a row, in place of what the row held."""
        self.remove(row)
        self._make_room(row)
        self._row_count = max(self._row_count, row + 1)
        counts = _count(fields)
        ids = array("i", map(self._id_of, counts))
        for number, of_fields in zip(ids, counts.values(), strict=True):
            self._writable(number).add(row, of_fields)
        self._terms[row] = ids
        self._lengths[row] = [_length(terms) for terms in fields]
        self._forget()

    def remove(self, row: int) -> None:
        """Take out the document of a row, if it holds one."""
        for number in self._terms.pop(row, ()):
            self._writable(number).discard(row)
        if row < len(self._lengths):
            self._lengths[row] = 0
        self._forget()

    def score(self, terms: Iterable[str]) -> Scores:
        """The score of every row; 0 where no term occurs. A term counts once."""
        total = np.zeros(self.row_count, dtype=np.float32)
        for term in dict.fromkeys(terms):
            rows, impacts = self._impacts(term)
            if rows is None:
                total += impacts
            else:
                total[rows] += impacts
        return total

    def terms_in(self, row: int, terms: Iterable[str]) -> set[str]:
        """Those of the terms that the document of a row has."""
        return self.lookup(terms).terms_in(row)

    def lookup(self, terms: Iterable[str]) -> "TermLookup":
        """The terms made ready to be looked for in many rows."""
        known = ((self._ids[term], term) for term in terms if term in self._ids)
        return TermLookup(dict(known), self._terms)

    def _forget(self) -> None:
        self._cached: dict[str, tuple[NDArray[np.intp] | None, Scores]] = {}
        self._norms: Scores | None = None

    def _id_of(self, term: str) -> int:
        number = self._ids.setdefault(term, len(self._postings))
        if number == len(self._postings):
            self._postings.append(Postings.empty())
            self._own.add(number)
        return number

    def _writable(self, number: int) -> Postings:
        if number not in self._own:
            self._postings[number] = self._postings[number].copy()
            self._own.add(number)
        return self._postings[number]

    def _make_room(self, row: int) -> None:
        if row >= len(self._lengths):
            more = max(64, row + 1, 2 * len(self._lengths)) - len(self._lengths)
            self._lengths = np.pad(self._lengths, ((0, more), (0, 0)))

    def _impacts(self, term: str) -> tuple[NDArray[np.intp] | None, Scores]:
        """What a term adds to which rows; without rows, one value for each."""
        known = self._cached.get(term)
        if known is None:
            known = self._compute_impacts(term)
            if term in self._ids:
                # Only terms that are there: queries must not make the cache grow for ever.
                self._cached[term] = known
        return known

    def _compute_impacts(self, term: str) -> tuple[NDArray[np.intp] | None, Scores]:
        number = self._ids.get(term, -1)
        if number < 0 or not len(self._postings[number]):
            return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.float32)
        rows, counts = self._postings[number].to_arrays()
        weighted = (counts * self._weights()[rows]).sum(axis=1)
        rarity = np.log1p((len(self) - len(rows) + 0.5) / (len(rows) + 0.5))
        impacts = (rarity * weighted / (SATURATION + weighted)).astype(np.float32)
        if len(rows) <= _DENSE_SHARE * self.row_count:
            return rows, impacts
        dense = np.zeros(self.row_count, dtype=np.float32)
        dense[rows] = impacts
        return None, dense

    def _weights(self) -> Scores:
        """The weight of one occurrence by row and field: less in a field that is long for its kind."""
        if self._norms is None:
            means = self._lengths.sum(axis=0) / max(1, len(self))
            relative = self._lengths / np.where(means > 0, means, 1)
            lengths = 1 - LENGTH_PENALTY + LENGTH_PENALTY * relative
            self._norms = (np.array(FIELD_WEIGHTS) / lengths).astype(np.float32)
        return self._norms


class TermLookup:
    """Some terms, to be looked for in the documents of rows; of one state of an index."""

    __slots__ = ("_ids", "_known", "_rows")

    def __init__(self, known: Mapping[int, str], rows: Mapping[int, "array[int]"]) -> None:
        self._known = known
        self._ids = frozenset(known)
        self._rows = rows

    def terms_in(self, row: int) -> set[str]:
        """Those of the terms that the document of a row has."""
        return {self._known[number] for number in self._ids.intersection(self._rows.get(row, ()))}


def _count(fields: Fields) -> dict[str, list[int]]:
    """How often each term occurs in each field."""
    counts: dict[str, list[int]] = {}
    for place, terms in enumerate(fields):
        for term in terms[:_MOST_TERMS]:
            counts.setdefault(term, [0] * FIELD_COUNT)[place] += 1
    return counts


def _length(terms: Sequence[str]) -> int:
    return sum(1 for term in terms if not term.startswith(MARKS))
