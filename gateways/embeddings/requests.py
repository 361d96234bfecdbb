"""Requests to an embedding server: connections, deadlines, repetitions."""

import asyncio
import random
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from core.errors import EmbeddingError, EmbeddingUnavailableError
from core.messages import message
from gateways.circuit import Circuit
from gateways.embeddings.answers import refusal
from gateways.embeddings.settings import EmbeddingSettings
from gateways.kept_connections import close_where_more_came
from gateways.patience import patient_timeout

ATTEMPTS = 3
FIRST_DELAY_S = 0.2
MAX_ANSWER_BYTES = 64 * 1024 * 1024
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# A fault of the server itself may be about these texts; the others are about its whole state.
SERVER_FAULT = 500
PASSING_STATUSES = frozenset({408, 425, 429, SERVER_FAULT, 502, 503, 504, 529})


class ServerDownError(EmbeddingUnavailableError):
    """A failure that the next caller would meet too."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class EmbeddingRequests:
    """Posts JSON to one server; belongs to one event loop. Connects when first used."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._circuit = Circuit(ServerDownError)
        self._client: httpx.AsyncClient | None = None

    async def post(self, body: bytes, timeout_s: float) -> bytes:
        """The body of a good answer, within `timeout_s`, repetitions included.

        Asks again, at most ATTEMPTS times in all, when the connection was lost or the server was
        too busy. Raises EmbeddingUnavailableError, at once while the server is known to be down,
        or EmbeddingError when it refuses.
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + timeout_s
        async with self._circuit.passage(timeout_s):
            try:
                async with patient_timeout(until - loop.time()):
                    answer = await self._post_patiently(body, timeout_s)
            except TimeoutError as error:
                raise ServerDownError(
                    message(
                        "embedding.no_answer",
                        "the embedding server did not answer within {seconds} s; retry later",
                        seconds=f"{timeout_s:.1f}",
                    )
                ) from error
        if answer.status == SERVER_FAULT:
            raise EmbeddingUnavailableError(
                message(
                    "embedding.server_failed",
                    "the embedding server failed (status 500); retry later, or with other texts",
                )
            )
        if answer.status != httpx.codes.OK:
            raise refusal(answer.status, answer.body, self._settings.api_key)
        return answer.body

    async def close(self) -> None:
        """Close the connections; a later request would open them anew."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _post_patiently(self, body: bytes, timeout_s: float) -> Answer:
        deadline = asyncio.get_running_loop().time() + timeout_s
        for attempt in range(ATTEMPTS):
            is_last = attempt == ATTEMPTS - 1
            answer = await self._post_once(body, is_last=is_last)
            if answer is not None and (is_last or answer.status not in PASSING_STATUSES):
                break
            delay_s = _delay_s(attempt, answer)
            if asyncio.get_running_loop().time() + delay_s >= deadline:
                break
            await asyncio.sleep(delay_s)
        return _unless_down(answer)

    async def _post_once(self, body: bytes, *, is_last: bool) -> Answer | None:
        """None when the connection was lost and may be opened again."""
        try:
            return await self._exchange(body)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise _unreachable(error) from error
        except httpx.RequestError as error:
            # Most often the server closed an idle connection, or was started anew.
            if is_last:
                raise _lost() from error
            return None

    async def _exchange(self, body: bytes) -> Answer:
        client = self._client or await self._open()
        async with client.stream("POST", self._settings.url, content=body) as response:
            chunks, size = [], 0
            async for chunk in response.aiter_bytes():
                chunks.append(chunk)
                size += len(chunk)
                if size > MAX_ANSWER_BYTES:
                    raise EmbeddingError(
                        message(
                            "embedding.answer_too_large",
                            "the embedding server's answer is too large; send less",
                        )
                    )
            return Answer(response.status_code, response.headers, b"".join(chunks))

    async def _open(self) -> httpx.AsyncClient:
        url = httpx.URL(self._settings.url)
        context = await _make_tls_context() if url.scheme == "https" else _no_tls_context()
        if self._client is None:
            self._client = httpx.AsyncClient(
                headers=_headers(self._settings.api_key),
                verify=context,
                # The caller's deadline bounds the rest.
                timeout=httpx.Timeout(None, connect=self._settings.connect_timeout_s),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=8),
                # A proxy in the environment cannot lead to this machine.
                trust_env=url.host not in LOOPBACK,
                event_hooks={"response": [close_where_more_came]},
            )
        return self._client


def _headers(api_key: str) -> dict[str, str]:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    return headers | ({"Authorization": f"Bearer {api_key}"} if api_key else {})


async def _make_tls_context() -> ssl.SSLContext:
    """The system's authorities; reading them takes a tenth of a second."""
    return await asyncio.to_thread(httpx.create_ssl_context)


def _no_tls_context() -> ssl.SSLContext:
    """For connections without TLS: trusts nobody, and costs nothing."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _unless_down(answer: Answer | None) -> Answer:
    """The answer; ServerDownError if there is none, or if it says that the next caller fails too."""
    if answer is None:
        raise _lost()
    if answer.status == httpx.codes.TOO_MANY_REQUESTS:
        raise ServerDownError(
            message(
                "embedding.too_many_requests",
                "the embedding server has too many requests; retry later",
            )
        )
    if answer.status in PASSING_STATUSES and answer.status != SERVER_FAULT:
        raise ServerDownError(
            message(
                "embedding.not_ready",
                "the embedding server is not ready (status {status}); retry later",
                status=str(answer.status),
            )
        )
    return answer


def _unreachable(error: httpx.TransportError) -> ServerDownError:
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return ServerDownError(
            message(
                "embedding.certificate",
                "the embedding server's certificate is not trusted here; set SSL_CERT_FILE"
                " to a file with the certificate of its authority",
            )
        )
    return ServerDownError(
        message(
            "embedding.unreachable",
            "the embedding server cannot be reached; retry later, or check"
            " TEXT_EMBEDDING_MODEL_URL",
        )
    )


def _lost() -> ServerDownError:
    return ServerDownError(
        message(
            "embedding.connection_lost",
            "the connection to the embedding server was lost; retry later",
        )
    )


def _delay_s(attempt: int, answer: Answer | None) -> float:
    """At least what the server asks for; spread, so that callers do not come back together."""
    if answer is None and attempt == 0:
        return 0.0
    jitter = random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
    own_s: float = FIRST_DELAY_S * 2**attempt * jitter
    return max(own_s, _retry_after_s(answer.headers if answer else {}))


def _retry_after_s(headers: Mapping[str, str]) -> float:
    """Seconds until the moment that Retry-After names, as seconds or as a date; 0 without one."""
    value = headers.get("retry-after", "")
    if value.isdecimal():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    # A date of "-0000" comes without a zone, and means UTC.
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
