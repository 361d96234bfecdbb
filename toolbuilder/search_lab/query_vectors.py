"""Questions as vectors, asked of the embedding server within a deadline and remembered."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from threading import Lock

import numpy as np
from asgiref.sync import async_to_sync
from numpy.typing import NDArray

from catalog.documents.vector_services import embedding_settings
from core.errors import ToolboxError
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings, TextRole

logger = logging.getLogger(__name__)

ONE_QUESTION_S = 0.3
MANY_QUESTIONS_S = 20.0
_KEPT = 2_000
_Key = tuple[str, str, str]
QueryVector = NDArray[np.float32]


class VectorMemory:
    """The vectors of the last questions; threads may share it."""

    def __init__(self, size: int = _KEPT) -> None:
        self._size = size
        self._lock = Lock()
        self._kept: OrderedDict[_Key, QueryVector] = OrderedDict()

    def find(self, key: _Key) -> QueryVector | None:
        """The vector, which is then the newest."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: _Key, vector: QueryVector) -> None:
        """Remember the vector, in place of the oldest where there are too many."""
        with self._lock:
            self._kept[key] = vector
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)


@cache
def shared_memory() -> VectorMemory:
    """The memory of this process."""
    return VectorMemory()


def embed_question(text: str) -> QueryVector | None:
    """The vector of one question, None where there is none within 300 ms."""
    return embed_questions([text], ONE_QUESTION_S).get(text)


def embed_questions(
    texts: Sequence[str], deadline_s: float = MANY_QUESTIONS_S
) -> dict[str, QueryVector]:
    """The vectors by text, as far as they are known or come within the deadline."""
    settings = embedding_settings()
    if not settings.is_complete:
        return {}
    memory = shared_memory()
    asked = [text for text in dict.fromkeys(texts) if text.strip()]
    found = {text: memory.find((settings.url, settings.model, text)) for text in asked}
    missing = [text for text, vector in found.items() if vector is None]
    made = async_to_sync(_embed)(settings, missing, deadline_s) if missing else {}
    for text, vector in made.items():
        memory.keep((settings.url, settings.model, text), vector)
    return {text: vector for text, vector in found.items() if vector is not None} | made


async def _embed(
    settings: EmbeddingSettings, texts: Sequence[str], deadline_s: float
) -> dict[str, QueryVector]:
    client = EmbeddingClient(settings)
    try:
        async with asyncio.timeout(deadline_s):
            answer = await client.embed(texts, TextRole.QUERY)
    except (ToolboxError, TimeoutError) as error:
        logger.info("questions are searched by words alone: %s", error or "no answer in time")
        return {}
    finally:
        await client.close()
    vectors = (np.asarray(vector, dtype=np.float32) for vector in answer.vectors)
    return dict(zip(texts, vectors, strict=True))
