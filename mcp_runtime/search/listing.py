"""Which of the tools that a caller may see are listed; the others are found with `search_tools`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.tool_entry import READS_ONLY
from mcp_runtime.snapshot import Snapshot
from tools.builtin.search_tools import UNFOUND, ForwardingTool
from tools.finding.index import FindableTool

# A model chooses worse among more tools than this, and pays for each of them with every request.
MOST_LISTED = 50
PINNED_TAG = "pinned"


@dataclass(frozen=True, slots=True)
class ListingRule:
    """`mode` is MCP_TOOL_LISTING: `all`, `search`, or `auto`, which is the one or the other by number.

    `pinned` are names of tools that are always listed, as are those with the tag `pinned`.
    """

    mode: str = "auto"
    pinned: frozenset[str] = frozenset()

    def choose(self, visible: Sequence[str], snapshot: Snapshot) -> Sequence[str]:
        """Those of the visible names that are listed, in their order.

        All of them where the caller may not search, since nothing would lead to the others.
        """
        can_search = snapshot.builtin.keys() >= UNFOUND and set(visible) >= UNFOUND
        is_few = self.mode == "auto" and len(visible) <= MOST_LISTED
        if self.mode == "all" or is_few or not can_search:
            return visible
        return [name for name in visible if name in UNFOUND or self._pins(name, snapshot)]

    def _pins(self, name: str, snapshot: Snapshot) -> bool:
        tool = snapshot.find(name)
        return name in self.pinned or (tool is not None and PINNED_TAG in tool.spec.tags)


def hints_of_any(tools: Iterable[FindableTool]) -> dict[str, bool]:
    """What can be promised of a call that may be of any of the tools.

    A client that asks a person before it calls a tool must not be led past that by `call_tool`.
    """
    hints = [{**READS_ONLY, **tool.spec.annotations} for tool in tools]
    return {
        "readOnlyHint": all(each["readOnlyHint"] for each in hints),
        "destructiveHint": any(each["destructiveHint"] for each in hints),
        "idempotentHint": all(each["idempotentHint"] for each in hints),
        "openWorldHint": any(each["openWorldHint"] for each in hints),
    }


def find_forwarding(snapshot: Snapshot) -> list[ForwardingTool]:
    """The tools of a snapshot whose calls are those of others."""
    return [tool for tool in snapshot.builtin.values() if isinstance(tool, ForwardingTool)]
