"""The active tools, ready to be searched in this process, made anew as far as something changed."""

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from threading import Lock

from catalog.documents.vector_services import embedding_settings
from catalog.glossary import read_concepts, read_glossary_revision
from core.errors import EmbeddingError
from core.retrieval.glossary import compile_glossary
from core.retrieval.index import ToolIndex
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from core.retrieval.tool_texts import IndexEntry
from core.tool_entry import READS_ONLY
from core.toolspec import Binding, ParameterSpec, ParameterType, Presence, ToolSpec
from toolbuilder.search_lab.vectors import VectorPair, read_vectors, read_vectors_revision
from tools.models import ToolDefinition
from tools.registry import read_revision, read_served_rows

logger = logging.getLogger(__name__)

# JSON Schema's words; every other type is sent as a text.
_JSON_TYPES = {
    ParameterType.NUMBER: "number",
    ParameterType.INTEGER: "integer",
    ParameterType.BOOLEAN: "boolean",
}


@dataclass(frozen=True, slots=True)
class LabIndex:
    """The index and what is shown of its tools by name; it never changes."""

    index: ToolIndex
    tools: Mapping[str, Tool]


@dataclass(frozen=True, slots=True)
class _Revisions:
    """What the index is made of; other glossaries and vectors make another index."""

    registry: int
    glossary: str
    vectors: str

    def shares_index(self, other: "_Revisions") -> bool:
        return (self.glossary, self.vectors) == (other.glossary, other.vectors)


@dataclass(frozen=True, slots=True)
class _Made:
    """An index with the ids and fingerprints of the rows that it was made of."""

    revisions: _Revisions
    lab: LabIndex
    fingerprints: Mapping[int, str] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)


class IndexKeeper:
    """The newest index of this process; threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._made: _Made | None = None

    def read(self) -> LabIndex:
        """The index of the rows as they are now; a row that changed is indexed alone."""
        model = embedding_settings().model
        revisions = _Revisions(
            read_revision(), read_glossary_revision(), read_vectors_revision(model)
        )
        with self._lock:
            if self._made is None or self._made.revisions != revisions:
                self._made = _make(revisions, self._made, model)
            return self._made.lab


@cache
def shared_keeper() -> IndexKeeper:
    """The keeper of this process."""
    return IndexKeeper()


def read_lab_index() -> LabIndex:
    """The index of the active tools as they are now."""
    return shared_keeper().read()


def to_tool(spec: ToolSpec) -> Tool:
    """The tool as a search knows it: what `tools/list` tells agents of it."""
    shown = (one for one in spec.parameters if one.binding is Binding.AGENT)
    return Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        parameters=tuple(map(_to_parameter, shown)),
        annotations=MCPAnnotations.from_dict(spec.annotations or READS_ONLY),
        tags=spec.tags,
    )


def _to_parameter(spec: ParameterSpec) -> ToolParameter:
    return ToolParameter(
        name=spec.name,
        type="array" if spec.type.is_list else _JSON_TYPES.get(spec.type, "string"),
        description=spec.description,
        required=spec.presence is Presence.REQUIRED,
        enum=spec.allowed_values or None,
    )


def _make(revisions: _Revisions, before: _Made | None, model: str) -> _Made:
    if before is None or not before.revisions.shares_index(revisions):
        empty = LabIndex(ToolIndex(compile_glossary(read_concepts())), {})
        before = _Made(revisions, empty)
    rows = read_served_rows(before.fingerprints)
    changed = [spec.id for spec in rows.specs] + list(rows.unreadable)
    gone = [id_ for id_ in before.names if id_ not in rows.fingerprints]
    names = {id_: name for id_, name in before.names.items() if id_ not in {*changed, *gone}}
    dropped = [before.names[id_] for id_ in (*changed, *gone) if id_ in before.names]
    names |= {spec.id: spec.name for spec in rows.specs}
    lab = _renew(before.lab, dropped, _entries_of(rows.specs, model))
    return _Made(revisions, lab, rows.fingerprints, names)


def _renew(lab: LabIndex, dropped: Collection[str], entries: Iterable[IndexEntry]) -> LabIndex:
    index, tools = lab.index.copy(), dict(lab.tools)
    for name in dropped:
        index.remove(name)
        tools.pop(name, None)
    for entry in entries:
        _put(index, entry)
        tools[entry.tool.name] = entry.tool
    return LabIndex(index, tools)


def _put(index: ToolIndex, entry: IndexEntry) -> None:
    try:
        index.put(entry)
    except EmbeddingError:
        logger.warning("the stored vectors of %s do not fit the others", entry.tool.name)
        index.put(IndexEntry(entry.tool, None, entry.description_user))


def _entries_of(specs: Collection[ToolSpec], model: str) -> Iterable[IndexEntry]:
    tools = [to_tool(spec) for spec in specs]
    rows = ToolDefinition.objects.filter(pk__in=[spec.id for spec in specs])
    for_people = dict(rows.values_list("name", "description_user"))
    vectors: Mapping[str, VectorPair] = read_vectors(model, tools)
    for tool in tools:
        yield IndexEntry(tool, vectors.get(tool.name), for_people.get(tool.name, ""))
