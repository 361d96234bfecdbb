"""A chat: questions of a person, and turns of the model with the calls that it asks for.

Its entries are `{"kind": "question", "text"}`, `{"kind": "model", "text", "calls", "tokens_in",
"tokens_out", "is_cut", "ms"}`, where each of the calls has an `answer` once it is made, and a last
`{"kind": "fault", "message"}` where a turn could not go on.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.utils import timezone

from core.errors import EditError, StoppedError, ToolboxError
from core.json_text import to_storable
from core.messages import message
from core.tokens import estimate_tokens
from toolbuilder.playground.exchanges import (
    CallAnswer,
    ask_model,
    call_tool,
    chat_settings,
    list_functions,
    run_step,
)
from toolbuilder.playground.identity import AgentAccess
from toolbuilder.playground.models import PlaygroundChat, PlaygroundState
from toolbuilder.playground.steps import hold_step, keep_step, key_of
from tools.sources import Sources

MAX_STEPS = 12
MAX_TURN_TOKENS = 200_000
MAX_QUESTION_CHARACTERS = 8_000
KEPT_FOR = timedelta(days=7)
_MAX_CALLS_AT_ONCE = 8
_TITLE_CHARACTERS = 80
_SHOWN_CHARACTERS = 1_000
_INSTRUCTION = (
    "You help people with their data, by means of tools. Call a tool whenever it can give what is"
    " asked for; never invent figures. If no tool in your list fits, search for one with"
    " search_tools where you have that; if none is found, say so. Answer briefly, in the language of"
    " the question. Today is {today}."
)

Entry = dict[str, Any]


def instruct() -> Entry:
    """The message before all others."""
    today = timezone.localdate().isoformat()
    return {"role": "system", "content": _INSTRUCTION.format(today=today)}


def ask(
    chat: PlaygroundChat | None, text: str, owner: str, *, model: str, toolset: str
) -> PlaygroundChat:
    """The chat with the question, or a new one; its turn is to be advanced. Raises EditError."""
    cleaned = text.replace("\0", "").strip()
    if not cleaned:
        raise EditError(message("playground.empty", "Write a question first."))
    if len(cleaned) > MAX_QUESTION_CHARACTERS:
        raise EditError(
            message(
                "playground.too_long",
                "A question has at most {limit} characters.",
                limit=MAX_QUESTION_CHARACTERS,
            )
        )
    if chat is None:
        title = " ".join(cleaned.split())[:_TITLE_CHARACTERS]
        chat = PlaygroundChat(owner=owner, title=title, revision=0)
    elif chat.state == PlaygroundState.RUNNING:
        raise EditError(
            message("playground.busy", "The model is still at work; stop it first, or wait.")
        )
    entries = [entry for entry in chat.entries if entry["kind"] != "fault"]
    chat.entries = [*entries, {"kind": "question", "text": cleaned}]
    chat.model, chat.toolset = model or chat_settings().model, toolset
    chat.state, chat.held_until = PlaygroundState.RUNNING, None
    chat.revision += 1
    chat.used_at = timezone.now()
    chat.save()
    return chat


def advance_chat(chat: PlaygroundChat, access: AgentAccess) -> PlaygroundChat:
    """The chat after its next step: the calls that the model asked for, or its next answer.

    A fault is kept as an entry. Of two that advance it at once only one takes the step.
    """
    if not hold_step(chat):
        chat.refresh_from_db()
        return chat
    entries = [entry for entry in chat.entries if entry["kind"] != "fault"]
    try:
        is_done = _take_step(chat, entries, access)
    except StoppedError:
        chat.refresh_from_db()
        return chat
    except ToolboxError as error:
        entries.append({"kind": "fault", "message": error.message.to_json()})
        chat.state = PlaygroundState.FAILED
    else:
        chat.state = PlaygroundState.DONE if is_done else PlaygroundState.RUNNING
    chat.entries, chat.used_at = to_storable(entries), timezone.now()
    keep_step(chat, "entries", "used_at")
    return chat


def turn_of(entries: list[Entry]) -> list[Entry]:
    """What the model said since the last question."""
    questions = [place for place, entry in enumerate(entries) if entry["kind"] == "question"]
    return [entry for entry in entries[max(questions, default=0) :] if entry["kind"] == "model"]


def forget_chats() -> int:
    """Delete the chats that nobody has used for a week; how many."""
    return PlaygroundChat.objects.filter(used_at__lt=timezone.now() - KEPT_FOR).delete()[0]


def _take_step(chat: PlaygroundChat, entries: list[Entry], access: AgentAccess) -> bool:
    """Whether the turn is at its end, after its next step is in the entries."""
    turn = turn_of(entries)
    if turn and (open_calls := [call for call in turn[-1]["calls"] if call["answer"] is None]):

        async def call_all(_sources: Sources) -> None:
            for call in open_calls:
                call["answer"] = (await _call(access, call)).to_json()

        run_step(call_all, key_of(chat))
        return False
    _require_room(turn)
    messages = list(to_messages(entries))
    began = time.perf_counter()

    async def ask_once(_sources: Sources) -> Entry:
        functions = await list_functions(access)
        reply = await ask_model(chat.model, messages, functions)
        requests = reply.requests[:_MAX_CALLS_AT_ONCE]
        return {
            "kind": "model",
            "text": reply.text,
            "calls": [{**asdict(request), "answer": None} for request in requests],
            "tokens_in": reply.tokens_in,
            "tokens_out": reply.tokens_out,
            "is_cut": reply.is_cut,
        }

    entry = run_step(ask_once, key_of(chat))
    entries.append(entry | {"ms": (time.perf_counter() - began) * 1_000})
    return not entry["calls"]


def _require_room(turn: list[Entry]) -> None:
    """Raise EditError for a turn that may take no more steps."""
    if len(turn) >= MAX_STEPS:
        raise EditError(
            message(
                "playground.too_many_steps",
                "The model has answered {limit} times without coming to an end. Ask for less, or use"
                " another model.",
                limit=MAX_STEPS,
            )
        )
    if sum(entry["tokens_in"] + entry["tokens_out"] for entry in turn) > MAX_TURN_TOKENS:
        raise EditError(
            message(
                "playground.too_many_tokens",
                "This answer has taken more than {limit} tokens. Begin a new chat, or ask for less.",
                limit=MAX_TURN_TOKENS,
            )
        )


async def _call(access: AgentAccess, call: Mapping[str, Any]) -> CallAnswer:
    if call["arguments"] is None:
        written = call["written"][:_SHOWN_CHARACTERS]
        text = f"The arguments are not a JSON object; write them as one and call again: {written}"
        return CallAnswer(
            text=text, length=len(text), tokens=estimate_tokens(text), ms=0, is_error=True
        )
    return await call_tool(access, call["name"], call["arguments"])


def to_messages(entries: list[Entry]) -> Iterator[Entry]:
    """The chat as OpenAI's messages; what was stopped has an answer that says so."""
    yield instruct()
    kind = ""
    for entry in entries:
        if entry["kind"] == kind == "question":
            # Many models take no two questions in a row.
            yield {"role": "assistant", "content": "Not answered: it was stopped."}
        kind = entry["kind"]
        if entry["kind"] == "question":
            yield {"role": "user", "content": entry["text"]}
        if entry["kind"] != "model":
            continue
        said: Entry = {"role": "assistant", "content": entry["text"] or None}
        if entry["calls"]:
            said["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    # Some services read them as JSON, and would refuse the chat for ever.
                    "function": {
                        "name": call["name"],
                        "arguments": "{}" if call["arguments"] is None else call["written"],
                    },
                }
                for call in entry["calls"]
            ]
        yield said
        for call in entry["calls"]:
            text = call["answer"]["text"] if call["answer"] else "Not called: it was stopped."
            yield {"role": "tool", "tool_call_id": call["id"], "content": text}
