"""Tools are joined by what they are about, by the ids they hand each other, and by tags."""

import pytest

from core.retrieval.model import Tool
from core.retrieval.ranker import ToolRanker
from core.retrieval.tool_graph import RelatedTools, entity_of
from tests.core.retrieval.catalogue import TOOLS, make_index, make_ranker


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


def test_tool_that_gives_the_needed_id_is_related_first() -> None:
    tools = RelatedTools(TOOLS)

    assert list(tools.neighbours("cancel_order")) == ["list_orders"]
    assert list(tools.neighbours("delete_user"))[:2] == ["create_user", "get_user"]
    assert set(list(tools.neighbours("list_orders"))[:3]) == {
        "create_user",
        "get_user",
        "list_users",
    }


def test_unknown_tool_has_no_relatives() -> None:
    assert RelatedTools(TOOLS).neighbours("no_such_tool") == {}


def test_tag_that_nearly_all_have_relates_nothing() -> None:
    tools = [Tool(f"get_{letter * 3}", tags=("all",)) for letter in map(chr, range(0x4E00, 0x4E40))]

    assert RelatedTools(tools).neighbours(tools[0].name) == {}


def test_tool_that_is_not_allowed_is_related_to_nothing() -> None:
    assert make_ranker().find_related("delete_user", {"list_users"}) == ("list_users",)


def test_removed_tool_is_no_relative_any_more() -> None:
    index = make_index()
    assert ToolRanker(index).find_related("cancel_order") == ("list_orders",)

    index.remove("list_orders")
    index.remove("list_orders")

    assert ToolRanker(index).find_related("cancel_order") == ()


def test_copy_and_original_change_apart() -> None:
    index = make_index()
    index.copy().remove("list_orders")

    assert ToolRanker(index).find_related("cancel_order") == ("list_orders",)


def test_expansion_reaches_neighbours_with_less_than_the_seed() -> None:
    scores = RelatedTools(TOOLS).expand({"cancel_order": 1.0})

    assert scores["cancel_order"] == 1.0
    assert 1.0 > scores["list_orders"] > scores["get_user"] > 0
    assert "get_weather" not in scores


def test_expansion_does_not_pass_through_tools_that_are_not_allowed() -> None:
    allowed = {tool.name for tool in TOOLS} - {"list_orders"}

    scores = RelatedTools(TOOLS).expand({"cancel_order": 1.0}, allows=allowed.__contains__)

    assert scores == {"cancel_order": 1.0}
