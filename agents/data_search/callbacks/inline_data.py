"""Before a model call: what the model is sent of the conversation."""

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from agents.data_search.callbacks.stages import find_question


def remove_non_text_part_from_llmrequest_before_model_callback(
    callback_context: CallbackContext, llm_request: LlmRequest
) -> None:
    """Take files and images out of the request; they cost tokens, and the tools cannot use them."""
    kept = (_without_data(content) for content in llm_request.contents)
    llm_request.contents = [content for content in kept if content.parts]
    if not llm_request.contents:
        llm_request.contents = [_as_user(find_question(callback_context))]


def keep_own_turn_before_model_callback(
    callback_context: CallbackContext, llm_request: LlmRequest
) -> None:
    """Leave the question and this agent's own calls; what other agents said is in the data sections."""
    own = [content for content in llm_request.contents if _is_tool_traffic(content)]
    llm_request.contents = [_as_user(find_question(callback_context)), *own]


def _without_data(content: types.Content) -> types.Content:
    parts = [part for part in content.parts or [] if not (part.inline_data or part.file_data)]
    return types.Content(role=content.role, parts=parts)


def _is_tool_traffic(content: types.Content) -> bool:
    return any(part.function_call or part.function_response for part in content.parts or [])


def _as_user(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part.from_text(text=text or "-")])
