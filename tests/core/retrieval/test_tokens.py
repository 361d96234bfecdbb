"""Texts become terms, and languages are told apart by their letters."""

import pytest

from core.retrieval.model import Tool, ToolParameter
from core.retrieval.tokens import MARKS, fold, language_of, read_terms
from core.retrieval.tool_texts import embedding_texts


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        pytest.param("getUserById", ["get", "user", "id"], id="capitals, stop word"),
        pytest.param("list_orders", ["list", "order"], id="underscores, plural"),
        pytest.param("ｷｬﾝｾﾙ", ["キャ", "ャン", "ンセ", "セル"], id="half-width kana"),
        pytest.param("사용자를 삭제", ["사용", "용자", "삭제"], id="Hangul without particle"),
        pytest.param("送料はいくら", ["送料"], id="no hiragana"),
        pytest.param("§delete ¤user", ["delet", "user"], id="marks are no part of a word"),
        pytest.param("🎉 '; -- ", [], id="no word"),
    ],
)
def test_terms_of_a_text(text: str, terms: list[str]) -> None:
    assert read_terms(text) == terms
    assert not any(term.startswith(MARKS) for term in terms)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        pytest.param("  ＧＥＴ_userName ", "get user name", id="width, capitals, marks"),
        pytest.param("ユーザー・一覧", "ユーザー 一覧", id="middle dot"),
        pytest.param("¿?", "", id="marks alone"),
    ],
)
def test_folded_texts_are_alike(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "language"),
    [
        pytest.param("List the users", "en", id="English"),
        pytest.param("사용자 목록", "ko", id="Korean"),
        pytest.param("ユーザーの一覧", "ja", id="Japanese"),
        pytest.param("顧客一覧", "ja", id="kanji alone"),
        pytest.param("GitHub의 이슈를 조회", "ko", id="Korean with a name"),
        pytest.param(
            "Returns the 사용자 of the given organisation", "en", id="English with a word"
        ),
        pytest.param("Удалить пользователя", "other", id="Cyrillic"),
        pytest.param("12 + 🎉", "other", id="no letters"),
        pytest.param("", "other", id="nothing"),
    ],
)
def test_language_of_a_text(text: str, language: str) -> None:
    assert language_of(text) == language


def test_texts_to_embed_are_the_name_and_what_the_tool_does() -> None:
    parameters = (ToolParameter("userId"), ToolParameter("from_date"))
    tool = Tool("getOrders", description="Orders\n of  a user.", parameters=parameters)

    assert embedding_texts(tool) == (
        "get orders",
        "get orders: Orders of a user. (user id, from date)",
        "Orders of a user.",
    )


def test_long_description_is_embedded_by_its_beginning() -> None:
    _, text, _ = embedding_texts(Tool("t", description="x" * 10_000))

    assert text == "t: " + "x" * 250


def test_tool_of_a_name_alone_can_be_embedded() -> None:
    assert embedding_texts(Tool("delete_user")) == ("delete user",) * 3


@pytest.mark.parametrize(
    "description",
    [
        "Lists v2.1 orders. Not refunds.",
        "주문을 조회합니다. 환불은 빼고.",
        "注文を返す。返金は除く。",
    ],
)
def test_first_sentence_of_a_description_is_a_text_of_its_own(description: str) -> None:
    *_, sentence = embedding_texts(Tool("t", description=description))

    assert sentence in {"Lists v2.1 orders.", "주문을 조회합니다.", "注文を返す。"}


def test_words_of_a_name() -> None:
    assert fold("repos/listForUser-v2") == "repos list for user v2"
