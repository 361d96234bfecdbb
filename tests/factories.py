"""Test data: rows as an administrator or another program would write them."""

import itertools
from typing import Any

from access.keys import issue_key
from access.models import ApiKey, Toolset, ToolsetTool
from catalog.models import DataSource
from tools.models import ToolDefinition, ToolParameter

_numbers = itertools.count(1)

# Runs until it is stopped. Each series is kept while it is joined, so long ones would meet the limit of
# temporary files first.
ENDLESS_SQL = (
    "SELECT count(*) AS n FROM generate_series(1, 10000) a, generate_series(1, 10000) b,"
    " generate_series(1, 10000) c, generate_series(1, 10000) d"
)


def make_tool(definition: str = "SELECT 1 AS one", **columns: Any) -> ToolDefinition:
    """A tool that is served at once; `parameters` is a list of names or of column dicts."""
    parameters = columns.pop("parameters", [])
    columns.setdefault("name", f"tool_{next(_numbers)}")
    columns.setdefault("description_agent", "A tool of a test.")
    tool = ToolDefinition.objects.create(definition=definition, **columns)
    for position, parameter in enumerate(parameters):
        given = {"param_name": parameter} if isinstance(parameter, str) else parameter
        ToolParameter.objects.create(tool=tool, position=position, **given)
    return tool


def make_expression(definition: str = "a * b", **columns: Any) -> ToolDefinition:
    """A tool of kind PYTHON; its default parameters are the numbers a and b."""
    columns.setdefault("parameters", [number("a"), number("b")])
    return make_tool(definition, tool_type="PYTHON", **columns)


def number(name: str, **columns: Any) -> dict[str, Any]:
    """A NUMBER parameter."""
    return {"param_name": name, "param_type": "NUMBER", **columns}


def claim(param_name: str, name: str | None = None, **columns: Any) -> dict[str, Any]:
    """A parameter bound to the claim `name`, its own name when left out."""
    return {
        "param_name": param_name,
        "binding": "CLAIM",
        "bound_value": name or param_name,
        **columns,
    }


def make_toolset(name: str, *tools: str, **columns: Any) -> Toolset:
    """A toolset of these tools, and of those with its `tags`."""
    toolset = Toolset.objects.create(name=name, **columns)
    rows = [ToolsetTool(toolset=toolset, tool_name=tool) for tool in tools]
    ToolsetTool.objects.bulk_create(rows)
    return toolset


def make_data_source(name: str, **columns: Any) -> DataSource:
    """A data source that nothing connects to; only superusers may use one that `is_restricted`."""
    server = {"host": "127.0.0.1", "database": "demo", "username": "reader"}
    return DataSource.objects.create(name=name, **server | columns)


def make_token(name: str = "test", **columns: Any) -> str:
    """The token of a fresh API key; `columns` are the key's, such as allowed_tools, owner, claims."""
    issued = issue_key(name)
    if columns:
        ApiKey.objects.filter(pk=issued.key.pk).update(**columns)
    return issued.token
