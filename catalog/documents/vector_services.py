"""The embedding server and the vector store that the settings name."""

from typing import cast

from django.conf import settings

from gateways.embeddings.client import EmbeddingSettings, RoleStyle
from gateways.vectors.store import VectorStoreSettings


def embedding_settings() -> EmbeddingSettings:
    """As the TEXT_EMBEDDING_* variables say. Raises ConfigurationError for an address that is none."""
    return EmbeddingSettings(
        url=settings.TEXT_EMBEDDING_MODEL_URL,
        model=settings.TEXT_EMBEDDING_MODEL_NAME,
        api_key=settings.TEXT_EMBEDDING_API_KEY,
        role_style=cast(RoleStyle, settings.TEXT_EMBEDDING_ROLE_STYLE),
        dimension=settings.TEXT_EMBEDDING_DIMENSION or None,
        batch_size=settings.TEXT_EMBEDDING_BATCH_SIZE,
        max_characters=settings.TEXT_EMBEDDING_MAX_CHARACTERS,
        timeout_s=settings.TEXT_EMBEDDING_TIMEOUT_S,
    )


def vector_store_settings() -> VectorStoreSettings:
    """As the CHROMADB_* variables say. Raises ConfigurationError for a name that cannot exist."""
    return VectorStoreSettings(
        host=settings.CHROMADB_HOST or "127.0.0.1",
        port=settings.CHROMADB_PORT,
        collection=settings.CHROMADB_COLLECTION_NAME,
    )
