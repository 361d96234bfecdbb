"""A tool that is edited while it is called; its answers tell which edit they are of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg

from tests.chaos.calls import Agents, Tally

_INSERT = """
WITH tool AS (
    INSERT INTO h_custom_tool (name, description_agent, definition)
    VALUES ('edited', 'Echo.', %s) RETURNING id
)
INSERT INTO h_custom_tool_param (tool_id, param_name, param_type, binding, bound_value)
SELECT id, 'n', 'INTEGER', 'AGENT', NULL::jsonb FROM tool
UNION ALL SELECT id, 'mark', 'INTEGER', 'FIXED', '0'::jsonb FROM tool"""
_UPDATE = """
WITH parameter AS (
    UPDATE h_custom_tool_param SET bound_value = to_jsonb(%(edit)s::int)
    WHERE param_name = 'mark' AND tool_id = (SELECT id FROM h_custom_tool WHERE name = 'edited')
)
UPDATE h_custom_tool SET tool_type = %(kind)s, definition = %(definition)s WHERE name = 'edited'"""


class Edits:
    """Writes the edits; `confirmed` is the last that every runtime has answered by, `written` the last of all."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self.confirmed = self.written = 0
        with psycopg.connect(dsn) as connection:
            connection.execute("DELETE FROM h_custom_tool WHERE name = 'edited'")
            connection.execute(_INSERT, [_definition(0)])

    def write_next(self) -> None:
        """Change definition and parameter in one transaction, and with every edit the kind of tool."""
        self.written += 1
        kind = "PYTHON" if self.written % 2 else "SQL"
        definition = _definition(self.written)
        with psycopg.connect(self._dsn) as connection:
            connection.execute(
                _UPDATE, {"edit": self.written, "kind": kind, "definition": definition}
            )

    def tool(self) -> "EditedTool":
        """The tool as it may answer a call that begins now."""
        return EditedTool(self, self.confirmed)

    async def is_known(self, url: str, token: str) -> bool:
        """Whether the last edit is served there; asked before the calls that count."""
        async with Agents(url, token, Tally("before")) as agents:
            return await self.is_served(agents)

    async def is_served(self, agents: Agents) -> bool:
        """Whether the last edit is what these agents get."""
        tool = self.tool()
        await agents.call(tool)
        return tool.answered == self.written


@dataclass
class EditedTool:
    """One call of the tool: right are the answers of one edit, not before `earliest`, not yet to come."""

    edits: Edits
    earliest: int
    answered: int = -1
    name: str = "edited"

    def matches(self, n: int, content: Mapping[str, Any]) -> bool:
        value = content["rows"][0] if "rows" in content else content.get("result")
        match value:
            case [base, edit, mark] if base == n * 7 and edit == mark:
                self.answered = edit
                return bool(self.earliest <= edit <= self.edits.written)
        return False


def _definition(edit: int) -> str:
    if edit % 2:
        return f"[n * 7, {edit}, mark]"
    return f"SELECT :n * 7 AS base, {edit} AS edit, :mark AS mark"
