"""parse_tool recognises the shape of a tool by its keys."""

from typing import Any

import pytest

from core.errors import DefinitionError
from core.ingest.shapes import parse_tool

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
OPERATION = {
    "operationId": "get_weather",
    "parameters": [{"name": "city", "in": "path", "required": True, "schema": {"type": "string"}}],
    "responses": {},
}


@pytest.mark.parametrize(
    ("document", "source"),
    [
        pytest.param({"name": "get_weather", "inputSchema": SCHEMA}, "mcp", id="MCP"),
        pytest.param({"name": "get_weather", "input_schema": SCHEMA}, "anthropic", id="Anthropic"),
        pytest.param(
            {"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}},
            "openai",
            id="OpenAI",
        ),
        pytest.param(
            {"type": "function", "name": "get_weather", "parameters": SCHEMA},
            "openai",
            id="OpenAI responses",
        ),
        pytest.param(
            {"name": "get_weather", "parameters": SCHEMA}, "openai", id="OpenAI functions"
        ),
        pytest.param(OPERATION, "openapi", id="OpenAPI"),
        pytest.param(
            {**OPERATION, "method": "GET", "path": "/weather/{city}"},
            "openapi",
            id="with its route",
        ),
    ],
)
def test_every_shape_gives_the_same_tool(document: Any, source: str) -> None:
    tool = parse_tool(document)

    assert tool.name == "get_weather"
    assert [(each.name, each.type, each.required) for each in tool.parameters] == [
        ("city", "string", True)
    ]
    assert tool.metadata["source"] == source


def test_annotations_of_mcp_are_kept() -> None:
    tool = parse_tool({"name": "a", "inputSchema": {}, "annotations": {"readOnlyHint": True}})

    assert tool.annotations
    assert tool.annotations.to_dict() == {"readOnlyHint": True}


def test_an_operation_with_its_method_has_annotations() -> None:
    tool = parse_tool({**OPERATION, "method": "DELETE"})

    assert tool.annotations
    assert tool.annotations.destructive


def test_an_operation_without_its_method_has_none() -> None:
    assert parse_tool(OPERATION).annotations is None


def test_an_operation_without_a_name_is_named_by_its_route() -> None:
    assert parse_tool({"responses": {}, "method": "get", "path": "/users"}).name == "get_users"


def test_a_name_alone_is_a_tool_without_parameters() -> None:
    assert parse_tool({"name": "ping"}).parameters == ()


@pytest.mark.parametrize(
    ("document", "text"),
    [
        pytest.param({"tool": "x"}, "in no shape that is known", id="unknown"),
        pytest.param(["x"], "has to be an object", id="list"),
        pytest.param({"responses": {}}, "needs an operationId", id="operation without a name"),
        pytest.param({"type": "function", "function": {}}, "name has to be a text", id="no name"),
        pytest.param(
            {"operationId": "a", "parameters": [{"$ref": "#/x"}]},
            "leads to nothing",
            id="reference",
        ),
    ],
)
def test_what_is_no_tool_is_refused_with_what_would_be_right(document: Any, text: str) -> None:
    with pytest.raises(DefinitionError, match=text):
        parse_tool(document)
