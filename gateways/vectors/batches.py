"""Documents and vectors in the portions and the form in which Chroma takes them."""

import struct
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from typing import Any

from core.errors import VectorStoreError
from core.messages import message
from gateways.vectors.collection import REBUILD
from gateways.vectors.records import MetadataValue, VectorItem
from gateways.vectors.requests import STRANGE_TEXT

# Large enough that Chroma's work outweighs the request, small enough that a request stays short.
BATCH_ITEMS = 500
# Chroma refuses 40 MiB.
BATCH_CHARACTERS = 2 * 2**20


def read_limits(answer: Any) -> tuple[int, bool]:
    """From Chroma's pre-flight checks: how many items may go together, and whether base64 may."""
    try:
        largest = int(answer["max_batch_size"])
        return max(1, min(BATCH_ITEMS, largest)), bool(answer.get("supports_base64_encoding"))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise VectorStoreError(STRANGE_TEXT) from error


def make_batches(items: Iterable[VectorItem], largest: int) -> Iterator[list[VectorItem]]:
    """The items in order, at most `largest` together; taken from `items` only as they are needed.

    Of items with the same id in one batch the last one counts.
    """
    batch: dict[str, VectorItem] = {}
    characters = 0
    for item in items:
        length = len(item.document)
        if batch and (len(batch) >= largest or characters + length > BATCH_CHARACTERS):
            yield list(batch.values())
            batch, characters = {}, 0
        batch[item.id] = item
        characters += length
    if batch:
        yield list(batch.values())


def make_id_batches(ids: Iterable[str], largest: int) -> Iterator[list[str]]:
    """The ids in order, at most `largest` together."""
    remaining = iter(ids)
    while batch := list(islice(remaining, largest)):
        yield batch


def upsert_payload(
    batch: Sequence[VectorItem],
    stored: Mapping[str, Mapping[str, MetadataValue]],
    *,
    takes_base64: bool,
) -> dict[str, object]:
    """The body of an upsert; `stored` is the metadata by id that it replaces."""
    return {
        "ids": [item.id for item in batch],
        "documents": [_valid_text(item.document) for item in batch],
        "embeddings": [
            _packed(item.vector) if takes_base64 else list(item.vector) for item in batch
        ],
        "metadatas": [_metadata(item, stored.get(item.id, {})) for item in batch],
    }


def check_items(batch: Sequence[VectorItem], dimension: int | None) -> None:
    """Raise VectorStoreError for an id or a vector that Chroma would refuse, or garble."""
    for item in batch:
        if not item.id or item.id != _valid_text(item.id):
            raise VectorStoreError(
                message(
                    "vectors.document_id",
                    "the id of a document is text that is not empty ({value})",
                    value=repr(item.id),
                )
            )
        check_vector(item.vector, dimension)


def check_vector(vector: Sequence[float], dimension: int | None) -> None:
    """Raise VectorStoreError for a vector of another length, or with NaN or an infinite number."""
    if dimension is not None and len(vector) != dimension:
        raise VectorStoreError(
            message(
                "vectors.length",
                "the collection holds vectors of {dimension} numbers (got {count}); use the"
                " embedding model that it was made with, or {remedy}",
                dimension=dimension,
                count=len(vector),
                remedy=REBUILD,
            )
        )
    # One pass in C: NaN and infinity survive every sum, and no sum of float32 overflows.
    if not vector or not isfinite(sum(vector)):
        raise VectorStoreError(
            message(
                "vectors.form", "a vector holds at least one number, and neither NaN nor infinity"
            )
        )


def _packed(vector: Sequence[float]) -> str:
    try:
        return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")
    except OverflowError as error:
        raise VectorStoreError(
            message("vectors.number_size", "a vector holds numbers that fit 32 bits")
        ) from error


def _metadata(
    item: VectorItem, stored: Mapping[str, MetadataValue]
) -> dict[str, MetadataValue | None]:
    """Chroma merges into what is there; only an explicit null takes a key away."""
    removed: dict[str, MetadataValue | None] = dict.fromkeys(stored)
    given = {
        key: _valid_text(value) if isinstance(value, str) else value
        for key, value in item.metadata.items()
    }
    return removed | given


def _valid_text(text: str) -> str:
    """Lone surrogates, which no UTF-8 can hold, become U+FFFD."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
