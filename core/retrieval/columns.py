"""The columns that answer a question, with the keys that join their tables."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.retrieval.bm25f import Bm25fIndex
from core.retrieval.column_layout import ColumnLayout
from core.retrieval.column_roles import QuestionNeeds, Role, find_needs, find_roles, role_terms
from core.retrieval.column_texts import MOST_CHARACTERS, ColumnDocument, ColumnTable
from core.retrieval.dense import Vector
from core.retrieval.fusion import best_places, standardize
from core.retrieval.glossary import Glossary
from core.retrieval.kindred import asked_kanji, asked_loans
from core.retrieval.request import MAX_QUERY_CHARACTERS, find_unknown
from core.retrieval.tokens import Language, find_words, fold, language_of, read_terms
from core.retrieval.tool_texts import terms_of_text
from core.retrieval.vector_blocks import VectorBlocks

WORDS_WEIGHT, MEANING_WEIGHT = 0.4, 0.6
# How much a column gains by the best one of its table: columns are seldom wanted alone.
TABLE_WEIGHT = 0.4
# Of a concept against a word as it is written.
CONCEPT_WEIGHT = 3.0
# Of a role that a question needs in any table: there are many dates and amounts.
ROLE_WEIGHT = 0.5
# Of words that another script borrowed, and of those that hold a kanji of the question.
LOAN_WEIGHT = 1.5
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

    Keys that lead from one of the first tables to another over a third come first, then those of the
    tables in their order, within a table in that of the documents.
    """

    columns: tuple[RankedColumn, ...] = ()
    keys: tuple[ColumnDocument, ...] = ()

    def first(self, count: int) -> list[ColumnDocument]:
        """At most so many documents: the best, then keys, for which a fifth of the places is kept."""
        keys = self.keys[: max(count - len(self.columns), count // KEYS_SHARE)]
        best = self.columns[: max(0, count - len(keys))]
        return [*(column.document for column in best), *keys]


class ColumnIndex:
    """Columns by key, ready to be ranked; to change one that others read, change a `copy()`."""

    def __init__(self, glossary: Glossary | None = None) -> None:
        self.glossary = glossary or Glossary()
        self.words = Bm25fIndex()
        self.vectors = VectorBlocks()
        self._rows: dict[str, int] = {}
        self._documents: dict[int, ColumnDocument] = {}
        self._free: list[int] = []
        self._table_terms: tuple[ColumnTable, list[list[str]]] | None = None
        self._roles: dict[int, list[Role]] = {}
        self._layout: ColumnLayout | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[ColumnDocument]:
        return iter(self._documents.values())

    @property
    def layout(self) -> ColumnLayout:
        """The rows as they are now; another object after each change."""
        if self._layout is None:
            self._layout = ColumnLayout(self._documents, self._roles, self.words.row_count)
        return self._layout

    def copy(self) -> "ColumnIndex":
        """The same columns, to be changed independently."""
        twin = ColumnIndex(self.glossary)
        twin.words, twin.vectors = self.words.copy(), self.vectors.copy()
        twin._rows, twin._documents = dict(self._rows), dict(self._documents)
        twin._free, twin._roles = list(self._free), dict(self._roles)
        return twin

    def with_glossary(self, glossary: Glossary) -> "ColumnIndex":
        """The same columns and vectors, their words looked up in another glossary."""
        twin = self.copy()
        twin.glossary, twin.words = glossary, Bm25fIndex()
        for row, document in self._documents.items():
            twin.words.put(row, twin._terms_of(row, document))
        return twin

    def find(self, key: str) -> ColumnDocument | None:
        """The column of that key."""
        row = self._rows.get(key)
        return None if row is None else self._documents[row]

    def row_of(self, key: str) -> int | None:
        """The place of a column in the arrays of this state."""
        return self._rows.get(key)

    def put(self, document: ColumnDocument) -> None:
        """Store a column in place of one of the same key, whose vector stays unless it brings one.

        Raises EmbeddingError if its vector does not fit those of the others.
        """
        row = self._rows.get(document.identity)
        if row is None:
            row = self._free.pop() if self._free else len(self._rows)
        self._rows[document.identity] = row
        if self._documents.get(row) != document:
            self._documents[row] = document
            self._roles[row] = find_roles(
                document.name, document.description, is_key=document.is_key
            )
            self.words.put(row, self._terms_of(row, document))
            self._layout = None
        if document.vector is not None:
            self.vectors.put(row, _language_of(document), document.vector)

    def put_vector(self, key: str, vector: Vector) -> None:
        """Give a column its vector; unknown keys are left out. Raises EmbeddingError as `put`."""
        if (row := self._rows.get(key)) is not None:
            self.vectors.put(row, _language_of(self._documents[row]), vector)

    def remove_vector(self, key: str) -> None:
        """Remove a column's vector, if it has one."""
        if (row := self._rows.get(key)) is not None:
            self.vectors.remove(row)

    def forget_vectors(self) -> None:
        """Remove all vectors, to make room for those of another model."""
        self.vectors = VectorBlocks()

    def remove(self, key: str) -> None:
        """Remove a column, if it is there."""
        if (row := self._rows.pop(key, None)) is not None:
            del self._documents[row], self._roles[row]
            self.words.remove(row)
            self.vectors.remove(row)
            self._free.append(row)
            self._layout = None

    def _terms_of(self, row: int, document: ColumnDocument) -> list[list[str]]:
        """Of its name, of what it holds, of its table's names, and of what the table is about."""
        table = document.table
        # Columns of a table come one after the other: its texts are read once.
        if self._table_terms is None or self._table_terms[0] != table:
            texts = (f"{table.name}\n{table.title}", table.description)
            self._table_terms = table, [self._terms(text) for text in texts]
        about = self.glossary.find(f"{table.name}\n{table.title}") if document.name else ()
        roles = role_terms(self._roles[row] if document.name else (), about)
        return [
            [*self._terms(document.name), *roles],
            self._terms(document.description),
            *self._table_terms[1],
        ]

    def _terms(self, text: str) -> list[str]:
        return terms_of_text(text[:MOST_CHARACTERS], self.glossary, has_roots=False)


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

        Columns that neither share a word, nor have a vector, nor gain by a column that refers to
        their table are not found; ties by path.
        Raises EmbeddingError if the vector does not fit those of the columns.
        """
        clipped = text[:MAX_QUERY_CHARACTERS]
        if not fold(clipped) or not len(self._index):
            return ColumnsFound()
        needs = self._find_needs(clipped)
        rows = self._index.layout.rows
        words = self._score_words(clipped, needs)[rows]
        meaning = self._index.vectors.score(vector, self._index.words.row_count)[rows]
        return self._choose(needs, rows=rows, words=words, meaning=meaning, limit=limit)

    def rank_among(
        self, text: str, vector: Vector, candidates: Mapping[str, Vector], limit: int = 15
    ) -> ColumnsFound:
        """As `rank`, but only of the columns of these keys, with the vectors given for them."""
        known = {
            row: candidate
            for key, candidate in candidates.items()
            if (row := self._index.row_of(key)) is not None
        }
        clipped = text[:MAX_QUERY_CHARACTERS]
        if not fold(clipped) or not known:
            return ColumnsFound()
        documents = (self._index.layout.documents[row] for row in known)
        meaning = self._index.vectors.score_others(
            vector, known.values(), map(_language_of, documents)
        )
        rows = np.array(list(known), dtype=np.intp)
        needs = self._find_needs(clipped)
        words = self._score_words(clipped, needs)[rows]
        return self._choose(needs, rows=rows, words=words, meaning=meaning, limit=limit)

    def best_by_words(self, text: str, limit: int) -> list[str]:
        """The keys of the columns that share most with a question, best first."""
        layout, clipped = self._index.layout, text[:MAX_QUERY_CHARACTERS]
        scores = self._score_words(clipped, self._find_needs(clipped))[layout.rows]
        rows = layout.rows[scores > 0]
        best = best_places(scores[scores > 0], layout.order[rows], max(0, limit))
        return [layout.documents[row].identity for row in rows[best].tolist()]

    def _find_needs(self, text: str) -> QuestionNeeds:
        return find_needs(text, self._index.glossary.find(text))

    def _score_words(self, text: str, needs: QuestionNeeds) -> NDArray[np.float32]:
        folded, glossary = fold(text), self._index.glossary
        unknown = find_unknown(
            find_words(text), folded, ((first, last) for _, first, last in glossary.spans(folded))
        )
        weighted = (
            (read_terms(text), 1.0),
            ([*glossary.tokens(folded), *needs.named], CONCEPT_WEIGHT),
            (needs.anywhere, ROLE_WEIGHT),
            ((*asked_loans(unknown), *asked_kanji(unknown)), LOAN_WEIGHT),
        )
        scores = np.zeros(self._index.words.row_count, dtype=np.float32)
        for terms, weight in weighted:
            scores += np.float32(weight) * self._index.words.score(terms)
        return scores

    def _choose(
        self,
        needs: QuestionNeeds,
        *,
        rows: NDArray[np.intp],
        words: NDArray[np.float32],
        meaning: NDArray[np.float32],
        limit: int,
    ) -> ColumnsFound:
        layout = self._index.layout
        groups = layout.groups[rows]
        # Roots, since sums of rarities have a long tail.
        fused = WORDS_WEIGHT * standardize(np.sqrt(words)) + MEANING_WEIGHT * standardize(meaning)
        best_of_table = np.full(layout.table_count, -np.inf)
        np.maximum.at(best_of_table, groups, fused)
        gained = layout.gain(rows, fused, needs)
        scores = fused + TABLE_WEIGHT * best_of_table[groups] + gained
        has_any = np.zeros(layout.table_count, dtype=np.bool_)
        has_any[groups[(words > 0) | ~np.isnan(meaning) | (gained > 0)]] = True
        found = np.flatnonzero(has_any[groups])
        best = best_places(
            scores[found], layout.order[rows[found]], max(0, min(limit, MAX_COLUMNS))
        )
        places = found[best].tolist()
        ranked = [(int(rows[place]), float(scores[place])) for place in places]
        columns = tuple(RankedColumn(layout.documents[row], score) for row, score in ranked)
        return ColumnsFound(columns, tuple(layout.keys_beside([row for row, _ in ranked])))


def _language_of(document: ColumnDocument) -> Language:
    table = document.table
    texts = (document.description, table.title, table.description, document.name)
    return language_of(next((text for text in texts if text.strip()), ""))
