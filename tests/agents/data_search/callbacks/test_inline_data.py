"""Files and images are taken out of requests to the model."""

from google.adk.models.llm_request import LlmRequest
from google.genai import types

from agents.data_search.callbacks.inline_data import (
    keep_own_turn_before_model_callback,
    remove_non_text_part_from_llmrequest_before_model_callback,
)
from tests.agents.data_search.contexts import make_context, user_message

_IMAGE = types.Part.from_bytes(data=b"x", mime_type="image/png")
_FILE = types.Part(file_data=types.FileData(file_uri="https://example/x", mime_type="image/png"))
_CALL = types.Part.from_function_call(name="f", args={})


async def test_files_and_images_are_taken_out() -> None:
    request = LlmRequest(contents=[user_message("a", _IMAGE), user_message(_FILE)])

    remove_non_text_part_from_llmrequest_before_model_callback(await make_context(), request)

    assert request.contents == [user_message("a")]


async def test_a_request_is_never_left_empty() -> None:
    request = LlmRequest(contents=[user_message(_IMAGE)])

    remove_non_text_part_from_llmrequest_before_model_callback(await make_context("q"), request)

    assert request.contents == [user_message("q")]


async def test_only_the_question_and_own_calls_are_left() -> None:
    own = types.Content(role="model", parts=[_CALL])
    request = LlmRequest(contents=[user_message("For context: ..."), own])

    keep_own_turn_before_model_callback(await make_context("q"), request)

    assert request.contents == [user_message("q"), own]
