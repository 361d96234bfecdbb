"""Runs: each question is put to the model with the tools, until it makes its first call or answers.

Only `search_tools` is executed. A verdict is `{"question", "verdict", "chosen", "given", "reason",
"tokens"}`, where `question` is a row's id and `verdict` is '' while it is pending.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from time import monotonic
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.errors import EditError, StoppedError, ToolboxError
from core.json_text import to_storable
from core.messages import Message, foreign, message
from gateways.chat_model.client import ChatReply, ToolRequest
from toolbuilder.models import PlaygroundQuestion, PlaygroundRun, PlaygroundState
from toolbuilder.playground.exchanges import (
    SEARCH_TOOL,
    ask_model,
    call_tool,
    called_arguments,
    called_name,
    chat_settings,
    list_functions,
    run_step,
)
from toolbuilder.playground.identity import AgentAccess
from toolbuilder.playground.steps import hold_step, keep_step, key_of
from toolbuilder.playground.turns import instruct
from tools.sources import Sources

MAX_SEARCHES = 4
_KEPT_RUNS = 20
# A request carries a run on for so long, and then ends the question that it is at.
_TURN_S = 1.0
_SHOWN_VALUE = 60


class ChoiceVerdict(models.TextChoices):
    """Whether the model did what the question expects."""

    RIGHT = "right", _("right")
    WRONG_VALUE = "wrong_value", _("wrong value")
    WRONG_TOOL = "wrong_tool", _("wrong tool")
    NO_CALL = "no_call", _("no call")
    REFUSED = "refused", _("refused")


def start_run(
    questions: Iterable[PlaygroundQuestion],
    set_name: str,
    username: str,
    *,
    model: str,
    toolset: str,
) -> PlaygroundRun:
    """A run of these questions, none of which is asked yet. Raises EditError for none."""
    pending = [
        {
            "question": question.pk,
            "verdict": "",
            "chosen": "",
            "given": None,
            "reason": None,
            "tokens": 0,
        }
        for question in questions
    ]
    if not pending:
        raise EditError(message("playground.no_questions", "The set has no questions yet."))
    run = PlaygroundRun.objects.create(
        set_name=set_name,
        verdicts=pending,
        started_by=username,
        model=model or chat_settings().model,
        toolset=toolset,
        state=PlaygroundState.RUNNING,
    )
    of_set = PlaygroundRun.objects.filter(set_name=set_name)
    newest = list(of_set.values_list("pk", flat=True)[:_KEPT_RUNS])
    of_set.exclude(pk__in=newest).delete()
    return run


def advance_run(run: PlaygroundRun, access: AgentAccess) -> PlaygroundRun:
    """The run after another second of it, or one question; a fault ends it until somebody goes on."""
    if not hold_step(run):
        run.refresh_from_db()
        return run
    questions = PlaygroundQuestion.objects.in_bulk([row["question"] for row in run.verdicts])
    pending = [row for row in run.verdicts if not row["verdict"]]
    ends_at = monotonic() + _TURN_S
    try:
        functions = run_step(lambda _sources: list_functions(access), key_of(run))
        run.list_hash = hash_list(functions)
        for row in pending:
            if question := questions.get(row["question"]):
                row.update(_put(question, run, access, functions))
            else:
                run.verdicts.remove(row)
            if monotonic() > ends_at:
                break
    except StoppedError:
        run.refresh_from_db()
        return run
    except ToolboxError as error:
        run.state, run.fault = PlaygroundState.FAILED, error.message.to_json()
    else:
        is_done = all(row["verdict"] for row in run.verdicts)
        run.state = PlaygroundState.DONE if is_done else PlaygroundState.RUNNING
        run.fault = None
    run.verdicts = to_storable(run.verdicts)
    keep_step(run, "verdicts", "list_hash", "fault")
    return run


def hash_list(functions: Sequence[Mapping[str, Any]]) -> str:
    """What tells two lists of tools apart, by what the model reads of them."""
    text = json.dumps(sorted(functions, key=lambda one: one["function"]["name"]), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _put(
    question: PlaygroundQuestion,
    run: PlaygroundRun,
    access: AgentAccess,
    functions: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """What is to be kept of the question, once it was put to the model."""
    schemas = {one["function"]["name"]: one["function"]["parameters"] for one in functions}

    async def ask(_sources: Sources) -> tuple[ToolRequest | None, int]:
        messages = [instruct(), {"role": "user", "content": question.text}]
        tokens = 0
        for _number in range(MAX_SEARCHES):
            reply = await ask_model(run.model, messages, functions)
            tokens += reply.tokens_in + reply.tokens_out
            others = [request for request in reply.requests if request.name != SEARCH_TOOL]
            if others or not reply.requests:
                return next(iter(others), None), tokens
            messages += await _search(reply, access, schemas)
        return None, tokens

    request, tokens = run_step(ask, key_of(run))
    verdict, reason = judge(question, request, schemas)
    given = called_arguments(request.name, request.arguments) if request else None
    return {
        "verdict": verdict.value,
        "chosen": called_name(request.name, request.arguments) if request else "",
        "given": given,
        "reason": reason.to_json() if reason else None,
        "tokens": tokens,
    }


async def _search(
    reply: ChatReply, access: AgentAccess, schemas: dict[str, Any]
) -> list[dict[str, Any]]:
    """The searches that the model asked for with their answers, as messages; notes the schemas found."""
    calls, answers = [], []
    for request in reply.requests:
        # Some services read them as JSON.
        written = "{}" if request.arguments is None else request.written
        function = {"name": request.name, "arguments": written}
        calls.append({"id": request.id, "type": "function", "function": function})
        answer = await call_tool(access, request.name, request.arguments or {})
        answers.append({"role": "tool", "tool_call_id": request.id, "content": answer.text})
        try:
            found = json.loads(answer.text)
        except ValueError:
            continue
        match found:
            case {"tools": list(tools)}:
                for tool in tools:
                    match tool:
                        case {"name": str(name), "parameters": dict(schema)}:
                            schemas[name] = schema
    return [{"role": "assistant", "content": reply.text or None, "tool_calls": calls}, *answers]


def judge(
    question: PlaygroundQuestion, request: ToolRequest | None, schemas: Mapping[str, Any]
) -> tuple[ChoiceVerdict, Message | None]:
    """Whether the call is what the question expects, and why not."""
    if request is None:
        if question.expected:
            return ChoiceVerdict.NO_CALL, message("playground.no_call", "answered without a tool")
        return ChoiceVerdict.RIGHT, None
    chosen = called_name(request.name, request.arguments)
    if chosen != question.expected:
        reason = (
            message("playground.needless", "no tool was needed") if not question.expected else None
        )
        return ChoiceVerdict.WRONG_TOOL, reason
    given = called_arguments(request.name, request.arguments)
    if reason := _find_refusal(given, schemas.get(chosen)):
        return ChoiceVerdict.REFUSED, reason
    if reason := _find_wrong_value(given or {}, question.arguments or {}):
        return ChoiceVerdict.WRONG_VALUE, reason
    return ChoiceVerdict.RIGHT, None


def _find_wrong_value(given: Mapping[str, Any], expected: Mapping[str, Any]) -> Message | None:
    for name, value in expected.items():
        if name not in given:
            return message(
                "playground.left_out",
                "{name} was left out, should be {expected}",
                name=name,
                expected=_show(value),
            )
        if given[name] != value:
            return message(
                "playground.wrong_value",
                "{name} {given}, should be {expected}",
                name=name,
                given=_show(given[name]),
                expected=_show(value),
            )
    return None


def _find_refusal(given: Mapping[str, Any] | None, schema: Any) -> Message | None:
    """Why the server would refuse the call whatever its values are."""
    if given is None:
        return message("playground.unreadable_arguments", "the arguments are no JSON object")
    match schema:
        case {"properties": dict(properties), **more}:
            required = more.get("required")
            for name in required if isinstance(required, list) else ():
                if name not in given:
                    return message(
                        "playground.required", "{name} was left out, it is required", name=str(name)
                    )
            for name in given:
                if name not in properties and more.get("additionalProperties") is False:
                    return message("playground.unknown", "there is no argument {name}", name=name)
    return None


def _show(value: Any) -> Message:
    return foreign(json.dumps(value, ensure_ascii=False)[:_SHOWN_VALUE])
