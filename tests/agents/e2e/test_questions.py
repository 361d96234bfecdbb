"""Questions in three languages, whole, in both protocol eras; files beside the database's own rows."""

from dataclasses import dataclass

import pytest

from tests.agents.conftest import Installation
from tests.agents.e2e.conftest import MakeEnvironment
from tests.agents.e2e.relay import relay
from tests.agents.e2e.runs import markdown_rows, open_session, plain, query, read_csv, read_xlsx

# What the database says when it is asked past agent and server.
SALES_BY_STORE = """
    SELECT s.store_name, sum(t.amount) FROM sales_transactions t JOIN stores s ON s.id = t.store_id
    WHERE t.transaction_date >= '{start}' AND t.transaction_date < '{end}'
    GROUP BY s.id, s.store_name ORDER BY 2 DESC"""


@dataclass(frozen=True)
class Case:
    """A question, the period that it means, and what the answer says of the number of rows."""

    question: str
    start: str
    end: str
    count: str


KOREAN = Case(
    "2025년 1월 이후 매장별 매출 합계를 알려줘", "2025-01-01", "infinity", "전체 24행 중 5행"
)
JAPANESE = Case("2025年の店舗別の売上合計を教えて", "2025-01-01", "2026-01-01", "全24行のうち5行")
ENGLISH = Case("Total sales by store before June 2024", "-infinity", "2024-06-01", "5 of 24 rows")


@pytest.fixture(params=[("0", "2025-11-25"), ("1", "2026-07-28")], ids=["sessions", "stateless"])
def protocol(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The version that the agent is told to speak."""
    switch, version = request.param
    monkeypatch.setenv("ADK_ENABLE_MCP_MODERN_PROTOCOL", switch)
    return str(version)


@pytest.mark.parametrize("case", [KOREAN, JAPANESE, ENGLISH], ids=["ko", "ja", "en"])
async def test_question_is_answered_with_the_databases_rows(
    installation: Installation, environment: MakeEnvironment, case: Case, protocol: str
) -> None:
    sql = SALES_BY_STORE.format(start=case.start, end=case.end)
    expected = query(installation.demo_dsn, sql)

    async with (
        relay(installation.mcp) as passing,
        open_session(environment(mcp_url=passing.url), is_direct=False) as session,
    ):
        outcome = await session.ask(case.question)

    assert outcome.is_answered, outcome.text
    assert read_csv(outcome.files["csv"]) == read_xlsx(outcome.files["xlsx"]) == expected
    shown = [tuple(map(plain, row)) for row in markdown_rows(outcome.text)]
    assert shown == expected[:5]
    assert case.count in outcome.text
    assert passing.versions == {protocol}
