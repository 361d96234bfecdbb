"""What a query wants is read from its words, in three languages."""

import pytest

from core.retrieval.actions import actions_of_query
from core.retrieval.intent import QueryIntent, classify_intent, intent_of_actions
from core.retrieval.tokens import fold

READ = QueryIntent(read_intent=1.0)
WRITE = QueryIntent(write_intent=1.0)
DELETE = QueryIntent(delete_intent=1.0)


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        pytest.param("get the user", READ, id="English read"),
        pytest.param("LOOKUP orders", READ, id="English read in capitals"),
        pytest.param("create a user", WRITE, id="English write"),
        pytest.param("delete the file", DELETE, id="English delete"),
        pytest.param("사용자 목록 조회", READ, id="Korean read"),
        pytest.param("새 주문 등록", WRITE, id="Korean write"),
        pytest.param("사용자 삭제", DELETE, id="Korean delete"),
        pytest.param("주문취소하기", DELETE, id="Korean within a word"),
        pytest.param("weather of tomorrow", QueryIntent(), id="neutral"),
        pytest.param("", QueryIntent(), id="nothing"),
        pytest.param("target of the dataset", QueryIntent(), id="part of an English word"),
        pytest.param("search and delete", QueryIntent(0.5, 0.0, 0.5), id="mixed"),
    ],
)
@pytest.mark.parametrize("seed_words_only", [True, False], ids=["first table", "all words"])
def test_intent_by_the_table_of_words(
    query: str, intent: QueryIntent, seed_words_only: bool
) -> None:
    assert classify_intent(query, seed_words_only=seed_words_only) == intent


@pytest.mark.parametrize("query", ["find, view and remove", "조회 후 수정 또는 삭제", "hello"])
def test_shares_make_one_together_or_nothing(query: str) -> None:
    intent = classify_intent(query)

    total = intent.read_intent + intent.write_intent + intent.delete_intent
    assert total == pytest.approx(0 if intent.is_neutral else 1)


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        pytest.param("注文の一覧", READ, id="Japanese read"),
        pytest.param("ユーザーを登録する", WRITE, id="Japanese write"),
        pytest.param("注文をキャンセルしたい", DELETE, id="Japanese delete"),
        pytest.param("지난달 매출 알려줘", READ, id="Korean, natural"),
    ],
)
def test_words_beyond_the_first_table_count_too(query: str, intent: QueryIntent) -> None:
    assert classify_intent(query) == intent
    assert classify_intent(query, seed_words_only=True).is_neutral


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        pytest.param("find the order and cancel it", DELETE, id="deleting outranks reading"),
        pytest.param("고객을 찾아서 등급을 변경해줘", WRITE, id="writing outranks reading"),
        pytest.param("show deleted users", READ, id="English participle"),
        pytest.param("삭제된 사용자 조회", READ, id="Korean participle"),
        pytest.param("削除された注文を見せて", READ, id="Japanese participle"),
        pytest.param("결제 내역 조회", READ, id="Korean noun that names an action"),
        pytest.param("返金の一覧を見せて", READ, id="Japanese noun that names an action"),
        pytest.param("注文を検索してキャンセルする", DELETE, id="Japanese verbs joined"),
        pytest.param("get rid of old invoices", DELETE, id="phrase"),
        pytest.param("how many orders were there", READ, id="question"),
        pytest.param("고객에게 메일 보내줘", WRITE, id="sending writes"),
        pytest.param("返金してください", WRITE, id="paying writes"),
        pytest.param("show the orders but do not cancel them", READ, id="denial"),
        pytest.param("저장소 목록", READ, id="saving within a repository"),
        pytest.param("is there an outage", READ, id="whether there is"),
        pytest.param("weather of tomorrow", QueryIntent(), id="neutral"),
    ],
)
def test_request_is_judged_by_what_it_asks_for(query: str, intent: QueryIntent) -> None:
    assert intent_of_actions(actions_of_query(fold(query))) == intent
