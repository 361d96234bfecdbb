"""How much of a tool's name a query contains: a longer name says more than was asked for."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.retrieval.actions import action_spans
from core.retrieval.glossary import Glossary
from core.retrieval.kindred import kin_terms
from core.retrieval.tokens import fold, is_stop_term, stem_word

# One bit a word; further words are left out.
MOST_WORDS = 16
# The bits of a term of more names than this share are kept as one value for every row.
_DENSE_SHARE = 1 / 32
_WORDS = np.uint16

Shares = NDArray[np.float32]
Words = Sequence[Sequence[str]]


def words_of_name(name: str, glossary: Glossary) -> list[list[str]]:
    """For each word of a name the terms that say it: its stem, kin, concepts and actions.

    Numbers and words of any request are left out.
    """
    folded = fold(name)
    meanings = [*glossary.spans(folded), *action_spans(folded)]
    words, start = [], 0
    for word in folded.split(" "):
        end = start + len(word)
        stem = stem_word(word)
        if not word.isdigit() and not is_stop_term(stem):
            within = (term for term, first, last in meanings if first <= start and end <= last)
            words.append(list(dict.fromkeys((stem, *within, *kin_terms([(word, (stem,))])))))
        start = end + 1
    return words[:MOST_WORDS]


class NameCoverage:
    """The words of names by row, and which of them a query contains.

    Several threads may read at a time, or one may write to its own copy.
    """

    def __init__(self) -> None:
        self._names: dict[int, Words] = {}
        self._bits: dict[str, dict[int, int]] = {}
        self._own: set[str] = set()
        # Of words by row, 1 of a name without any: shares are divided by them.
        self._counts = np.ones(0, dtype=np.float32)
        self._cached: dict[str, tuple[NDArray[np.intp] | None, NDArray[np.uint16]]] = {}

    def copy(self) -> "NameCoverage":
        """The same names, to be changed apart; bits are shared until one side writes."""
        twin = NameCoverage()
        twin._names, twin._bits = dict(self._names), dict(self._bits)
        twin._counts, twin._cached = self._counts.copy(), dict(self._cached)
        self._own = set()
        return twin

    def put(self, row: int, words: Words) -> None:
        """Store the words of a name in place of what the row held."""
        self.remove(row)
        if row >= len(self._counts):
            more = max(64, row + 1, 2 * len(self._counts)) - len(self._counts)
            self._counts = np.pad(self._counts, (0, more), constant_values=1)
        self._names[row] = words[:MOST_WORDS]
        self._counts[row] = max(1, len(self._names[row]))
        for place, terms in enumerate(self._names[row]):
            for term in terms:
                bits = self._writable(term)
                bits[row] = bits.get(row, 0) | 1 << place

    def remove(self, row: int) -> None:
        """Remove the name of a row, if it holds one."""
        for terms in self._names.pop(row, ()):
            for term in terms:
                self._writable(term).pop(row, None)
        if row < len(self._counts):
            self._counts[row] = 1

    def shares(self, terms: Iterable[str], row_count: int) -> Shares:
        """The share of the words of each row's name that are among the terms, 0 to 1."""
        most = len(self._counts)
        bits_met = np.zeros(max(row_count, most), dtype=_WORDS)
        for term in dict.fromkeys(terms):
            if term not in self._bits:
                continue
            if (arrays := self._cached.get(term)) is None:
                arrays = self._cached[term] = self._bits_of(term)
            rows, bits = arrays
            if rows is None:
                bits_met[: len(bits)] |= bits
            else:
                bits_met[rows] |= bits
        shares = np.bitwise_count(bits_met).astype(np.float32)
        shares[:most] /= self._counts
        return shares[:row_count]

    def _bits_of(self, term: str) -> tuple[NDArray[np.intp] | None, NDArray[np.uint16]]:
        """The rows whose names have a term, with their bits; without rows, the bits of every row."""
        found = self._bits[term]
        rows = np.fromiter(found.keys(), dtype=np.intp, count=len(found))
        bits = np.fromiter(found.values(), dtype=_WORDS, count=len(found))
        if len(rows) <= _DENSE_SHARE * len(self._counts):
            return rows, bits
        dense = np.zeros(int(np.max(rows)) + 1, dtype=_WORDS)
        dense[rows] = bits
        return None, dense

    def _writable(self, term: str) -> dict[int, int]:
        self._cached.pop(term, None)
        if term not in self._own:
            self._bits[term] = dict(self._bits.get(term, {}))
            self._own.add(term)
        return self._bits[term]
