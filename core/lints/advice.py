"""One piece of advice on a tool, ready for translation."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from core.messages import Message, Template, Value, message


class AdviceLevel(StrEnum):
    """How much advice matters: with a PROBLEM the tool is not served, or not found by agents."""

    PROBLEM = "problem"
    WARNING = "warning"
    SUGGESTION = "suggestion"


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing that could be better.

    `place` is what is meant: `name`, `description`, `annotations`, `logic`, or `parameters.<name>`.
    `start` and `end` count characters of the logic's text, both 0 if no part of it is meant.
    """

    level: AdviceLevel
    message: Message
    place: str = ""
    start: int = 0
    end: int = 0

    @property
    def code(self) -> str:
        """A short slug that never changes with the values."""
        return self.message.code

    @property
    def text(self) -> str:
        """The advice in English."""
        return str(self.message)

    def at(self, place: str, start: int = 0, end: int = 0) -> "Advice":
        """The same with its place."""
        return replace(self, place=place, start=start, end=end)

    def to_json(self) -> dict[str, Any]:
        """The advice in English for a program."""
        return {
            "level": self.level.value,
            "code": self.code,
            "text": self.text,
            "place": self.place,
        }


def problem(code: str, template: Template, /, **values: Value) -> Advice:
    """Advice that must be followed; template and values as of `message`."""
    return Advice(AdviceLevel.PROBLEM, message(code, template, **values))


def warning(code: str, template: Template, /, **values: Value) -> Advice:
    """Advice on what will most likely go wrong."""
    return Advice(AdviceLevel.WARNING, message(code, template, **values))


def suggestion(code: str, template: Template, /, **values: Value) -> Advice:
    """Advice that makes the tool better."""
    return Advice(AdviceLevel.SUGGESTION, message(code, template, **values))
