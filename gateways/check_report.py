"""What a check of a data source's connection found, for an administrator."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from core.messages import Message, Template, Value, message


class Level(StrEnum):
    """How much a finding matters: a source with a REFUSED one must not be served."""

    REFUSED = "REFUSED"
    WARNING = "WARNING"
    OK = "OK"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is so, and what to do about it; its message holds no password and no address."""

    level: Level
    message: Message

    @property
    def code(self) -> str:
        """A short slug that never changes with the values."""
        return self.message.code

    @property
    def text(self) -> str:
        """The finding in English."""
        return str(self.message)

    def to_json(self) -> dict[str, Any]:
        """The finding as it is stored, its English text too, for programs that read the row."""
        return {"level": self.level.value, **self.message.to_json(), "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionReport:
    """All findings in the order of the check; `server` as in `PostgreSQL 18.6`, '' if not reached.

    `role_sql` makes a right role when an administrator of the database runs it; '' if none is needed.
    """

    server: str = ""
    role: str = ""
    database: str = ""
    findings: tuple[Finding, ...] = ()
    role_sql: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether anything makes the source unfit to be served."""
        return any(finding.level is Level.REFUSED for finding in self.findings)

    @property
    def is_unreachable(self) -> bool:
        """Whether no connection was made, so that nothing is known of the role."""
        return not self.server


def refused(code: str, template: Template, /, **values: Value) -> Finding:
    """A finding that makes the source unfit; template and values as of `message`."""
    return Finding(Level.REFUSED, message(code, template, **values))


def warning(code: str, template: Template, /, **values: Value) -> Finding:
    """A finding that should be mended."""
    return Finding(Level.WARNING, message(code, template, **values))


def ok(code: str, template: Template, /, **values: Value) -> Finding:
    """A finding that is as it should be."""
    return Finding(Level.OK, message(code, template, **values))


def list_names(names: Sequence[str], count: int) -> str:
    """The names with commas between them; `…` at the end where they are not all `count` of them."""
    return ", ".join([*names, "…"] if count > len(names) else names)
