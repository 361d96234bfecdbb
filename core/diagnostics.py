"""Faults of a text in the editor: what is wrong, where, and the fix that one click applies."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.messages import Message, message


class Severity(StrEnum):
    """How much a diagnostic matters: a tool with an ERROR cannot be served."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Fix:
    """Replace the text from `start` to `end` by `insert`; offsets count characters of the text."""

    label: Message
    start: int
    end: int
    insert: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One fault; `start` and `end` count characters; both are 0 for the text as a whole.

    `code` is a short slug or the database's own. `parameter` names the declared parameter at
    fault, if any.
    """

    message: Message
    severity: Severity = Severity.ERROR
    code: str = ""
    start: int = 0
    end: int = 0
    parameter: str = ""
    fix: Fix | None = None


def use_fix(insert: str, start: int, end: int) -> Fix:
    """The fix that writes `insert` instead."""
    return Fix(message("fix.use", "Use {text}", text=insert), start, end, insert)


class Utf16Offsets:
    """Offsets of a text as JavaScript counts them: a character beyond U+FFFF counts twice."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        # Most texts have none, and then nothing is to be counted.
        has_wide = bool(text) and max(text) > "\uffff"
        self._wide = (
            [at for at, character in enumerate(text) if character > "\uffff"] if has_wide else []
        )

    def of(self, offset: int) -> int:
        """The offset in UTF-16 code units; beyond the text, that of its end."""
        offset = min(max(offset, 0), self._length)
        return offset + bisect_left(self._wide, offset)


def diagnostic_json(
    diagnostic: Diagnostic, offsets: Utf16Offsets, show: Callable[[Message], str] = str
) -> dict[str, Any]:
    """The diagnostic as the editor takes it; `from` and `to` count UTF-16 code units.

    `show` gives the texts in the reader's language.
    """
    fix = diagnostic.fix
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "message": show(diagnostic.message),
        "from": offsets.of(diagnostic.start),
        "to": offsets.of(diagnostic.end),
        "parameter": diagnostic.parameter,
        "fix": fix
        and {
            "label": show(fix.label),
            "from": offsets.of(fix.start),
            "to": offsets.of(fix.end),
            "insert": fix.insert,
        },
    }
