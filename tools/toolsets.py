"""Tools as grants and toolsets find them."""

from collections.abc import Mapping

from core.grants import ToolPlace
from tools.builtin.tool import BuiltinTool
from tools.finding.index import FindableTool


def find_places(tools: Mapping[str, FindableTool]) -> dict[str, ToolPlace]:
    """Where each of these tools belongs, by name."""
    return {
        name: tool.spec.place if isinstance(tool, BuiltinTool) else ToolPlace(tuple(tool.spec.tags))
        for name, tool in tools.items()
    }
