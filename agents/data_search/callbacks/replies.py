"""After a model call: what an agent answered goes into the state, or what is wrong with it."""

from collections.abc import Callable

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from agents.data_search.callbacks.stages import find_question, set_fault, set_feedback, to_json
from agents.data_search.constants import (
    ASKED_BACK,
    COLUMN_EXTRACTION,
    COLUMN_NAMES_STATES,
    COLUMN_STANDARDIZATION,
    EARLIER,
    HAS_ASKED,
    NOT_DATA,
    NOTHING_FOUND,
    QUESTION,
    RUN_ERROR,
    SQL_GENERATION,
    SQL_QUERY,
    STANDARD_COLUMNS,
    WRITING_REFUSED,
)
from agents.data_search.languages import detect_language
from agents.data_search.prompts import load_prompt, load_sentence
from agents.data_search.replies import (
    calls_tool,
    find_forgotten_names,
    read_ask,
    read_column_names,
    read_missing,
    read_sql,
    read_standard_columns,
    reply_text,
)


def keep_column_names_after_model_callback(
    callback_context: CallbackContext, llm_response: LlmResponse
) -> None:
    """Keep the extractor's names; "" and the reason where the answer holds none.

    A wish to write, a question about no data, and one that has to be asked back end the run.
    """
    if not _is_answer(callback_context, llm_response):
        return
    state = callback_context.state
    names = read_column_names(reply_text(llm_response.content))
    state[COLUMN_NAMES_STATES] = ""
    if names is None:
        advice = load_prompt("unreadable.column_extraction")
        set_feedback(callback_context, COLUMN_EXTRACTION, advice)
    elif names.request in {"write", "other"}:
        set_fault(callback_context, WRITING_REFUSED if names.request == "write" else NOT_DATA)
    elif not names.ask or not _ask_back(callback_context, COLUMN_EXTRACTION, names.ask):
        if names.whole_question and state.get(EARLIER):
            state[QUESTION] = names.whole_question
        kept = names.model_dump(exclude={"request", "whole_question", "ask"})
        state[COLUMN_NAMES_STATES] = to_json(kept) if names.names() or not names.ask else ""


def keep_standard_columns_after_model_callback(
    callback_context: CallbackContext, llm_response: LlmResponse
) -> None:
    """Keep the standardiser's columns; "" and its own words or the reason where there are none.

    A word that the catalogue has nothing for ends the run: an answer without it would be a wrong one.
    """
    if not _is_answer(callback_context, llm_response):
        return
    state = callback_context.state
    text = reply_text(llm_response.content)
    state[STANDARD_COLUMNS] = ""
    if missing := read_missing(text):
        set_fault(callback_context, NOTHING_FOUND, missing=", ".join(missing))
        return
    if (ask := read_ask(text)) and _ask_back(callback_context, COLUMN_STANDARDIZATION, ask):
        return
    columns = read_standard_columns(text)
    if not columns:
        words = f"{text[:500]}\n" if text else ""
        reason = load_prompt("unreadable.column_standardization")
        set_feedback(callback_context, COLUMN_STANDARDIZATION, words + reason)
    elif forgotten := find_forgotten_names(str(state.get(COLUMN_NAMES_STATES) or ""), columns):
        reason = load_prompt("forgotten.column_standardization")
        advice = reason.format(names=", ".join(forgotten))
        set_feedback(callback_context, COLUMN_STANDARDIZATION, advice)
    else:
        state[STANDARD_COLUMNS] = to_json([column.model_dump() for column in columns])


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


def _ask_back(context: CallbackContext, stage: str, question: str) -> bool:
    """Ask the person, once; the second time the model has to choose by itself."""
    if context.state.get(HAS_ASKED):
        set_feedback(context, stage, load_prompt("asked_already"))
        return False
    set_fault(context, ASKED_BACK, question=question)
    return True


def _is_answer(context: CallbackContext, response: LlmResponse) -> bool:
    """Whether this is the model's whole answer, not a piece of it, a call, or the silence of a fault."""
    has_fault = bool(context.state.get(RUN_ERROR))
    return not response.partial and not calls_tool(response.content) and not has_fault
