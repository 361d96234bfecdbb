"""Requests to Chroma's REST API (version 2): JSON, time limits, and errors in our words."""

import asyncio
from dataclasses import dataclass
from typing import Any, Self

import orjson

from core.errors import VectorStoreError, VectorStoreUnavailableError
from core.messages import message
from gateways.circuit import Circuit
from gateways.patience import patient_timeout
from gateways.vectors.http import HttpPool, NotHttpError, StoreAnswer
from gateways.vectors.settings import VectorStoreSettings

API = "/api/v2"
COLLECTIONS = f"{API}/tenants/default_tenant/databases/default_database/collections"

DOWN_TEXT = message(
    "vectors.unreachable",
    "the vector store cannot be reached; retry shortly, or see whether Chroma runs",
)
BUSY_TEXT = message("vectors.busy", "the vector store is busy or starting; retry shortly")
STRANGE_TEXT = message(
    "vectors.no_chroma",
    "what answers at CHROMADB_HOST and CHROMADB_PORT is not a Chroma server of version 1 or later",
)

_BUSY = frozenset({429, 502, 503, 504})
_REFUSALS = {
    401: message("vectors.access_refused", "the vector store refused access"),
    403: message("vectors.access_refused", "the vector store refused access"),
    413: message(
        "vectors.document_too_long", "the vector store refused a document as too long; shorten it"
    ),
}


class CollectionGoneError(VectorStoreError):
    """The collection does not exist, or no longer under the id that was known."""


class StoreDownError(VectorStoreUnavailableError):
    """A failure that the next caller would meet too."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """When a call has to be done: `until` on the event loop's clock, `seconds` after its start."""

    seconds: float
    until: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """The deadline of a call that starts now."""
        return cls(seconds, asyncio.get_running_loop().time() + seconds)

    @property
    def left_s(self) -> float:
        """What is left of it now."""
        return self.until - asyncio.get_running_loop().time()


class ChromaRequests:
    """One Chroma server. Any number of requests at once; belongs to one event loop."""

    def __init__(self, settings: VectorStoreSettings) -> None:
        self._pool = HttpPool(
            settings.host,
            settings.port,
            size=settings.max_connections,
            connect_timeout_s=settings.connect_timeout_s,
        )
        self._circuit = Circuit(StoreDownError)
        self._is_closed = False

    async def send(
        self, method: str, path: str, payload: object = None, *, deadline: Deadline
    ) -> Any:
        """What Chroma answered. The request may reach Chroma twice.

        Raises CollectionGoneError, VectorStoreUnavailableError, and VectorStoreError for a refusal.
        """
        if self._is_closed:
            raise VectorStoreUnavailableError(
                message("vectors.closed", "the vector store was closed")
            )
        try:
            body = b"" if payload is None else orjson.dumps(payload)
        except TypeError as error:
            text = message(
                "vectors.no_json", "the vector store cannot take this: {reason}", reason=str(error)
            )
            raise VectorStoreError(text) from error
        async with self._circuit.passage(deadline.left_s):
            try:
                async with patient_timeout(deadline.left_s):
                    answer = await self._pool.request(method, path, body)
            except TimeoutError as error:
                raise StoreDownError(
                    message(
                        "vectors.no_answer",
                        "the vector store did not answer within {seconds} s; retry shortly",
                        seconds=f"{deadline.seconds:g}",
                    )
                ) from error
            except OSError as error:
                raise StoreDownError(DOWN_TEXT) from error
            except NotHttpError as error:
                raise VectorStoreError(STRANGE_TEXT) from error
        return read_answer(answer)

    async def close(self) -> None:
        """Close the connections; later requests are refused."""
        self._is_closed = True
        self._pool.close()


def read_answer(answer: StoreAnswer) -> Any:
    """The content of a good answer; raises the error that a bad one means."""
    try:
        content = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        content = None
    if 200 <= answer.status < 300 and content is not None:
        return content
    fault = content if isinstance(content, dict) else {}
    raise _error(answer.status, str(fault.get("error", "")), str(fault.get("message", "")))


def _error(status: int, kind: str, words: str) -> VectorStoreError:
    if status == 404 and kind == "NotFoundError":
        return CollectionGoneError(
            message(
                "vectors.no_collection",
                "the collection does not exist; run `manage.py index_documents`",
            )
        )
    if status in _BUSY:
        return VectorStoreUnavailableError(BUSY_TEXT)
    if text := _REFUSALS.get(status):
        return VectorStoreError(text)
    if 400 <= status < 500 and kind:
        return VectorStoreError(
            message(
                "vectors.refused",
                "the vector store refused the request: {reason}",
                reason=" ".join(words.split())[:200],
            )
        )
    failed = message("vectors.failed", "the vector store failed; its log says why")
    return VectorStoreError(failed if status >= 500 else STRANGE_TEXT)
