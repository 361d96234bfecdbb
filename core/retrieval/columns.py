"""The columns that answer a question, with the keys that join their tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.retrieval.bm25f import Bm25fIndex
from core.retrieval.column_texts import MOST_CHARACTERS, ColumnDocument, ColumnTable
from core.retrieval.dense import Vector
from core.retrieval.fusion import Scores, standardize
from core.retrieval.glossary import Glossary
from core.retrieval.request import MAX_QUERY_CHARACTERS
from core.retrieval.tokens import Language, fold, language_of, read_terms
from core.retrieval.vector_blocks import VectorBlocks

WORDS_WEIGHT, MEANING_WEIGHT = 0.4, 0.6
# How much a column gains by the best one of its table: columns are seldom wanted alone.
TABLE_WEIGHT = 0.4
# Of a concept against a word as it is written.
CONCEPT_WEIGHT = 3.0
MAX_COLUMNS = 200
# One in so many documents of an answer may be a key that was not found itself.
KEYS_SHARE = 5


@dataclass(frozen=True, slots=True)
class RankedColumn:
    """A column found; its score, in which 0 is that of an average column."""

    document: ColumnDocument
    score: float


@dataclass(frozen=True, slots=True)
class ColumnsFound:
    """The best columns, best first, and the keys of their tables that are not among them.

    Keys stand in the order of the tables, within a table in that of the documents.
    """

    columns: tuple[RankedColumn, ...] = ()
    keys: tuple[ColumnDocument, ...] = ()

    def first(self, count: int) -> list[ColumnDocument]:
        """At most so many documents: the best, then keys, for which a fifth of the places is kept."""
        room = max(count - len(self.columns), count // KEYS_SHARE)
        keys = list(self.keys[:room])
        best = self.columns[: max(0, count - len(keys))]
        return [*(one.document for one in best), *keys]


class ColumnIndex:
    """Columns by key, ready to be ranked; to change one that others read, change a `copy()`."""

    def __init__(self, glossary: Glossary | None = None) -> None:
        self.glossary = glossary or Glossary()
        self.words = Bm25fIndex()
        self.vectors = VectorBlocks()
        self._rows: dict[str, int] = {}
        self._documents: dict[int, ColumnDocument] = {}
        self._free: list[int] = []
        self._told: tuple[ColumnTable, list[list[str]]] | None = None
        self._layout: _Layout | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[ColumnDocument]:
        return iter(self._documents.values())

    @property
    def layout(self) -> "_Layout":
        """What is known of the rows now; another object after each change."""
        if self._layout is None:
            self._layout = _Layout(self._documents, self.words.row_count)
        return self._layout

    def copy(self) -> "ColumnIndex":
        """The same columns, to be changed apart."""
        twin = ColumnIndex(self.glossary)
        twin.words, twin.vectors = self.words.copy(), self.vectors.copy()
        twin._rows, twin._documents = dict(self._rows), dict(self._documents)
        twin._free = list(self._free)
        return twin

    def with_glossary(self, glossary: Glossary) -> "ColumnIndex":
        """The same columns and vectors, their words looked up in another glossary."""
        twin = self.copy()
        twin.glossary, twin.words = glossary, Bm25fIndex()
        for row, document in self._documents.items():
            twin.words.put(row, twin._terms_of(document))
        return twin

    def find(self, key: str) -> ColumnDocument | None:
        """The column of that key."""
        row = self._rows.get(key)
        return None if row is None else self._documents[row]

    def row_of(self, key: str) -> int | None:
        """The place of a column in the arrays of this state."""
        return self._rows.get(key)

    def put(self, document: ColumnDocument) -> None:
        """Take in a column, in place of one of its key, whose vector stays unless it brings one.

        Raises EmbeddingError if its vector does not fit those of the others.
        """
        row = self._rows.get(document.identity)
        if row is None:
            row = self._free.pop() if self._free else len(self._rows)
        self._rows[document.identity] = row
        if self._documents.get(row) != document:
            self._documents[row] = document
            self.words.put(row, self._terms_of(document))
            self._layout = None
        if document.vector is not None:
            self.vectors.put(row, _language_of(document), document.vector)

    def put_vector(self, key: str, vector: Vector) -> None:
        """Give a column its vector; unknown keys are left out. Raises EmbeddingError as `put`."""
        if (row := self._rows.get(key)) is not None:
            self.vectors.put(row, _language_of(self._documents[row]), vector)

    def remove_vector(self, key: str) -> None:
        """Take a column's vector away, if it has one."""
        if (row := self._rows.get(key)) is not None:
            self.vectors.remove(row)

    def forget_vectors(self) -> None:
        """Take all vectors away, so that those of another model may come."""
        self.vectors = VectorBlocks()

    def remove(self, key: str) -> None:
        """Take out a column, if it is there."""
        if (row := self._rows.pop(key, None)) is not None:
            del self._documents[row]
            self.words.remove(row)
            self.vectors.remove(row)
            self._free.append(row)
            self._layout = None

    def _terms_of(self, document: ColumnDocument) -> list[list[str]]:
        # Columns of a table come one after the other: what is told of it is read once.
        if self._told is None or self._told[0] != document.table:
            self._told = document.table, [self._terms(text) for text in _table_texts(document)]
        return [*map(self._terms, _own_texts(document)), *self._told[1]]

    def _terms(self, text: str) -> list[str]:
        return [*read_terms(text), *self.glossary.tokens(fold(text))]


