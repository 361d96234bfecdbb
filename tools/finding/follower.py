"""Keeps the index of a runtime's tools up to date: follows its snapshot, one changed tool at a time."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Protocol

from django.db import Error as DatabaseError

from access.database_thread import DatabaseThread
from catalog.glossary.concepts import read_concepts, read_glossary_revision
from core.retrieval.glossary import Concept
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from core.retrieval.tool_texts import IndexEntry
from tools.finding.index import FindableTool, SearchIndex, findable
from tools.finding.learned_uses import read_priors, read_uses_revision
from tools.finding.vector_rows import HashedVectors, SearchRows, read_rows

logger = logging.getLogger(__name__)

# An edit of the glossary counts so long after it, and the time of indexing.
GLOSSARY_INTERVAL_S = 2.0
# What agents call changes the order little by little.
USES_INTERVAL_S = 60.0


class ServedTools(Protocol):
    """The tools of one moment; another object after each change."""

    @property
    def builtin(self) -> Mapping[str, FindableTool]: ...
    @property
    def tools(self) -> Mapping[str, FindableTool]: ...


class IndexFollower:
    """What can be found. Readers have `ranker`, which is swapped as a whole and never changed.

    Words are there as soon as a tool is served; `lacking` are the tools whose vectors are to be made.
    """

    def __init__(
        self, snapshot: Callable[[], ServedTools], database: DatabaseThread, model: str
    ) -> None:
        """`model` is the embedding model's name, '' for none."""
        self.ready = asyncio.Event()
        self.lacks_vectors = asyncio.Event()
        self._snapshot = snapshot
        self._database = database
        self._model = model
        self._followed: ServedTools | None = None
        self._noticed = asyncio.Event()
        self._changing = asyncio.Lock()
        self._glossary_revision: str | None = None
        self._uses_revision = ""
        self._uses_read_at = float("-inf")
        self._index = SearchIndex()
        self.ranker = ToolRanker(self._index.index)

    def __len__(self) -> int:
        return len(self._index.tools)

    @property
    def dimension(self) -> int:
        """Numbers a vector; 0 where no tool has any."""
        vectors = self._index.index.vectors
        return vectors.dimension if vectors.has_vectors else 0

    @property
    def lacking(self) -> dict[str, IndexEntry]:
        """The tools without vectors, by name."""
        tools = self._index.tools.items()
        return {name: tool.entry for name, tool in tools if not tool.has_vectors}

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
                await self._follow_uses()
                if is_noticed:
                    await self.update()
            except Exception:
                # Whatever a strange tool does to the index, tools go on being served.
                logger.exception("served tools cannot be indexed; searches find the earlier ones")

    async def update(self) -> None:
        """Index what is new or changed in the snapshot, and forget what is gone."""
        async with self._changing:
            snapshot = self._snapshot()
            changed, gone = self._index.find_changes(findable(snapshot.builtin, snapshot.tools))
            if changed or gone:
                try:
                    rows = await self._database.call(read_rows, self._model, changed)
                except (DatabaseError, TimeoutError):
                    logger.warning("tools are indexed without stored vectors; no database")
                    rows = SearchRows({}, {})
                await self._swap(lambda: self._index.with_tools(changed, gone, rows))
            self._followed = snapshot
        self.ready.set()

    async def take_vectors(self, made: Mapping[str, HashedVectors]) -> None:
        """Give tools their vectors, unless they have changed meanwhile or are gone."""
        if made:
            async with self._changing:
                await self._swap(lambda: self._index.with_vectors(made))

    async def forget_vectors(self) -> None:
        """Search by words alone until all vectors have been made again."""
        async with self._changing:
            await self._swap(self._index.without_vectors)

    async def _follow_glossary(self) -> None:
        """Take up the glossary as people have edited it; while the database is away it stays."""

        def read_changes() -> tuple[str, tuple[Concept, ...]] | None:
            revision = read_glossary_revision()
            return None if revision == self._glossary_revision else (revision, read_concepts())

        with suppress(DatabaseError, TimeoutError):
            if (edited := await self._database.call(read_changes)) is not None:
                revision, concepts = edited
                async with self._changing:
                    await self._swap(lambda: self._index.with_glossary(concepts, self._model))
                self._glossary_revision = revision

    async def _follow_uses(self) -> None:
        """Take up what agents called, once a minute; while the database is away it stays."""
        if (now := time.monotonic()) - self._uses_read_at < USES_INTERVAL_S:
            return
        self._uses_read_at = now
        with suppress(DatabaseError, TimeoutError):
            revision = await self._database.call(read_uses_revision)
            if revision != self._uses_revision:
                priors = await self._database.call(read_priors)
                async with self._changing:
                    await self._swap(lambda: self._index.with_priors(priors))
                self._uses_revision = revision

    async def _swap(self, build: Callable[[], SearchIndex]) -> None:
        def build_ranker() -> tuple[SearchIndex, ToolRanker]:
            index = build()
            ranker = ToolRanker(index.index)
            # Makes what the index keeps for all searches, so that none of them has to wait for it.
            ranker.rank(SearchQuery("list"))
            return index, ranker

        self._index, self.ranker = await asyncio.to_thread(build_ranker)
        if self._model and self.lacking:
            self.lacks_vectors.set()
