"""Test data: rows as an administrator or another program would write them."""

import itertools
from typing import Any

from access.keys import issue_key
from toolbuilder.models import ToolDefinition, ToolParameter

_numbers = itertools.count(1)


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


def make_token(name: str = "test", allowed_tools: list[str] | None = None) -> str:
    """The token of a fresh API key."""
    issued = issue_key(name)
    if allowed_tools is not None:
        issued.key.allowed_tools = allowed_tools
        issued.key.save()
    return issued.token
