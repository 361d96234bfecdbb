"""What a server sends after its answer is never taken for the answer of the next request."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from core.ingest.addresses import AddressRules
from core.ingest.requests import PlainRequest
from gateways.document_server.client import DocumentServerSettings
from gateways.embeddings.requests import EmbeddingRequests
from gateways.embeddings.settings import EmbeddingSettings
from gateways.http.client import ServerClient
from gateways.http.service import HttpSource
from gateways.http.settings import HttpSettings
from gateways.mcp_client.channel import McpChannel
from gateways.vectors.http import HttpPool
from tests.certificates import make_certificate, server_side
from tests.http_service import LocalService, Received, Reply, running

Ask = Callable[[], Awaitable[bytes]]
Close = Callable[[], object]

LOCAL = AddressRules(allowed_hosts=frozenset({"127.0.0.1"}))
LIMIT = 1_000_000
LONG = 300_000  # Beyond what one read takes of a connection.


def make_answer(body: bytes) -> bytes:
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def make_chunked(body: bytes) -> bytes:
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    return head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


STALE = make_answer(b'"stale"')
TRAILING: dict[str, Callable[[bytes], bytes]] = {
    "an answer after content-length": lambda body: make_answer(body) + STALE,
    "an answer after the last chunk": lambda body: make_chunked(body) + STALE,
    "the beginning of an answer": lambda body: make_answer(body) + STALE[:20],
    "an interim answer": lambda body: make_answer(body) + b"HTTP/1.1 100 Continue\r\n\r\n",
    "bytes of no protocol": lambda body: make_answer(body) + b"\0\1\2",
    "more than one read": lambda body: make_answer(body) + make_answer(b"s" * LONG),
}
CLEAN: dict[str, Callable[[bytes], bytes]] = {
    "content-length": make_answer,
    "chunks": make_chunked,
    "an interim answer before": lambda body: b"HTTP/1.1 100 Continue\r\n\r\n" + make_answer(body),
}


def numbered(write: Callable[[bytes], bytes]) -> Reply:
    """Answers with the number of the request, from 1, written in one piece."""
    numbers = count(1)

    async def reply(_request: Received, writer: asyncio.StreamWriter) -> None:
        writer.write(write(b"%d" % next(numbers)))

    return reply


def ask_service(service: LocalService) -> tuple[Ask, Close]:
    source = HttpSource(HttpSettings(server_url=service.url, rules=LOCAL))

    async def ask() -> bytes:
        request = PlainRequest("GET", f"{source.server_url}/a")
        answer = await source.send(request, byte_limit=LIMIT, timeout_ms=30_000)
        return answer.body

    return ask, source.close


def ask_mcp_server(service: LocalService) -> tuple[Ask, Close]:
    channel = McpChannel(HttpSettings(server_url=service.url, rules=LOCAL))

    async def ask() -> bytes:
        response = await channel.open("POST", {}, b"{}", LIMIT)
        try:
            return await response.read()
        finally:
            await response.close()

    return ask, channel.close


def ask_embedding_server(service: LocalService) -> tuple[Ask, Close]:
    requests = EmbeddingRequests(
        EmbeddingSettings(url=service.url, model="m", connect_timeout_s=30)
    )
    return lambda: requests.post(b"{}", 30), requests.close


def ask_document_server(service: LocalService) -> tuple[Ask, Close]:
    url = DocumentServerSettings(url=service.url).url
    client = ServerClient(url, "", connect_timeout_s=30, max_answer_bytes=LIMIT)

    async def ask() -> bytes:
        return (await client.request("GET", "/tables")).body

    return ask, client.close


def ask_vector_store(service: LocalService) -> tuple[Ask, Close]:
    pool = HttpPool("127.0.0.1", service.port, size=1, connect_timeout_s=30)

    async def ask() -> bytes:
        return (await pool.request("GET", "/", b"")).body

    return ask, pool.close


CLIENTS: dict[str, Callable[[LocalService], tuple[Ask, Close]]] = {
    "HTTP service": ask_service,
    "MCP server": ask_mcp_server,
    "embedding server": ask_embedding_server,
    "document server": ask_document_server,
    "vector store": ask_vector_store,
}


@asynccontextmanager
async def asking(
    client: str, reply: Reply, tls: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[Ask, LocalService]]:
    async with running(reply, tls) as service:
        ask, close = CLIENTS[client](service)
        try:
            yield ask, service
        finally:
            closing = close()
            if isinstance(closing, Awaitable):
                await closing


@pytest.mark.parametrize("write", TRAILING.values(), ids=TRAILING)
@pytest.mark.parametrize("client", CLIENTS)
async def test_connection_with_more_than_an_answer_is_not_used_again(
    client: str, write: Callable[[bytes], bytes]
) -> None:
    async with asking(client, numbered(write)) as (ask, service):
        answers = [await ask() for _ in range(3)]

    assert answers == [b"1", b"2", b"3"]
    assert service.connections == 3


@pytest.mark.parametrize("write", CLEAN.values(), ids=CLEAN)
@pytest.mark.parametrize("client", CLIENTS)
async def test_connection_with_an_answer_alone_is_kept(
    client: str, write: Callable[[bytes], bytes]
) -> None:
    async with asking(client, numbered(write)) as (ask, service):
        answers = [await ask() for _ in range(3)]

    assert answers == [b"1", b"2", b"3"]
    assert service.connections == 1


@pytest.mark.parametrize("client", CLIENTS)
async def test_answer_that_nobody_asked_for_is_not_taken_for_the_next(client: str) -> None:
    async with asking(client, numbered(make_answer)) as (ask, service):
        assert await ask() == b"1"
        for writer in service.writers:
            # It is in the client's socket when this returns.
            writer.write(STALE)

        assert await ask() == b"2"

    assert service.connections == 2


@pytest.mark.parametrize("client", ["HTTP service", "embedding server", "document server"])
async def test_records_of_tls_are_looked_at_too(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    numbers = count(1)

    async def reply(_request: Received, writer: asyncio.StreamWriter) -> None:
        # Each in a record of its own, which the client finds in one read of its socket.
        writer.write(make_answer(b"%d" % next(numbers)))
        writer.write(STALE)

    async with asking(client, reply, server_side(certificate)) as (ask, service):
        answers = [await ask() for _ in range(3)]

    assert answers == [b"1", b"2", b"3"]
    assert service.connections == 3


@pytest.mark.parametrize("client", ["HTTP service", "embedding server", "document server"])
async def test_clean_connection_with_tls_is_kept(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))

    async with asking(client, numbered(make_answer), server_side(certificate)) as (ask, service):
        answers = [await ask() for _ in range(3)]

    assert answers == [b"1", b"2", b"3"]
    assert service.connections == 1
