"""What a check of a data source's connection found, for an administrator."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

Value = str | int

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Level(StrEnum):
    """How much a finding matters: a source with a REFUSED one must not be served."""

    REFUSED = "REFUSED"
    WARNING = "WARNING"
    OK = "OK"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is so, and what to do about it.

    `code` is a short slug that never changes with the values. `template` is the English text, with
    {names} of `values`; a translation has the same names. Where `plural` is set, it is the template
    of every `count` but 1. Neither templates nor values hold a password or an address.
    """

    level: Level
    code: str
    template: str
    values: Mapping[str, Value] = field(default_factory=dict)
    plural: str = ""

    @property
    def text(self) -> str:
        """The finding in English."""
        is_plural = self.plural and self.values.get("count") != 1
        return fill(self.plural if is_plural else self.template, self.values)


def fill(template: str, values: Mapping[str, Value]) -> str:
    """The template with its {names} replaced, numbers with commas; a name without a value stays."""
    # Not str.format: a stored template may come from another program, and formats can be endless.
    return _PLACEHOLDER.sub(
        lambda found: _show(values[found[1]]) if found[1] in values else found[0], template
    )


def _show(value: Value) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


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


class Counted(NamedTuple):
    """A template for one thing and one for {count} of them."""

    singular: str
    plural: str


Template = str | Counted

# The templates are taken into the catalogues of translations by the names of the next functions, so
# they are written out in their calls: no variables, no f-strings.


def counted(singular: str, plural: str) -> Counted:
    """The template of a finding whose values have a `count`."""
    return Counted(singular, plural)


def refused(code: str, template: Template, /, **values: Value) -> Finding:
    """A finding that makes the source unfit."""
    return _make(Level.REFUSED, code, template, values)


def warning(code: str, template: Template, /, **values: Value) -> Finding:
    """A finding that should be mended."""
    return _make(Level.WARNING, code, template, values)


def ok(code: str, template: Template, /, **values: Value) -> Finding:
    """A finding that is as it should be."""
    return _make(Level.OK, code, template, values)


def _make(level: Level, code: str, template: Template, values: dict[str, Value]) -> Finding:
    if isinstance(template, str):
        return Finding(level, code, template, values)
    return Finding(level, code, template.singular, values, template.plural)


def list_names(names: Sequence[str], count: int) -> str:
    """The names with commas between them; `…` at the end where they are not all `count` of them."""
    return ", ".join([*names, "…"] if count > len(names) else names)
