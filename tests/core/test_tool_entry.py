"""The entry of a tool in lists."""

import pytest

from core.tool_entry import make_entry
from core.toolspec import ExpressionLogic, ToolSpec


@pytest.mark.parametrize(
    ("name", "title"),
    [
        pytest.param("sales_by_region", "Sales By Region", id="low lines"),
        pytest.param("get-user", "Get User", id="hyphens"),
        pytest.param("listOrdersByUser", "List Orders By User", id="capitals"),
        pytest.param("HTTP", "Http", id="letters"),
    ],
)
def test_tool_without_a_title_has_the_words_of_its_name(name: str, title: str) -> None:
    spec = ToolSpec(id=1, name=name, logic=ExpressionLogic("1"))

    assert make_entry(spec, {}, {}).title == title
