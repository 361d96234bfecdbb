"""The evaluation set, asked of the scripted model: each question gives the rows of its SQL."""

from agents.data_search.evaluation.cases import read_cases
from agents.data_search.evaluation.running import evaluate, write_report
from tests.agents.e2e.conftest import MakeEnvironment


async def test_every_question_of_the_set_comes_out_right(environment: MakeEnvironment) -> None:
    outcomes = [each async for each in evaluate(environment(), read_cases(), is_direct=True)]

    assert [(each.id, each.verdict, each.sql) for each in outcomes if not each.is_right] == []
    with_sql = [each for each in outcomes if each.sql]
    assert {each.language for each in with_sql} == {"ko", "ja", "en"}
    assert len(with_sql) == 30
    assert "| all | 36 | 36 |" in write_report(outcomes, "scripted")
