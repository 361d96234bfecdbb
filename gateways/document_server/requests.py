"""Requests to the server of a remote data catalogue: connections, deadline, one repetition."""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from core.errors import DocumentServerError, DocumentServerUnavailableError
from core.messages import message
from gateways.circuit import Circuit
from gateways.document_server.settings import DocumentServerSettings
from gateways.kept_connections import close_where_more_came
from gateways.patience import patient_timeout

# The largest answer has 80,000 tokens; servers may count them otherwise.
MAX_ANSWER_BYTES = 8 * 1024 * 1024
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
PASSING_STATUSES = frozenset({429, 500, 502, 503, 504})
ATTEMPTS = 2
AWAY = message(
    "document_server.unreachable", "the document server cannot be reached; try again later"
)


class ServerDownError(DocumentServerUnavailableError):
    """A failure that the next caller would meet too."""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A whole answer that is no sign of trouble of the server itself."""

    status: int
    body: bytes


class DocumentServerRequests:
    """Gets JSON from one server; belongs to one event loop. Connects when first used."""

    def __init__(self, settings: DocumentServerSettings) -> None:
        self._settings = settings
        self._circuit = Circuit(ServerDownError)
        self._client: httpx.AsyncClient | None = None

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> ServerAnswer:
        """The answer at an address below the API's; asks once more when the server failed or was gone.

        Raises DocumentServerUnavailableError, at once while the server is known to be down.
        """
        loop, limit_s = asyncio.get_running_loop(), self._settings.timeout_s
        until = loop.time() + limit_s
        async with self._circuit.passage(limit_s):
            try:
                async with patient_timeout(until - loop.time()):
                    return await self._get_patiently(path, query or {})
            except TimeoutError as error:
                raise ServerDownError(
                    message(
                        "document_server.no_answer",
                        "the document server did not answer within {seconds} s; try again later",
                        seconds=f"{limit_s:g}",
                    )
                ) from error

    async def close(self) -> None:
        """Close the connections; a later request would open them anew."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _get_patiently(self, path: str, query: Mapping[str, str]) -> ServerAnswer:
        for attempt in range(ATTEMPTS):
            try:
                answer = await self._exchange(path, query)
            except httpx.RequestError as error:
                # Most often the server closed an idle connection, or was started anew.
                if attempt == ATTEMPTS - 1:
                    raise _unreachable(error) from error
                continue
            if answer.status not in PASSING_STATUSES:
                return answer
        raise ServerDownError(
            message(
                "document_server.not_ready",
                "the document server is not ready (status {status}); try again later",
                status=str(answer.status),
            )
        )

    async def _exchange(self, path: str, query: Mapping[str, str]) -> ServerAnswer:
        client = self._client or await self._open()
        async with client.stream("GET", f"{self._settings.url}/{path}", params=query) as response:
            chunks, size = [], 0
            async for chunk in response.aiter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_ANSWER_BYTES:
                    raise DocumentServerError(
                        message(
                            "document_server.answer_too_large",
                            "the document server's answer is too large; ask for fewer tables",
                        )
                    )
            return ServerAnswer(response.status_code, b"".join(chunks))

    async def _open(self) -> httpx.AsyncClient:
        url = httpx.URL(self._settings.url)
        context = await _make_tls_context() if url.scheme == "https" else _no_tls_context()
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers=_headers(self._settings.token),
                verify=context,
                # The deadline of the call bounds the rest.
                timeout=httpx.Timeout(None, connect=self._settings.connect_timeout_s),
                limits=httpx.Limits(max_connections=16, max_keepalive_connections=4),
                # A proxy in the environment cannot lead to this machine.
                trust_env=url.host not in LOOPBACK,
                event_hooks={"response": [close_where_more_came]},
            )
        return self._client


def _headers(token: str) -> dict[str, str]:
    return {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})


async def _make_tls_context() -> ssl.SSLContext:
    """The system's authorities; reading them takes a tenth of a second."""
    return await asyncio.to_thread(httpx.create_ssl_context)


def _no_tls_context() -> ssl.SSLContext:
    """For connections without TLS: trusts nobody, and costs nothing."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _unreachable(error: httpx.RequestError) -> ServerDownError:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return ServerDownError(
            message(
                "document_server.certificate",
                "the document server's certificate is not trusted here; set SSL_CERT_FILE to"
                " a file with the certificate of its authority",
            )
        )
    return ServerDownError(AWAY)
