"""After a model call: what an agent answered goes into the state, or what is wrong with it."""

from collections.abc import Callable

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from agents.data_search.callbacks.stages import find_question, set_feedback, to_json
from agents.data_search.constants import (
    COLUMN_EXTRACTION,
    COLUMN_NAMES_STATES,
    COLUMN_STANDARDIZATION,
    RUN_ERROR,
    SQL_GENERATION,
    SQL_QUERY,
    STANDARD_COLUMNS,
)
from agents.data_search.languages import detect_language
from agents.data_search.prompts import load_prompt, load_sentence
from agents.data_search.replies import (
    calls_tool,
    read_column_names,
    read_sql,
    read_standard_columns,
    reply_text,
)


def keep_column_names_after_model_callback(
    callback_context: CallbackContext, llm_response: LlmResponse
) -> None:
    """Keep the extractor's names; "" and the reason where the answer holds none."""
    if not _is_answer(callback_context, llm_response):
        return
    names = read_column_names(reply_text(llm_response.content))
    callback_context.state[COLUMN_NAMES_STATES] = to_json(names.model_dump()) if names else ""
    if names is None:
        set_feedback(
            callback_context, COLUMN_EXTRACTION, load_prompt("unreadable.column_extraction")
        )


def keep_standard_columns_after_model_callback(
    callback_context: CallbackContext, llm_response: LlmResponse
) -> None:
    """Keep the standardiser's columns; "" and its own words or the reason where there are none."""
    if not _is_answer(callback_context, llm_response):
        return
    text = reply_text(llm_response.content)
    columns = read_standard_columns(text)
    callback_context.state[STANDARD_COLUMNS] = (
        to_json([column.model_dump() for column in columns]) if columns else ""
    )
    if not columns:
        words = f"{text[:500]}\n" if text else ""
        reason = load_prompt("unreadable.column_standardization")
        set_feedback(callback_context, COLUMN_STANDARDIZATION, words + reason)


def keep_sql_after_model_callback(
    callback_context: CallbackContext, llm_response: LlmResponse
) -> None:
    """Keep the generator's statement; "" and the reason where the answer holds none."""
    if not _is_answer(callback_context, llm_response):
        return
    statement = read_sql(reply_text(llm_response.content))
    callback_context.state[SQL_QUERY] = statement
    if not statement:
        set_feedback(callback_context, SQL_GENERATION, load_prompt("unreadable.sql_generation"))


def keep_review_after_model_callback(stage: str) -> Callable[..., None]:
    """A callback that keeps a reviewer's objection as the feedback of the stage."""

    def keep(callback_context: CallbackContext, llm_response: LlmResponse) -> None:
        text = reply_text(llm_response.content)
        if text and _is_answer(callback_context, llm_response):
            set_feedback(callback_context, stage, text)

    return keep


def mark_unread_after_model_callback(
    callback_context: CallbackContext, llm_response: LlmResponse
) -> LlmResponse | None:
    """Say under an answer of the root agent's own that no data was read for it."""
    text = reply_text(llm_response.content)
    if not text or not _is_answer(callback_context, llm_response):
        return None
    note = load_sentence("not_read", detect_language(find_question(callback_context)))
    parts = [types.Part.from_text(text=f"{text}\n\n{note}")]
    return llm_response.model_copy(update={"content": types.Content(role="model", parts=parts)})


def _is_answer(context: CallbackContext, response: LlmResponse) -> bool:
    """Whether this is the model's whole answer, not a piece of it, a call, or the silence of a fault."""
    has_fault = bool(context.state.get(RUN_ERROR))
    return not response.partial and not calls_tool(response.content) and not has_fault
