"""What built-in tools need of the outside: opened with the runtime, closed with it."""

from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec, TypeVar

from django.db import Error as DatabaseError

from access.database_thread import DatabaseThread
from catalog.documents.indexing import explain_unbuilt_index
from catalog.documents.portions import IndexTarget
from catalog.documents.stored import search_documents_by_text
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from core.errors import VectorStoreUnavailableError
from core.messages import Message, message
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore
from tools.builtin.documents import DocumentRows, DocumentSearch
from tools.builtin.own_catalogue import open_catalogue

P = ParamSpec("P")
T = TypeVar("T")

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
        rows = DocumentRows(self._search_by_words, self._explain_unbuilt_index)
        self.search = DocumentSearch(self.embedder, self._store, rows)

    async def close(self) -> None:
        """Close all connections."""
        await self.search.close()
        await self.embedder.close()
        await self._store.close()
        await self._thread.close()
        await self.catalogue.close()

    async def _search_by_words(self, query: str, limit: int) -> list[str]:
        return await self._read(search_documents_by_text, query, limit)

    async def _explain_unbuilt_index(self) -> Message | None:
        target = IndexTarget(self._store.settings.collection, self.embedder.settings.model)
        return await self._read(explain_unbuilt_index, target)

    async def _read(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await self._thread.call(verb, *args, **kwargs)
        except (DatabaseError, TimeoutError) as error:
            raise VectorStoreUnavailableError(
                message(
                    "documents.unsearchable",
                    "reference documents cannot be searched now; try again later",
                )
            ) from error
