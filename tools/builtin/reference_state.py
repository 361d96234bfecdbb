"""The reference documents that can be found at one moment, and how one moment follows from another."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from catalog.documents.searchable import (
    DocumentStamp,
    StoredDocument,
    read_documents_revision,
    read_searchable,
    read_stamps,
)
from catalog.glossary.concepts import read_concepts, read_glossary_revision
from core.retrieval.column_texts import ColumnTable
from core.retrieval.columns import ColumnIndex, ColumnRanker
from core.retrieval.dense import Vector
from core.retrieval.glossary import Concept, compile_glossary

_BYTES_A_NUMBER = 4
# 104,000 vectors of 384 numbers; the words of as many columns take about as much again.
MAX_VECTOR_BYTES = 160_000_000
# What the mean of a language is taken from where not all vectors are kept.
SAMPLED_VECTORS = 2_000

VectorStamp = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """Documents ready to be searched; never changes, so that searches may share it.

    `vectors` are the stamps of those that the index holds. `is_sampled`: there are too many to keep
    them all.
    """

    index: ColumnIndex = field(default_factory=ColumnIndex)
    texts: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, ColumnTable] = field(default_factory=dict)
    stamps: Mapping[str, DocumentStamp] = field(default_factory=dict)
    vectors: Mapping[str, VectorStamp] = field(default_factory=dict)
    revision: str = ""
    glossary_revision: str = ""
    is_sampled: bool = False

    @property
    def ranker(self) -> ColumnRanker:
        """What finds documents."""
        return ColumnRanker(self.index)


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """What differs from a state: documents by key, stamps of all, the glossary where it is another."""

    revision: str
    glossary_revision: str
    stamps: Mapping[str, DocumentStamp]
    documents: Collection[StoredDocument] = ()
    concepts: tuple[Concept, ...] | None = None


def read_changes(state: References) -> Changes | None:
    """What has changed since; two queries while nothing has."""
    revision, glossary_revision = read_documents_revision(), read_glossary_revision()
    is_same_glossary = glossary_revision == state.glossary_revision
    if revision == state.revision and is_same_glossary:
        return None
    stamps = state.stamps if revision == state.revision else read_stamps()
    changed = [
        key
        for key, stamp in stamps.items()
        if key not in state.stamps or state.stamps[key].of_words != stamp.of_words
    ]
    concepts = None if is_same_glossary else read_concepts()
    return Changes(revision, glossary_revision, stamps, read_searchable(changed), concepts)


def with_changes(state: References, changes: Changes) -> References:
    """The state after the changes; vectors of changed documents stay until there are newer ones."""
    index = state.index.copy()
    if changes.concepts is not None:
        index = state.index.with_glossary(compile_glossary(changes.concepts))
    gone = state.stamps.keys() - changes.stamps.keys()
    for key in gone:
        index.remove(key)
    told = {one.table.name: one.table for one in changes.documents if one.table is not None}
    tables = {**state.tables, **told}
    for stored in changes.documents:
        column = stored.column
        index.put(replace(column, table=tables.get(column.table.name, column.table)))
    for column in [one for one in index if told.get(one.table.name, one.table) != one.table]:
        index.put(replace(column, table=told[column.table.name]))
    texts = {key: text for key, text in state.texts.items() if key not in gone}
    texts |= {stored.column.key: stored.text for stored in changes.documents}
    return _ready(
        References(
            index=index,
            texts=texts,
            tables=tables,
            stamps=changes.stamps,
            vectors={key: stamp for key, stamp in state.vectors.items() if key not in gone},
            revision=changes.revision,
            glossary_revision=changes.glossary_revision,
            is_sampled=state.is_sampled,
        )
    )


def wanted_vectors(
    state: References, target: str, most_bytes: int = MAX_VECTOR_BYTES
) -> dict[str, VectorStamp]:
    """The stamps, by key, of the vectors that the index should hold, or of a sample of too many.

    `target` is `collection/model/`, as indexing notes it with the documents.
    """
    made = {
        key: stamp.of_vector
        for key, stamp in state.stamps.items()
        if stamp.indexed_with.startswith(target)
    }
    if _count_bytes(made) <= most_bytes:
        return made
    step = max(2, len(made) // SAMPLED_VECTORS)
    return {key: made[key] for key in sorted(made)[::step]}


class VectorDraft:
    """A state that takes vectors a page at a time; nobody searches it before it is finished."""

    def __init__(self, state: References, wanted: Mapping[str, VectorStamp]) -> None:
        """`wanted` as `wanted_vectors` has them; the state's other vectors are left behind."""
        self._state = state
        self._wanted = wanted
        self._unwanted = state.vectors.keys() - wanted.keys()
        self._index: ColumnIndex | None = None
        self._held = dict(state.vectors)

    def take(self, vectors: Mapping[str, Vector]) -> None:
        """Take some of the wanted vectors. Raises EmbeddingError if they do not fit each other."""
        index = self._own_index()
        if {len(vector) for vector in vectors.values()} - {index.vectors.dimension}:
            # The model is another one, whatever its name is.
            index.forget_vectors()
            self._held = {}
        for key, vector in vectors.items():
            index.put_vector(key, vector)
            self._held[key] = self._wanted[key]

    def finish(self) -> References:
        """The state with the vectors that were taken; the same one where none came or went."""
        if self._index is None and not self._unwanted:
            return self._state
        index = self._own_index()
        for key in self._unwanted:
            index.remove_vector(key)
            self._held.pop(key, None)
        is_sampled = len(self._wanted) < _count_made(self._state, self._wanted)
        return _ready(replace(self._state, index=index, vectors=self._held, is_sampled=is_sampled))

    def _own_index(self) -> ColumnIndex:
        if self._index is None:
            self._index = self._state.index.copy()
        return self._index


def _count_made(state: References, wanted: Mapping[str, VectorStamp]) -> int:
    """How many vectors were made as the wanted ones were, of which these may be a sample."""
    targets = {target for _, target in wanted.values()}
    return sum(stamp.indexed_with in targets for stamp in state.stamps.values())


def _count_bytes(made: Mapping[str, VectorStamp]) -> int:
    dimensions = (target.rpartition("/")[2] for _, target in made.values())
    dimension = next((int(text) for text in dimensions if text.isdigit()), 0)
    return len(made) * dimension * _BYTES_A_NUMBER


def _ready(state: References) -> References:
    # Makes what the index keeps for all searches, so that none of them has to wait for it.
    state.ranker.rank("id")
    return state
