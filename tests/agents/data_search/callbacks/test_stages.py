"""Stages begin, end, and stop a run that cannot go on."""

from typing import Any

import pytest
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.base_tool import BaseTool

from agents.data_search.callbacks.stages import (
    begin_run_before_agent_callback,
    end_stage_after_tool_callback,
    find_question,
    keep_fault_on_model_error_callback,
    report_fault_on_tool_error_callback,
    require_key_before_agent_callback,
    require_stages_before_agent_callback,
    tell_fault_on_model_error_callback,
)
from agents.data_search.faults import LanguageModelError
from tests.agents.data_search.contexts import make_context, user_message

_TOOL = BaseTool(name="complete_column_extraction", description="")


async def test_a_new_question_finds_nothing_of_the_last() -> None:
    context = await make_context(state={"sql_query": "old", "run_error": "x", "run_id": "run-0"})

    begin_run_before_agent_callback(context)

    assert (context.state["sql_query"], context.state["run_error"]) == ("", "")
    assert context.state["query_result"] is None


async def test_a_run_begins_once() -> None:
    context = await make_context(state={"sql_query": "kept", "run_id": "run-1"})

    begin_run_before_agent_callback(context)

    assert context.state["sql_query"] == "kept"


@pytest.mark.parametrize(
    ("answer", "done", "feedback"),
    [
        ({"status": "success", "escalate": True}, ["column_extraction"], ""),
        ({"status": "success", "escalate": False, "message": "not yet"}, [], "not yet"),
        ({"status": "error", "message": "names required"}, [], "names required"),
        ({"error": "Connection closed"}, [], "Connection closed"),
    ],
    ids=["done", "not-yet", "error", "broken-call"],
)
async def test_a_reviewers_tool_ends_its_turn_and_success_the_loop(
    answer: dict[str, Any], done: list[str], feedback: str
) -> None:
    context = await make_context()

    end_stage_after_tool_callback("column_extraction")(_TOOL, {}, context, answer)

    assert context.actions.skip_summarization
    assert bool(context.actions.escalate) is bool(done)
    assert context.state.get("done_stages", []) == done
    assert context.state["column_names_feedback"] == feedback


@pytest.mark.parametrize(
    ("state", "is_skipped"),
    [
        ({"done_stages": ["column_extraction", "column_standardization"]}, False),
        ({"done_stages": ["column_extraction"]}, True),
        ({}, True),
        ({"done_stages": ["column_extraction", "column_standardization"], "run_error": "x"}, True),
    ],
    ids=["ready", "one-missing", "none", "fault"],
)
async def test_a_stage_waits_for_those_before_it(
    state: dict[str, object], is_skipped: bool
) -> None:
    content = require_stages_before_agent_callback("sql_generation")(
        await make_context(state=state)
    )

    assert (content is not None) is is_skipped


async def test_a_reviewer_without_anything_to_review_is_skipped() -> None:
    require = require_key_before_agent_callback("sql_query")

    assert require(await make_context()) is not None
    assert require(await make_context(state={"sql_query": "SELECT 1"})) is None


async def test_a_fault_of_the_model_ends_the_loop_in_silence() -> None:
    context = await make_context()

    response = keep_fault_on_model_error_callback(
        context, LlmRequest(), LanguageModelError("model_key")
    )

    assert context.state["run_error"] == "model_key"
    assert context.actions.escalate
    assert response.content is not None
    assert response.content.parts == []


async def test_the_root_agent_tells_the_fault_in_the_questions_language() -> None:
    response = tell_fault_on_model_error_callback(
        await make_context("売上は?"), LlmRequest(), LanguageModelError("model_limit")
    )

    assert response.content is not None
    assert response.content.parts is not None
    assert "利用上限" in str(response.content.parts[0].text)


async def test_details_of_an_unexpected_error_are_not_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    context = await make_context()

    keep_fault_on_model_error_callback(context, LlmRequest(), RuntimeError("secret"))

    assert context.state["run_error"] == "own_fault"
    assert "secret" in caplog.text


async def test_a_tool_that_does_not_exist_is_an_answer() -> None:
    context = await make_context()

    answer = report_fault_on_tool_error_callback(_TOOL, {}, context, ValueError("not found"))

    assert answer["status"] == "error"
    assert "use the tools that are offered" in answer["message"]


async def test_a_question_is_its_words_up_to_a_limit() -> None:
    context = await make_context(user_message("a\u00a0b", "c" * 9_000))

    assert find_question(context).startswith("a b\nccc")
    assert len(find_question(context)) == 4_000
