"""The last step: the answer from the state, without a model, so that no figure in it is made up."""

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from google.adk.agents import BaseAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.events import Event, EventActions
from google.genai import types

from agents.data_search.callbacks.stages import find_question, find_whole_question
from agents.data_search.catalogue import one_line
from agents.data_search.constants import (
    ARTIFACT_ROW_LIMIT,
    ASKED_BACK,
    ATTACHMENTS,
    DONE_STAGES,
    FEEDBACK_KEYS,
    MAX_ROUNDS,
    NUM_OF_DISPLAYED_DATA,
    QUERY_RESULT,
    RUN_ERROR,
    RUN_ERROR_VALUES,
    RUN_STARTED,
    STAGES,
    STOPPED_STAGE,
    TURN_LIMIT,
    TURNS,
    USAGE,
)
from agents.data_search.faults import explain_fault
from agents.data_search.languages import Language, detect_language
from agents.data_search.prompts import load_prompt, load_sentence
from agents.data_search.tables import make_table, to_markdown

_REASON_CHARACTERS = 500


class AnswerAgent(BaseAgent):
    """Says the result of the run, or at which stage it stopped and why, in the question's language.

    Of recorded replies it says so too: who reads the answer in a browser sees no start-up line.
    """

    is_recorded: bool = False

    async def _run_async_impl(self, ctx: InvocationContext) -> AsyncGenerator[Event, None]:
        state = ctx.session.state
        stopped = find_stopped_stage(state)
        context = CallbackContext(ctx)
        language = detect_language(find_question(context))
        text = compose_answer(state, language)
        if self.is_recorded:
            text = f"{text}\n\n{load_sentence('recorded', language)}"
        elif usage := compose_usage(state, language):
            text = f"{text}\n\n{usage}"
        turns = remember_turn(state, find_whole_question(context))
        yield Event(
            author=self.name,
            invocation_id=ctx.invocation_id,
            branch=ctx.branch,
            content=types.Content(role="model", parts=[types.Part.from_text(text=text)]),
            actions=EventActions(state_delta={STOPPED_STAGE: stopped, TURNS: turns}),
        )


def find_stopped_stage(state: Mapping[str, Any]) -> str:
    """The first stage that did not succeed, "" if all did or a fault stopped the run."""
    done = state.get(DONE_STAGES) or ()
    return (
        "" if state.get(RUN_ERROR) else next((stage for stage in STAGES if stage not in done), "")
    )


def compose_answer(state: Mapping[str, Any], language: Language) -> str:
    """The answer to a run whose traces are in the state."""
    if code := state.get(RUN_ERROR):
        return explain_fault(str(code), language, state.get(RUN_ERROR_VALUES))
    if not (stage := find_stopped_stage(state)):
        return _compose_result(state.get(QUERY_RESULT) or {}, language)
    # Advice to the model about the shape of its answer says nothing to a person.
    feedback = str(state.get(FEEDBACK_KEYS[stage]) or "")
    reason = one_line(feedback.replace(load_prompt(f"unreadable.{stage}"), ""))
    shown = reason[:_REASON_CHARACTERS] or load_sentence("unknown_reason", language)
    name = load_sentence(stage, language)
    lines = [
        load_sentence("stopped", language, stage=name, rounds=MAX_ROUNDS),
        load_sentence("reason", language, reason=shown),
        load_sentence("advice", language),
    ]
    return "\n".join(lines)


def compose_usage(state: Mapping[str, Any], language: Language) -> str:
    """What the question cost; "" if the model was not asked, or did not answer."""
    usage = state.get(USAGE) or {}
    calls = usage.get("model_calls")
    if not calls or (state.get(RUN_ERROR) and not usage.get("tokens")):
        return ""
    seconds = time.time() - (state.get(RUN_STARTED) or time.time())
    tokens = f"{usage.get('tokens', 0):,}"
    return load_sentence("usage", language, calls=calls, tokens=tokens, seconds=f"{seconds:.1f}")


def remember_turn(state: Mapping[str, Any], question: str) -> Sequence[Mapping[str, str]]:
    """The session's last questions with this one: what a question that follows on is read with."""
    is_asked = state.get(RUN_ERROR) == ASKED_BACK
    is_answered = not state.get(RUN_ERROR) and not find_stopped_stage(state)
    turn = {
        "question": question,
        "asked": str((state.get(RUN_ERROR_VALUES) or {}).get("question", "")) if is_asked else "",
        "sql": str((state.get(QUERY_RESULT) or {}).get("sql", "")) if is_answered else "",
        "attachments": str(state.get(ATTACHMENTS) or "") if is_asked else "",
    }
    kept = [*(state.get(TURNS) or []), turn] if is_asked or is_answered else state.get(TURNS) or []
    return kept[-TURN_LIMIT:]


def _compose_result(result: Mapping[str, Any], language: Language) -> str:
    """Rows, SQL and files."""
    total = result.get("row_count", 0)
    if markdown := result.get("markdown"):
        parts = [str(markdown)]
    elif result.get("is_image"):
        parts = [load_sentence("image", language)]
    elif not total:
        parts = [load_sentence("no_rows", language)]
    else:
        parts = [_compose_rows(result, total, language)]
    if sql := result.get("sql"):
        parts.append(f"```sql\n{sql.replace('```', '')}\n```")
    if names := result.get("artifacts"):
        shown = ", ".join(f"`{name}`" for name in names)
        parts.append(load_sentence("files", language, names=shown))
    elif total:
        parts.append(load_sentence("no_files", language))
    return "\n\n".join(parts)


def _compose_rows(result: Mapping[str, Any], total: int, language: Language) -> str:
    """The first rows, and how many there are."""
    shown = min(total, NUM_OF_DISPLAYED_DATA)
    lines = [to_markdown(make_table(result["first_rows"])), ""]
    lines.append(load_sentence("rows", language, shown=shown, total=f"{total:,}"))
    if result.get("truncated"):
        lines.append(load_sentence("truncated", language, total=f"{total:,}"))
    if result.get("is_cut"):
        limit = f"{ARTIFACT_ROW_LIMIT:,}"
        lines.append(load_sentence("cut", language, total=f"{total:,}", limit=limit))
    return "\n".join(lines)
