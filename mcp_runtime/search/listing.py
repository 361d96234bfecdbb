"""Which of the tools that a caller may see are listed; the others are found with `search_tools`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.tool_entry import READS_ONLY
from mcp_runtime.snapshot import Snapshot
from tools.builtin.search_tools import UNFOUND
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
        tagged = {name for name, tool in snapshot.all_tools() if PINNED_TAG in tool.spec.tags}
        listed = UNFOUND | self.pinned | tagged
        return [name for name in visible if name in listed]


def hints_of_any(tools: Iterable[FindableTool]) -> dict[str, bool]:
    """What can be promised of a call that may be of any of the tools.

    A client that asks a person before it calls a tool must not be led past that by `call_tool`.
    """
    hints = [{**READS_ONLY, **tool.spec.annotations} for tool in tools]
    return {
        "readOnlyHint": all(hint["readOnlyHint"] for hint in hints),
        "destructiveHint": any(hint["destructiveHint"] for hint in hints),
        "idempotentHint": all(hint["idempotentHint"] for hint in hints),
        "openWorldHint": any(hint["openWorldHint"] for hint in hints),
    }
