"""All tools that can be found, ready to be ranked; one tool comes or goes without touching the others."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.retrieval.actions import Kind, actions_of_tool, kind_of_tool
from core.retrieval.bm25f import Bm25fIndex
from core.retrieval.dense import DenseIndex
from core.retrieval.glossary import Glossary
from core.retrieval.learned_use import Priors
from core.retrieval.model import MCPAnnotations, Tool
from core.retrieval.name_coverage import NameCoverage, words_of_name
from core.retrieval.tokens import Language, fold
from core.retrieval.tool_graph import RelatedTools
from core.retrieval.tool_texts import IndexEntry, field_terms, language_of_tool

Mask = NDArray[np.bool_]
_MOST_MASKS = 64


@dataclass(frozen=True, slots=True)
class IndexedTool:
    """The tool of a row with what was read out of it."""

    tool: Tool
    kind: Kind
    language: Language


class ToolIndex:
    """Tools by name, each in a row of the word index and of the vectors.

    To change an index that others read, change a `copy()` and put it in its place. An index of
    another embedding model is a new one: all vectors have one dimension.
    """

    def __init__(self, glossary: Glossary | None = None) -> None:
        self.glossary = glossary or Glossary()
        self.words = Bm25fIndex()
        self.name_coverage = NameCoverage()
        self.vectors = DenseIndex()
        self._priors: Priors = {}
        self._rows: dict[str, int] = {}
        self._tools: dict[int, IndexedTool] = {}
        self._free: list[int] = []
        self._table: RowTable | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def names(self) -> Collection[str]:
        return self._rows.keys()

    @property
    def table(self) -> "RowTable":
        """The rows as they are now; another object after each change."""
        if self._table is None:
            self._table = RowTable(self._tools, self.words.row_count, self._priors)
        return self._table

    def copy(self) -> "ToolIndex":
        """The same tools, to be changed independently."""
        twin = ToolIndex(self.glossary)
        twin.words, twin.vectors = self.words.copy(), self.vectors.copy()
        twin.name_coverage, twin._priors = self.name_coverage.copy(), self._priors
        twin._rows, twin._tools = dict(self._rows), dict(self._tools)
        twin._free = list(self._free)
        # It never changes: a change of the index replaces it.
        twin._table = self._table
        return twin

    def put(self, entry: IndexEntry) -> None:
        """Store a tool in place of one of the same name.

        Raises EmbeddingError if its vectors do not fit those of the others; then nothing has changed.
        """
        row = self._rows.get(entry.tool.name)
        if row is None:
            row = self._free[-1] if self._free else len(self._rows)
        self._put_vectors(row, entry)
        if self._free and self._free[-1] == row:
            self._free.pop()
        self._rows[entry.tool.name] = row
        self._put_words(row, entry)

    def put_vectors(self, entry: IndexEntry) -> None:
        """Give a tool the vectors of its entry, or remove its own; its words stay as they are.

        Raises EmbeddingError as `put`; an unknown tool is ignored.
        """
        if (row := self._rows.get(entry.tool.name)) is not None:
            self._put_vectors(row, entry)

    def without_vectors(self) -> "ToolIndex":
        """The same tools and words, ready for vectors of another model."""
        twin = self.copy()
        twin.vectors = DenseIndex()
        return twin

    def with_glossary(self, glossary: Glossary, entries: Iterable[IndexEntry]) -> "ToolIndex":
        """The same tools and vectors; the words are read again from the entries of all tools."""
        twin = self.copy()
        twin.glossary, twin.words, twin.name_coverage = glossary, Bm25fIndex(), NameCoverage()
        for entry in entries:
            twin._put_words(twin._rows[entry.tool.name], entry)
        return twin

    def with_priors(self, priors: Priors) -> "ToolIndex":
        """The same tools, with what agents called after they had searched."""
        twin = self.copy()
        twin._priors, twin._table = priors, None
        return twin

    def remove(self, name: str) -> None:
        """Remove a tool, if it is there."""
        row = self._rows.pop(name, None)
        if row is None:
            return
        self.words.remove(row)
        self.name_coverage.remove(row)
        self.vectors.remove(row)
        del self._tools[row]
        self._free.append(row)
        self._table = None

    def _put_words(self, row: int, entry: IndexEntry) -> None:
        tool = entry.tool
        self.words.put(row, field_terms(entry, actions_of_tool(tool), self.glossary))
        self.name_coverage.put(row, words_of_name(tool.name, self.glossary))
        self._tools[row] = IndexedTool(tool, kind_of_tool(tool), language_of_tool(entry))
        self._table = None

    def _put_vectors(self, row: int, entry: IndexEntry) -> None:
        if entry.vectors is None:
            self.vectors.remove(row)
        else:
            self.vectors.put(row, language_of_tool(entry), entry.vectors)


class RowTable:
    """The rows of one state of an index as arrays; it never changes, so that threads may share it."""

    def __init__(
        self, indexed: Mapping[int, IndexedTool], count: int, priors: Priors | None = None
    ) -> None:
        self._indexed = dict(indexed)
        self.tools = {row: known.tool for row, known in indexed.items()}
        self.rows = {tool.name: row for row, tool in self.tools.items()}
        self.name_order = np.zeros(count, dtype=np.int64)
        for place, name in enumerate(sorted(self.rows)):
            self.name_order[self.rows[name]] = place
        self.everything = _mask_of_rows(self.rows.values(), count)
        self.kinds = {
            kind: _mask_of_rows((row for row in indexed if indexed[row].kind == kind), count)
            for kind in ("read", "write", "delete")
        }
        self.priors = priors or {}
        self._prior_rows: dict[str, tuple[NDArray[np.intp], NDArray[np.float32]]] = {}
        self._masks: dict[Collection[str], Mask] = {}
        self._language_masks: dict[Language, Mask] = {}
        self._language_weights: dict[tuple[Language, float, float], NDArray[np.float32]] = {}

    def described_in(self, language: Language) -> Mask:
        """The rows of tools that are described in a language."""
        if (mask := self._language_masks.get(language)) is None:
            rows = (row for row, known in self._indexed.items() if known.language == language)
            mask = self._language_masks[language] = _mask_of_rows(rows, len(self.everything))
        return mask

    def weigh(self, language: Language, *, own: float, other: float) -> NDArray[np.float32]:
        """A weight for each row: `own` of tools described in that language, else `other`."""
        key = language, own, other
        if (weights := self._language_weights.get(key)) is None:
            if len(self._language_weights) >= _MOST_MASKS:
                self._language_weights = {}
            is_own = self.described_in(language)
            weights = np.where(is_own, np.float32(own), np.float32(other))
            self._language_weights[key] = weights
        return weights

    def score_use(self, concepts: Sequence[str]) -> NDArray[np.float32] | None:
        """The prior of each row, the mean of those of the concepts; None if nothing is known of any."""
        known = [concept for concept in concepts if concept in self.priors]
        if not known:
            return None
        total = np.zeros(len(self.everything), dtype=np.float32)
        for concept in known:
            if (arrays := self._prior_rows.get(concept)) is None:
                priors = self.priors[concept]
                names = [name for name in priors if name in self.rows]
                rows = np.array([self.rows[name] for name in names], dtype=np.intp)
                values = np.array([priors[name] for name in names], dtype=np.float32)
                arrays = self._prior_rows[concept] = rows, values
            total[arrays[0]] += arrays[1]
        return total / np.float32(len(concepts))

    def explain_use(self, concepts: Sequence[str], name: str) -> tuple[tuple[str, float], ...]:
        """What each concept adds to the prior of a tool; together they are the prior."""
        known = ((concept, self.priors.get(concept, {}).get(name, 0.0)) for concept in concepts)
        return tuple((concept, prior / len(concepts)) for concept, prior in known if prior)

    def mask_of(self, allowed: Collection[str] | Mask | None) -> Mask:
        """The rows of the allowed names; a mask of rows is used as it is.

        The mask of a frozenset is kept, so that the same one costs nothing the next time.
        """
        if allowed is None:
            return self.everything
        if isinstance(allowed, np.ndarray):
            return self.everything & allowed
        is_kept = isinstance(allowed, frozenset)
        if is_kept and (mask := self._masks.get(allowed)) is not None:
            return mask
        rows = (self.rows[name] for name in allowed if name in self.rows)
        mask = _mask_of_rows(rows, len(self.everything))
        if is_kept:
            if len(self._masks) >= _MOST_MASKS:
                self._masks = {}
            self._masks[allowed] = mask
        return mask

    @cached_property
    def annotations(self) -> tuple[NDArray[np.intp], list[MCPAnnotations | None]]:
        """For each row the place of its annotations among the different ones that there are."""
        different: dict[MCPAnnotations | None, int] = {None: 0}
        places = np.zeros(len(self.everything), dtype=np.intp)
        for row, tool in self.tools.items():
            places[row] = different.setdefault(tool.annotations, len(different))
        return places, list(different)

    @cached_property
    def related_tools(self) -> RelatedTools:
        """The tools joined; only profiles with a graph and pages that show it need this."""
        return RelatedTools(self.tools.values())

    @cached_property
    def rows_by_spoken_name(self) -> Mapping[str, list[int]]:
        """The rows of names by their words, joined: `deleteuser` is delete_user."""
        spoken: dict[str, list[int]] = {}
        for name, row in self.rows.items():
            spoken.setdefault(fold(name).replace(" ", ""), []).append(row)
        return spoken


def _mask_of_rows(rows: Iterable[int], count: int) -> Mask:
    mask = np.zeros(count, dtype=np.bool_)
    mask[list(rows)] = True
    return mask
