"""The tools of another MCP server as its page shows them: what each is, and what there is to do about it."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from enum import StrEnum
from itertools import islice

from access.reader_language import in_language
from catalog.models import McpServer, McpTool
from core.errors import DefinitionError
from core.ingest.remote_tools import RemoteTool, from_document, served_name
from core.messages import Message
from core.toolspec import JsonValue
from toolbuilder.taking_up.mcp_servers import read_names_taken_from

# Of a changed part, around what changed and in all.
CONTEXT_LINES = 2
LINES_SHOWN = 120
_KINDS = {"-": "del", "+": "ins"}
# A form has at most a thousand fields.
TOOLS_SHOWN = 400


class ToolState(StrEnum):
    """What an administrator is told first."""

    SERVED = "served"
    OFF = "off"
    CHANGED = "changed"
    GONE = "gone"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True)
class PartChange:
    """One part of a tool: lines as it was accepted and as the server says it now.

    The kind of a line is `del`, `ins` or '' for one that both have.
    """

    name: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool; `told` is what the server says now, `taken_by` who has its name already."""

    row: McpTool
    served_name: str
    told: RemoteTool
    state: ToolState
    changes: tuple[PartChange, ...] = ()
    taken_by: str = ""

    @property
    def schema_text(self) -> str:
        """The input schema, to be read by people."""
        return _show(self.told.input_schema)

    @property
    def hints(self) -> list[str]:
        """The annotations that the server states, by MCP's names without Hint."""
        return [
            name.removesuffix("Hint") if holds else f"not {name.removesuffix('Hint')}"
            for name, holds in self.told.annotations.items()
        ]


def digest_of_list(server: McpServer) -> str:
    """Changes with everything that the server says of its tools: what a person has looked at."""
    said = server.tools.order_by("pk").values_list("pk", "seen_digest", "gone_at")
    return hashlib.sha256(str(list(said)).encode()).hexdigest()


def read_tool_rows(server: McpServer, words: str = "") -> tuple[list[ToolRow], int]:
    """The tools that match the words, those with something to decide first, and how many are not shown."""
    taken = read_names_taken_from(server)
    wanted = words.lower().split()
    rows = [row for tool in server.tools.all() if (row := _read(server, tool, taken))]
    found = [row for row in rows if all(word in _text(row) for word in wanted)]
    found.sort(key=lambda row: (_ORDER[row.state], row.row.name))
    return found[:TOOLS_SHOWN], max(len(found) - TOOLS_SHOWN, 0)


_ORDER: Mapping[ToolState, int] = {
    ToolState.CHANGED: 0,
    ToolState.GONE: 1,
    ToolState.TAKEN: 2,
    ToolState.OFF: 3,
    ToolState.SERVED: 4,
}


def _read(server: McpServer, tool: McpTool, taken: Mapping[str, Message]) -> ToolRow | None:
    try:
        told = from_document(tool.seen)
        accepted = from_document(tool.accepted) if tool.is_active and tool.accepted else told
    except DefinitionError:
        # Reading the tools again makes the row anew.
        return None
    name = served_name(server.name, tool.name)
    changes = tuple(
        PartChange(part, _compare(getattr(accepted, part), getattr(told, part)))
        for part in told.changes_from(accepted)
    )
    taken_by = "" if tool.is_active else in_language(taken.get(name, ""))
    return ToolRow(tool, name, told, _state_of(tool, changes, taken_by), changes, taken_by)


def _state_of(tool: McpTool, changes: Iterable[PartChange], taken_by: str) -> ToolState:
    if tool.gone_at is not None:
        return ToolState.GONE
    if not tool.is_active:
        return ToolState.TAKEN if taken_by else ToolState.OFF
    return ToolState.CHANGED if any(changes) else ToolState.SERVED


def _compare(before: JsonValue, after: JsonValue) -> tuple[tuple[str, str], ...]:
    lines = unified_diff(
        _show(before).splitlines(), _show(after).splitlines(), lineterm="", n=CONTEXT_LINES
    )
    # Two lines of headers come first.
    shown = (line for line in islice(lines, 2, LINES_SHOWN) if not line.startswith("@@"))
    return tuple((_KINDS.get(line[0], ""), line[1:]) for line in shown)


def _show(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


def _text(row: ToolRow) -> str:
    return f"{row.row.name} {row.told.title} {row.told.description}".lower()
