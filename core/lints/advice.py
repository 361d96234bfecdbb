"""One piece of advice on a tool: what is so and what would be better, ready for translation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class AdviceLevel(StrEnum):
    """How much advice matters: with a PROBLEM the tool is not served, or not found by agents."""

    PROBLEM = "problem"
    WARNING = "warning"
    SUGGESTION = "suggestion"


@dataclass(frozen=True, slots=True)
class Advice:
    """`template` is the English text, with {names} of `values`; a translation has the same names.

    `place` is what is meant: `name`, `description`, `annotations`, `logic`, or `parameters.<name>`.
    `start` and `end` count characters of the logic's text, both 0 where no part of it is meant.
    """

    level: AdviceLevel
    code: str
    template: str
    values: Mapping[str, str | int] = field(default_factory=dict)
    place: str = ""
    start: int = 0
    end: int = 0

    @property
    def text(self) -> str:
        """The advice in English."""
        text = self.template
        for name, value in self.values.items():
            text = text.replace(f"{{{name}}}", str(value))
        return text

    def at(self, place: str, start: int = 0, end: int = 0) -> "Advice":
        """The same with its place."""
        return Advice(self.level, self.code, self.template, self.values, place, start, end)

    def to_json(self) -> dict[str, Any]:
        """The advice in English for a program."""
        return {
            "level": self.level.value,
            "code": self.code,
            "text": self.text,
            "place": self.place,
        }


# The templates are taken into the catalogues of translations by the names of the next functions, so
# they are written out in their calls: no variables, no f-strings.


def problem(code: str, template: str, /, **values: str | int) -> Advice:
    """Advice that must be followed."""
    return Advice(AdviceLevel.PROBLEM, code, template, values)


def warning(code: str, template: str, /, **values: str | int) -> Advice:
    """Advice on what will most likely go wrong."""
    return Advice(AdviceLevel.WARNING, code, template, values)


def suggestion(code: str, template: str, /, **values: str | int) -> Advice:
    """Advice that makes the tool better."""
    return Advice(AdviceLevel.SUGGESTION, code, template, values)
