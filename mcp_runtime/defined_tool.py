"""A served tool as FastMCP sees it: what is listed, and a run that goes through ToolCaller."""

from typing import Any

from fastmcp.exceptions import ToolError
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import PrivateAttr

from core.errors import ToolboxError
from core.proxied import wire_content
from core.results import output_schema
from core.tool_entry import make_entry
from mcp_runtime.auth import current_caller
from mcp_runtime.caller import ToolCaller
from mcp_runtime.proxied.tool import ProxiedTool
from mcp_runtime.snapshot import ServedTool
from tools.builtin.tool import BuiltinTool, RefusedAnswer


class DefinedTool(Tool):
    """One name that can be called; knows nothing of how."""

    _caller: ToolCaller = PrivateAttr()

    @classmethod
    def listed(cls, tool: ServedTool, caller: ToolCaller) -> "DefinedTool":
        """The tool with all that `tools/list` shows."""
        output = _output_schema(tool)
        entry = make_entry(tool.spec, tool.input_schema, output or {})
        defined = cls(
            name=entry.name,
            title=entry.title,
            description=entry.description,
            parameters=entry.input_schema,
            output_schema=output,
            annotations=ToolAnnotations(**entry.annotations),
            tags=set(entry.tags),
        )
        defined._caller = caller
        return defined

    @classmethod
    def named(cls, name: str, caller: ToolCaller) -> "DefinedTool":
        """A tool of any name, known or not: ToolCaller judges when it is called."""
        # Not validated: the name comes from the wire and costs nothing here.
        defined = cls.model_construct(name=name, parameters={})
        defined._caller = caller
        return defined

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        try:
            answer = await self._caller.call(current_caller(), self.name, arguments)
        except ToolboxError as error:
            raise ToolError(str(error), log_level=10) from None
        wire = CallToolResult.model_validate(wire_content(answer))
        return ToolResult(
            content=wire.content,
            structured_content=wire.structured_content,
            is_error=isinstance(answer, RefusedAnswer),
        )


def _output_schema(tool: ServedTool) -> dict[str, Any] | None:
    if isinstance(tool, BuiltinTool | ProxiedTool):
        return tool.output_schema
    return output_schema(tool.spec)
