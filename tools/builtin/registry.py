"""All built-in tools, what they need of the outside, and the choice of those that are served."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from access.database_thread import DatabaseThread
from catalog.documents.indexing import explain_unbuilt_index
from catalog.documents.portions import IndexTarget
from catalog.documents.stored import search_documents_by_text
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from core.bindings import CallerFacts
from core.errors import ConfigurationError, VectorStoreUnavailableError
from core.messages import Message, message
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore
from tools.builtin.catalogue import CatalogueReader, open_catalogue
from tools.builtin.catalogue_tools import CONNECTION, DETAILS, SUMMARIES, TAGS, catalogue_tools
from tools.builtin.documents import DocumentSearch
from tools.builtin.embedding_tools import EMBEDDING, REFERENCES, SIMILARITY, embedding_tools
from tools.builtin.postgres_query import SPEC as POSTGRES_QUERY
from tools.builtin.postgres_query import postgres_query_tool
from tools.builtin.search_tools import CALL, SEARCH, FindTools, search_tools
from tools.builtin.tool import BuiltinSpec, BuiltinTool
from tools.builtin.utilities import COMPLETION, SANITIZER, completion_tool, sanitizer_tool

# An agent waits for it; indexing may take longer.
STORE_TIMEOUT_S = 2.0
EVERY_TOOL, NO_TOOL = "all", "none"
BUILTIN_SPECS: Mapping[str, BuiltinSpec] = {
    spec.name: spec
    for spec in (
        *(SEARCH, CALL, EMBEDDING, SIMILARITY, REFERENCES, POSTGRES_QUERY),
        *(SUMMARIES, TAGS, DETAILS, CONNECTION, COMPLETION, SANITIZER),
    )
}
# No tool of a person may have one of them.
BUILTIN_NAMES = frozenset(BUILTIN_SPECS)


class BuiltinServices:
    """The embedding server, vectors, stored documents and the catalogue; connect when first needed."""

    def __init__(self) -> None:
        """Raises ConfigurationError for settings that cannot be right."""
        self.embedder = EmbeddingClient(embedding_settings())
        self._store = VectorStore(replace(vector_store_settings(), timeout_s=STORE_TIMEOUT_S))
        # Its own: ranking thousands of documents must not hold up the registry.
        self._thread = DatabaseThread(
            "documents",
            lambda: VectorStoreUnavailableError(
                message(
                    "documents.unsearchable",
                    "reference documents cannot be searched now; try again later",
                )
            ),
        )
        self.catalogue = open_catalogue()
        target = IndexTarget(self._store.settings.collection, self.embedder.settings.model)

        async def search_by_words(query: str, limit: int) -> list[str]:
            return await self._thread.call(search_documents_by_text, query, limit)

        async def explain_unbuilt() -> Message | None:
            return await self._thread.call(explain_unbuilt_index, target)

        self.search = DocumentSearch(self.embedder, self._store, search_by_words, explain_unbuilt)

    async def close(self) -> None:
        """Close all connections."""
        await self.search.close()
        await self.embedder.close()
        await self._store.close()
        await self._thread.close()
        await self.catalogue.close()


@cache
def declared_tools(choice: tuple[str, ...]) -> dict[str, BuiltinTool]:
    """The built-in tools that MCP_BUILTIN_TOOLS asks for, to be shown; only a runtime runs them."""

    async def find_nothing(_query: str, _limit: int, _facts: CallerFacts) -> dict[str, Any]:
        return {"tools": [], "degraded": True}

    services = BuiltinServices()
    tools = builtin_tools(services.search, services.catalogue, find_nothing)
    return choose_tools(tools, choice)


def builtin_tools(
    search: DocumentSearch, catalogue: CatalogueReader, find_tools: FindTools
) -> dict[str, BuiltinTool]:
    """Every built-in tool by name, in the order in which they are listed."""
    tools = [
        *search_tools(find_tools),
        *embedding_tools(search),
        postgres_query_tool(),
        *catalogue_tools(catalogue),
        completion_tool(),
        sanitizer_tool(),
    ]
    return {tool.spec.name: tool for tool in tools}


def choose_tools(
    tools: Mapping[str, BuiltinTool], choice: Collection[str]
) -> dict[str, BuiltinTool]:
    """The tools that MCP_BUILTIN_TOOLS asks for: `all`, `none`, or names.

    Raises ConfigurationError for a name that no built-in tool has.
    """
    names = set(choice) - {EVERY_TOOL, NO_TOOL}
    if unknown := sorted(names - tools.keys()):
        raise ConfigurationError(
            f"MCP_BUILTIN_TOOLS names {', '.join(unknown)}, which is no built-in tool; there are"
            f" {', '.join(tools)}, and the words {EVERY_TOOL} and {NO_TOOL}"
        )
    return {name: tool for name, tool in tools.items() if EVERY_TOOL in choice or name in names}
