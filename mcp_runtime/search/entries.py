"""Served tools as the search knows them."""

from collections.abc import Mapping
from typing import Any

from core.ingest.operations import parameter_of_schema
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from core.tool_entry import READS_ONLY
from mcp_runtime.builtin.search_tools import UNFOUND
from mcp_runtime.snapshot import ServedTool, Snapshot


def searchable_tools(snapshot: Snapshot) -> dict[str, ServedTool]:
    """Every tool by name but the built-in ones that search and call."""
    builtin = {name: tool for name, tool in snapshot.builtin.items() if name not in UNFOUND}
    return {**builtin, **snapshot.tools}


def to_search_tool(tool: ServedTool) -> Tool:
    """The tool to be indexed; one that says nothing of itself reads, as all of them do."""
    spec, schema = tool.spec, tool.input_schema
    required = schema.get("required", ())
    return Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        parameters=tuple(
            _to_parameter(name, each, is_required=name in required)
            for name, each in schema["properties"].items()
        ),
        annotations=MCPAnnotations.from_dict(spec.annotations or READS_ONLY),
        tags=tuple(spec.tags),
    )


def _to_parameter(name: str, schema: Mapping[str, Any], *, is_required: bool) -> ToolParameter:
    # What may be null, and what is a list, hides its allowed values one level down.
    value = next(iter(schema.get("anyOf", ())), schema)
    values = value.get("items", value).get("enum")
    read = {**schema, **value, **({"enum": values} if values else {})}
    return parameter_of_schema(name, read, is_required)
