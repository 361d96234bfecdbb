"""Another server's tools: what is taken over, and what a server that lies is told."""

import re
from typing import Any

import pytest

from core.errors import DefinitionError
from core.ingest.mcp import read_mcp_tool
from core.retrieval.model import MCPAnnotations, ToolParameter

DELETE_FILE: dict[str, Any] = {
    "name": "delete_file",
    "description": "Delete a file",
    "inputSchema": {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The path"},
            "mode": {"enum": ["soft", "hard"]},
        },
        "required": ["path"],
    },
    "annotations": {"readOnlyHint": False, "destructiveHint": True},
}


def tool_named(name: str, **parts: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **parts}


def test_properties_of_the_input_schema_are_parameters() -> None:
    tool = read_mcp_tool(DELETE_FILE)

    assert tool.parameters == (
        ToolParameter("path", "string", "The path", required=True),
        ToolParameter("mode", "any", enum=("soft", "hard")),
    )


def test_annotations_are_read_from_camel_case() -> None:
    tool = read_mcp_tool(DELETE_FILE)

    assert tool.annotations == MCPAnnotations(read_only=False, destructive=True)


@pytest.mark.parametrize("parts", [{}, {"annotations": {}}, {"annotations": {"title": "List"}}])
def test_a_tool_that_says_nothing_of_its_behaviour_has_no_annotations(parts: Any) -> None:
    tool = read_mcp_tool(tool_named("list", **parts))

    assert tool.annotations is None


def test_a_tool_without_an_input_schema_has_no_parameters() -> None:
    assert read_mcp_tool({"name": "ping"}).parameters == ()


def test_the_title_may_be_among_the_annotations() -> None:
    assert read_mcp_tool(tool_named("ping", annotations={"title": "Ping"})).title == "Ping"


def test_references_to_definitions_are_followed() -> None:
    schema = {
        "type": "object",
        "properties": {"unit": {"$ref": "#/$defs/Unit"}},
        "$defs": {"Unit": {"type": "string", "enum": ["C", "F"]}},
    }

    (parameter,) = read_mcp_tool({"name": "weather", "inputSchema": schema}).parameters

    assert parameter.enum == ("C", "F")


def test_a_null_beside_a_type_is_not_the_type() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"anyOf": [{"type": "null"}, {"type": "integer"}]}},
    }

    assert read_mcp_tool({"name": "count", "inputSchema": schema}).parameters[0].type == "integer"


LIES = [
    pytest.param({"name": 7}, "name has to be a text, not int", id="name is a number"),
    pytest.param(tool_named(""), "1 to 128", id="no name"),
    pytest.param(tool_named("x" * 129), "129 characters; 1 to 128", id="long name"),
    pytest.param(tool_named("delete\u202efile"), "hides the character U+202E", id="reordered name"),
    pytest.param(tool_named("delete file"), "write _ or -", id="blank in the name"),
    pytest.param(
        {"name": "a", "inputSchema": []}, "JSON schema of an object", id="schema is a list"
    ),
    pytest.param({"name": "a", "inputSchema": {"type": "string"}}, "has to be 'object'", id="text"),
    pytest.param({"name": "a", "inputSchema": {"properties": []}}, "names with schemas", id="list"),
    pytest.param(
        {"name": "a", "inputSchema": {"properties": {"b": "text"}}},
        "schema of parameter 'b'",
        id="b",
    ),
    pytest.param(
        {"name": "a", "inputSchema": {"properties": {str(n): {} for n in range(201)}}},
        "201 parameters; at most 200",
        id="many parameters",
    ),
    pytest.param(
        {"name": "a", "inputSchema": {"properties": {"b": {"$ref": "http://x/y"}}}},
        "leads out of the document",
        id="reference to the web",
    ),
    pytest.param(
        {"name": "a", "inputSchema": {"properties": {"b": {"items": {"title": "x\U000e0041"}}}}},
        "hides the character U+E0041",
        id="hidden text deep in the schema",
    ),
    pytest.param(
        tool_named("a", description="x" * 10_000_000), "10,000,000 characters", id="ten megabytes"
    ),
    pytest.param(
        {"name": "a", "inputSchema": {"description": "x" * 1_000_000}},
        "too large",
        id="large schema",
    ),
    pytest.param(
        tool_named("a", description=["x"]), "description has to be a text", id="description"
    ),
    pytest.param(tool_named("a", description="x\u200by"), "U+200B", id="hidden in the description"),
    pytest.param(tool_named("a", annotations="safe"), "an object of hints", id="annotations"),
    pytest.param(
        tool_named("a", annotations={"readOnlyHint": "yes"}), "true or false is right", id="hint"
    ),
    pytest.param("delete_file", "has to be an object", id="no object"),
]


@pytest.mark.parametrize(("document", "fault"), LIES)
def test_a_tool_that_lies_is_refused(document: Any, fault: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape(fault)):
        read_mcp_tool(document)


def test_a_schema_nested_without_end_is_read_in_bounded_steps() -> None:
    schema: dict[str, Any] = {"type": "object"}
    for _level in range(20_000):
        schema = {"allOf": [schema]}

    with pytest.raises(DefinitionError, match="nests too deep"):
        read_mcp_tool({"name": "deep", "inputSchema": schema})


def test_emoji_and_variation_selectors_of_writing_are_no_hidden_characters() -> None:
    text = "👩‍💻 葛\U000e0100飾区 ❤️"

    assert read_mcp_tool(tool_named("a", description=text)).description == text
