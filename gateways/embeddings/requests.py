"""Requests to an embedding server: connections, deadlines, repetitions."""

import asyncio
import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx

from core.errors import EmbeddingError, EmbeddingUnavailableError
from core.messages import message
from gateways.circuit import Circuit
from gateways.embeddings.answers import refusal
from gateways.embeddings.settings import EmbeddingSettings
from gateways.http.client import AnswerTooLargeError, ServerAnswer, ServerClient, is_untrusted
from gateways.patience import StallWatch, patient_timeout

ATTEMPTS = 3
FIRST_DELAY_S = 0.2
MAX_ANSWER_BYTES = 64 * 1024 * 1024
# A fault of the server itself may be about these texts; the others are about its whole state.
SERVER_FAULT = 500
_LOST_TEXT = message(
    "embedding.connection_lost", "the connection to the embedding server was lost; retry later"
)
PASSING_STATUSES = frozenset({408, 425, 429, SERVER_FAULT, 502, 503, 504, 529})


class ServerDownError(EmbeddingUnavailableError):
    """A failure that the next caller would meet too."""


class EmbeddingRequests:
    """Posts JSON to one server; belongs to one event loop. Connects when first used."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._api_key = settings.api_key
        self._circuit = Circuit(ServerDownError)
        self._client = ServerClient(
            settings.url,
            settings.api_key,
            connect_timeout_s=settings.connect_timeout_s,
            max_answer_bytes=MAX_ANSWER_BYTES,
        )

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
                    answer = await self._post_patiently(body, until)
            except AnswerTooLargeError as error:
                raise EmbeddingError(
                    message(
                        "embedding.answer_too_large",
                        "the embedding server's answer is too large; send less",
                    )
                ) from error
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
            raise refusal(answer.status, answer.body, self._api_key)
        return answer.body

    async def close(self) -> None:
        """Close the connections; a later request would open them again."""
        await self._client.close()

    async def _post_patiently(self, body: bytes, until: float) -> ServerAnswer:
        answer: ServerAnswer | None = None
        for attempt in range(ATTEMPTS):
            is_last = attempt == ATTEMPTS - 1
            try:
                with StallWatch() as watch:
                    answer = await self._client.request("POST", body=body)
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:
                if watch.has_stalled and isinstance(error, httpx.ConnectTimeout) and not is_last:
                    # It was we who were slow.
                    continue
                untrusted = message(
                    "embedding.certificate",
                    "the embedding server's certificate is not trusted here; set SSL_CERT_FILE"
                    " to a file with the certificate of its authority",
                )
                away = message(
                    "embedding.unreachable",
                    "the embedding server cannot be reached; retry later, or check"
                    " TEXT_EMBEDDING_MODEL_URL",
                )
                raise ServerDownError(untrusted if is_untrusted(error) else away) from error
            except httpx.RequestError as error:
                # Most often the server closed an idle connection, or was restarted.
                if is_last:
                    raise ServerDownError(_LOST_TEXT) from error
                answer = None
            if answer is not None and (is_last or answer.status not in PASSING_STATUSES):
                break
            delay_s = _delay_s(attempt, answer)
            if asyncio.get_running_loop().time() + delay_s >= until:
                break
            await asyncio.sleep(delay_s)
        return _unless_down(answer)


def _unless_down(answer: ServerAnswer | None) -> ServerAnswer:
    """The answer; ServerDownError if there is none, or if it says that the next caller fails too."""
    if answer is None:
        raise ServerDownError(_LOST_TEXT)
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


def _delay_s(attempt: int, answer: ServerAnswer | None) -> float:
    """At least what the server asks for; spread, so that callers do not come back together."""
    if answer is None and attempt == 0:
        return 0.0
    jitter = random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
    own_s: float = FIRST_DELAY_S * 2**attempt * jitter
    # Seconds, or a date.
    retry_after = answer.headers.get("retry-after", "") if answer else ""
    if retry_after.isdecimal():
        return max(own_s, float(retry_after))
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return own_s
    # A date of "-0000" comes without a zone, and means UTC.
    moment = moment.replace(tzinfo=moment.tzinfo or UTC)
    return max(own_s, (moment - datetime.now(UTC)).total_seconds())
