"""What an embedding server answers, as vectors or as an error that is safe to show."""

import json
import math
import re
from typing import Any

import orjson

from core.errors import EmbeddingError
from core.messages import message

_MESSAGE_LIMIT = 200
# Addresses, and what looks like a key or a token.
_SECRETS = re.compile(
    r"https?://\S+|\b(?:bearer|basic)\s+\S+|\b(?:sk|pk|api|key|hf|gsk)[-_][\w*.-]{6,}|\S*\*{3,}\S*",
    re.IGNORECASE,
)
ADDRESS_HINT = message(
    "embedding.address_hint",
    "TEXT_EMBEDDING_MODEL_URL must lead to an OpenAI-compatible server, as in"
    " http://localhost:8080/v1/embeddings",
)


def read_vectors(body: bytes, count: int, dimension: int | None) -> list[list[float]]:
    """The vectors of `count` texts in their order, by the answer's `index` where it has one.

    All have one length, `dimension` if that is given. Raises EmbeddingError for anything else.
    """
    entries = _in_order(_read_entries(body))
    if len(entries) != count:
        raise EmbeddingError(
            message(
                "embedding.vector_count",
                "the embedding server gave {given} vectors for {count} texts; {hint}",
                given=len(entries),
                count=count,
                hint=ADDRESS_HINT,
            )
        )
    vectors = [_read_vector(entry) for entry in entries]
    check_dimension({len(vector) for vector in vectors}, dimension)
    return vectors


def check_dimension(found: set[int], expected: int | None) -> None:
    """EmbeddingError unless there is one dimension, the expected one."""
    if len(found) > 1:
        lengths = ", ".join(map(str, sorted(found)))
        raise EmbeddingError(
            message(
                "embedding.dimensions_differ",
                "the embedding server gave vectors of different dimensions ({lengths});"
                " TEXT_EMBEDDING_MODEL_NAME must name one embedding model",
                lengths=lengths,
            )
        )
    if expected and found and found != {expected}:
        raise EmbeddingError(
            message(
                "embedding.dimension_unexpected",
                "the embedding model gave vectors of dimension {found} where {expected} is"
                " set; correct TEXT_EMBEDDING_DIMENSION or TEXT_EMBEDDING_MODEL_NAME",
                found=str(found.pop()),
                expected=str(expected),
            )
        )


def refusal(status: int, body: bytes, api_key: str) -> EmbeddingError:
    """The error for an answer that is no success and will not become one by asking again."""
    if status in {401, 403}:
        reason = message(
            "embedding.key_refused",
            "the embedding server refused the key; check TEXT_EMBEDDING_API_KEY",
        )
    elif status in {404, 405} or status < 400:
        reason = message(
            "embedding.no_such_model",
            "the embedding server has no such address or model (status {status}); check"
            " TEXT_EMBEDDING_MODEL_NAME, and that {hint}",
            status=str(status),
            hint=ADDRESS_HINT,
        )
    elif said := _message(body, api_key):
        reason = message(
            "embedding.texts_refused_why",
            "the embedding server refused the texts (status {status}): {reason}",
            status=str(status),
            reason=said,
        )
    else:
        reason = message(
            "embedding.texts_refused",
            "the embedding server refused the texts (status {status})",
            status=str(status),
        )
    return EmbeddingError(reason)


def _read_entries(body: bytes) -> list[dict[str, Any]]:
    try:
        try:
            entries = orjson.loads(body)
        except orjson.JSONDecodeError:
            # Reads the NaN that servers in Python write, so that the error can name it.
            entries = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise EmbeddingError(
            message(
                "embedding.no_json",
                "the embedding server did not answer with JSON; {hint}",
                hint=ADDRESS_HINT,
            )
        ) from error
    if isinstance(entries, dict):
        entries = entries.get("data")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise EmbeddingError(
            message(
                "embedding.no_vectors",
                "the embedding server's answer has no list of vectors in `data`; {hint}",
                hint=ADDRESS_HINT,
            )
        )
    return entries


def _in_order(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    indexes = [entry.get("index") for entry in entries]
    if indexes == [None] * len(entries):
        return entries
    if not all(type(index) is int for index in indexes):
        raise EmbeddingError(
            message(
                "embedding.no_index",
                "the embedding server's vectors do not say which texts they are of",
            )
        )
    ordered = sorted(entries, key=lambda entry: int(entry["index"]))
    if [entry["index"] for entry in ordered] != list(range(len(entries))):
        raise EmbeddingError(
            message(
                "embedding.text_left_out",
                "the embedding server left out a text, or gave two vectors for one",
            )
        )
    return ordered


def _read_vector(entry: dict[str, Any]) -> list[float]:
    vector = entry.get("embedding")
    if not isinstance(vector, list) or not vector or not set(map(type, vector)) <= {float, int}:
        raise EmbeddingError(
            message(
                "embedding.vector_no_list",
                "the embedding server gave a vector that is not a list of numbers;"
                " TEXT_EMBEDDING_MODEL_NAME must name an embedding model",
            )
        )
    try:
        numbers = list(map(float, vector))
    except OverflowError:
        numbers = [math.inf]
    if not all(map(math.isfinite, numbers)):
        raise EmbeddingError(
            message(
                "embedding.vector_not_finite",
                "the embedding server gave a vector with NaN or infinity; the model is"
                " damaged, or its server is",
            )
        )
    return numbers


def _message(body: bytes, api_key: str) -> str:
    """What the server says, in one line, without keys and addresses."""
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError:
        return ""
    for name in ("error", "message", "detail"):
        if isinstance(said, dict) and name in said:
            said = said[name]
    text = " ".join(said.split()) if isinstance(said, str) else ""
    if api_key:
        text = text.replace(api_key, "…")
    return _SECRETS.sub("…", text)[:_MESSAGE_LIMIT]
