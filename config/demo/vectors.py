"""The vectors of the demo's documents and tools, and of the built-in tools, by the embedded model.

They are data, so that everything is found as soon as it is served; `python -m config.demo.renew_vectors`
writes them. A text that has changed since is embedded like any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from config.demo.loading import FOLDER
from gateways.embeddings.client import EmbeddingClient, Embeddings, EmbeddingSettings, TextRole
from gateways.embeddings.texts import prepare_texts
from tools.builtin.registry import BUILTIN_NAMES
from tools.finding.vector_rows import HashedVectors, read_vectors, store_vectors
from tools.models import ToolDefinition

PATH: Path = FOLDER / "vectors.npz"

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class ShippedVectors:
    """Vectors of passages by the hash of their text, and those of tools by name."""

    model: str
    passages: dict[str, Vectors]
    tools: dict[str, HashedVectors]

    def write(self, path: Path = PATH) -> None:
        """Write the file; half the digits are enough to compare vectors."""
        tools = dict(sorted(self.tools.items()))
        content: dict[str, Any] = {
            "model": np.array(self.model),
            "passage_hashes": np.array(sorted(self.passages)),
            "passages": np.array([self.passages[key] for key in sorted(self.passages)], np.float16),
            "tool_names": np.array(list(tools)),
            "tool_hashes": np.array([tool.content_hash for tool in tools.values()]),
            "tools": np.array([tool.pair for tool in tools.values()], np.float16),
        }
        np.savez_compressed(path, **content)


def read_shipped(path: Path = PATH) -> ShippedVectors:
    """What the file holds."""
    with np.load(path) as file:
        passages = zip(file["passage_hashes"], file["passages"].astype(np.float32), strict=True)
        tools = zip(
            *(file["tool_names"], file["tool_hashes"], file["tools"].astype(np.float32)),
            strict=True,
        )
        return ShippedVectors(
            str(file["model"]),
            {str(key): vector for key, vector in passages},
            {
                str(name): HashedVectors(str(content_hash), (of_name, of_text))
                for name, content_hash, (of_name, of_text) in tools
            },
        )


def hash_passage(text: str) -> str:
    """What a passage is known by."""
    return sha256(text.encode()).hexdigest()[:32]


class ShippedEmbedder(EmbeddingClient):
    """Knows the shipped passages by heart, and asks the server for everything else."""

    def __init__(self, settings: EmbeddingSettings, shipped: ShippedVectors) -> None:
        super().__init__(settings)
        self._known = shipped.passages if shipped.model == settings.model else {}

    async def embed(self, texts: Sequence[str], role: TextRole) -> Embeddings:
        prepared = prepare_texts(texts, self.settings.max_characters)
        found = [self._known.get(hash_passage(text)) for text in prepared.texts]
        known = [vector for vector in found if vector is not None]
        if role is not TextRole.PASSAGE or not known or self.settings.dimension:
            return await super().embed(texts, role)
        missing = [text for text, vector in zip(texts, found, strict=True) if vector is None]
        embedded = iter((await super().embed(missing, role)).vectors if missing else ())
        vectors = [next(embedded) if vector is None else vector.tolist() for vector in found]
        return Embeddings(vectors, prepared.truncated, len(known[0]))


def load_tool_vectors() -> int:
    """Store the vectors of tools that are here and have none by this model; how many."""
    shipped = read_shipped()
    if shipped.model != settings.TEXT_EMBEDDING_MODEL_NAME or settings.TEXT_EMBEDDING_DIMENSION:
        return 0
    names = BUILTIN_NAMES | set(ToolDefinition.objects.values_list("name", flat=True))
    missing = names & shipped.tools.keys() - read_vectors(shipped.model, names).keys()
    store_vectors(shipped.model, {name: shipped.tools[name] for name in missing})
    return len(missing)
