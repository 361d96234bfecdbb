"""Questions of the lab as vectors, made and remembered as those of agents are."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from catalog.documents.vector_services import embedding_settings
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings
from tools.finding.query_vectors import DEADLINE_S, QueryVectors
from tools.source_loop import shared_loop
from tools.sources import Sources

MANY_QUESTIONS_S = 20.0


def embed_question(text: str) -> NDArray[np.float32] | None:
    """The vector of one question; None if there is none within 300 ms."""
    return embed_questions([text], DEADLINE_S).get(text)


def embed_questions(
    texts: Sequence[str], deadline_s: float = MANY_QUESTIONS_S
) -> dict[str, NDArray[np.float32]]:
    """The vectors by text, as far as they are known or come within the deadline."""
    settings = embedding_settings()
    if not settings.is_complete:
        return {}

    async def find(_sources: Sources) -> dict[str, NDArray[np.float32]]:
        vectors = _vectors_of(asyncio.get_running_loop(), settings)
        return await vectors.find_all(texts, deadline_s)

    return shared_loop().run(find, None, timeout_s=deadline_s + 1.0)


@lru_cache(maxsize=1)
def _vectors_of(_loop: asyncio.AbstractEventLoop, settings: EmbeddingSettings) -> QueryVectors:
    """Those of this process; connections belong to one loop."""
    return QueryVectors(EmbeddingClient(settings))
