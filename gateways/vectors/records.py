"""What goes into the vector store and what comes out of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.errors import VectorStoreError
from gateways.vectors.requests import STRANGE_TEXT

MetadataValue = str | int | float | bool


@dataclass(frozen=True, slots=True)
class VectorItem:
    """A document with its vector; `metadata` replaces what was stored, None and NaN mean absent."""

    id: str
    document: str
    vector: Sequence[float]
    metadata: Mapping[str, MetadataValue | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VectorMatch:
    """A document that was found; `distance` is 0 for the same direction and 2 for the opposite."""

    id: str
    document: str
    metadata: Mapping[str, MetadataValue]
    distance: float


def read_matches(answer: Any) -> list[list[VectorMatch]]:
    """The matches of each query, nearest first, equally near ones by id."""
    names = ("ids", "documents", "metadatas", "distances")
    try:
        return [
            sorted(
                (
                    VectorMatch(key, document or "", metadata or {}, distance)
                    for key, document, metadata, distance in zip(*columns, strict=True)
                ),
                key=lambda match: (match.distance, match.id),
            )
            for columns in zip(*(answer[name] for name in names), strict=True)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise VectorStoreError(STRANGE_TEXT) from error


def read_metadatas(answer: Any) -> dict[str, Mapping[str, MetadataValue]]:
    """Metadata by id."""
    try:
        found = zip(answer["ids"], answer["metadatas"], strict=True)
        return {key: metadata or {} for key, metadata in found}
    except (KeyError, TypeError, ValueError) as error:
        raise VectorStoreError(STRANGE_TEXT) from error


def read_count(answer: Any) -> int:
    """The number of documents."""
    if not isinstance(answer, int):
        raise VectorStoreError(STRANGE_TEXT)
    return answer
