"""What a check of a data source's connection found, for an administrator."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding matters: a source with a REFUSED one must not be served."""

    REFUSED = "REFUSED"
    WARNING = "WARNING"
    OK = "OK"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is so, and what to do about it.

    `code` is a short slug that never changes with the values in `text`. The text holds no password
    and no address.
    """

    level: Level
    code: str
    text: str


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


def refused(code: str, text: str) -> Finding:
    """A finding that makes the source unfit."""
    return Finding(Level.REFUSED, code, text)


def warning(code: str, text: str) -> Finding:
    """A finding that should be mended."""
    return Finding(Level.WARNING, code, text)


def ok(code: str, text: str) -> Finding:
    """A finding that is as it should be."""
    return Finding(Level.OK, code, text)


def join_names(names: list[str], count: int) -> str:
    """The names as a list in words; `count` is how many there are in all."""
    shown = ", ".join(names)
    return f"{shown} and {count - len(names):,} more" if count > len(names) else shown