class ColumnRanker:
    """Ranks columns; it never changes, so that threads may share it.

    Scores of words and of meaning, each less its mean and in deviations, are added by their weights.
    That of meaning is less the mean of the columns described in the same language, as for tools.
    """

    def __init__(
        self, documents: Iterable[ColumnDocument] | ColumnIndex, glossary: Glossary | None = None
    ) -> None:
        """Of an index, or of documents that become one with that glossary."""
        if not isinstance(documents, ColumnIndex):
            given, documents = documents, ColumnIndex(glossary)
            for number, document in enumerate(given):
                documents.put(replace(document, key=document.key or f"{number}"))
        self._index = documents

    def __len__(self) -> int:
        return len(self._index)

    def rank(self, text: str, vector: Vector | None = None, limit: int = 15) -> ColumnsFound:
        """The columns that fit a question; none for an empty one, at most 200.

        Columns that neither share a word nor have a vector are not found; ties by path.
        Raises EmbeddingError if the vector does not fit those of the columns.
        """
        clipped = text[:MAX_QUERY_CHARACTERS]
        if not fold(clipped) or not len(self._index):
            return ColumnsFound()
        rows = self._index.layout.rows
        words = self._score_words(clipped)[rows]
        meaning = self._index.vectors.score(vector, self._index.words.row_count)[rows]
        return self._choose(rows, words, meaning, limit)

    def rank_among(
        self, text: str, vector: Vector, candidates: Mapping[str, Vector], limit: int = 15
    ) -> ColumnsFound:
        """As `rank`, but only of the columns of these keys, with the vectors given for them."""
        known = {
            row: each
            for key, each in candidates.items()
            if (row := self._index.row_of(key)) is not None
        }
        if not fold(text) or not known:
            return ColumnsFound()
        documents = (self._index.layout.documents[row] for row in known)
        meaning = self._index.vectors.score_others(
            vector, known.values(), map(_language_of, documents)
        )
        rows = np.array(list(known), dtype=np.intp)
        words = self._score_words(text[:MAX_QUERY_CHARACTERS])[rows]
        return self._choose(rows, words, meaning, limit)

    def best_by_words(self, text: str, limit: int) -> list[str]:
        """The keys of the columns that share most with a question, best first."""
        layout = self._index.layout
        scores = self._score_words(text[:MAX_QUERY_CHARACTERS])[layout.rows]
        rows = layout.rows[scores > 0]
        best = _best_places(scores[scores > 0], layout.order[rows], max(0, limit))
        return [layout.documents[row].identity for row in rows[best].tolist()]

    def _score_words(self, text: str) -> NDArray[np.float32]:
        words = self._index.words.score(read_terms(text))
        concepts = self._index.words.score(self._index.glossary.tokens(fold(text)))
        return words + np.float32(CONCEPT_WEIGHT) * concepts

    def _choose(
        self,
        rows: NDArray[np.intp],
        words: NDArray[np.float32],
        meaning: NDArray[np.float32],
        limit: int,
    ) -> ColumnsFound:
        layout = self._index.layout
        scores = _fuse(words, meaning, layout.groups[rows])
        found = np.flatnonzero((words > 0) | ~np.isnan(meaning))
        best = _best_places(
            scores[found], layout.order[rows[found]], max(0, min(limit, MAX_COLUMNS))
        )
        places = found[best].tolist()
        ranked = [(int(rows[place]), float(scores[place])) for place in places]
        columns = tuple(RankedColumn(layout.documents[row], score) for row, score in ranked)
        return ColumnsFound(columns, tuple(layout.keys_beside([row for row, _ in ranked])))


