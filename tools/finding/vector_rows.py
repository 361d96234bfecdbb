"""Stored vectors of tools, shared by all runtimes, and what else the search reads of rows."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Max
from django.db.models.functions import Length
from django.utils import timezone
from numpy.typing import NDArray

from tools.builtin.registry import BUILTIN_NAMES
from tools.models import ToolDefinition, ToolVector
from tools.names import read_proxied_names

_BYTES = "<f4"
_ITEM_SIZE = np.dtype(_BYTES).itemsize
# Beyond it, all rows are read at once.
_MOST_NAMED = 1_000
_CHUNK_SIZE = 500

VectorPair = tuple[NDArray[np.float32], NDArray[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class HashedVectors:
    """The vectors of a tool's name and text, and the hash of the texts that they were made of."""

    content_hash: str
    pair: VectorPair


@dataclass(frozen=True, slots=True)
class SearchRows:
    """By tool name: stored vectors, and the descriptions for people."""

    vectors: Mapping[str, HashedVectors]
    descriptions: Mapping[str, str]


def read_rows(model: str, names: Collection[str]) -> SearchRows:
    """What is stored of these tools, and maybe of others; no vectors where there is no model."""
    tools = ToolDefinition.objects.exclude(description_user="")
    if len(names) <= _MOST_NAMED:
        tools = tools.filter(name__in=names)
    vectors = read_vectors(model, names) if model else {}
    return SearchRows(vectors, dict(tools.values_list("name", "description_user")))


def read_vectors(model: str, names: Collection[str]) -> dict[str, HashedVectors]:
    """The stored vectors of these tools, and maybe of others, by that model."""
    rows = ToolVector.objects.filter(model=model)
    if len(names) <= _MOST_NAMED:
        rows = rows.filter(tool_name__in=names)
    columns = ("tool_name", "content_hash", "name_vector", "text_vector")
    vectors = {}
    for name, content_hash, *stored in rows.values_list(*columns).iterator(_CHUNK_SIZE):
        of_name, of_text = map(bytes, stored)
        # Other programs write rows too.
        if of_name and len(of_name) == len(of_text) and len(of_name) % _ITEM_SIZE == 0:
            pair = (_to_vector(of_name), _to_vector(of_text))
            vectors[name] = HashedVectors(content_hash, pair)
    return vectors


def read_vectors_revision(model: str) -> str:
    """Another text after each change of the model's vectors; one query that reads none of them."""
    rows = ToolVector.objects.filter(model=model)
    found = rows.aggregate(last=Max("updated_at"), count=Count("pk"))
    return f"{model} {found['count']} {found['last'].isoformat() if found['last'] else ''}"


def store_vectors(model: str, made: Mapping[str, HashedVectors]) -> None:
    """Keep the vectors, in place of those of the same tools and model."""
    rows = [
        ToolVector(
            tool_name=name,
            model=model,
            content_hash=vectors.content_hash,
            name_vector=vectors.pair[0].astype(_BYTES).tobytes(),
            text_vector=vectors.pair[1].astype(_BYTES).tobytes(),
            updated_at=timezone.now(),
        )
        for name, vectors in sorted(made.items())
    ]
    ToolVector.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["tool_name", "model"],
        update_fields=["content_hash", "name_vector", "text_vector", "updated_at"],
    )


def drop_orphans() -> int:
    """Delete the vectors of tools that do not exist any more; returns how many."""
    tools = ToolDefinition.objects.values("name")
    return (
        ToolVector.objects.exclude(tool_name__in=BUILTIN_NAMES | read_proxied_names())
        .exclude(tool_name__in=tools)
        .delete()[0]
    )


def drop_misfits(model: str, dimension: int) -> int:
    """Delete the model's vectors of another dimension; returns how many."""
    size = dimension * _ITEM_SIZE
    stored = ToolVector.objects.filter(model=model).alias(size=Length("text_vector"))
    return stored.exclude(size=size).delete()[0]


def _to_vector(stored: bytes) -> NDArray[np.float32]:
    return np.frombuffer(stored, dtype=_BYTES).astype(np.float32, copy=False)
