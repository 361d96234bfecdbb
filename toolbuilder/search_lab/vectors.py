"""The stored vectors of tools, as runtimes make them."""

from collections.abc import Iterable, Iterator

import numpy as np
from django.db.models import Count, Max
from numpy.typing import NDArray

from core.retrieval.model import Tool
from core.retrieval.text_hashes import hash_texts
from tools.models import ToolVector

Vector = NDArray[np.float32]
VectorPair = tuple[Vector, Vector]
_STORED = np.dtype("<f4")


def read_vectors(model: str, tools: Iterable[Tool]) -> dict[str, VectorPair]:
    """The vectors of those tools by name for which the model has made some of their present texts."""
    hashes = {tool.name: hash_texts(tool) for tool in tools}
    rows = ToolVector.objects.filter(model=model, tool_name__in=hashes)
    return {
        row.tool_name: pair
        for row, pair in _pairs(rows)
        if row.content_hash == hashes[row.tool_name]
    }


def read_vectors_revision(model: str) -> str:
    """Another text after each change of the model's vectors; one query that reads none of them."""
    rows = ToolVector.objects.filter(model=model)
    found = rows.aggregate(last=Max("updated_at"), count=Count("pk"))
    return f"{model} {found['count']} {found['last'].isoformat() if found['last'] else ''}"


def _pairs(rows: Iterable[ToolVector]) -> Iterator[tuple[ToolVector, VectorPair]]:
    """Rows whose vectors can be read, which other programs write too."""
    for row in rows:
        name, text = bytes(row.name_vector), bytes(row.text_vector)
        if name and len(name) == len(text) and len(name) % _STORED.itemsize == 0:
            yield row, (np.frombuffer(name, _STORED), np.frombuffer(text, _STORED))
