"""FastMCP's view of the current snapshot."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastmcp.server.providers import Provider
from fastmcp.tools import Tool
from fastmcp.utilities.versions import VersionSpec

from mcp_runtime.auth import current_caller
from mcp_runtime.caller import ToolCaller
from mcp_runtime.defined_tool import DefinedTool
from mcp_runtime.search.listing import ListingRule, find_forwarding, hints_of_any
from mcp_runtime.snapshot import Snapshot
from tools.finding.index import findable


class SnapshotProvider(Provider):
    """Lists what the caller may see, as far as the rule lists it; finds any name at once."""

    def __init__(self, caller: ToolCaller, rule: ListingRule) -> None:
        super().__init__()
        self._caller = caller
        self._rule = rule
        self._listed_for: Snapshot | None = None
        self._listed: dict[str, DefinedTool] = {}

    async def _list_tools(self) -> Sequence[Tool]:
        who, snapshot = current_caller(), self._caller.snapshot()
        tools = self._tools(snapshot)
        visible = [name for name in tools if who.may_see(name)]
        return [tools[name] for name in self._rule.choose(visible, snapshot)]

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        # Never None: a call of an unknown tool is answered and recorded by ToolCaller like any other.
        return DefinedTool.named(name, self._caller)

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The schema that the SDK checks request headers against; without it each call lists all tools."""
        tool = self._caller.snapshot().find(name)
        return tool.input_schema if tool else {}

    def _tools(self, snapshot: Snapshot) -> dict[str, DefinedTool]:
        if snapshot is not self._listed_for:
            before = self._listed_for or Snapshot()
            self._listed = {
                name: self._listed[name]
                if before.find(name) is tool
                else DefinedTool.listed(tool, self._caller)
                for name, tool in snapshot.all_tools()
            }
            self._list_forwarding(snapshot)
            self._listed_for = snapshot
        return self._listed

    def _list_forwarding(self, snapshot: Snapshot) -> None:
        hints = hints_of_any(findable(snapshot.builtin, snapshot.tools).values())
        for tool in find_forwarding(snapshot):
            told = replace(tool, spec=replace(tool.spec, annotations=hints))
            self._listed[tool.spec.name] = DefinedTool.listed(told, self._caller)
