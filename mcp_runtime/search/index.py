"""The index of served tools: follows the snapshot, one changed tool at a time."""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from django.db import Error as DatabaseError

from catalog.glossary import read_concepts, read_glossary_revision
from core.errors import EmbeddingError
from core.retrieval.glossary import Concept, Glossary, compile_glossary
from core.retrieval.glossary_terms import CONCEPTS
from core.retrieval.index import ToolIndex
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import Query
from core.retrieval.text_hashes import hash_texts
from core.retrieval.tool_texts import IndexEntry
from mcp_runtime.connections import DatabaseThread
from mcp_runtime.search.entries import searchable_tools, to_search_tool
from mcp_runtime.search.vector_rows import HashedVectors, SearchRows, read_rows
from mcp_runtime.snapshot import ServedTool, Snapshot

logger = logging.getLogger(__name__)

# An edit of the glossary counts so long after it, and the time of indexing.
GLOSSARY_INTERVAL_S = 1.0


@dataclass(frozen=True, slots=True)
class _Indexed:
    """A tool in the index; `entry` is without its vectors, which the index keeps."""

    served: ServedTool
    entry: IndexEntry
    content_hash: str
    has_vectors: bool = False


@dataclass(frozen=True, slots=True)
class _EditedGlossary:
    """The concepts in use at a revision."""

    revision: str
    concepts: tuple[Concept, ...]


_Known = dict[str, _Indexed]


