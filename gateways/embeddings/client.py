"""Texts as vectors, by any server with OpenAI's `/v1/embeddings`."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import EmbeddingUnavailableError
from core.messages import message
from gateways.embeddings.answers import check_dimension, read_vectors
from gateways.embeddings.requests import EmbeddingRequests
from gateways.embeddings.settings import EmbeddingSettings, RoleStyle, TextRole
from gateways.embeddings.texts import make_batches, prepare_texts, request_body

__all__ = ["EmbeddingClient", "EmbeddingSettings", "Embeddings", "RoleStyle", "TextRole"]


@dataclass(frozen=True, slots=True)
class Embeddings:
    """One vector per text, in the texts' order, all of length `dimension` (0 for no texts).

    `truncated` holds the indexes of texts of which only the beginning was embedded.
    """

    vectors: list[list[float]]
    truncated: tuple[int, ...]
    dimension: int


class EmbeddingClient:
    """Embeds texts on one server. Any number of calls at once; belongs to one event loop."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self.settings = settings
        self._requests = EmbeddingRequests(settings)
        # Long passages must not keep a question waiting.
        self._turns = {role: asyncio.Semaphore(settings.max_requests) for role in TextRole}

    async def embed(self, texts: Sequence[str], role: TextRole) -> Embeddings:
        """The vectors of the texts.

        Raises EmbeddingError for an empty text, a refusal or vectors that cannot be used, and
        EmbeddingUnavailableError when the server is down, too busy or too slow.
        """
        settings = self.settings
        if not settings.is_complete:
            raise EmbeddingUnavailableError(
                message(
                    "embedding.no_server",
                    "there is no embedding server; set TEXT_EMBEDDING_MODEL_URL and"
                    " TEXT_EMBEDDING_MODEL_NAME",
                )
            )
        prepared = prepare_texts(texts, settings.max_characters)
        try:
            async with asyncio.timeout(settings.total_timeout_s):
                vectors = await self._embed_all(prepared.texts, role)
        except TimeoutError as error:
            raise EmbeddingUnavailableError(
                message(
                    "embedding.too_slow",
                    "embedding took longer than {seconds} s; send fewer texts, or retry later",
                    seconds=f"{settings.total_timeout_s:g}",
                )
            ) from error
        dimension = len(vectors[0]) if vectors else settings.dimension or 0
        return Embeddings(vectors, prepared.truncated, dimension)

    async def close(self) -> None:
        """Close the connections."""
        await self._requests.close()

    async def _embed_all(self, texts: Sequence[str], role: TextRole) -> list[list[float]]:
        settings = self.settings
        vectors: list[list[float]] = []
        # One after the other, so that a call with many texts takes turns with the other calls.
        for batch in make_batches(texts, settings.batch_size):
            body = request_body(batch, role, settings)
            async with self._turns[role]:
                timeout_s = settings.request_timeout_s(sum(map(len, batch)))
                answer = await self._requests.post(body, timeout_s)
            vectors += read_vectors(answer, len(batch), settings.dimension)
            check_dimension({len(vectors[0]), len(vectors[-1])}, settings.dimension)
        return vectors
