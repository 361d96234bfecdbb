"""Texts with `{argument}`s in them: values of a request, and bodies that are written out."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from core.errors import StatementError
from core.ingest.values import value_text
from core.messages import message
from core.toolspec import JsonValue

# A name as parameters have it: other braces are text.
NAME = re.compile(r"\{([^\W\d][\w.-]*)\}")
_TEXT_OR_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|\{([^\W\d][\w.-]*)\}', re.DOTALL)


class _Absent:
    """What an argument is that nobody gave."""


ABSENT: Any = _Absent()


def find_names(text: str) -> list[str]:
    """The arguments of the text, each once, in order."""
    return list(dict.fromkeys(NAME.findall(text)))


def fill_text(text: str, given: Mapping[str, JsonValue]) -> str | None:
    """The text with its arguments, None where one of them is absent. Raises ArgumentsError."""
    if any(given.get(name) is None for name in find_names(text)):
        return None
    return NAME.sub(lambda found: value_text(found[1], given[found[1]]), text)


def check_json(template: str) -> None:
    """Raise StatementError, with the place, for a body that is not JSON but for its arguments."""
    _parse(template)


def fill_json(template: str, given: Mapping[str, JsonValue]) -> JsonValue:
    """The JSON value of a body with its arguments; ABSENT if it is one that nobody gave.

    `{name}`, in quotes or without, is the argument's own value; within a longer text it is a part of
    it. A field or an item whose argument is absent is left out. Raises ArgumentsError.
    """
    return _fill(_parse(template), given)


def _fill(part: JsonValue, given: Mapping[str, JsonValue]) -> JsonValue:
    if isinstance(part, dict):
        fields = {name: _fill(value, given) for name, value in part.items()}
        return {name: value for name, value in fields.items() if value is not ABSENT}
    if isinstance(part, list):
        return [value for item in part if (value := _fill(item, given)) is not ABSENT]
    if not isinstance(part, str):
        return part
    if whole := NAME.fullmatch(part):
        return given.get(whole[1], ABSENT)
    text = fill_text(part, given)
    return ABSENT if text is None else text


@lru_cache(maxsize=256)
def _parse(template: str) -> JsonValue:
    """The body as JSON with `{name}` as texts; what it gives is never changed."""
    quoted: list[int] = []

    def quote(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0]
        quoted.append(found.end())
        return f'"{found[0]}"'

    text = _TEXT_OR_NAME.sub(quote, template)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        place = getattr(error, "pos", 0)
        # Each name before the place has got two quotation marks.
        before = sum(end + 2 * number <= place for number, end in enumerate(quoted, start=1))
        place = min(max(0, place - 2 * before), len(template))
        line = template.count("\n", 0, place) + 1
        raise StatementError(
            message(
                "http.body_no_json",
                "the body is not JSON: line {line}, {reason}",
                line=line,
                reason=getattr(error, "msg", "it is nested too deeply"),
            ),
            place,
        ) from error
