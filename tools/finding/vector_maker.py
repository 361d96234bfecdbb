"""Makes the vectors of tools in the background, and stores them for every runtime."""

import asyncio
import logging
import random
from collections.abc import Mapping
from itertools import islice

import numpy as np
from django.db import Error as DatabaseError

from access.database_thread import DatabaseThread
from core.errors import EmbeddingError, EmbeddingUnavailableError
from core.retrieval.tool_texts import (
    IndexEntry,
    combine_vectors,
    embedding_texts,
    hash_texts,
)
from gateways.embeddings.client import EmbeddingClient, TextRole
from tools.finding.follower import IndexFollower
from tools.finding.vector_rows import (
    HashedVectors,
    drop_misfits,
    drop_orphans,
    read_vectors,
    store_vectors,
)

logger = logging.getLogger(__name__)

# An embedding server that takes one request at a time is kept from a search for so many tools only.
TOOLS_AT_ONCE = 4
# A swap copies the index: with thousands of tools one is worth its cost for a share of them.
SHARE_TAKEN_AT_ONCE = 0.05
RETRY_S = 10.0
EMBED_TIMEOUT_S = 30.0

_AWAY = (EmbeddingUnavailableError, DatabaseError, TimeoutError)


class VectorMaker:
    """Gives the index the vectors that it lacks: those that another runtime stored, else new ones."""

    def __init__(
        self, index: IndexFollower, embedder: EmbeddingClient, database: DatabaseThread
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._database = database
        self._refused: dict[str, str] = {}

    @property
    def _model(self) -> str:
        return self._embedder.settings.model

    async def run(self) -> None:
        """Make vectors when some are lacking, for ever; without a server there is nothing to do."""
        if not self._embedder.settings.is_complete:
            return
        await self._index.ready.wait()
        is_tidy = False
        while True:
            try:
                if not is_tidy:
                    await self._database.call(drop_orphans)
                    is_tidy = True
                await self._index.lacks_vectors.wait()
                self._index.lacks_vectors.clear()
                await self._make_all()
            except _AWAY as error:
                logger.warning("vectors of tools wait: %s", error)
                await asyncio.sleep(RETRY_S)
                self._index.lacks_vectors.set()

    async def renew(self, dimension: int) -> None:
        """Have all vectors made again: the model behind the name is another one, of this dimension."""
        logger.warning(
            "the embedding model now has %d dimensions; tools are embedded again", dimension
        )
        await self._database.call(drop_misfits, self._model, dimension)
        await self._index.forget_vectors()

    async def _make_all(self) -> None:
        made: dict[str, HashedVectors] = {}
        while todo := {
            name: entry
            for name, entry in self._index.lacking.items()
            if name not in made and self._refused.get(name) != hash_texts(entry.tool)
        }:
            # In no order, so that runtimes that start together share the work.
            names = random.sample(sorted(todo), min(TOOLS_AT_ONCE, len(todo)))
            made |= await self._make({name: todo[name] for name in names})
            if len(made) > SHARE_TAKEN_AT_ONCE * len(self._index):
                await self._index.take_vectors(made)
                made = {}
        await self._index.take_vectors(made)

    async def _make(self, entries: Mapping[str, IndexEntry]) -> dict[str, HashedVectors]:
        stored = await self._database.call(read_vectors, self._model, entries.keys())
        hashes = {name: hash_texts(entry.tool) for name, entry in entries.items()}
        found = {
            name: vectors
            for name, vectors in stored.items()
            if hashes.get(name) == vectors.content_hash
        }
        rest = {name: entry for name, entry in entries.items() if name not in found}
        made = await self._embed(rest) if rest else {}
        await self._database.call(store_vectors, self._model, made)
        return found | made

    async def _embed(self, entries: Mapping[str, IndexEntry]) -> dict[str, HashedVectors]:
        """The vectors, without those of a tool whose texts the server refuses."""
        try:
            return await self._embed_together(entries)
        except EmbeddingUnavailableError:
            raise
        except EmbeddingError as error:
            if len(entries) > 1:
                parts = [await self._embed({name: entry}) for name, entry in entries.items()]
                return {name: vectors for part in parts for name, vectors in part.items()}
            [(name, entry)] = entries.items()
            self._refused[name] = hash_texts(entry.tool)
            logger.warning("the tool %s is found by words alone: %s", name, error)
            return {}

    async def _embed_together(self, entries: Mapping[str, IndexEntry]) -> dict[str, HashedVectors]:
        texts = [text for entry in entries.values() for text in embedding_texts(entry.tool)]
        async with asyncio.timeout(EMBED_TIMEOUT_S):
            embeddings = await self._embedder.embed(texts, TextRole.PASSAGE)
        if self._index.dimension not in {0, embeddings.dimension}:
            await self.renew(embeddings.dimension)
        vectors = iter(np.array(embeddings.vectors, dtype=np.float32))
        return {
            name: HashedVectors(hash_texts(entry.tool), combine_vectors(*islice(vectors, 3)))
            for name, entry in entries.items()
        }
