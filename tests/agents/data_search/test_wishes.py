"""A wish to change data is told from a question about data that was changed."""

import pytest

from agents.data_search.wishes import wants_to_write


@pytest.mark.parametrize(
    "question",
    [
        "delete all users",
        "Please delete all users.",
        "Can you remove the cancelled orders?",
        "DROP TABLE orders",
        "UPDATE users SET grade = 'VIP'",
        "Set the price of product 7 to 100",
        "List the inactive users and then delete them",
        "I want to change the email of user 5",
        "Cancel order 1234",
        "모든 사용자를 삭제해줘",
        "사용자 삭제",
        "휴면 회원 지워 주세요",
        "상품 7의 가격을 100엔으로 바꿔줘",
        "주문 1234번 취소해 주세요",
        "신규 회원을 등록해줘",
        "すべてのユーザーを削除してください",
        "全ユーザー削除",
        "注文1234をキャンセルして",
        "商品7の価格を100円に変更してください",
        "休眠会員を消して",
    ],
)
def test_wish_to_write_is_told(question: str) -> None:
    assert wants_to_write(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many users were deleted last month?",
        "Show deleted users",
        "Cancelled orders by month",
        "Change in sales by month",
        "Update history of product prices",
        "Drop in sales per store",
        "Remove cancelled orders from the total",
        "Create a table of sales by region",
        "Orders registered since June 2025",
        "Add up the sales by store",
        "and by month?",
        "삭제된 사용자 수를 알려줘",
        "취소 건수를 보여줘",
        "등록일이 2025년 이후인 회원 수",
        "월별로 바꿔줘",
        "결과에서 취소 주문을 제거해줘",
        "취소된 주문을 상태별로 보여주세요",
        "최근 변경된 상품 가격을 조회해줘",
        "매출 순위를 만들어줘",
        "削除されたユーザーの数を教えて",
        "登録している会員の数",
        "登録してから30日以内の注文を見せて",
        "キャンセルした注文の件数を教えてください",
        "月別に変えて",
        "更新日が今月の商品一覧",
    ],
)
def test_question_about_data_is_none(question: str) -> None:
    assert not wants_to_write(question)
