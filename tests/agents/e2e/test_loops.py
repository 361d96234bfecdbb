"""Rounds: what the database says mends a statement, and what nobody can mend stops the run."""

import pytest

from agents.data_search.constants import (
    COLUMN_EXTRACTION,
    COLUMN_STANDARDIZATION,
    MAX_ROUNDS,
    SQL_GENERATION,
    STOPPED_STAGE,
)
from tests.agents.conftest import Installation
from tests.agents.demo_llm.variants import Variant
from tests.agents.e2e.conftest import MakeEnvironment
from tests.agents.e2e.runs import open_session, query, read_csv, tool_answer_sizes

QUESTION = "How many orders are in each status?"
EXECUTE = "execute_postgres_query"


async def test_databases_hint_mends_a_misspelt_column(
    installation: Installation, environment: MakeEnvironment
) -> None:
    async with open_session(environment(Variant.MISSPELLS_FIRST)) as session:
        outcome = await session.ask(QUESTION)

    assert outcome.is_answered, outcome.text
    assert outcome.calls(EXECUTE) == 2
    told = [str(r.response) for e in outcome.events for r in e.get_function_responses()]
    assert any("does not exist" in each and "orders.status" in each for each in told)
    [(expected,)] = query(installation.demo_dsn, "SELECT count(DISTINCT status) FROM orders")
    assert len(read_csv(outcome.files["csv"])) == float(expected)


async def test_fenced_statement_with_odd_blanks_runs(environment: MakeEnvironment) -> None:
    async with open_session(environment(Variant.FENCED_NBSP)) as session:
        outcome = await session.ask(QUESTION)

    assert outcome.is_answered, outcome.text
    assert outcome.calls(EXECUTE) == 1
    assert "\u00a0" not in outcome.sql
    assert "```" not in outcome.sql


@pytest.mark.parametrize(
    ("model", "question", "stage"),
    [
        pytest.param(Variant.PROSE, QUESTION, COLUMN_EXTRACTION, id="prose"),
        pytest.param(Variant.EMPTY_COLUMNS, QUESTION, COLUMN_EXTRACTION, id="empty-columns"),
        pytest.param(Variant.WRITES, QUESTION, SQL_GENERATION, id="write-statement"),
    ],
)
async def test_run_stops_where_three_rounds_do_not_help(
    environment: MakeEnvironment, model: str, question: str, stage: str
) -> None:
    async with open_session(environment(model)) as session:
        outcome = await session.ask(question)

    assert outcome.state[STOPPED_STAGE] == stage
    assert outcome.text.startswith("No answer: the stage")
    assert f"in {MAX_ROUNDS} rounds" in outcome.text
    assert not outcome.files


async def test_statement_that_writes_changes_nothing(
    installation: Installation, environment: MakeEnvironment
) -> None:
    before = query(installation.demo_dsn, "SELECT count(*) FROM orders")

    async with open_session(environment(Variant.WRITES)) as session:
        await session.ask(QUESTION)

    assert query(installation.demo_dsn, "SELECT count(*) FROM orders") == before != [("0.00",)]


async def test_run_without_references_finds_no_column(environment: MakeEnvironment) -> None:
    async with open_session(environment(has_references=False)) as session:
        outcome = await session.ask(QUESTION)

    assert outcome.state[STOPPED_STAGE] == COLUMN_STANDARDIZATION
    assert outcome.calls(EXECUTE) == 0


async def test_model_sees_five_of_a_hundred_thousand_rows(
    installation: Installation, environment: MakeEnvironment
) -> None:
    [(total,)] = query(installation.demo_dsn, "SELECT count(*) FROM sales_transactions")

    async with open_session(environment()) as session:
        outcome = await session.ask("Show all sales transactions")

    assert outcome.is_answered, outcome.text
    assert float(total) > 100_000
    rows = read_csv(outcome.files["csv"])
    assert len(rows) == outcome.result["row_count"] == 1_000
    assert "first 1,000 rows only" in outcome.text
    assert len(outcome.result["first_rows"]) == 5
    assert max(tool_answer_sizes(outcome, EXECUTE)) < 4_000
