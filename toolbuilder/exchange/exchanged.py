"""What files say of tools, toolsets, data sources and the glossary, each part with its place in its file."""

from dataclasses import dataclass, field
from typing import Protocol

from core.messages import Message
from toolbuilder.exchange.yaml_nodes import FileFault, YamlNode
from tools.definitions import ToolDocument


@dataclass(frozen=True, slots=True)
class FilePart:
    """Where something is written: the file as its reader calls it, '' for a pasted text."""

    path: str = ""
    node: YamlNode | None = None

    def fault(self, text: Message, *steps: str | int) -> FileFault:
        """The fault at the value that the steps lead to, or at the part itself."""
        line, column = self.node.place_of(steps) if self.node else (0, 0)
        return FileFault(self.path, line, column, text)


@dataclass(frozen=True, slots=True)
class ExchangedTool:
    """A tool of a file; a new one is made active or not as `is_active` says."""

    snapshot: ToolDocument
    is_active: bool = True
    part: FilePart = field(default=FilePart(), compare=False, repr=False)

    @property
    def name(self) -> str:
        """What agents call."""
        return self.snapshot.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangedToolset:
    """A toolset of a file: its tools by name and by tag."""

    name: str
    title: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    owned_by_files: bool = False
    part: FilePart = field(default=FilePart(), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangedSource:
    """A data source of a file: columns of its row, never a password."""

    name: str
    columns: dict[str, object] = field(default_factory=dict)
    part: FilePart = field(default=FilePart(), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangedConcept:
    """A concept of the glossary: terms by language."""

    name: str
    terms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    note: str = ""
    is_active: bool = True
    part: FilePart = field(default=FilePart(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SkippedPart:
    """Something that a file has and that is not taken, with the reason."""

    name: str
    reason: Message
    part: FilePart = field(default=FilePart(), compare=False, repr=False)


class _Named(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def part(self) -> FilePart: ...


@dataclass(slots=True)
class ToolFiles:
    """All that files say, in their order, what of it is left out, and every fault."""

    tools: list[ExchangedTool] = field(default_factory=list)
    toolsets: list[ExchangedToolset] = field(default_factory=list)
    sources: list[ExchangedSource] = field(default_factory=list)
    concepts: list[ExchangedConcept] = field(default_factory=list)
    skipped: list[SkippedPart] = field(default_factory=list)
    faults: list[FileFault] = field(default_factory=list)
    owner: str = ""
