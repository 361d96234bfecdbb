"""A chat as a page shows it: turns with their calls, and what they took."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from access.reader_language import in_language
from core.formatting import format_cell
from core.messages import from_json
from toolbuilder.playground.exchanges import (
    MAX_ANSWER_CHARACTERS,
    CallAnswer,
    called_arguments,
    called_name,
)
from toolbuilder.playground.models import PlaygroundChat, PlaygroundState

_ARGUMENT_CHARACTERS = 120
_FIGURE = re.compile(r"-?[\d,]*\.?\d+(e[+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class ShownArgument:
    """An argument on the line of its call; `kind` is string, number or other."""

    name: str
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """The answer of a call as it is stored, with its figures to the right."""

    kept: CallAnswer

    @property
    def heads(self) -> list[tuple[str, bool]]:
        """Names of columns, each with whether it holds numbers alone."""
        columns, rows = self.kept.columns or [], self.kept.rows or []
        return [
            (
                name,
                bool(rows)
                and all(_FIGURE.fullmatch("".join(row[place : place + 1])) for row in rows),
            )
            for place, name in enumerate(columns)
        ]

    @property
    def lines(self) -> list[list[tuple[str, bool]]]:
        """Rows of cells, each with whether its column holds numbers alone."""
        flags = [is_number for _name, is_number in self.heads]
        return [list(zip(row, flags, strict=False)) for row in self.kept.rows or []]

    @property
    def is_cut(self) -> bool:
        """Whether the model got only the beginning."""
        return self.kept.length > MAX_ANSWER_CHARACTERS

    @property
    def limit(self) -> int:
        return MAX_ANSWER_CHARACTERS


@dataclass(frozen=True, slots=True)
class CallCard:
    """A call; `name` is the tool that was called, `answer` None until it has answered.

    `place` leads to it: of the entry, and of the call in it.
    """

    name: str
    is_by_call_tool: bool
    arguments: tuple[ShownArgument, ...]
    written: str
    answer: "ShownAnswer | None"
    place: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ModelStep:
    """What the model said at once: words, calls or both; `is_cut` if it had more to say than it may."""

    text: str
    calls: tuple[CallCard, ...]
    is_cut: bool


@dataclass(slots=True)
class ShownTurn:
    """A question with what came of it."""

    question: str
    steps: list[ModelStep]
    fault: str = ""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class ShownChat:
    """A chat of the person; `is_held` says that a request is at its next step now."""

    chat: PlaygroundChat
    turns: tuple[ShownTurn, ...]

    @property
    def is_running(self) -> bool:
        return self.chat.state == PlaygroundState.RUNNING

    @property
    def is_held(self) -> bool:
        return self.chat.held_until is not None

    @property
    def is_stopped(self) -> bool:
        return self.chat.state == PlaygroundState.STOPPED

    @property
    def is_calling(self) -> bool:
        """Whether the next step is to call tools."""
        last = self.turns[-1].steps[-1:] if self.turns else []
        return any(call.answer is None for step in last for call in step.calls)


def show_chat(chat: PlaygroundChat) -> ShownChat:
    """The chat with its turns, oldest first."""
    turns: list[ShownTurn] = []
    for place, entry in enumerate(chat.entries):
        if entry["kind"] == "question":
            turns.append(ShownTurn(entry["text"], []))
        elif entry["kind"] == "fault":
            text = from_json(entry["message"])
            turns[-1].fault = in_language(text) if text else ""
        else:
            turn = turns[-1]
            calls = tuple(
                show_call(call, (place, number)) for number, call in enumerate(entry["calls"])
            )
            turn.steps.append(ModelStep(entry["text"], calls, entry.get("is_cut", False)))
            turn.calls += len(calls)
            turn.tokens_in += entry["tokens_in"]
            turn.tokens_out += entry["tokens_out"]
            answers = [call.answer for call in calls if call.answer]
            turn.ms += entry["ms"] + sum(answer.kept.ms for answer in answers)
    return ShownChat(chat, tuple(turns))


def show_call(call: Mapping[str, Any], place: tuple[int, int]) -> CallCard:
    """The call as its card has it."""
    name = called_name(call["name"], call["arguments"])
    # As it was written: the database keeps no order of names.
    written = json.loads(call["written"]) if call["arguments"] is not None else None
    given = called_arguments(call["name"], written)
    return CallCard(
        name=name,
        is_by_call_tool=name != call["name"],
        arguments=tuple(_show_arguments(given or {})),
        written="" if given is not None else call["written"][:_ARGUMENT_CHARACTERS],
        answer=ShownAnswer(CallAnswer(**call["answer"])) if call["answer"] else None,
        place=place,
    )


def _show_arguments(arguments: Mapping[str, Any]) -> Iterator[ShownArgument]:
    for name, value in arguments.items():
        text = format_cell(value)
        if len(text) > _ARGUMENT_CHARACTERS:
            text = f"{text[:_ARGUMENT_CHARACTERS]}…"
        if isinstance(value, str):
            yield ShownArgument(name, f'"{text}"', "string")
        else:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            yield ShownArgument(name, text, "number" if is_number else "other")
