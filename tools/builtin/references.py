"""The index of reference documents: follows rows, vectors and the glossary while it is asked."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from django.db import Error as DatabaseError
from django.db import connections

from catalog.documents.searchable import (
    DocumentStamp,
    StoredDocument,
    read_documents_revision,
    read_searchable,
    read_stamps,
)
from catalog.glossary.concepts import read_concepts, read_glossary_revision
from core.errors import EmbeddingError, VectorStoreError
from core.retrieval.column_texts import ColumnTable
from core.retrieval.columns import ColumnIndex, ColumnRanker
from core.retrieval.dense import Vector
from core.retrieval.glossary import Concept, compile_glossary
from gateways.vectors.reader import PAGE_VECTORS, VectorReader
from gateways.vectors.settings import VectorStoreSettings

logger = logging.getLogger(__name__)

# An edit counts for the next call that is made so long after it.
CHECK_INTERVAL_S = 1.0
# Of so much time, at most a share goes into following changes: those of a long indexing run are many.
REST_PER_WORK = 4.0
MOST_REST_S = 3.0
VECTORS_RETRY_S = 2.0
FIRST_WAIT_S = 2.0
WAIT_S = 1.0
DATABASE_TIMEOUT_S = 30.0
_BYTES_A_NUMBER = 4
# 104,000 vectors of 384 numbers; the words of as many columns take about as much again.
MAX_VECTOR_BYTES = 160_000_000
# What the mean of a language is taken from where not all vectors are kept.
SAMPLED_VECTORS = 2_000

VectorStamp = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceRanks:
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


class ReferenceIndex:
    """Has the present `References`. Belongs to one event loop; nothing runs while nobody asks."""

    def __init__(
        self, store: VectorStoreSettings, model: str, most_bytes: int = MAX_VECTOR_BYTES
    ) -> None:
        """`model` is the embedding model's name, '' for none; `most_bytes` is for vectors."""
        self._store = store
        # As indexing notes it with the documents, before the number of dimensions.
        self._target = f"{store.collection}/{model}/" if model else ""
        self._most_bytes = most_bytes
        self._state: ReferenceRanks | None = None
        self._following: asyncio.Task[None] | None = None
        self._next_check = float("-inf")
        self._vectors_at = float("-inf")
        self._lacks_vectors = False

    async def follow(self) -> None:
        """Read what has changed, vectors too, however long that takes."""
        await self.current()
        if self._following is not None:
            await asyncio.wait({self._following})

    async def current(self) -> ReferenceRanks | None:
        """The documents as they are, or as they were while changes take more than a second.

        None where they cannot be read, or not within two seconds.
        """
        loop = asyncio.get_running_loop()
        if self._following is None or self._following.done():
            if loop.time() < self._next_check:
                return self._state
            self._following = loop.create_task(self._follow())
        wait_s = FIRST_WAIT_S if self._state is None else WAIT_S
        if not (self._state and self._lacks_vectors):
            await asyncio.wait({self._following}, timeout=wait_s)
        return self._state

    @property
    def is_loading(self) -> bool:
        """Whether the first vectors are still being read."""
        is_following = self._following is not None and not self._following.done()
        return is_following and not (self._state and self._state.index.vectors.has_vectors)

    async def close(self) -> None:
        """Follow no more."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            state = self._state or ReferenceRanks()
            async with asyncio.timeout(DATABASE_TIMEOUT_S):
                changes = await asyncio.to_thread(_read_changes, state)
            if changes is not None:
                state = await asyncio.to_thread(_with_changes, state, changes)
            self._state = state
            if changes is not None or (self._lacks_vectors and began >= self._vectors_at):
                await self._follow_vectors(state)
        except (DatabaseError, TimeoutError):
            logger.warning("reference documents are searched as they were; the database is away")
        except Exception:
            # Whatever a strange row does to the index, the earlier one goes on being searched.
            logger.exception("reference documents cannot be indexed")
        work_s = loop.time() - began
        rest_s = min(MOST_REST_S, REST_PER_WORK * work_s)
        self._next_check = loop.time() + max(CHECK_INTERVAL_S, rest_s)

    async def _follow_vectors(self, state: ReferenceRanks) -> None:
        if not self._target:
            return
        made = {
            key: stamp.of_vector
            for key, stamp in state.stamps.items()
            if stamp.indexed_with.startswith(self._target)
        }
        kept = _choose_vectors(made, self._most_bytes)
        missing = [key for key, stamp in kept.items() if state.vectors.get(key) != stamp]
        draft = _VectorDraft(state, kept)
        try:
            async with VectorReader(self._store) as reader:
                for start in range(0, len(missing), PAGE_VECTORS):
                    vectors = await reader.read_vectors(missing[start : start + PAGE_VECTORS])
                    await asyncio.to_thread(draft.take, vectors)
        except (VectorStoreError, EmbeddingError) as error:
            logger.warning("the meaning of reference documents waits: %s", error)
        state = self._state = await asyncio.to_thread(draft.finish)
        self._lacks_vectors = any(state.vectors.get(key) != stamp for key, stamp in kept.items())
        self._vectors_at = asyncio.get_running_loop().time() + VECTORS_RETRY_S


@dataclass(frozen=True, slots=True, eq=False)
class _Changes:
    """What differs from a state: documents by key, stamps of all, the glossary where it is another."""

    revision: str
    glossary_revision: str
    stamps: Mapping[str, DocumentStamp]
    documents: Collection[StoredDocument] = ()
    concepts: tuple[Concept, ...] | None = None


def _read_changes(state: ReferenceRanks) -> _Changes | None:
    """What has changed since; two queries while nothing has. Closes the connection of its thread."""
    try:
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
        return _Changes(revision, glossary_revision, stamps, read_searchable(changed), concepts)
    finally:
        connections.close_all()


def _with_changes(state: ReferenceRanks, changes: _Changes) -> ReferenceRanks:
    """The state after the changes; vectors of changed documents stay until there are newer ones."""
    index = state.index.copy()
    if changes.concepts is not None:
        index = state.index.with_glossary(compile_glossary(changes.concepts))
    gone = state.stamps.keys() - changes.stamps.keys()
    for key in gone:
        index.remove(key)
    changed = {
        document.table.name: document.table
        for document in changes.documents
        if document.table is not None
    }
    tables = {**state.tables, **changed}
    for document in changes.documents:
        column = document.column
        index.put(replace(column, table=tables.get(column.table.name, column.table)))
    for column in list(index):
        table = changed.get(column.table.name, column.table)
        if table != column.table:
            index.put(replace(column, table=table))
    texts = {key: text for key, text in state.texts.items() if key not in gone}
    texts |= {document.column.key: document.text for document in changes.documents}
    return _ready(
        ReferenceRanks(
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


def _choose_vectors(made: Mapping[str, VectorStamp], most_bytes: int) -> Mapping[str, VectorStamp]:
    """The vectors that the index should hold: all, or a sample of too many."""
    dimensions = (target.rpartition("/")[2] for _, target in made.values())
    dimension = next((int(text) for text in dimensions if text.isdigit()), 0)
    if len(made) * dimension * _BYTES_A_NUMBER <= most_bytes:
        return made
    step = max(2, len(made) // SAMPLED_VECTORS)
    return {key: made[key] for key in sorted(made)[::step]}


class _VectorDraft:
    """A state that takes vectors a page at a time; nobody searches it before it is finished."""

    def __init__(self, state: ReferenceRanks, kept: Mapping[str, VectorStamp]) -> None:
        """`kept` as `_choose_vectors` has them; the state's other vectors are left behind."""
        self._state = state
        self._kept = kept
        self._dropped = state.vectors.keys() - kept.keys()
        self._index: ColumnIndex | None = None
        self._held = dict(state.vectors)

    def take(self, vectors: Mapping[str, Vector]) -> None:
        """Take some of the vectors. Raises EmbeddingError if they do not fit each other."""
        index = self._own_index()
        if {len(vector) for vector in vectors.values()} - {index.vectors.dimension}:
            # The model is another one, whatever its name is.
            index.forget_vectors()
            self._held = {}
        for key, vector in vectors.items():
            index.put_vector(key, vector)
            self._held[key] = self._kept[key]

    def finish(self) -> ReferenceRanks:
        """The state with the vectors that were taken; the same one where none came or went."""
        if self._index is None and not self._dropped:
            return self._state
        index = self._own_index()
        for key in self._dropped:
            index.remove_vector(key)
            self._held.pop(key, None)
        targets = {target for _, target in self._kept.values()}
        made = sum(stamp.indexed_with in targets for stamp in self._state.stamps.values())
        is_sampled = len(self._kept) < made
        return _ready(replace(self._state, index=index, vectors=self._held, is_sampled=is_sampled))

    def _own_index(self) -> ColumnIndex:
        if self._index is None:
            self._index = self._state.index.copy()
        return self._index


def _ready(state: ReferenceRanks) -> ReferenceRanks:
    # Makes what the index keeps for all searches, so that none of them has to wait for it.
    state.ranker.rank("id")
    return state
