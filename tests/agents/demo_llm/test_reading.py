"""What the scripted model makes of a question's words."""

from datetime import date
from typing import Any

import pytest

from tests.agents.demo_llm.periods import take_period
from tests.agents.demo_llm.reading import read_question


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        pytest.param("2024년 1월 이후", date(2024, 1, 1), None, id="ko-since"),
        pytest.param("2024년 12월", date(2024, 12, 1), date(2025, 1, 1), id="ko-month"),
        pytest.param(
            "2024년 2월부터 2024년 3월까지", date(2024, 2, 1), date(2024, 4, 1), id="ko-both"
        ),
        pytest.param("2025年の売上", date(2025, 1, 1), date(2026, 1, 1), id="ja-year"),
        pytest.param("2025年3月5日以降", date(2025, 3, 5), None, id="ja-day"),
        pytest.param("since January 2024", date(2024, 1, 1), None, id="en-since"),
        pytest.param("on March 5, 2024", date(2024, 3, 5), date(2024, 3, 6), id="en-day"),
        pytest.param("before 2024-06-01", None, date(2024, 6, 1), id="iso-before"),
        pytest.param(
            "between 2024-01 and 2024-03", date(2024, 1, 1), date(2024, 4, 1), id="iso-both"
        ),
        pytest.param("order 12025 of 2024년 13월", None, None, id="no-date"),
    ],
)
def test_dates_become_half_open_periods(text: str, start: date | None, end: date | None) -> None:
    period, _ = take_period(text)

    assert (period.start, period.end) == (start, end)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param(
            "2024년 1월 이후 매장별 매출 합계를 알려줘",
            {"subject": ("매출",), "groups": ("매장",), "function": "sum"},
            id="ko-sum",
        ),
        pytest.param(
            "地域別の店舗数を教えて",
            {"subject": ("店舗",), "groups": ("地域",), "function": "count"},
            id="ja-count",
        ),
        pytest.param(
            "How many orders are in each status?",
            {"subject": ("orders",), "groups": ("status",), "function": "count"},
            id="en-count",
        ),
        pytest.param(
            "Top 5 products by units sold",
            {"subject": ("units sold",), "groups": ("products",), "limit": 5},
            id="en-top",
        ),
        pytest.param(
            "가장 비싼 상품 3개",
            {"subject": ("가격", "상품"), "limit": 3, "is_ascending": False},
            id="ko-dearest",
        ),
        pytest.param(
            "安い商品トップ10",
            {"subject": ("価格", "商品"), "limit": 10, "is_ascending": True},
            id="ja-cheapest",
        ),
        pytest.param("월별 회원 수", {"subject": ("회원",), "bucket": "month"}, id="ko-months"),
        pytest.param(
            "売上数量の平均", {"subject": ("売上数量",), "function": "avg"}, id="ja-quantity"
        ),
        pytest.param("안녕하세요?", {"subject": ("안녕하세요",), "function": None}, id="greeting"),
        pytest.param("show me the list", {"subject": ()}, id="nothing"),
    ],
)
def test_question_is_taken_apart(question: str, expected: dict[str, Any]) -> None:
    reading = read_question(question)

    assert {name: getattr(reading, name) for name in expected} == expected
