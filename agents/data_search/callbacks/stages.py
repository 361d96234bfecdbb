"""How a run goes from stage to stage: what begins it, what a stage waits for, and what ends a loop."""

import json
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from agents.data_search.catalogue import one_line
from agents.data_search.constants import (
    ATTACHMENTS,
    CATALOGUE,
    CATALOGUE_NOTES,
    CATALOGUE_TABLES,
    COLUMN_NAMES_REF_DOCS_STATES,
    COLUMN_NAMES_STATES,
    DONE_STAGES,
    EARLIER,
    FEEDBACK_CHARACTER_LIMIT,
    FEEDBACK_KEYS,
    HAS_ASKED,
    QUERY_RESULT,
    QUESTION,
    QUESTION_CHARACTER_LIMIT,
    RUN_ERROR,
    RUN_ERROR_VALUES,
    RUN_ID,
    RUN_STARTED,
    SQL_QUERY,
    STAGES,
    STANDARD_COLUMNS,
    STOPPED_STAGE,
    TURNS,
    USAGE,
    WRITING_REFUSED,
)
from agents.data_search.custom_types.tool_response import structured
from agents.data_search.faults import AgentError, ToolServerError, explain_fault
from agents.data_search.languages import detect_language
from agents.data_search.mcp_tools import ToolServer
from agents.data_search.replies import sanitize_blanks
from agents.data_search.wishes import wants_to_write

logger = logging.getLogger(__name__)

# All that one question leaves in the session; the next one must not find it.
_OF_ONE_RUN = (
    COLUMN_NAMES_STATES,
    COLUMN_NAMES_REF_DOCS_STATES,
    STANDARD_COLUMNS,
    SQL_QUERY,
    CATALOGUE,
    CATALOGUE_NOTES,
    RUN_ERROR,
    STOPPED_STAGE,
    QUESTION,
    ATTACHMENTS,
    EARLIER,
    *FEEDBACK_KEYS.values(),
)
_OWN_FAULT = "own_fault"

BeforeAgent = Callable[..., types.Content | None]
AfterTool = Callable[..., None]


def find_question(context: ReadonlyContext) -> str:
    """The words of the user's message, whole up to a limit."""
    content = context.user_content
    parts = (content.parts if content else None) or []
    text = "\n".join(part.text for part in parts if part.text)
    return sanitize_blanks(text).strip()[:QUESTION_CHARACTER_LIMIT]


def find_whole_question(context: ReadonlyContext) -> str:
    """The question with what it leaves to the ones before it; the message where it leaves nothing."""
    return str(context.state.get(QUESTION) or "") or find_question(context)


def begin_run_before_agent_callback(callback_context: CallbackContext) -> None:
    """Clear what an earlier question left in the session, once for an invocation.

    What was asked before, and asked back, becomes text for the prompts. A wish to write ends the run here.
    """
    state = callback_context.state
    if state.get(RUN_ID) == callback_context.invocation_id:
        return
    for key in _OF_ONE_RUN:
        state[key] = ""
    state[CATALOGUE_TABLES] = []
    state[DONE_STAGES] = []
    state[QUERY_RESULT] = None
    state[RUN_ERROR_VALUES] = {}
    state[USAGE] = {"model_calls": 0, "tokens": 0}
    state[RUN_STARTED] = time.time()
    state[RUN_ID] = callback_context.invocation_id
    turns = state.get(TURNS) or []
    state[EARLIER] = "\n".join(map(describe_turn, turns))
    asked = str(turns[-1]["asked"]) if turns else ""
    state[HAS_ASKED] = bool(asked)
    question = find_question(callback_context)
    if asked:
        state[QUESTION] = f"{turns[-1]['question']}\n{asked}\n{question}"
    if wants_to_write(question):
        set_fault(callback_context, WRITING_REFUSED)


def describe_turn(turn: Mapping[str, str]) -> str:
    """An earlier question in a line or two: what was asked, and with which statement it was answered."""
    lines = [f"- {one_line(turn['question'])}"]
    if turn["asked"]:
        lines.append(f"  asked back: {one_line(turn['asked'])}")
    if turn["sql"]:
        lines.append(f"  answered with: {one_line(turn['sql'])}")
    return "\n".join(lines)


def tell_refusal_before_agent_callback(callback_context: CallbackContext) -> types.Content | None:
    """Answer in the place of the agent that people talk to, once the run is refused."""
    code = callback_context.state.get(RUN_ERROR)
    return _tell(callback_context, str(code)) if code else None


def check_server_before_agent_callback(
    server: ToolServer, *names: str
) -> Callable[..., Coroutine[Any, Any, types.Content | None]]:
    """A callback that skips the agent, with the fault in the state, while the tools cannot be reached."""

    async def check(callback_context: CallbackContext) -> types.Content | None:
        try:
            await server.find_tools(names, callback_context)
        except ToolServerError as fault:
            set_fault(callback_context, fault.code)
            return _silence()
        return None

    return check


