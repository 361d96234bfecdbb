"""Reference documents for tests, and the real servers that index them."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgiref.sync import async_to_sync

from catalog.documents.indexing import index_changed
from catalog.documents.portions import IndexReport
from catalog.documents.rows import Document, read_row
from catalog.documents.stored import load_documents
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from config.services.embeddings import EmbeddedEmbeddings
from gateways.embeddings.client import EmbeddingClient, TextRole
from gateways.vectors.store import VectorStore
from tests.chroma_server import ChromaAddress

WriteFile = Callable[[str, str], Path]
EMAIL = {
    "table": "users",
    "column_name": "email",
    "description": "사용자 이메일 주소",
    "data_type": "VARCHAR(255)",
}


def column(name: str = "email", **values: Any) -> Document:
    """The document of a column of the table users."""
    return read_row({**EMAIL, "column_name": name, **values})


def columns(count: int) -> list[Document]:
    """Documents of as many columns."""
    return [column(f"c{number}", description=f"column number {number}") for number in range(count)]


def load(*documents: Document, source: str = "a") -> None:
    """Make these the rows of a source."""
    load_documents(source, documents)


@dataclass
class Indexing:
    """The servers of the settings, in a collection of its own."""

    progress: list[tuple[int, int]] = field(default_factory=list)

    def run(self, *, rebuild: bool = False, portions: int = 1_000) -> IndexReport:
        """One run, told to stop after so many portions."""
        self.progress = []
        return async_to_sync(self._run)(rebuild, portions)

    def find(self, query: str, n_results: int = 3) -> list[str]:
        """Ids of the nearest documents in the vector store."""
        return async_to_sync(self._find)(query, n_results)

    def drop(self) -> None:
        """Lose the collection."""
        async_to_sync(self._drop)()

    async def _run(self, rebuild: bool, portions: int) -> IndexReport:
        embedder, store = (
            EmbeddingClient(embedding_settings()),
            VectorStore(vector_store_settings()),
        )
        try:
            return await index_changed(
                embedder,
                store,
                lambda done, total: self.progress.append((done, total)),
                lambda: len(self.progress) >= portions,
                rebuild=rebuild,
            )
        finally:
            await embedder.close()
            await store.close()

    async def _find(self, query: str, n_results: int) -> list[str]:
        embedder = EmbeddingClient(embedding_settings())
        vectors = (await embedder.embed([query], TextRole.QUERY)).vectors
        await embedder.close()
        async with VectorStore(vector_store_settings()) as store:
            (matches,) = await store.search(vectors, n_results)
        return [match.id for match in matches]

    async def _drop(self) -> None:
        async with VectorStore(vector_store_settings()) as store:
            await store.drop()


@pytest.fixture
def indexing(
    settings: Any, ngram_model: EmbeddedEmbeddings, chroma: ChromaAddress
) -> Iterator[Indexing]:
    """Real servers with the quick model, which finds texts that are written alike."""
    settings.TEXT_EMBEDDING_MODEL_URL = ngram_model.url
    settings.TEXT_EMBEDDING_MODEL_NAME = ngram_model.model
    settings.CHROMADB_HOST, settings.CHROMADB_PORT = chroma.host, chroma.port
    settings.CHROMADB_COLLECTION_NAME = f"documents-{uuid.uuid4().hex[:12]}"
    yield Indexing()
    address = f"http://{chroma.host}:{chroma.port}/api/v2/tenants/default_tenant"
    httpx.delete(
        f"{address}/databases/default_database/collections/{settings.CHROMADB_COLLECTION_NAME}"
    )


@pytest.fixture
def write_file(tmp_path: Path) -> WriteFile:
    """Writes a file of documents and gives its path."""

    def write(name: str, content: str) -> Path:
        path = tmp_path / name
        path.write_text(content, "utf-8")
        return path

    return write
