"""All tools that can be found, ready to be ranked; one tool comes or goes without touching the others."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.retrieval.actions import Kind, actions_of_tool, kind_of_tool
from core.retrieval.bm25f import Bm25fIndex
from core.retrieval.dense import DenseIndex
from core.retrieval.glossary import Glossary
from core.retrieval.model import MCPAnnotations, Tool
from core.retrieval.name_coverage import NameCoverage, words_of_name
from core.retrieval.tokens import LANGUAGES, Language, language_of, name_words
from core.retrieval.tool_graph import ToolGraph
from core.retrieval.tool_texts import IndexEntry, described_in, field_terms

Mask = NDArray[np.bool_]
_MOST_MASKS = 64


class ToolIndex:
    """Tools by name, each in a row of the word index, of the vectors and of the graph.

    To change an index that others read, change a `copy()` and put it in its place. An index of
    another embedding model is a new one: all vectors have one dimension.
    """

    def __init__(self, glossary: Glossary | None = None) -> None:
        self.glossary = glossary or Glossary()
        self.words = Bm25fIndex()
        self.said_names = NameCoverage()
        self.vectors = DenseIndex()
        self.graph = ToolGraph()
        self._rows: dict[str, int] = {}
        self._kinds: dict[int, Kind] = {}
        self._languages: dict[int, Language] = {}
        self._free: list[int] = []
        self._table: RowTable | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def names(self) -> Collection[str]:
        return self._rows.keys()

    @property
    def table(self) -> "RowTable":
        """What is known of the rows now; another object after each change."""
        if self._table is None:
            tools = {row: self.graph.tools[name] for name, row in self._rows.items()}
            self._table = RowTable(tools, self._kinds, self._languages, self.words.row_count)
        return self._table

    def copy(self) -> "ToolIndex":
        """The same tools, to be changed apart."""
        twin = ToolIndex(self.glossary)
        twin.words, twin.vectors = self.words.copy(), self.vectors.copy()
        twin.said_names, twin.graph = self.said_names.copy(), self.graph.copy()
        twin._rows, twin._kinds = dict(self._rows), dict(self._kinds)
        twin._languages = dict(self._languages)
        twin._free = list(self._free)
        # It never changes: each change puts another one in its place.
        twin._table = self._table
        return twin

    def put(self, entry: IndexEntry) -> None:
        """Take in a tool, in place of one of its name.

        Raises EmbeddingError if its vectors do not fit those of the others; then nothing has changed.
        """
        row = self._rows.get(entry.tool.name)
        row = self._next_row() if row is None else row
        self._put_vectors(row, entry)
        if self._free and self._free[-1] == row:
            self._free.pop()
        self._rows[entry.tool.name] = row
        self._kinds[row] = kind_of_tool(entry.tool)
        self._put_words(row, entry)
        self.graph.add_tool(entry.tool)
        self._table = None

    def put_vectors(self, entry: IndexEntry) -> None:
        """Give a tool the vectors of its entry, or take its own away; its words are as they were.

        Raises EmbeddingError as `put`; a tool that is not there is left out.
        """
        if (row := self._rows.get(entry.tool.name)) is not None:
            self._put_vectors(row, entry)

    def without_vectors(self) -> "ToolIndex":
        """The same tools and words, so that vectors of another model may come."""
        twin = self.copy()
        twin.vectors = DenseIndex()
        return twin

    def with_glossary(self, glossary: Glossary, entries: Iterable[IndexEntry]) -> "ToolIndex":
        """The same tools and vectors with the words of these entries, of all tools, read anew."""
        twin = self.copy()
        twin.glossary, twin.words, twin.said_names = glossary, Bm25fIndex(), NameCoverage()
        for entry in entries:
            twin._put_words(twin._rows[entry.tool.name], entry)
        twin._table = None
        return twin

    def remove(self, name: str) -> None:
        """Take out a tool, if it is there."""
        row = self._rows.pop(name, None)
        if row is None:
            return
        self.words.remove(row)
        self.said_names.remove(row)
        self.vectors.remove(row)
        self.graph.remove_tool(name)
        del self._kinds[row], self._languages[row]
        self._free.append(row)
        self._table = None

    def _next_row(self) -> int:
        return self._free[-1] if self._free else len(self._rows)

    def _put_words(self, row: int, entry: IndexEntry) -> None:
        self.words.put(row, field_terms(entry, actions_of_tool(entry.tool), self.glossary))
        self.said_names.put(row, words_of_name(entry.tool.name, self.glossary))
        self._languages[row] = language_of(described_in(entry))

    def _put_vectors(self, row: int, entry: IndexEntry) -> None:
        if entry.vectors is None:
            self.vectors.remove(row)
        else:
            self.vectors.put(row, language_of(described_in(entry)), entry.vectors)


class RowTable:
    """The rows of one state of an index as arrays; it never changes, so that threads may share it."""

    def __init__(
        self,
        tools: Mapping[int, Tool],
        kinds: Mapping[int, Kind],
        languages: Mapping[int, Language],
        count: int,
    ) -> None:
        self.tools = dict(tools)
        self.rows = {tool.name: row for row, tool in self.tools.items()}
        self.name_order = np.zeros(count, dtype=np.int64)
        for place, name in enumerate(sorted(self.rows)):
            self.name_order[self.rows[name]] = place
        self.kinds = {kind: _mask_of(kinds, kind, count) for kind in ("read", "write", "delete")}
        self._languages = np.full(count, -1, dtype=np.int8)
        for row, language in languages.items():
            self._languages[row] = LANGUAGES.index(language)
        self.everything = _rows_mask(self.rows.values(), count)
        self._masks: dict[frozenset[str], Mask] = {}

    def described_in(self, language: Language) -> Mask:
        """The rows of tools that are described in a language."""
        mask: Mask = self._languages == LANGUAGES.index(language)
        return mask

    def mask_of(self, allowed: Collection[str] | Mask | None) -> Mask:
        """The rows of the allowed names; a mask of rows is taken as it is.

        The mask of a frozenset is kept, so that the same one costs nothing the next time.
        """
        if allowed is None:
            return self.everything
        if isinstance(allowed, np.ndarray):
            return self.everything & allowed
        if not isinstance(allowed, frozenset):
            return self._make_mask(allowed)
        mask = self._masks.get(allowed)
        return self._keep_mask(allowed) if mask is None else mask

    @cached_property
    def annotations(self) -> tuple[NDArray[np.intp], list[MCPAnnotations | None]]:
        """For each row the place of its annotations among the different ones that there are."""
        different: dict[MCPAnnotations | None, int] = {None: 0}
        places = np.zeros(len(self.everything), dtype=np.intp)
        for row, tool in self.tools.items():
            places[row] = different.setdefault(tool.annotations, len(different))
        return places, list(different)

    def rows_named(self, joined_words: Iterable[str]) -> list[int]:
        """The rows of tools whose names have these words, joined: `deleteuser` is delete_user."""
        return [row for words in joined_words for row in self._spoken_names.get(words, ())]

    @cached_property
    def _spoken_names(self) -> Mapping[str, list[int]]:
        spoken: dict[str, list[int]] = {}
        for name, row in self.rows.items():
            spoken.setdefault(name_words(name).replace(" ", ""), []).append(row)
        return spoken

    def _keep_mask(self, allowed: frozenset[str]) -> Mask:
        if len(self._masks) >= _MOST_MASKS:
            self._masks = {}
        self._masks[allowed] = mask = self._make_mask(allowed)
        return mask

    def _make_mask(self, allowed: Collection[str]) -> Mask:
        known = (self.rows[name] for name in allowed if name in self.rows)
        return _rows_mask(known, len(self.everything))


@dataclass(frozen=True, slots=True, eq=False)
class Visible:
    """The names of the rows of a mask."""

    table: RowTable
    mask: Mask

    def __contains__(self, name: object) -> bool:
        row = self.table.rows.get(name) if isinstance(name, str) else None
        return row is not None and bool(self.mask[row])


def _rows_mask(rows: Iterable[int], count: int) -> Mask:
    mask = np.zeros(count, dtype=np.bool_)
    mask[list(rows)] = True
    return mask


def _mask_of(values: Mapping[int, str], value: str, count: int) -> Mask:
    return _rows_mask((row for row, of_row in values.items() if of_row == value), count)
