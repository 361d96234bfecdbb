"""What built-in tools need of the outside: opened with the runtime, closed with it."""

from dataclasses import replace

from django.db import Error as DatabaseError

from catalog.documents.stored import search_documents_by_text
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from core.errors import VectorStoreUnavailableError
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore
from mcp_runtime.builtin.documents import DocumentSearch
from mcp_runtime.builtin.own_catalogue import open_catalogue
from mcp_runtime.connections import DatabaseThread

# An agent waits for it; indexing may take longer.
STORE_TIMEOUT_S = 2.0


class BuiltinServices:
    """The embedding server, vectors, stored documents and the catalogue; connect when first needed."""

    def __init__(self) -> None:
        """Raises ConfigurationError for settings that cannot be right."""
        self.embedder = EmbeddingClient(embedding_settings())
        self._store = VectorStore(replace(vector_store_settings(), timeout_s=STORE_TIMEOUT_S))
        # Its own: ranking thousands of documents must not hold up the registry.
        self._thread = DatabaseThread("documents")
        self.catalogue = open_catalogue()
        self.search = DocumentSearch(self.embedder, self._store, self._search_by_words)

    async def close(self) -> None:
        """Close all connections."""
        await self.search.close()
        await self.embedder.close()
        await self._store.close()
        await self._thread.close()
        await self.catalogue.close()

    async def _search_by_words(self, query: str, limit: int) -> list[str]:
        try:
            return await self._thread.call(search_documents_by_text, query, limit)
        except (DatabaseError, TimeoutError) as error:
            raise VectorStoreUnavailableError(
                "reference documents cannot be searched now; try again later"
            ) from error
