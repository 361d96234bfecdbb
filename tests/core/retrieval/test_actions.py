"""What tools do and what queries ask for is told in the same few actions."""

import pytest

from core.retrieval.action_words import ENGLISH, JAPANESE, KOREAN, split_words
from core.retrieval.actions import actions_of_query, actions_of_tool, kind_of_tool
from core.retrieval.model import MCPAnnotations, Tool
from core.retrieval.tokens import fold


@pytest.mark.parametrize(
    ("query", "actions"),
    [
        pytest.param("delete the user", ("delete",), id="English"),
        pytest.param("please get rid of it", ("delete",), id="phrase before its word"),
        pytest.param("find the order and refund it", ("list", "pay"), id="joined"),
        pytest.param("show deleted users", ("list", "read"), id="participle"),
        pytest.param("사용자를 지워줘", ("delete",), id="Korean"),
        pytest.param("취소된 주문 목록", ("list",), id="Korean participle"),
        pytest.param("メールを送って", ("send",), id="Japanese"),
        pytest.param("don't kill it, just pause it", ("update",), id="English denial"),
        pytest.param("취소 말고 변경해줘", ("update",), id="Korean denial"),
        pytest.param("削除しないで一覧を見せて", ("list", "read"), id="Japanese denial"),
        pytest.param("이 저장소의 이슈 목록", ("list",), id="Korean thing that holds a verb"),
        pytest.param("請求書を見せて", ("list", "read"), id="Japanese thing that holds a verb"),
        pytest.param("weather in Seoul", (), id="none"),
    ],
)
def test_actions_of_a_query(query: str, actions: tuple[str, ...]) -> None:
    assert actions_of_query(fold(query)) == actions


@pytest.mark.parametrize(
    ("tool", "actions"),
    [
        pytest.param(Tool("deleteUser", description="Gets."), ("delete",), id="name first"),
        pytest.param(Tool("issues/list-for-repo"), ("list",), id="verb within the name"),
        pytest.param(Tool("x", description="Deletes one user."), ("delete",), id="description"),
        pytest.param(
            Tool("x", description="주문 목록에서 주문을 취소합니다."), ("delete",), id="Korean"
        ),
        pytest.param(
            Tool("x", description="注文を登録する。一覧も返す。"), ("create",), id="Japanese"
        ),
        pytest.param(Tool("x", annotations=MCPAnnotations(True)), ("list", "read"), id="reads"),
        pytest.param(
            Tool("x", annotations=MCPAnnotations(False, True)), ("delete",), id="destroys"
        ),
        pytest.param(Tool("x"), (), id="unknown"),
        pytest.param(Tool("sales_by_week_copy", description="Weekly sales."), (), id="a duplicate"),
        pytest.param(
            Tool("weekly_sales_copy_2", description="Returns sales."), ("read",), id="its duplicate"
        ),
        pytest.param(Tool("copy_file"), ("create",), id="copies"),
        pytest.param(
            Tool("file_copy", description="Copies a file."), ("create",), id="says that it copies"
        ),
    ],
)
def test_actions_of_a_tool(tool: Tool, actions: tuple[str, ...]) -> None:
    assert actions_of_tool(tool) == actions


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        pytest.param(Tool("delete_x", annotations=MCPAnnotations(True)), "read", id="says read"),
        pytest.param(Tool("get_x", annotations=MCPAnnotations(False)), "write", id="says write"),
        pytest.param(
            Tool("get_x", annotations=MCPAnnotations(None, True)), "delete", id="destroys"
        ),
        pytest.param(Tool("delete_x"), "delete", id="verb deletes"),
        pytest.param(
            Tool("delete_x", annotations=MCPAnnotations(False, False)), "write", id="spares"
        ),
        pytest.param(Tool("list_x"), "read", id="verb reads"),
        pytest.param(Tool("send_x"), "write", id="verb writes"),
        pytest.param(Tool("x"), "write", id="unknown is not harmless"),
    ],
)
def test_kind_of_a_tool(tool: Tool, kind: str) -> None:
    assert kind_of_tool(tool) == kind


@pytest.mark.parametrize("table", [ENGLISH, KOREAN, JAPANESE], ids=["en", "ko", "ja"])
def test_word_stands_once_under_an_action(table: dict[str, str]) -> None:
    for words in table.values():
        folded = [fold(word) for word in split_words(words)]

        assert all(folded)
        assert len(folded) == len(set(folded))