class SearchIndex:
    """What can be found. Readers have `ranker`, which is swapped as a whole and never changed.

    Words are there as soon as a tool is served; `lacking` are the tools whose vectors are to be made.
    """

    def __init__(
        self, snapshot: Callable[[], Snapshot], database: DatabaseThread, model: str
    ) -> None:
        """`model` is the embedding model's name, '' for none."""
        self.ready = asyncio.Event()
        self.lacks_vectors = asyncio.Event()
        self._snapshot = snapshot
        self._database = database
        self._model = model
        self._followed: Snapshot | None = None
        self._noticed = asyncio.Event()
        self._changing = asyncio.Lock()
        self._known: _Known = {}
        self._glossary_revision: str | None = None
        self._index = ToolIndex(compile_glossary(CONCEPTS))
        self.ranker = ToolRanker(self._index)

    def __len__(self) -> int:
        return len(self._known)

    @property
    def dimension(self) -> int:
        """Numbers a vector; 0 where no tool has any."""
        return self._index.vectors.dimension if self._index.vectors.has_vectors else 0

    @property
    def lacking(self) -> dict[str, IndexEntry]:
        """The tools without vectors, by name."""
        known = self._known.items()
        return {name: each.entry for name, each in known if not each.has_vectors}

    def notice(self) -> None:
        """Look whether the snapshot changed, soon; costs nothing where it did not."""
        if self._snapshot() is not self._followed:
            self._noticed.set()

    async def run(self) -> None:
        """Follow the snapshot and the glossary, for ever."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(GLOSSARY_INTERVAL_S):
                    await self._noticed.wait()
            is_noticed = self._noticed.is_set()
            self._noticed.clear()
            try:
                # Even when the snapshot changes all the time.
                await self._follow_glossary()
                if is_noticed:
                    await self.update()
            except Exception:
                # Whatever a strange tool does to the index, tools go on being served.
                logger.exception("served tools cannot be indexed; searches find the earlier ones")

    async def update(self) -> None:
        """Index what is new or changed in the snapshot, and forget what is gone."""
        async with self._changing:
            snapshot = self._snapshot()
            wanted = searchable_tools(snapshot)
            gone = self._known.keys() - wanted.keys()
            changed = {
                name: tool
                for name, tool in wanted.items()
                if name not in self._known or self._known[name].served is not tool
            }
            if changed or gone:
                rows = await self._read_rows(changed)
                await self._swap(lambda: self._with_tools(changed, gone, rows))
            self._followed = snapshot
        self.ready.set()

    async def take_vectors(self, made: Mapping[str, HashedVectors]) -> None:
        """Give tools their vectors, unless they have changed meanwhile or are gone."""
        async with self._changing:
            fitting = {
                name: each
                for name, each in made.items()
                if name in self._known and self._known[name].content_hash == each.content_hash
            }
            if fitting:
                await self._swap(lambda: self._with_vectors(fitting))

    async def forget_vectors(self) -> None:
        """Search by words alone until all vectors have been made anew."""
        async with self._changing:
            await self._swap(self._without_vectors)

    async def _follow_glossary(self) -> None:
        """Take up the glossary as people have edited it; while the database is away it stays."""
        try:
            glossary = await self._database.call(_read_glossary, self._glossary_revision)
        except (DatabaseError, TimeoutError):
            return
        if glossary is None:
            return
        async with self._changing:
            await self._swap(lambda: self._with_glossary(compile_glossary(glossary.concepts)))
        self._glossary_revision = glossary.revision

    async def _read_rows(self, names: Collection[str]) -> SearchRows:
        try:
            return await self._database.call(read_rows, self._model, names)
        except (DatabaseError, TimeoutError):
            logger.warning("tools are indexed without stored vectors; the database is away")
            return SearchRows({}, {})

    async def _swap(self, build: Callable[[], tuple[ToolIndex, _Known]]) -> None:
        self._index, self._known = await asyncio.to_thread(_ready_to_rank, build)
        self.ranker = ToolRanker(self._index)
        if self._model and any(not each.has_vectors for each in self._known.values()):
            self.lacks_vectors.set()

    def _with_tools(
        self, changed: Mapping[str, ServedTool], gone: Iterable[str], rows: SearchRows
    ) -> tuple[ToolIndex, _Known]:
        known = {name: each for name, each in self._known.items() if name not in set(gone)}
        index = self._index.copy()
        for name in gone:
            index.remove(name)
        for name, tool in changed.items():
            entry = IndexEntry(to_search_tool(tool), None, rows.descriptions.get(name, ""))
            indexed = _Indexed(tool, entry, hash_texts(entry.tool))
            known[name] = _put(index, indexed, rows.vectors.get(name))
        return index, known

    def _with_vectors(self, made: Mapping[str, HashedVectors]) -> tuple[ToolIndex, _Known]:
        index, known = self._index.copy(), dict(self._known)
        for name, vectors in made.items():
            known[name] = _put_vectors(index, known[name], vectors)
        return index, known

    def _without_vectors(self) -> tuple[ToolIndex, _Known]:
        index = self._index.without_vectors()
        return index, {name: replace(each, has_vectors=False) for name, each in self._known.items()}

    def _with_glossary(self, glossary: Glossary) -> tuple[ToolIndex, _Known]:
        entries = [each.entry for each in self._known.values()]
        return self._index.with_glossary(glossary, entries), self._known


def _read_glossary(known_revision: str | None) -> _EditedGlossary | None:
    """The glossary if it is another one; one query while it is not."""
    revision = read_glossary_revision()
    if revision == known_revision:
        return None
    return _EditedGlossary(revision, read_concepts())


def _put(index: ToolIndex, indexed: _Indexed, vectors: HashedVectors | None) -> _Indexed:
    """Index the tool, with the vectors if they are of its texts and fit the others."""
    index.put(indexed.entry)
    return _put_vectors(index, indexed, vectors)


def _put_vectors(index: ToolIndex, indexed: _Indexed, vectors: HashedVectors | None) -> _Indexed:
    """Give the tool the vectors if they are of its texts and fit the others; else it has none."""
    entry = indexed.entry
    if vectors is not None and vectors.content_hash == indexed.content_hash:
        try:
            index.put_vectors(replace(entry, vectors=vectors.pair))
            return replace(indexed, has_vectors=True)
        except EmbeddingError as error:
            logger.warning("the vectors of %s cannot be used: %s", entry.tool.name, error)
    index.put_vectors(entry)
    return replace(indexed, has_vectors=False)


def _ready_to_rank(build: Callable[[], tuple[ToolIndex, _Known]]) -> tuple[ToolIndex, _Known]:
    index, known = build()
    # Makes what the index keeps for all searches, so that none of them has to wait for it.
    ToolRanker(index).rank(Query("list"))
    return index, known
