"""Finding reference documents: by words, meaning and their tables, or as much of it as there is."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from core.errors import EmbeddingError, IndexNotReadyError, VectorStoreError
from core.messages import Message
from core.retrieval.columns import ColumnRanker, ColumnsFound
from core.retrieval.dense import Vector
from gateways.embeddings.client import EmbeddingClient, Embeddings, TextRole
from gateways.vectors.reader import VectorReader
from gateways.vectors.requests import CollectionGoneError
from gateways.vectors.store import VectorStore
from tools.builtin.references import MAX_VECTOR_BYTES, ReferenceIndex, ReferenceRanks

logger = logging.getLogger(__name__)

# An agent that waits for reference documents is better served by lesser ones soon.
MEANING_TIMEOUT_S = 2.8
# Of the nearest in meaning and in words each, where not all vectors are kept.
CANDIDATES = 200

# The texts of the stored documents nearest in words to a query, best first.
SearchByWords = Callable[[str, int], Awaitable[list[str]]]
# Why nothing may be found although there is something; None where everything can be found.
ExplainUnbuilt = Callable[[], Awaitable[Message | None]]

T = TypeVar("T")


class DocumentSearch:
    """The documents that answer a text: the one code by which built-in tools embed and search."""

    def __init__(
        self,
        embedder: EmbeddingClient,
        store: VectorStore,
        search_by_words: SearchByWords,
        explain_unbuilt: ExplainUnbuilt | None = None,
        *,
        most_vector_bytes: int = MAX_VECTOR_BYTES,
    ) -> None:
        """`most_vector_bytes` is for the documents' vectors; of more a sample is kept."""
        self._embedder = embedder
        self._store = store
        self._search_by_words = search_by_words
        self._explain_unbuilt = explain_unbuilt
        self._opened_with = 0
        model = embedder.settings.model if embedder.settings.is_complete else ""
        self.references = ReferenceIndex(store.settings, model, most_vector_bytes)

    async def close(self) -> None:
        """Follow the documents no more."""
        await self.references.close()

    async def warm_up(self) -> None:
        """Read documents and vectors, and let the embedding model read its first text."""
        with suppress(EmbeddingError):
            await self.embed(["warm up"])
        await self.references.follow()

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """The texts as vectors that documents are searched with. Raises EmbeddingError."""
        return await self._embedder.embed(texts, TextRole.QUERY)

    async def find(self, queries: Sequence[str], n_results: int) -> list[list[str]]:
        """For each query the nearest documents, most similar first.

        Raises EmbeddingError, VectorStoreError, and IndexNotReadyError rather than finding nothing in
        an index that is not built yet.
        """
        if not queries:
            return []
        embeddings = await self.embed(queries)
        try:
            found = await self._search(embeddings, n_results)
        except CollectionGoneError:
            await self._require_index()
            raise
        if not any(found):
            await self._require_index()
        return found

    async def find_or_degrade(self, query: str, n_results: int) -> tuple[list[str], bool]:
        """The documents that help to answer a question, and whether they were found by words alone.

        That is so where the embedding server or the vector store cannot help in time. Raises
        IndexNotReadyError rather than finding nothing in an index that is not built yet.
        """
        until = asyncio.get_running_loop().time() + MEANING_TIMEOUT_S
        state, embeddings = await asyncio.gather(
            self.references.current(), _wait_until(until, self.embed([query]))
        )
        documents: list[str] | None = None
        is_degraded = False
        # The vector store alone answers better while rows or vectors are not yet read.
        if embeddings and (state is None or not state.texts or self.references.is_loading):
            nearest = await _wait_until(until, self._search(embeddings, n_results))
            documents = nearest[0] if nearest else None
        if documents is None and state is not None and state.texts:
            vector = embeddings.vectors[0] if embeddings else None
            found, is_degraded = await self._rank(state, query, vector, n_results)
            documents = [state.texts[column.identity] for column in found.first(n_results)]
        if documents is None:
            documents, is_degraded = await self._search_by_words(query, n_results), True
        if not documents:
            await self._require_index()
        return documents, is_degraded

    async def _search(self, embeddings: Embeddings, n_results: int) -> list[list[str]]:
        await self._open(embeddings.dimension)
        found = await self._store.search(embeddings.vectors, n_results)
        return [[match.document for match in matches] for matches in found]

    async def _require_index(self) -> None:
        if self._explain_unbuilt and (reason := await self._explain_unbuilt()):
            raise IndexNotReadyError(reason)

    async def _rank(
        self, state: ReferenceRanks, query: str, vector: Vector | None, n_results: int
    ) -> tuple[ColumnsFound, bool]:
        ranker = state.ranker
        if vector is not None and state.index.vectors.has_vectors:
            try:
                if state.is_sampled:
                    return await self._rank_nearest(ranker, query, vector, n_results), False
                return await asyncio.to_thread(ranker.rank, query, vector, n_results), False
            except (EmbeddingError, VectorStoreError, TimeoutError) as error:
                logger.warning("reference documents are searched by words alone: %s", error)
        return await asyncio.to_thread(ranker.rank, query, None, n_results), True

    async def _rank_nearest(
        self, ranker: ColumnRanker, query: str, vector: Vector, n_results: int
    ) -> ColumnsFound:
        """As the ranker does, among those that are near in meaning or in words."""
        async with asyncio.timeout(MEANING_TIMEOUT_S), VectorReader(self._store.settings) as reader:
            by_words = await asyncio.to_thread(ranker.best_by_words, query, CANDIDATES)
            await self._open(len(vector))
            [near] = await self._store.search([list(map(float, vector))], CANDIDATES)
            keys = dict.fromkeys([*(match.id for match in near), *by_words])
            candidates = await reader.read_vectors(list(keys))
        return await asyncio.to_thread(ranker.rank_among, query, vector, candidates, n_results)

    async def _open(self, dimension: int) -> None:
        """Say once what the collection has to fit; the store holds to it when it is replaced."""
        if self._opened_with != dimension:
            await self._store.open(self._embedder.settings.model, dimension, create=False)
            self._opened_with = dimension


async def _wait_until(until: float, answer: Awaitable[T]) -> T | None:
    """The answer; None if it fails or does not come in time."""
    try:
        async with asyncio.timeout_at(until):
            return await answer
    except (EmbeddingError, VectorStoreError) as error:
        logger.warning("reference documents are searched by words alone: %s", error)
    except TimeoutError:
        logger.warning("reference documents are searched by words alone: no answer in time")
    return None
