"""What the agent must never do: change data, drop a condition, pass a guess off as an answer, show what is masked."""

import pytest
from google.genai import types

from agents.data_search.constants import (
    COLUMN_STANDARDIZATION,
    RUN_ERROR,
    SQL_GENERATION,
    STOPPED_STAGE,
    USAGE,
)
from tests.agents.conftest import Installation
from tests.agents.demo_llm.variants import MODEL_NAME, Variant
from tests.agents.e2e.conftest import MakeEnvironment
from tests.agents.e2e.runs import open_session, query, read_csv

EXECUTE = "execute_postgres_query"


@pytest.mark.parametrize("is_direct", [True, False], ids=["pipeline", "root"])
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("delete all users", "changes nothing"),
        ("모든 사용자를 삭제해줘", "변경하지 않으므로"),
        ("すべてのユーザーを削除してください", "変更しません"),
    ],
    ids=["en", "ko", "ja"],
)
async def test_wish_to_write_is_refused_before_anything_is_asked(
    environment: MakeEnvironment, question: str, said: str, *, is_direct: bool
) -> None:
    async with open_session(environment(), is_direct=is_direct) as session:
        outcome = await session.ask(question)

    assert outcome.state[RUN_ERROR] == "writing_refused"
    assert outcome.state[USAGE]["model_calls"] == 0
    assert said in outcome.text
    assert not any(event.get_function_calls() for event in outcome.events)


async def test_wish_that_only_the_model_reads_is_refused(environment: MakeEnvironment) -> None:
    async with open_session(environment(Variant.SAYS_WRITE)) as session:
        outcome = await session.ask("All users should be gone tomorrow")

    assert "changes nothing" in outcome.text
    assert outcome.calls(EXECUTE) == 0


async def test_question_about_nothing_in_the_catalogue_says_what_there_is(
    environment: MakeEnvironment,
) -> None:
    async with open_session(environment()) as session:
        outcome = await session.ask("the airspeed of a swallow")

    assert outcome.state[RUN_ERROR] == "nothing_found"
    assert "holds nothing for: airspeed, swallow" in outcome.text
    assert "It holds, among others: " in outcome.text
    assert outcome.calls(EXECUTE) == 0


async def test_condition_without_a_column_is_never_left_out(environment: MakeEnvironment) -> None:
    async with open_session(environment(Variant.DROPS_NAMES)) as session:
        outcome = await session.ask("Total sales by store since January 2025")

    assert outcome.state[STOPPED_STAGE] == COLUMN_STANDARDIZATION
    assert "have no entry: since January 2025" in outcome.text
    assert outcome.calls(EXECUTE) == 0


async def test_statement_without_the_questions_condition_is_not_run(
    environment: MakeEnvironment,
) -> None:
    async with open_session(environment(Variant.FORGETS_CONDITIONS)) as session:
        outcome = await session.ask("Total sales by store since January 2025")

    assert outcome.state[STOPPED_STAGE] == SQL_GENERATION
    assert "does not filter by since January 2025" in outcome.text
    assert not outcome.files


async def test_masked_values_never_leave(environment: MakeEnvironment) -> None:
    async with open_session(environment(Variant.SHOWS_EMAILS)) as session:
        outcome = await session.ask("How many users are there?")

    assert outcome.state[STOPPED_STAGE] == SQL_GENERATION
    assert "masked: " in outcome.text
    assert not any("@shop.example.com" in str(event) for event in outcome.events)
    assert not outcome.files


async def test_ambiguous_question_is_asked_back_once(environment: MakeEnvironment) -> None:
    async with open_session(environment(Variant.ASKS), is_direct=False) as session:
        asked = await session.ask("How many orders are in each status?")
        answered = await session.ask("by the date of the order")

    assert asked.text.startswith("By the date of the order, or of the delivery?")
    assert asked.calls(EXECUTE) == 0
    assert answered.is_answered, answered.text


async def test_question_that_follows_on_is_read_with_the_last(
    installation: Installation, environment: MakeEnvironment
) -> None:
    sql = (
        "SELECT s.store_name, sum(t.quantity)"
        " FROM sales_transactions t JOIN stores s ON s.id = t.store_id"
        " WHERE t.transaction_date >= '2025-01-01' GROUP BY s.id, s.store_name"
    )

    async with open_session(environment(), is_direct=False) as session:
        await session.ask("Total quantity sold by store")
        outcome = await session.ask("since January 2025?")

    assert outcome.is_answered, outcome.text
    expected = query(installation.demo_dsn, sql)
    assert sorted(read_csv(outcome.files["csv"])) == sorted(expected)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        pytest.param({"token_budget": 10}, "took its 10 tokens", id="tokens"),
        pytest.param(
            {"model": Variant.NEVER_ANSWERS, "time_budget_s": 0.5},
            "took its 0.5 seconds",
            id="time",
        ),
    ],
)
async def test_spent_budget_ends_the_run(
    environment: MakeEnvironment, settings: dict[str, object], said: str
) -> None:
    async with open_session(environment(**settings)) as session:
        outcome = await session.ask("How many orders are in each status?")

    assert said in outcome.text
    assert outcome.calls(EXECUTE) == 0


async def test_unknown_model_is_told_with_those_that_there_are(
    environment: MakeEnvironment,
) -> None:
    async with open_session(environment("gpt-9")) as session:
        outcome = await session.ask("How many orders are in each status?")

    assert "no model of the name in LLM_MODEL" in outcome.text
    assert MODEL_NAME in outcome.text


async def test_attached_table_is_part_of_the_question_and_the_cost_is_told(
    environment: MakeEnvironment,
) -> None:
    part = types.Part.from_bytes(
        data="店舗,region\n渋谷店,JP\n".encode("cp932"), mime_type="text/csv"
    )

    async with open_session(environment(Variant.CALLS_EARLIER_NAME)) as session:
        outcome = await session.ask("How many orders are in each status?", part)

    assert outcome.is_answered, outcome.text
    assert "| 渋谷店 | JP |" in outcome.state["attachments"]
    assert outcome.calls("exit_column_extraction_loop") == 1
    assert "(Model calls: 6, tokens: " in outcome.text
