"""The embedding client and the certificates of its server."""

from pathlib import Path

import pytest

from core.errors import EmbeddingUnavailableError
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings, TextRole
from tests.certificates import make_certificate, server_side
from tests.gateways.embeddings.scripted_server import length_vectors, scripted, vectors


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return make_certificate(tmp_path)


async def test_trusted_server_is_used(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    async with scripted(vectors, tls=server_side(certificate)) as server:
        client = EmbeddingClient(EmbeddingSettings(url=server.url, model="m"))
        result = await client.embed(["a"], TextRole.QUERY)
        await client.close()

    assert result.vectors == length_vectors(["a"])


async def test_server_that_nobody_vouches_for_is_refused_with_what_to_do(
    certificate: Path,
) -> None:
    async with scripted(vectors, tls=server_side(certificate)) as server:
        client = EmbeddingClient(EmbeddingSettings(url=server.url, model="m"))
        with pytest.raises(EmbeddingUnavailableError, match="set SSL_CERT_FILE to a file"):
            await client.embed(["a"], TextRole.QUERY)
        await client.close()

    assert server.asked == []
