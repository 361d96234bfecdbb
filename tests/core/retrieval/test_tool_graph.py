"""Tools are joined by what they are about, by the ids they hand each other, and by tags."""

import pytest

from core.retrieval.entities import entity_of
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from core.retrieval.tool_graph import ToolGraph, similarity
from tests.core.retrieval.catalogue import READS, TOOLS, parameter


def graph_of(*tools: Tool) -> ToolGraph:
    graph = ToolGraph()
    for tool in tools or TOOLS:
        graph.add_tool(tool)
    return graph


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        pytest.param("getUserById", "user", id="preposition"),
        pytest.param("list_customer_orders", "customer order", id="two nouns"),
        pytest.param("issues/list-for-repo", "issu", id="verb behind"),
        pytest.param("search", "", id="verb alone"),
    ],
)
def test_entity_of_a_name(name: str, entity: str) -> None:
    assert entity_of(name) == entity


def test_node_carries_the_annotations_of_mcp() -> None:
    assert graph_of().attributes("get_user")["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
    }


def test_node_without_annotations_has_none() -> None:
    assert "annotations" not in graph_of(Tool("x")).attributes("x")


def test_tool_that_gives_the_needed_id_is_related_first() -> None:
    graph = graph_of()

    assert graph.related("cancel_order") == ["list_orders"]
    assert graph.related("delete_user", 2) == ["create_user", "get_user"]
    assert set(graph.related("list_orders")) == {"create_user", "get_user", "list_users"}


def test_tool_that_is_not_allowed_is_related_to_nothing() -> None:
    assert graph_of().related("delete_user", 5, {"list_users"}) == ["list_users"]


def test_unknown_tool_has_no_relatives() -> None:
    assert graph_of().related("no_such_tool") == []


def test_tag_that_nearly_all_have_relates_nothing() -> None:
    tools = [Tool(f"get_{letter * 3}", tags=("all",)) for letter in map(chr, range(0x4E00, 0x4E40))]

    assert graph_of(*tools).related(tools[0].name) == []


def test_removed_tool_is_no_relative_any_more() -> None:
    graph = graph_of()
    graph.remove_tool("list_orders")
    graph.remove_tool("list_orders")

    assert graph.related("cancel_order") == []
    assert "list_orders" not in graph


def test_copy_and_original_change_apart() -> None:
    graph = graph_of()
    graph.copy().remove_tool("list_orders")

    assert graph.related("cancel_order") == ["list_orders"]


def test_expansion_reaches_neighbours_with_less_than_the_seed() -> None:
    scores = graph_of().expand({"cancel_order": 1.0})

    assert scores["cancel_order"] == 1.0
    assert 1.0 > scores["list_orders"] > scores["get_user"] > 0
    assert "get_weather" not in scores


def test_expansion_does_not_pass_through_tools_that_are_not_allowed() -> None:
    allowed = {tool.name for tool in TOOLS} - {"list_orders"}

    assert graph_of().expand({"cancel_order": 1.0}, allowed=allowed) == {"cancel_order": 1.0}


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

    assert similarity(one, other) == pytest.approx(0.5 + bonus)


def test_likeness_is_at_most_one() -> None:
    assert graph_of(TOOLS[0]).similarity("get_user", "get_user") == 1.0


def test_tools_of_a_server_are_taken_in() -> None:
    graph = ToolGraph()
    listed = [{"name": "read_file", "inputSchema": {"type": "object"}}]

    taken = graph.ingest_mcp_tools(listed, server_name="filesystem")

    assert [tool.name for tool in taken] == ["read_file"]
    assert graph.attributes("read_file")["metadata"]["mcp_server"] == "filesystem"
    assert "filesystem" in graph.attributes("read_file")["tags"]
