"""Finding reference documents: by meaning in the vector store, or by words where that is away."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from core.errors import EmbeddingError, VectorStoreError
from gateways.embeddings.client import EmbeddingClient, Embeddings, TextRole
from gateways.vectors.store import VectorStore

logger = logging.getLogger(__name__)

# An agent that waits for reference documents is better served by lesser ones soon.
MEANING_TIMEOUT_S = 2.8

# The texts of the stored documents nearest in words to a query, best first.
SearchByWords = Callable[[str, int], Awaitable[list[str]]]


class DocumentSearch:
    """The documents that answer a text: the one code by which built-in tools embed and search."""

    def __init__(
        self, embedder: EmbeddingClient, store: VectorStore, search_by_words: SearchByWords
    ) -> None:
        self._embedder = embedder
        self._store = store
        self._search_by_words = search_by_words
        self._opened_with = 0

    async def embed(self, texts: Sequence[str]) -> Embeddings:
        """The texts as vectors that documents are searched with. Raises EmbeddingError."""
        return await self._embedder.embed(texts, TextRole.QUERY)

    async def find(self, queries: Sequence[str], n_results: int) -> list[list[str]]:
        """For each query the nearest documents, most similar first.

        Raises EmbeddingError, VectorStoreError.
        """
        if not queries:
            return []
        embeddings = await self.embed(queries)
        await self._open(embeddings.dimension)
        found = await self._store.search(embeddings.vectors, n_results)
        return [[match.document for match in matches] for matches in found]

    async def find_or_degrade(self, query: str, n_results: int) -> tuple[list[str], bool]:
        """The nearest documents, and whether they were found by words alone.

        That is so where the embedding server or the vector store cannot help in time.
        """
        try:
            async with asyncio.timeout(MEANING_TIMEOUT_S):
                [documents] = await self.find([query], n_results)
            return documents, False
        except (EmbeddingError, VectorStoreError) as error:
            logger.warning("reference documents are searched by words alone: %s", error)
        except TimeoutError:
            logger.warning("reference documents are searched by words alone: no answer in time")
        return await self._search_by_words(query, n_results), True

    async def _open(self, dimension: int) -> None:
        """Say once what the collection has to fit; the store holds to it when it is replaced."""
        if self._opened_with != dimension:
            await self._store.open(self._embedder.settings.model, dimension, create=False)
            self._opened_with = dimension
