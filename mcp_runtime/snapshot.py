"""What is served at one moment: immutable, swapped as a whole."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from core.bearer_tokens import Issuer
from core.bindings import CallerFacts
from core.execution import CompiledTool
from core.grants import EVERYTHING, ToolsetSpec, Visibility
from core.languages import languages_of
from core.limits import LimitBook
from core.messages import Message
from core.old_names import NO_OLD_NAMES, OldNames
from mcp_runtime.proxied.registry import ProxiedTool
from tools.builtin.tool import BuiltinTool
from tools.toolsets import find_places

ServedTool = CompiledTool | BuiltinTool | ProxiedTool


@dataclass(frozen=True)
class Snapshot:
    """Defined and proxied tools by name, the reasons of those that are not served, and built-in tools.

    No name is in both `tools` and `builtin`. The reasons are by the id of the defined tool.
    """

    revision: int = -1
    tools: Mapping[str, CompiledTool | ProxiedTool] = field(default_factory=dict)
    quarantined: Mapping[int, Message] = field(default_factory=dict)
    builtin: Mapping[str, BuiltinTool] = field(default_factory=dict)
    toolsets: Mapping[str, ToolsetSpec] = field(default_factory=dict)
    limits: LimitBook = field(default_factory=LimitBook)
    issuers: tuple[Issuer, ...] = ()
    old_names: OldNames = NO_OLD_NAMES

    @cached_property
    def _visibility(self) -> Visibility:
        places = find_places({**self.builtin, **self.tools})
        return Visibility(places, self.toolsets, self.old_names.renamed_tools)

    def names_for(self, facts: CallerFacts) -> frozenset[str] | None:
        """Names of the tools that the caller sees; None is every one."""
        is_every = facts.grant is EVERYTHING or facts.grant == EVERYTHING
        if is_every and not facts.toolset:
            # Most callers: nothing has to be known of the tools.
            return None
        return self._visibility.names(facts.grant, facts.toolset)

    def is_seen(self, facts: CallerFacts, name: str) -> bool:
        """Whether the caller sees a tool, if there is one of this name."""
        seen = self.names_for(facts)
        return seen is None or name in seen

    @property
    def defined(self) -> Iterator[CompiledTool]:
        """The tools of this installation's own rows."""
        return (tool for tool in self.tools.values() if isinstance(tool, CompiledTool))

    def find(self, name: str) -> ServedTool | None:
        """The tool of that name, of either kind."""
        return self.tools.get(name) or self.builtin.get(name)

    def find_answering(self, name: str) -> ServedTool | None:
        """The tool that a call by that name is for, which may be an old one of it."""
        if (tool := self.find(name)) is not None or self.old_names is NO_OLD_NAMES:
            return tool
        old = self.old_names.tools.get(name)
        return self.find(old.new) if old is not None and time.time() < old.ends_at else None

    @cached_property
    def _languages(self) -> frozenset[str]:
        return frozenset().union(*(languages_of(tool.spec) for tool in self.defined))

    def choose_language(self, wanted: str) -> str:
        """The language in which tools are described to who wants this one; '' are the default texts."""
        return wanted if wanted and wanted in self._languages else ""

    def all_tools(self) -> Iterator[tuple[str, ServedTool]]:
        """Every tool with its name, the built-in ones first."""
        yield from self.builtin.items()
        yield from self.tools.items()

    def differs_for_agents(self, other: "Snapshot") -> bool:
        """Whether a client's list of tools is out of date after a change to `other`."""
        if self.tools.keys() != other.tools.keys() or self.toolsets != other.toolsets:
            return True
        if self.old_names.tools.keys() != other.old_names.tools.keys():
            # Grants by an old name.
            return True
        return any(
            tool is not other.tools[name] and tool.spec != other.tools[name].spec
            for name, tool in self.tools.items()
        )
