"""Before a model call: what the model is sent of the conversation."""

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from agents.data_search.callbacks.stages import find_question


def remove_non_text_part_from_llmrequest_before_model_callback(
    callback_context: CallbackContext, llm_request: LlmRequest
) -> None:
    """Take files and images out of the request; they cost tokens, and the tools cannot use them."""
    contents = []
    for content in llm_request.contents:
        parts = [part for part in content.parts or [] if not (part.inline_data or part.file_data)]
        if parts:
            contents.append(types.Content(role=content.role, parts=parts))
    llm_request.contents = contents or [_question(callback_context)]


def keep_own_turn_before_model_callback(
    callback_context: CallbackContext, llm_request: LlmRequest
) -> None:
    """Leave the question and this agent's own calls; what other agents said is in the data sections."""
    own = [
        content
        for content in llm_request.contents
        if any(part.function_call or part.function_response for part in content.parts or [])
    ]
    llm_request.contents = [_question(callback_context), *own]


def _question(context: CallbackContext) -> types.Content:
    part = types.Part.from_text(text=find_question(context) or "-")
    return types.Content(role="user", parts=[part])
