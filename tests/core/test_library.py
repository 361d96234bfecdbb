"""Programs that use the search as a library read tools of any shape, and compare them."""

from typing import Any

import pytest

from core.errors import DefinitionError
from core.library import ToolGraph, compute_annotation_scores, parse_tool
from core.retrieval.intent import QueryIntent
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from tests.core.retrieval.catalogue import READS, TOOLS, parameter

READ = QueryIntent(read_intent=1.0)
WRITE = QueryIntent(write_intent=1.0)
DELETE = QueryIntent(delete_intent=1.0)
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


@pytest.mark.parametrize(
    ("intent", "annotations", "score"),
    [
        pytest.param(READ, MCPAnnotations(read_only=True), 1.0, id="read, reads"),
        pytest.param(READ, MCPAnnotations(read_only=False), 0.3, id="read, writes"),
        pytest.param(WRITE, MCPAnnotations(read_only=True), 0.0, id="write, reads"),
        pytest.param(WRITE, MCPAnnotations(read_only=False), 1.0, id="write, writes"),
        pytest.param(DELETE, MCPAnnotations(destructive=True), 1.0, id="delete, destroys"),
        pytest.param(DELETE, MCPAnnotations(destructive=False), 0.1, id="delete, spares"),
        pytest.param(DELETE, MCPAnnotations(True, False), 0.0, id="delete, reads"),
        pytest.param(
            QueryIntent(0.5, 0.0, 0.5), MCPAnnotations(False, True), 0.65, id="mixed by shares"
        ),
    ],
)
def test_score_of_an_intent_and_annotations(
    intent: QueryIntent, annotations: MCPAnnotations, score: float
) -> None:
    scores = compute_annotation_scores(intent, [Tool("tool", annotations=annotations)])

    assert scores == {"tool": pytest.approx(score)}


@pytest.mark.parametrize(
    ("intent", "annotations"),
    [
        pytest.param(QueryIntent(), MCPAnnotations(True), id="neutral intent"),
        pytest.param(DELETE, None, id="no annotations"),
        pytest.param(READ, MCPAnnotations(), id="nothing said"),
        pytest.param(WRITE, MCPAnnotations(destructive=True), id="other hints only"),
    ],
)
def test_what_is_neither_good_nor_bad_is_left_out(
    intent: QueryIntent, annotations: MCPAnnotations | None
) -> None:
    assert compute_annotation_scores(intent, [Tool("tool", annotations=annotations)]) == {}


def test_tools_may_be_given_by_name() -> None:
    tools = {"a": Tool("a", annotations=MCPAnnotations(True)), "b": Tool("b")}

    assert compute_annotation_scores(READ, tools) == {"a": 1.0}


def graph_of(*tools: Tool) -> ToolGraph:
    graph = ToolGraph()
    for tool in tools:
        graph.add_tool(tool)
    return graph


def test_node_carries_the_annotations_of_mcp() -> None:
    assert graph_of(*TOOLS).attributes("get_user")["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
    }


def test_node_without_annotations_has_none() -> None:
    assert "annotations" not in graph_of(Tool("x")).attributes("x")


@pytest.mark.parametrize(
    ("first", "second", "bonus"),
    [
        pytest.param(READS, READS, 0.1, id="all equal"),
        pytest.param(
            MCPAnnotations(True, False), MCPAnnotations(True, True), 0.05, id="half equal"
        ),
        pytest.param(READS, None, 0.0, id="one without"),
        pytest.param(MCPAnnotations(True), MCPAnnotations(None, True), 0.0, id="none in common"),
    ],
)
def test_equal_hints_make_tools_more_alike(
    first: MCPAnnotations | None, second: MCPAnnotations | None, bonus: float
) -> None:
    one = Tool("a", parameters=(parameter("user_id"), parameter("city")), annotations=first)
    other = Tool("b", parameters=(ToolParameter("userId"),), annotations=second)

    assert graph_of(one, other).similarity("a", "b") == pytest.approx(0.5 + bonus)


def test_likeness_is_at_most_one() -> None:
    assert graph_of(TOOLS[0]).similarity("get_user", "get_user") == 1.0


def test_tools_of_a_server_are_taken_in() -> None:
    graph = ToolGraph()
    listed = [{"name": "read_file", "inputSchema": {"type": "object"}}]

    taken = graph.ingest_mcp_tools(listed, server_name="filesystem")

    assert [tool.name for tool in taken] == ["read_file"]
    assert graph.attributes("read_file")["metadata"]["mcp_server"] == "filesystem"
    assert "filesystem" in graph.attributes("read_file")["tags"]


def test_bad_and_repeated_tools_of_a_server_are_left_out() -> None:
    listed: list[Any] = [{"name": "a", "title": "one"}, {"name": 7}, {"name": "a", "title": "two"}]

    taken = ToolGraph().ingest_mcp_tools(listed)

    assert [(tool.title, tool.tags, tool.metadata) for tool in taken] == [
        ("one", (), {"source": "mcp"})
    ]
