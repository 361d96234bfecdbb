"""What a model replied goes into the state, or back as feedback."""

import json
from collections.abc import Callable

import pytest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from agents.data_search.callbacks.replies import (
    keep_column_names_after_model_callback,
    keep_review_after_model_callback,
    keep_sql_after_model_callback,
    keep_standard_columns_after_model_callback,
    mark_unread_after_model_callback,
)
from tests.agents.data_search.contexts import make_context


def _response(text: str, *, partial: bool = False) -> LlmResponse:
    content = types.Content(role="model", parts=[types.Part.from_text(text=text)])
    return LlmResponse(content=content, partial=partial)


async def test_names_are_kept_as_json() -> None:
    context = await make_context()

    keep_column_names_after_model_callback(
        context, _response('```{"requested_columns": ["지역"]}```')
    )

    assert json.loads(context.state["column_names"]) == {
        "requested_entity": "",
        "requested_columns": ["지역"],
        "conditional_columns": [],
        "inferred_columns": [],
    }


@pytest.mark.parametrize(
    ("keep", "key", "feedback"),
    [
        (keep_column_names_after_model_callback, "column_names", "column_names_feedback"),
        (
            keep_standard_columns_after_model_callback,
            "standard_columns",
            "standard_columns_feedback",
        ),
        (keep_sql_after_model_callback, "sql_query", "sql_feedback"),
    ],
    ids=["names", "columns", "sql"],
)
async def test_prose_is_feedback_for_the_next_round(
    keep: Callable[..., None], key: str, feedback: str
) -> None:
    context = await make_context(state={key: "of the last round"})

    keep(context, _response("I cannot say."))

    assert context.state[key] == ""
    assert "Answer with one" in context.state[feedback] or "a list like" in context.state[feedback]


async def test_pieces_of_an_answer_change_nothing() -> None:
    context = await make_context(state={"sql_query": "SELECT 1"})

    keep_sql_after_model_callback(context, _response("SELECT", partial=True))

    assert context.state["sql_query"] == "SELECT 1"


async def test_an_objection_of_the_reviewer_is_kept() -> None:
    context = await make_context()

    keep_review_after_model_callback("sql_generation")(context, _response("No date filter."))

    assert context.state["sql_feedback"] == "No date filter."


async def test_an_answer_without_data_says_so_in_the_questions_language() -> None:
    marked = mark_unread_after_model_callback(
        await make_context("안녕하세요"), _response("안녕하세요.")
    )

    assert marked is not None
    assert marked.content is not None
    assert marked.content.parts is not None
    assert str(marked.content.parts[0].text).endswith("조회하지 않고 작성되었습니다.)")


async def test_handing_over_is_not_marked() -> None:
    part = types.Part.from_function_call(name="transfer_to_agent", args={})
    response = LlmResponse(content=types.Content(role="model", parts=[part]))

    assert mark_unread_after_model_callback(await make_context(), response) is None
