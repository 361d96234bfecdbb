"""What a check found: its findings in the reader's language, by the stages of a connection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from access.reader_language import in_language
from catalog.models import KeptCheck
from core.messages import Message, from_json
from gateways.check_report import Finding, Level
from gateways.engine import SourceKind

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

    label: str
    state: StageState
    findings: tuple[StageFinding, ...] = ()


_STATES = {
    Level.OK: StageState.OK,
    Level.WARNING: StageState.WARNING,
    Level.REFUSED: StageState.REFUSED,
}


def list_stages(kind: SourceKind) -> list[StageOutcome]:
    """The stages of a check that is still to come."""
    return [StageOutcome(in_language(stage.label), StageState.PENDING) for stage in kind.stages]


def group_by_stage(kind: SourceKind, findings: Sequence[Finding]) -> list[StageOutcome]:
    """All stages in order; one without findings passed if a later one has some."""
    listed = {code for stage in kind.stages for code in stage.codes}
    by_stage = [
        [
            finding
            for finding in findings
            if (finding.code in stage.codes if stage.codes else finding.code not in listed)
        ]
        for stage in kind.stages
    ]
    reached = max((at for at, found in enumerate(by_stage) if found), default=-1)
    outcomes = []
    for at, (stage, found) in enumerate(zip(kind.stages, by_stage, strict=True)):
        state = StageState.OK if at < reached else StageState.SKIPPED
        if worst := find_worst(found):
            state = _STATES[worst.level]
        shown = [
            StageFinding(_STATES[finding.level], in_language(finding.message)) for finding in found
        ]
        outcomes.append(StageOutcome(in_language(stage.label), state, tuple(shown)))
    return outcomes


def find_worst(findings: Iterable[Finding]) -> Finding | None:
    """The first of those that matter most."""
    return min(findings, key=lambda finding: _SEVERITY.index(finding.level), default=None)


def translate_summary(check: KeptCheck) -> str:
    """The worst finding of a stored check in the active language."""
    worst = find_worst(read_findings(check))
    return in_language(worst.message) if worst else check.summary


def read_findings(check: KeptCheck) -> list[Finding]:
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
