"""The columns that answer a question, with the keys that join their tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbeddingError
from core.retrieval.bm25f import Bm25fIndex
from core.retrieval.dense import Vector, language_means
from core.retrieval.fusion import Scores, standardize
from core.retrieval.glossary import Glossary
from core.retrieval.request import MAX_QUERY_CHARACTERS
from core.retrieval.tokens import LANGUAGES, Language, fold, language_of, name_words, read_terms

WORDS_WEIGHT, MEANING_WEIGHT = 0.4, 0.6
# How much a column gains by the best one of its table: columns are seldom wanted alone.
TABLE_WEIGHT = 0.4
# Of a concept against a word as it is written.
CONCEPT_WEIGHT = 3.0
MAX_COLUMNS = 200
_EMBEDDED_CHARACTERS = 250
_MOST_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class ColumnTable:
    """The table that columns belong to; `name` is unique among all tables."""

    name: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDocument:
    """A column to be searched; `is_key`: it is primary or refers to another table.

    `vector` is that of its `column_text`, None where it is not yet made.
    """

    table: ColumnTable
    name: str
    description: str = ""
    is_key: bool = False
    vector: Vector | None = field(default=None, compare=False)

    @property
    def path(self) -> str:
        """`table.column`."""
        return f"{self.table.name}.{self.name}"


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


def column_text(document: ColumnDocument) -> str:
    """The text of a column to embed: what its table is called, its own words, what it holds."""
    table, name = document.table, name_words(document.name)
    told = " ".join(document.description[:_MOST_CHARACTERS].split())[:_EMBEDDED_CHARACTERS]
    called = " ".join(f"{name_words(table.name)} {table.title}".split())
    return f"{called}: {name}: {told}" if told else f"{called}: {name}"


class ColumnRanker:
    """Ranks columns; it never changes, so that threads may share it.

    Scores of words and of meaning, each less its mean and in deviations, are added by their weights.
    That of meaning is less the mean of the columns described in the same language, as for tools.
    """

    def __init__(
        self, documents: Iterable[ColumnDocument], glossary: Glossary | None = None
    ) -> None:
        self._documents = tuple(documents)
        self._glossary = glossary or Glossary()
        self._words = Bm25fIndex()
        for row, document in enumerate(self._documents):
            self._words.put(row, [self._terms(text) for text in _field_texts(document)])
        self._meaning = _Meaning(self._documents)
        tables = {each.table.name: None for each in self._documents}
        numbers = {name: number for number, name in enumerate(tables)}
        self._tables = np.array([numbers[each.table.name] for each in self._documents], dtype=int)

    def __len__(self) -> int:
        return len(self._documents)

    def rank(self, text: str, vector: Vector | None = None, limit: int = 15) -> ColumnsFound:
        """The columns that fit a question; none for an empty one, at most 200.

        Columns that neither share a word nor have a vector are not found; ties by path.
        Raises EmbeddingError if the vector does not fit those of the columns.
        """
        clipped = text[:MAX_QUERY_CHARACTERS]
        if not fold(clipped) or not self._documents:
            return ColumnsFound()
        words = self._score_words(clipped)
        meaning = self._meaning.score(vector)
        scores = self._fuse(words, meaning)
        found = np.flatnonzero((words > 0) | ~np.isnan(meaning))
        best = sorted(found.tolist(), key=lambda row: (-scores[row], self._documents[row].path))
        ranked = best[: max(0, min(limit, MAX_COLUMNS))]
        columns = tuple(RankedColumn(self._documents[row], float(scores[row])) for row in ranked)
        return ColumnsFound(columns, tuple(self._keys_beside(ranked)))

    def _terms(self, text: str) -> list[str]:
        return [*read_terms(text), *self._glossary.tokens(fold(text))]

    def _score_words(self, text: str) -> NDArray[np.float32]:
        words = self._words.score(read_terms(text))
        concepts = self._words.score(self._glossary.tokens(fold(text)))
        return words + np.float32(CONCEPT_WEIGHT) * concepts

    def _fuse(self, words: NDArray[np.float32], meaning: NDArray[np.float32]) -> Scores:
        # Roots, since sums of rarities have a long tail.
        fused = WORDS_WEIGHT * standardize(np.sqrt(words)) + MEANING_WEIGHT * standardize(meaning)
        best = np.full(self._tables.max() + 1, -np.inf)
        np.maximum.at(best, self._tables, fused)
        scores: Scores = fused + TABLE_WEIGHT * best[self._tables]
        return scores

    def _keys_beside(self, ranked: Sequence[int]) -> Iterable[ColumnDocument]:
        present = set(ranked)
        for table in dict.fromkeys(self._tables[row] for row in ranked):
            for row in np.flatnonzero(self._tables == table).tolist():
                if self._documents[row].is_key and row not in present:
                    yield self._documents[row]


class _Meaning:
    """The vectors of columns, and their sums by the language that they are described in."""

    def __init__(self, documents: Sequence[ColumnDocument]) -> None:
        self._count = len(documents)
        spoken = [(row, each) for row, each in enumerate(documents) if each.vector is not None]
        self._rows = np.array([row for row, _ in spoken], dtype=int)
        self._matrix = _unit_rows([each.vector for _, each in spoken if each.vector is not None])
        languages = [LANGUAGES.index(_language_of(each)) for _, each in spoken]
        self._languages = np.array(languages, dtype=int)
        self._counts = np.bincount(self._languages, minlength=len(LANGUAGES))
        self._sums = np.zeros((len(LANGUAGES), self._matrix.shape[1]), dtype=np.float64)
        np.add.at(self._sums, self._languages, self._matrix)

    def score(self, vector: Vector | None) -> NDArray[np.float32]:
        """For each column how near it is, NaN where that is not known."""
        scores = np.full(self._count, np.nan, dtype=np.float32)
        if vector is None or not len(self._rows):
            return scores
        asked = _unit_rows([vector])[0]
        if len(asked) != self._matrix.shape[1]:
            raise EmbeddingError(
                f"a vector must have {self._matrix.shape[1]} numbers like those of the columns,"
                f" not {len(asked)}"
            )
        means = language_means(self._sums @ asked, self._counts)
        scores[self._rows] = self._matrix @ asked - means[self._languages]
        return scores


def _unit_rows(vectors: Sequence[Vector]) -> NDArray[np.float32]:
    if len({len(vector) for vector in vectors}) > 1:
        raise EmbeddingError("the vectors of all columns must be of one length, from one model")
    rows = np.array([np.asarray(vector, dtype=np.float32) for vector in vectors], dtype=np.float32)
    rows = rows.reshape(len(vectors), -1 if len(vectors) else 0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EmbeddingError("a vector must be a list of numbers, not all of them 0")
    rows /= lengths
    return rows


def _field_texts(document: ColumnDocument) -> tuple[str, ...]:
    """Its name, what it holds, what its table is called and what that is about."""
    table = document.table
    texts = (
        document.name,
        document.description,
        f"{table.name}\n{table.title}",
        table.description,
    )
    return tuple(text[:_MOST_CHARACTERS] for text in texts)


def _language_of(document: ColumnDocument) -> Language:
    table = document.table
    texts = (document.description, table.title, table.description, document.name)
    return language_of(next((text for text in texts if text.strip()), ""))
