"""FastMCP's view of the current snapshot: what is listed, and tools whose run goes through ToolCaller."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from fastmcp.exceptions import ToolError
from fastmcp.server.providers import Provider
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from fastmcp.utilities.versions import VersionSpec
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import PrivateAttr

from core.errors import ToolboxError
from core.execution import CompiledTool
from core.languages import describe_tool
from core.proxied import wire_content
from core.results import output_schema
from core.tool_entry import ToolEntry, make_entry
from mcp_runtime.caller import Caller, ToolCaller
from mcp_runtime.endpoints import LANGUAGE, current_caller, wanted_language
from mcp_runtime.origins import ORIGIN
from mcp_runtime.search.listing import ListingRule, hints_of_any
from mcp_runtime.snapshot import ServedTool, Snapshot
from tools.builtin.search_tools import ForwardingTool
from tools.builtin.tool import RefusedAnswer
from tools.finding.index import findable


class DefinedTool(Tool):
    """A name that can be called, known or not: ToolCaller judges when it is called."""

    _caller: ToolCaller = PrivateAttr()

    @classmethod
    def listed(cls, entry: ToolEntry, caller: ToolCaller) -> "DefinedTool":
        """The tool with all that `tools/list` shows."""
        defined = cls(
            name=entry.name,
            title=entry.title,
            description=entry.description,
            parameters=entry.input_schema,
            output_schema=entry.output_schema or None,
            annotations=ToolAnnotations(**entry.annotations),
            tags=set(entry.tags),
        )
        defined._caller = caller
        return defined

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        try:
            caller = current_caller()
            LANGUAGE.set(wanted_language())
            answer = await self._caller.call(caller, self.name, arguments, ORIGIN.get())
        except ToolboxError as error:
            raise ToolError(str(error), log_level=10) from None
        wire = CallToolResult.model_validate(wire_content(answer))
        return ToolResult(
            content=wire.content,
            structured_content=wire.structured_content,
            is_error=isinstance(answer, RefusedAnswer),
        )


class SnapshotListing:
    """What of one snapshot is listed, and to whom."""

    def __init__(self, snapshot: Snapshot, rule: ListingRule) -> None:
        self.snapshot = snapshot
        self._rule = rule

    def names(self, caller: Caller) -> Sequence[str]:
        """The names of the tools that the caller may see, as far as the rule lists them."""
        seen = self.snapshot.names_for(caller.facts)
        visible = [name for name, _ in self.snapshot.all_tools() if seen is None or name in seen]
        return self._rule.choose(visible, self.snapshot)

    def entry(self, name: str, language: str = "") -> tuple[ServedTool, ToolEntry]:
        """A served tool and what `tools/list` shows of it in that language. Raises KeyError."""
        tool = self.snapshot.find(name)
        if tool is None:
            raise KeyError(name)
        if isinstance(tool, CompiledTool):
            return tool, describe_tool(tool, output_schema(tool.spec), language)
        entry = make_entry(tool.spec, tool.input_schema, tool.output_schema or {})
        is_forwarding = isinstance(tool, ForwardingTool)
        return tool, replace(entry, annotations=self._hints_of_any) if is_forwarding else entry

    @cached_property
    def _hints_of_any(self) -> dict[str, bool]:
        return hints_of_any(findable(self.snapshot.builtin, self.snapshot.tools).values())


class SnapshotProvider(Provider):
    """Lists what the caller may see, as far as the rule lists it; finds any name at once."""

    def __init__(self, caller: ToolCaller, rule: ListingRule) -> None:
        super().__init__()
        self._caller = caller
        self._rule = rule
        self._listing = SnapshotListing(Snapshot(), rule)

    async def _list_tools(self) -> Sequence[Tool]:
        snapshot = self._caller.snapshot()
        if snapshot is not self._listing.snapshot:
            self._listing = SnapshotListing(snapshot, self._rule)
        names, language = (
            self._listing.names(current_caller()),
            snapshot.choose_language(wanted_language()),
        )
        entries = (self._listing.entry(name, language)[1] for name in names)
        return [DefinedTool.listed(entry, self._caller) for entry in entries]

    async def get_tasks(self) -> Sequence[Tool]:
        """None: FastMCP asks at start, and would list every tool to see that none is a background task."""
        return []

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        # Never None: a call of an unknown tool is answered and recorded by ToolCaller like any other.
        # Not validated: the name comes from the wire and costs nothing here.
        defined = DefinedTool.model_construct(name=name, parameters={})
        defined._caller = self._caller
        return defined

    def input_schema(self, name: str) -> dict[str, Any] | None:
        """The served schema, against which the SDK checks request headers."""
        tool = self._caller.snapshot().find(name)
        return tool.input_schema if tool else {}
