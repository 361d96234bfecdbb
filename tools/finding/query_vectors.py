"""Vectors of queries: from memory, or from the embedding server within a moment."""

import asyncio
import logging
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import EmbeddingError
from gateways.embeddings.client import EmbeddingClient, TextRole

logger = logging.getLogger(__name__)

# An agent that waits is better served by a search for words.
DEADLINE_S = 0.3
MOST_REMEMBERED = 2_000
# More would only queue up behind each other until nobody waits for them.
MOST_AT_ONCE = 32

_Vector = NDArray[np.float32]


class QueryVectors:
    """Embeds queries. Belongs to one event loop; any number of calls at once."""

    def __init__(self, embedder: EmbeddingClient) -> None:
        self._embedder = embedder
        self._known: dict[str, _Vector] = {}
        self._pending: dict[str, asyncio.Task[_Vector | None]] = {}

    async def find(self, text: str) -> _Vector | None:
        """The vector, or None where it is not there within 300 ms.

        One that comes too late is remembered for the next time.
        """
        if (known := self._known.pop(text, None)) is not None:
            # The one that was asked for last is the last to be forgotten.
            self._known[text] = known
            return known
        # One question for all searches with this text that wait for it.
        if (task := self._pending.get(text)) is None:
            if len(self._pending) >= MOST_AT_ONCE:
                return None
            task = asyncio.get_running_loop().create_task(self._embed(text))
            self._pending[text] = task
            task.add_done_callback(lambda _: self._pending.pop(text, None))
        try:
            async with asyncio.timeout(DEADLINE_S):
                return await asyncio.shield(task)
        except TimeoutError:
            logger.warning("a search goes by words alone: no vector of the query in time")
            return None

    async def find_all(self, texts: Iterable[str], deadline_s: float) -> dict[str, _Vector]:
        """The vectors by text, as far as they are known or come within the deadline; one request."""
        distinct = [text for text in dict.fromkeys(texts) if text.strip()]
        missing = [text for text in distinct if text not in self._known]
        try:
            async with asyncio.timeout(deadline_s):
                if missing:
                    answer = await self._embedder.embed(missing, TextRole.QUERY)
                    for text, vector in zip(missing, answer.vectors, strict=True):
                        self._keep(text, vector)
        except (EmbeddingError, TimeoutError) as error:
            logger.info("questions are searched by words alone: %s", error or "no answer in time")
        return {text: self._known[text] for text in distinct if text in self._known}

    async def close(self) -> None:
        """Ask for nothing any more."""
        for task in (pending := list(self._pending.values())):
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)

    async def _embed(self, text: str) -> _Vector | None:
        try:
            [vector] = (await self._embedder.embed([text], TextRole.QUERY)).vectors
        except EmbeddingError as error:
            logger.warning("a search goes by words alone: %s", error)
            return None
        return self._keep(text, vector)

    def _keep(self, text: str, vector: Sequence[float]) -> _Vector:
        if len(self._known) >= MOST_REMEMBERED:
            del self._known[next(iter(self._known))]
        self._known[text] = np.array(vector, dtype=np.float32)
        return self._known[text]
