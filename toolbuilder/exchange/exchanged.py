"""What files say of tools, toolsets, data sources and the glossary, each part with its place in its file."""

from dataclasses import dataclass, field

from access.toolsets.models import ToolsetReview
from core.cases.documents import CaseDocument
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

    def fault_in(self, text: Message, key: str, position: int | None) -> FileFault:
        """The fault at that character of a text, or at its key where the text is no block."""
        value = self.node.value.get(key) if self.node else None
        if position is None or value is None or not (value.is_block and self.node):
            return self.fault(text, key)
        before = str(value.value)[:position].split("\n")
        # Blocks are written two columns behind their key.
        column = self.node.place_of([key])[1] + 2 + len(before[-1])
        return FileFault(self.path, value.line + len(before), column, text)


@dataclass(frozen=True, slots=True)
class ExchangedTool:
    """A tool of a file; a new one is made active or not as `is_active` says.

    `cases` are its test cases by name; None says nothing of them.
    """

    snapshot: ToolDocument
    is_active: bool = True
    cases: tuple[CaseDocument, ...] | None = None
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
    review: str = str(ToolsetReview.NOBODY)
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

    @property
    def parts(
        self,
    ) -> "list[ExchangedTool | ExchangedToolset | ExchangedSource | ExchangedConcept]":
        """All that is taken."""
        return [*self.tools, *self.toolsets, *self.sources, *self.concepts]
