"""What is served at one moment: immutable, swapped as a whole."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.execution import CompiledTool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Served tools by name, and the reasons of those that are not, by tool id."""

    revision: int = -1
    tools: Mapping[str, CompiledTool] = field(default_factory=dict)
    quarantined: Mapping[int, str] = field(default_factory=dict)

    def differs_for_agents(self, other: "Snapshot") -> bool:
        """Whether a client's list of tools is out of date after a change to `other`."""
        return self.tools.keys() != other.tools.keys() or any(
            tool is not other.tools[name] and tool.spec != other.tools[name].spec
            for name, tool in self.tools.items()
        )
