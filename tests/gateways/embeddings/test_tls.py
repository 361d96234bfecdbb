"""The embedding client and the certificates of its server."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from core.errors import EmbeddingUnavailableError
from gateways.embeddings.client import EmbeddingClient, EmbeddingSettings, TextRole
from tests.gateways.embeddings.scripted_server import length_vectors, scripted, vectors


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A file with a key and a certificate for 127.0.0.1 that only itself vouches for."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "certificate.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


def server_side(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


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
