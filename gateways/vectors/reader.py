"""Vectors read back from the store, for those who compare them themselves."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.errors import VectorStoreError
from gateways.vectors.requests import STRANGE_TEXT
from gateways.vectors.store import VectorStore

# A vector is about 8 kB of JSON: a page must not keep the event loop busy for long.
PAGE_VECTORS = 200

StoredVector = NDArray[np.float32]


class VectorReader(VectorStore):
    """A store that also gives the vectors themselves."""

    async def read_vectors(self, ids: Sequence[str]) -> dict[str, StoredVector]:
        """The vectors of these ids; ids that are not there are left out."""
        vectors: dict[str, StoredVector] = {}
        for start in range(0, len(ids), PAGE_VECTORS):
            page = {"ids": list(ids[start : start + PAGE_VECTORS]), "include": ["embeddings"]}
            answer = await self._ask("get", page, self._reading())
            try:
                for key, numbers in zip(answer["ids"], answer["embeddings"], strict=True):
                    vectors[key] = np.array(numbers, dtype=np.float32)
            except (KeyError, TypeError, ValueError) as error:
                raise VectorStoreError(STRANGE_TEXT) from error
        return vectors
