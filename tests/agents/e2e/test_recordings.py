"""Without a language model: the recorded questions run for real, and others are refused."""

import pytest

from agents.data_search.constants import RUN_ERROR
from tests.agents.conftest import Installation
from tests.agents.e2e.conftest import MakeEnvironment
from tests.agents.e2e.record import QUESTIONS
from tests.agents.e2e.runs import markdown_rows, open_session, plain, query, read_csv

SALES = "FROM sales_transactions t JOIN stores s ON s.id = t.store_id WHERE t.transaction_date >="
# What the database says when it is asked past agent and server, by topic and language.
EXPECTED = {
    "average_price_by_category": "SELECT category, round(avg(price), 2) FROM products GROUP BY 1",
    "dearest_products": "SELECT {product_name}, price FROM products ORDER BY price DESC LIMIT 5",
    "orders_by_status": "SELECT status::text, count(*) FROM orders GROUP BY 1",
    "sales_by_region": f"SELECT s.region, sum(t.amount) {SALES} '2024-01-01' GROUP BY 1",
    "sales_by_store": f"SELECT s.store_name, sum(t.amount) {SALES} '2025-01-01' GROUP BY s.id",
}
RECORDED = [(topic, language) for topic in EXPECTED for language in ("ko", "ja", "en")]


@pytest.mark.parametrize(("topic", "language"), RECORDED)
async def test_recorded_question_is_answered_with_the_databases_rows(
    installation: Installation, environment: MakeEnvironment, topic: str, language: str
) -> None:
    name = "product_name_ko" if language == "ko" else "product_name"
    expected = query(installation.demo_dsn, EXPECTED[topic].format(product_name=name))
    settings = {"llm_base_url": "", "model": ""}

    async with open_session(environment(**settings), is_direct=False) as session:
        outcome = await session.ask(QUESTIONS[topic][language])

    assert outcome.is_answered, outcome.text
    rows = read_csv(outcome.files["csv"])
    assert sorted(rows) == sorted(expected)
    assert [tuple(map(plain, row)) for row in markdown_rows(outcome.text)] == rows[:5]


@pytest.mark.parametrize("is_direct", [True, False], ids=["pipeline", "root"])
async def test_other_question_is_refused_with_the_recorded_ones(
    environment: MakeEnvironment, *, is_direct: bool
) -> None:
    async with open_session(environment(llm_base_url=""), is_direct=is_direct) as session:
        outcome = await session.ask("가장 싼 상품은?")

    assert outcome.state[RUN_ERROR] == "not_recorded"
    assert "LLM_BASE_URL" in outcome.text.splitlines()[0]
    assert {f"- {topic['ko']}" for topic in QUESTIONS.values()} <= set(outcome.text.splitlines())
    assert not outcome.files
