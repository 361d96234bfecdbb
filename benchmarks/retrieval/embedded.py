"""Vectors of the product's own embedding model, kept between runs by the hash of their text."""

import asyncio
import hashlib
import json
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from config.services.embeddings import EmbeddedEmbeddings, has_embedded_model
from config.services.ports import choose_free_port
from config.services.processes import Keeper, start, stop
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings, TextRole

Vector = NDArray[np.float32]
_READY_TIMEOUT_S = 60.0
_TOGETHER = 64


class EmbeddedTexts:
    """The vectors of texts by their role; what is not kept yet is asked of the model once."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / f"vectors-{EmbeddedEmbeddings.model}.npz"
        self._known: dict[str, Vector] = {}
        if self._file.exists():
            with np.load(self._file) as stored:
                keys = json.loads(str(stored["keys"]))
                self._known = dict(zip(keys, stored["vectors"], strict=True))

    def embed(self, texts: Sequence[str], role: TextRole) -> list[Vector]:
        """One vector for each text, in their order."""
        missing = {_key(text, role): text for text in texts if _key(text, role) not in self._known}
        if missing:
            self._add(missing, role)
        return [self._known[_key(text, role)] for text in texts]

    def _add(self, missing: Mapping[str, str], role: TextRole) -> None:
        assert has_embedded_model(), "there is no wheel of the embedding model for this system"
        print(f"embedding {len(missing):,} texts; they are kept for later runs", flush=True)
        vectors = _ask_server(list(missing.values()), role)
        self._known.update(zip(missing, vectors, strict=True))
        keys = json.dumps(list(self._known))
        np.savez_compressed(self._file, keys=keys, vectors=np.stack(list(self._known.values())))


def _key(text: str, role: TextRole) -> str:
    return hashlib.sha256(f"{role.value}\0{text}".encode()).hexdigest()[:32]


def _ask_server(texts: Sequence[str], role: TextRole) -> Iterable[Vector]:
    keeper = Keeper()
    server = EmbeddedEmbeddings(choose_free_port())
    process = start(server.command(), keeper)
    try:
        deadline = time.monotonic() + _READY_TIMEOUT_S
        while not server.is_ready():
            assert process.poll() is None, "the embedding server ended at its start"
            assert time.monotonic() < deadline, "the embedding server does not answer"
            time.sleep(0.05)
        return asyncio.run(_embed(server, texts, role))
    finally:
        stop(process, signal.SIGTERM, timeout_s=5)
        keeper.close()


async def _embed(server: EmbeddedEmbeddings, texts: Sequence[str], role: TextRole) -> list[Vector]:
    settings = EmbeddingSettings(
        url=server.url,
        model=server.model,
        role_style="input_type",
        timeout_s=30,
        total_timeout_s=600,
    )
    client = EmbeddingClient(settings)
    vectors: list[Vector] = []
    try:
        for first in range(0, len(texts), _TOGETHER):
            found = await client.embed(texts[first : first + _TOGETHER], role)
            vectors += [np.array(vector, dtype=np.float32) for vector in found.vectors]
    finally:
        await client.close()
    return vectors
