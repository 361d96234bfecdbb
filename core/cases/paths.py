"""Paths into an answer: `$`, then `.name`, `["any name"]` or `[0]`; `[-1]` is the last item."""

import json
import re
from collections.abc import Iterator

from core.errors import DefinitionError
from core.messages import message
from core.toolspec import JsonValue

_STEP = re.compile(
    r"\.(?P<name>[^\W\d][\w-]*)|\[(?P<index>-?\d{1,6})\]|\[(?P<text>\"(?:[^\"\\]|\\.)*\")\]"
)


def read_path(path: str) -> tuple[str | int, ...]:
    """The steps of the path. Raises DefinitionError for what is none."""
    return tuple(_steps(path))


def find_at(path: str, root: JsonValue) -> tuple[bool, JsonValue]:
    """Whether there is something at the path, and what."""
    found = root
    for step in _steps(path):
        if isinstance(step, str):
            is_there = isinstance(found, dict) and step in found
        else:
            is_there = isinstance(found, list) and -len(found) <= step < len(found)
        if not is_there:
            return False, None
        found = found[step]
    return True, found


def _steps(path: str) -> Iterator[str | int]:
    place = 1
    while path.startswith("$") and place < len(path) and (step := _STEP.match(path, place)):
        place = step.end()
        if step["index"]:
            yield int(step["index"])
        else:
            yield step["name"] or json.loads(step["text"], strict=False)
    if not path.startswith("$") or place < len(path):
        raise DefinitionError(
            message(
                "case.path",
                '{path} is no path; write $, then .name, ["name"] or [0], as in $[0].store',
                path=path[:100],
            )
        )
