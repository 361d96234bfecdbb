"""Documents with small vectors, and stores that hold them."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from gateways.vectors.store import VectorItem, VectorStore, VectorStoreSettings
from tests.chroma_server import ChromaAddress, ChromaServer

MODEL, DIMENSION = "small-model", 3
DIRECTIONS = {"east": (1.0, 0.0, 0.0), "north": (0.0, 1.0, 0.0), "up": (0.0, 0.0, 1.0)}


def item(key: str, vector: tuple[float, ...] = (1.0, 0.0, 0.0), **metadata: Any) -> VectorItem:
    return VectorItem(key, f"about {key}", vector, metadata)


def three_items() -> list[VectorItem]:
    return [item(key, vector, content_hash=f"hash-{key}") for key, vector in DIRECTIONS.items()]


def store_settings(
    server: ChromaAddress | ChromaServer, collection: str | None = None, **limits: float
) -> VectorStoreSettings:
    """A collection that nobody else uses, unless one is named."""
    name = collection or f"test-{secrets.token_hex(8)}"
    return VectorStoreSettings(host=server.host, port=server.port, collection=name, **limits)  # type: ignore[arg-type]


@asynccontextmanager
async def opened_store(settings: VectorStoreSettings) -> AsyncIterator[VectorStore]:
    """The store with a collection for the small vectors."""
    async with VectorStore(settings) as store:
        await store.open(MODEL, DIMENSION, create=True)
        yield store
