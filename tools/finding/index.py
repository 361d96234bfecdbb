"""Served tools as a search finds them: an index that is never changed, but replaced as a whole."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from core.errors import EmbeddingError
from core.execution import CompiledTool
from core.ingest.operations import parameter_of_schema
from core.retrieval.glossary import Concept, compile_glossary
from core.retrieval.glossary_terms import CONCEPTS
from core.retrieval.index import ToolIndex
from core.retrieval.learned_use import Priors
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from core.retrieval.tool_texts import IndexEntry, hash_texts
from core.tool_entry import READS_ONLY
from tools.builtin.search_tools import UNFOUND
from tools.finding.concept_vectors import read_concept_vectors
from tools.finding.vector_rows import HashedVectors, SearchRows

logger = logging.getLogger(__name__)


class FindableSpec(Protocol):
    """What agents read about a tool of any kind."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def annotations(self) -> Mapping[str, bool]: ...
    @property
    def tags(self) -> Iterable[str]: ...


class FindableTool(Protocol):
    """A tool that can be searched."""

    @property
    def spec(self) -> FindableSpec: ...
    @property
    def input_schema(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class SearchedTool:
    """A tool in the index; `entry` is without its vectors, which the index keeps."""

    served: FindableTool
    entry: IndexEntry
    content_hash: str
    has_vectors: bool = False


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """The index, and its tools by name. Each change gives another one."""

    index: ToolIndex = field(default_factory=lambda: ToolIndex(compile_glossary(CONCEPTS)))
    tools: Mapping[str, SearchedTool] = field(default_factory=dict)

    def find_changes(
        self, served: Mapping[str, FindableTool]
    ) -> tuple[dict[str, FindableTool], set[str]]:
        """Tools to be indexed, by name, and names to be forgotten, so that these are in the index."""
        known = self.tools
        changed = {
            name: tool
            for name, tool in served.items()
            if name not in known or known[name].served is not tool
        }
        return changed, known.keys() - served.keys()

    def with_tools(
        self, changed: Mapping[str, FindableTool], gone: Iterable[str], rows: SearchRows
    ) -> "SearchIndex":
        """With these tools, and the vectors in `rows` that are of their present texts."""
        index, tools = self.index.copy(), dict(self.tools)
        for name in gone:
            index.remove(name)
            del tools[name]
        for name, served in changed.items():
            texts = [rows.descriptions.get(name, "")]
            if isinstance(served, CompiledTool):
                texts += (text for _language, text in served.spec.descriptions)
            entry = IndexEntry(to_search_tool(served), None, "\n".join(filter(None, texts)))
            index.put(entry)
            indexed = SearchedTool(served, entry, hash_texts(entry.tool))
            tools[name] = _put_vectors(index, indexed, rows.vectors.get(name))
        return SearchIndex(index, tools)

    def with_vectors(self, made: Mapping[str, HashedVectors]) -> "SearchIndex":
        """With these vectors; a tool that has changed meanwhile, or is gone, gets none."""
        index, tools = self.index.copy(), dict(self.tools)
        for name, vectors in made.items():
            if name in tools and tools[name].content_hash == vectors.content_hash:
                tools[name] = _put_vectors(index, tools[name], vectors)
        return SearchIndex(index, tools)

    def without_vectors(self) -> "SearchIndex":
        """Words alone."""
        tools = {name: replace(tool, has_vectors=False) for name, tool in self.tools.items()}
        return SearchIndex(self.index.without_vectors(), tools)

    def with_glossary(self, concepts: tuple[Concept, ...], model: str = "") -> "SearchIndex":
        """The same tools, found by another glossary; `model` is that of the queries' vectors."""
        entries = [tool.entry for tool in self.tools.values()]
        glossary = compile_glossary(concepts, read_concept_vectors(model))
        return SearchIndex(self.index.with_glossary(glossary, entries), self.tools)

    def with_priors(self, priors: Priors) -> "SearchIndex":
        """The same tools, with what agents called after they had searched."""
        return SearchIndex(self.index.with_priors(priors), self.tools)


def findable(
    builtin: Mapping[str, FindableTool], tools: Mapping[str, FindableTool]
) -> dict[str, FindableTool]:
    """Every tool by name but the built-in ones that search and call."""
    return {**{name: tool for name, tool in builtin.items() if name not in UNFOUND}, **tools}


def to_search_tool(tool: FindableTool) -> Tool:
    """The tool to be indexed; one that says nothing of its effects only reads, as all of them do."""
    spec, schema = tool.spec, tool.input_schema
    required = schema.get("required", ())
    parameters: list[ToolParameter] = []
    for name, stated in schema["properties"].items():
        # What may be null, and what is a list, hides its allowed values one level down.
        value = next(iter(stated.get("anyOf", ())), stated)
        values = value.get("items", value).get("enum")
        read = {**stated, **value, **({"enum": values} if values else {})}
        parameters.append(parameter_of_schema(name, read, name in required))
    return Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        parameters=tuple(parameters),
        annotations=MCPAnnotations.from_dict(spec.annotations or READS_ONLY),
        tags=tuple(spec.tags),
    )


def _put_vectors(
    index: ToolIndex, indexed: SearchedTool, vectors: HashedVectors | None
) -> SearchedTool:
    """Give the tool the vectors if they are of its texts and fit the others; else it has none."""
    entry = indexed.entry
    if vectors is not None and vectors.content_hash == indexed.content_hash:
        try:
            index.put_vectors(replace(entry, vectors=vectors.pair))
            return replace(indexed, has_vectors=True)
        except EmbeddingError as error:
            logger.warning("the vectors of %s cannot be used: %s", entry.tool.name, error)
    index.put_vectors(entry)
    return replace(indexed, has_vectors=False)
