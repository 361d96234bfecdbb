"""The tools of another MCP server as its page shows them: what each is, and what there is to do about it."""

import hashlib
import json
from collections.abc import Mapping
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
_TAGS = {"-": "del", "+": "ins"}
# A form has at most a thousand fields.
TOOLS_SHOWN = 400


class ToolState(StrEnum):
    """What an administrator has to know of a tool; what there is to decide comes first."""

    CHANGED = "changed"
    GONE = "gone"
    TAKEN = "taken"
    OFF = "off"
    SERVED = "served"


@dataclass(frozen=True, slots=True)
class PartChange:
    """One part of a tool: lines as it was accepted and as the server says it now.

    A line comes with its HTML tag: `del`, `ins`, or `span` for one that both have.
    """

    name: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class McpToolRow:
    """One tool; `remote` is what the server says now, `taken_by` who has its name already."""

    row: McpTool
    served_name: str
    remote: RemoteTool
    state: ToolState
    changes: tuple[PartChange, ...] = ()
    taken_by: str = ""

    @property
    def schema_text(self) -> str:
        """The input schema, to be read by people."""
        return _show(self.remote.input_schema)

    @property
    def hints(self) -> list[str]:
        """The annotations that the server states, by MCP's names without Hint."""
        return [
            name.removesuffix("Hint") if holds else f"not {name.removesuffix('Hint')}"
            for name, holds in self.remote.annotations.items()
        ]


def digest_of_list(server: McpServer) -> str:
    """Changes with everything that the server says of its tools: what a person has looked at."""
    tools = server.tools.order_by("pk").values_list("pk", "seen_digest", "gone_at")
    return hashlib.sha256(str(list(tools)).encode()).hexdigest()


def read_tool_rows(server: McpServer, words: str = "") -> tuple[list[McpToolRow], int]:
    """The tools that match the words, those with something to decide first, and how many are not shown."""
    taken = read_names_taken_from(server)
    found: list[McpToolRow] = []
    for tool in server.tools.all():
        row = _read(server, tool, taken)
        if row is None:
            continue
        text = f"{tool.name} {row.remote.title} {row.remote.description}".lower()
        if all(word in text for word in words.lower().split()):
            found.append(row)
    states = list(ToolState)
    found.sort(key=lambda row: (states.index(row.state), row.row.name))
    return found[:TOOLS_SHOWN], max(len(found) - TOOLS_SHOWN, 0)


def _read(server: McpServer, tool: McpTool, taken: Mapping[str, Message]) -> McpToolRow | None:
    try:
        remote = from_document(tool.seen)
        accepted = from_document(tool.accepted) if tool.is_active and tool.accepted else remote
    except DefinitionError:
        # Reading the tools once more writes the row afresh.
        return None
    name = served_name(server.name, tool.name)
    changes = tuple(
        PartChange(part, _compare(getattr(accepted, part), getattr(remote, part)))
        for part in remote.changes_from(accepted)
    )
    taken_by = "" if tool.is_active else in_language(taken.get(name, ""))
    if tool.gone_at is not None:
        state = ToolState.GONE
    elif not tool.is_active:
        state = ToolState.TAKEN if taken_by else ToolState.OFF
    else:
        state = ToolState.CHANGED if changes else ToolState.SERVED
    return McpToolRow(tool, name, remote, state, changes, taken_by)


def _compare(before: JsonValue, after: JsonValue) -> tuple[tuple[str, str], ...]:
    lines = unified_diff(
        _show(before).splitlines(), _show(after).splitlines(), lineterm="", n=CONTEXT_LINES
    )
    # Two lines of headers come first.
    shown = (line for line in islice(lines, 2, LINES_SHOWN) if not line.startswith("@@"))
    return tuple((_TAGS.get(line[0], "span"), line[1:]) for line in shown)


def _show(value: JsonValue) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)
