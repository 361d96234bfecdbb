"""What a check found: its findings in the reader's language, by the stages of a connection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.reader_language import in_language
from catalog.models import Engine, SourceCheck
from core.messages import Message, from_json
from gateways.checks.postgres import INSPECTION_S as POSTGRES_S
from gateways.checks.postgres_session import MOST_CONNECT_S
from gateways.checks.report import Finding, Level
from gateways.checks.sqlite import INSPECTION_S as SQLITE_S
from gateways.http.settings import CONNECT_TIMEOUT_S

# A check ends after so many seconds, whatever the database does.
LONGEST_CHECK_S = {
    Engine.POSTGRESQL: round(MOST_CONNECT_S + POSTGRES_S),
    Engine.SQLITE: round(SQLITE_S),
    Engine.HTTP: round(CONNECT_TIMEOUT_S),
}
_SEVERITY = (Level.REFUSED, Level.WARNING, Level.OK)


class StageState(StrEnum):
    """How a stage ended; SKIPPED ones were not tried, PENDING ones are still to come."""

    OK = "ok"
    WARNING = "warning"
    REFUSED = "refused"
    SKIPPED = "skipped"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class StageFinding:
    """One finding in the active language."""

    state: StageState
    text: str


@dataclass(frozen=True, slots=True)
class StageOutcome:
    """A stage with what was found in it."""

    label: str | Promise
    state: StageState
    findings: tuple[StageFinding, ...] = ()


_REACH, _ENTER, _SESSION, _RIGHTS, _PROOF = "reach", "enter", "session", "rights", "proof"
_STAGES: Mapping[str, Mapping[str, str | Promise]] = {
    Engine.POSTGRESQL: {
        _REACH: _("Reached"),
        _ENTER: _("Signed in"),
        _SESSION: _("Session and limits"),
        _RIGHTS: _("Rights of the role"),
        _PROOF: _("Writes tried"),
    },
    Engine.SQLITE: {
        _REACH: _("File found"),
        _ENTER: _("Opened"),
        _RIGHTS: _("Rights and content"),
        _PROOF: _("Writes tried"),
    },
    Engine.HTTP: {
        _REACH: _("Name resolved"),
        _RIGHTS: _("Address may be called"),
    },
}
_CODES = {
    _REACH: (
        *("unknown-host", "no-route", "connection-refused", "no-answer", "not-postgresql"),
        *("no-tls", "tls-failed", "wrong-option", "connection-failed", "wrong-configuration"),
        *("not-a-file", "file-missing", "not-readable", "wrong-path"),
        "unknown-service",
    ),
    _ENTER: (
        *("connected", "no-password", "wrong-password", "unknown-role", "unknown-database"),
        *("role-may-not-log-in", "no-connect-privilege", "not-admitted", "starting"),
        *("too-many-connections", "wrong-setting", "pooler-refuses-options"),
        *("not-sqlite", "cannot-open", "cannot-read", "locked", "damaged", "needs-recovery"),
    ),
    _SESSION: (
        *("encrypted", "encrypted-unverified", "local", "not-encrypted", "old-version"),
        *("settings-kept", "settings-dropped", "search-path", "schema-missing", "schema-closed"),
        *("no-temp-file-limit", "password-expires", "no-connection-limit"),
        "connection-limit-too-small",
    ),
    _PROOF: (
        *("writes-refused", "write-accepted", "one-command", "two-commands"),
        *("time-limit", "time-limit-set", "time-limit-ignored", "time-limit-untried"),
    ),
}
_STAGE_OF = {code: stage for stage, codes in _CODES.items() for code in codes}
_STATES = {
    Level.OK: StageState.OK,
    Level.WARNING: StageState.WARNING,
    Level.REFUSED: StageState.REFUSED,
}


def list_stages(engine: str) -> list[StageOutcome]:
    """The stages of a check that is still to come."""
    return [StageOutcome(label, StageState.PENDING) for label in _labels(engine).values()]


def group_by_stage(engine: str, findings: Sequence[Finding]) -> list[StageOutcome]:
    """All stages in order; one without findings passed if a later one has some."""
    labels = _labels(engine)
    by_stage: dict[str, list[Finding]] = {stage: [] for stage in labels}
    for finding in findings:
        stage = _STAGE_OF.get(finding.code, _RIGHTS)
        by_stage[stage if stage in labels else _RIGHTS].append(finding)
    reached = max((at for at, found in enumerate(by_stage.values()) if found), default=-1)
    outcomes = []
    for at, (stage, found) in enumerate(by_stage.items()):
        state = StageState.OK if at < reached else StageState.SKIPPED
        if worst := find_worst(found):
            state = _STATES[worst.level]
        shown = [
            StageFinding(_STATES[finding.level], in_language(finding.message)) for finding in found
        ]
        outcomes.append(StageOutcome(labels[stage], state, tuple(shown)))
    return outcomes


def _labels(engine: str) -> Mapping[str, str | Promise]:
    return _STAGES.get(engine, _STAGES[Engine.POSTGRESQL])


def find_worst(findings: Iterable[Finding]) -> Finding | None:
    """The first of those that matter most."""
    return min(findings, key=lambda finding: _SEVERITY.index(finding.level), default=None)


def translate_summary(check: SourceCheck) -> str:
    """The worst finding of a stored check in the active language."""
    worst = find_worst(read_findings(check))
    return in_language(worst.message) if worst else check.summary


def read_findings(check: SourceCheck) -> list[Finding]:
    """The findings of a stored check; entries that are none are left out, since other programs write rows too."""
    report = check.report if isinstance(check.report, Mapping) else {}
    entries = report.get("findings")
    findings = []
    for entry in entries if isinstance(entries, list) else []:
        match entry:
            case {"code": str(), "template": str(), "values": dict(), "level": level}:
                message = from_json(entry)
            # As findings were stored before they had templates.
            case {"code": str(code), "text": str(text), "level": level}:
                message = Message(code, text)
            case _:
                continue
        if message and level in _SEVERITY:
            findings.append(Finding(Level(level), message))
    return findings