def require_stages_before_agent_callback(stage: str) -> BeforeAgent:
    """A callback that skips a stage after a fault, or when one before it did not succeed."""
    needed = STAGES[: STAGES.index(stage)]

    def require(callback_context: CallbackContext) -> types.Content | None:
        state = callback_context.state
        is_ready = all(earlier in state.get(DONE_STAGES, ()) for earlier in needed)
        return None if is_ready and not state.get(RUN_ERROR) else _silence()

    return require


def require_key_before_agent_callback(key: str) -> BeforeAgent:
    """A callback that skips a reviewer after a fault, or when there is nothing in the state to review."""

    def require(callback_context: CallbackContext) -> types.Content | None:
        state = callback_context.state
        return None if state.get(key) and not state.get(RUN_ERROR) else _silence()

    return require


def skip_after_fault_before_agent_callback(
    callback_context: CallbackContext,
) -> types.Content | None:
    """Skip the agent once the run has a fault."""
    return _silence() if callback_context.state.get(RUN_ERROR) else None


def keep_fault_on_model_error_callback(
    callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
) -> LlmResponse:
    """Put the fault into the state and end the loop; the last agent tells it."""
    set_fault(callback_context, find_fault_code(error), **find_fault_values(error))
    return LlmResponse(content=_silence())


def tell_fault_on_model_error_callback(
    callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
) -> LlmResponse:
    """Answer with the fault, in the question's language; for the agent that people talk to."""
    code = find_fault_code(error)
    set_fault(callback_context, code, **find_fault_values(error))
    return LlmResponse(content=_tell(callback_context, code))


def end_stage_after_tool_callback(stage: str) -> AfterTool:
    """A callback for a reviewer's tools: success ends the loop, an error is the next round's feedback.

    Either ends the reviewer's turn: MCP tools cannot set ADK's actions, and a further model call would
    only repeat the result.
    """

    def end(
        tool: BaseTool,
        args: dict[str, Any],
        tool_context: ToolContext,
        tool_response: dict[str, Any],
    ) -> None:
        answer = structured(tool_response)
        tool_context.actions.skip_summarization = True
        if answer.get("status") == "success" and answer.get("escalate", True):
            finish_stage(tool_context, stage)
        else:
            message = answer.get("message") or "the tool refused without a reason"
            set_feedback(tool_context, stage, str(message))

    return end


def report_fault_on_tool_error_callback(
    tool: BaseTool, args: dict[str, Any], tool_context: ToolContext, error: Exception
) -> dict[str, Any]:
    """A tool that does not exist or breaks off is an answer of status "error", and ends the turn."""
    logger.warning("the call of %s failed: %s", tool.name, type(error).__name__)
    tool_context.actions.skip_summarization = True
    return {"status": "error", "message": explain_call(tool.name, error)}


def finish_stage(context: CallbackContext, stage: str) -> None:
    """Mark the stage as done and leave its loop."""
    context.state[DONE_STAGES] = [*context.state.get(DONE_STAGES, ()), stage]
    context.state[FEEDBACK_KEYS[stage]] = ""
    context.actions.escalate = True


def set_feedback(context: CallbackContext, stage: str, text: str) -> None:
    """What the next round of the stage has to correct."""
    context.state[FEEDBACK_KEYS[stage]] = text[:FEEDBACK_CHARACTER_LIMIT]


def set_fault(context: CallbackContext, code: str, **values: object) -> None:
    """End the run with the sentence of this code, filled with the values; no later agent begins."""
    context.state[RUN_ERROR] = code
    context.state[RUN_ERROR_VALUES] = {name: str(value) for name, value in values.items()}
    context.actions.escalate = True


def find_fault_values(error: Exception) -> dict[str, object]:
    """What fills the sentence of a fault of ours."""
    return dict(error.values) if isinstance(error, AgentError) else {}


def find_fault_code(error: Exception) -> str:
    """The code of a fault of ours; another error is logged, and told without its details."""
    if isinstance(error, AgentError):
        return error.code
    logger.error("unexpected error", exc_info=error)
    return _OWN_FAULT


def explain_call(name: str, error: Exception) -> str:
    """What a model can do about a call that failed."""
    if isinstance(error, AgentError):
        return str(error)
    if isinstance(error, ValueError):
        return f"there is no tool {name[:64]}, or its arguments are wrong; use the tools that are offered"
    return f"{name[:64]} could not be called"


def to_json(value: object) -> str:
    """The value as JSON in readable characters."""
    return json.dumps(value, ensure_ascii=False)


def _tell(context: CallbackContext, code: str) -> types.Content:
    language = detect_language(find_question(context))
    text = explain_fault(code, language, context.state.get(RUN_ERROR_VALUES))
    return types.Content(role="model", parts=[types.Part.from_text(text=text)])


def _silence() -> types.Content:
    """Content that skips an agent, or replaces an answer, and shows nothing."""
    return types.Content(role="model", parts=[])