class _Layout:
    """The rows of one state of an index: their tables, their order by path, the keys among them."""

    def __init__(self, documents: Mapping[int, ColumnDocument], count: int) -> None:
        self.documents = dict(documents)
        self.rows = np.array(sorted(self.documents), dtype=np.intp)
        self.order = np.zeros(count, dtype=np.int64)
        self.groups = np.zeros(count, dtype=np.int64)
        names: dict[str, int] = {}
        for row, document in self.documents.items():
            # A document of no table is a table of its own.
            name = document.table.name or f"\n{document.identity}"
            self.groups[row] = names.setdefault(name, len(names))
        by_path = sorted(self.documents, key=lambda row: _place_of(self.documents[row]))
        self.order[by_path] = np.arange(len(by_path))

    @cached_property
    def _keys(self) -> Mapping[int, list[int]]:
        keys: dict[int, list[int]] = {}
        for row in self.rows.tolist():
            if self.documents[row].is_key:
                keys.setdefault(int(self.groups[row]), []).append(row)
        return keys

    def keys_beside(self, ranked: Sequence[int]) -> Iterator[ColumnDocument]:
        """The keys of the tables of these rows that are not among them."""
        present = set(ranked)
        for group in dict.fromkeys(self.groups[row] for row in ranked):
            for row in self._keys.get(int(group), ()):
                if row not in present:
                    yield self.documents[row]


def _place_of(document: ColumnDocument) -> tuple[str, str]:
    return document.path, document.key


def _fuse(
    words: NDArray[np.float32], meaning: NDArray[np.float32], groups: NDArray[np.int64]
) -> Scores:
    # Roots, since sums of rarities have a long tail.
    fused = WORDS_WEIGHT * standardize(np.sqrt(words)) + MEANING_WEIGHT * standardize(meaning)
    best = np.full(groups.max() + 1, -np.inf)
    np.maximum.at(best, groups, fused)
    scores: Scores = fused + TABLE_WEIGHT * best[groups]
    return scores


def _best_places(
    scores: NDArray[np.floating], order: NDArray[np.int64], limit: int
) -> NDArray[np.int64]:
    """The places of the highest scores, best first, ties in the given order."""
    places = np.arange(len(scores))
    if len(scores) > 4 * limit > 0:
        places = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    ranked: NDArray[np.int64] = places[np.lexsort((order[places], -scores[places]))][:limit]
    return ranked


def _own_texts(document: ColumnDocument) -> tuple[str, ...]:
    """Its name, and what it holds."""
    return document.name[:MOST_CHARACTERS], document.description[:MOST_CHARACTERS]


def _table_texts(document: ColumnDocument) -> tuple[str, ...]:
    """What its table is called, and what that is about."""
    table = document.table
    called = f"{table.name}\n{table.title}"
    return called[:MOST_CHARACTERS], table.description[:MOST_CHARACTERS]


def _language_of(document: ColumnDocument) -> Language:
    table = document.table
    texts = (document.description, table.title, table.description, document.name)
    return language_of(next((text for text in texts if text.strip()), ""))
