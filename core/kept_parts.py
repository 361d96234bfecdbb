"""Which part of an answer a tool keeps: a path into it, or an expression over it."""

import json
import re
from dataclasses import dataclass
from functools import lru_cache

from core.errors import DefinitionError, EvaluationError
from core.expression import CompiledExpression, compile_expression
from core.ingest.texts import clean_text
from core.messages import Message, message
from core.toolspec import JsonValue

RESPONSE = "response"
_SAID_CHARACTERS = 500
_STEP = re.compile(r"\.?(?P<name>[^.\[\]\s]+)|\[(?P<index>\d{0,6})\]|\[\"(?P<quoted>[^\"]+)\"\]")

# A name of an object, an index of a list, or None for every item of one.
Step = str | int | None


@dataclass(frozen=True, slots=True)
class Keep:
    """A path, as `daily[].date`, or an expression over `response`; one of them is not ''."""

    path: str = ""
    expression: str = ""

    def check(self) -> None:
        """Raise DefinitionError for what cannot be read; an expression's has the place."""
        if self.expression:
            _compile(self.expression)
        else:
            read_path(self.path)

    def apply(self, response: JsonValue) -> JsonValue:
        """The part of the answer. Raises EvaluationError where there is none."""
        if self.expression:
            return _compile(self.expression).evaluate({RESPONSE: response})
        return follow_path(response, self.path)


@lru_cache(maxsize=1_024)
def read_path(path: str) -> tuple[Step, ...]:
    """The steps of a path such as `data.items[0]["a b"]`. Raises DefinitionError."""
    steps: list[Step] = []
    end = 0
    while end < len(path):
        found = _STEP.match(path, end)
        if found is None or (found[0].startswith(".") and end == 0):
            raise DefinitionError(
                message(
                    "http.path_form",
                    "{path} is no path; write names, with [0] for one item and [] for each, as in"
                    " daily[].date",
                    path=repr(path[:100]),
                )
            )
        index = found["index"]
        steps.append(found["name"] or found["quoted"] or (int(index) if index else None))
        end = found.end()
    return tuple(steps)


def follow_path(value: JsonValue, path: str, *, is_list: bool = False) -> JsonValue:
    """What stands at the path. Raises EvaluationError, naming the step, where nothing does.

    Null or an empty text in the place of a list, or of an object with one, is an empty list: services
    that make JSON of XML send these where they find nothing, and one object where they find one: that
    is the only item of its list. `is_list` says that the path leads to one.
    """
    return _follow(value, read_path(path), is_list=is_list)


def explain_missing(reason: Message, response: JsonValue) -> Message:
    """The reason why a part is not there, with the beginning of what is: often the service says what is wrong."""
    said = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
    return message(
        "http.said",
        "{reason}; the service said: {said}",
        reason=reason,
        said=clean_text(said, _SAID_CHARACTERS),
    )


def _follow(value: JsonValue, steps: tuple[Step, ...], *, is_list: bool = False) -> JsonValue:
    for number, step in enumerate(steps):
        if step is None and isinstance(value, list):
            return [_follow(item, steps[number + 1 :]) for item in value]
        if isinstance(value, dict) and step in (None, 0):
            only = _follow(value, steps[number + 1 :])
            return [only] if step is None else only
        is_there = isinstance(step, str) and isinstance(value, dict) and step in value
        if is_there or (isinstance(step, int) and isinstance(value, list) and step < len(value)):
            value = value[step]
        elif (value is None or value == "") and (is_list or None in steps[number:]):
            return []
        else:
            known = ", ".join(list(value)[:10]) if isinstance(value, dict) else ""
            shown = "[]" if step is None else f"[{step}]" if isinstance(step, int) else step
            if known:
                text = message(
                    "http.keep_no_field",
                    "the answer has no {step} there; it has {known}",
                    step=shown,
                    known=known,
                )
            else:
                text = message("http.keep_nothing", "the answer has nothing at {step}", step=shown)
            raise EvaluationError(text)
    if is_list and (value is None or value == ""):
        return []
    return [value] if is_list and steps and isinstance(value, dict) else value


@lru_cache(maxsize=1_024)
def _compile(expression: str) -> CompiledExpression:
    return compile_expression(expression, [RESPONSE])
