"""Findings of a check in the language of who reads them, also those that were stored."""

from collections.abc import Iterable, Mapping

from access.reader_language import in_language
from catalog.models import SourceCheck
from core.messages import Message, from_json
from gateways.checks.report import Finding, Level

_SEVERITY = (Level.REFUSED, Level.WARNING, Level.OK)


def find_worst(findings: Iterable[Finding]) -> Finding | None:
    """The first of those that matter most."""
    return min(findings, key=lambda finding: _SEVERITY.index(finding.level), default=None)


def translate(finding: Finding) -> str:
    """The finding in the active language; in English where it has no translation."""
    return in_language(finding.message)


def translate_summary(check: SourceCheck) -> str:
    """The worst finding of a stored check in the active language."""
    worst = find_worst(read_findings(check))
    return translate(worst) if worst else check.summary


def read_findings(check: SourceCheck) -> list[Finding]:
    """The findings of a stored check; entries that are none are left out, since other programs write rows too."""
    report = check.report if isinstance(check.report, Mapping) else {}
    entries = report.get("findings")
    found = [_read(entry) for entry in entries] if isinstance(entries, list) else []
    return [finding for finding in found if finding]


def _read(entry: object) -> Finding | None:
    match entry:
        case {"level": level} if level in _SEVERITY and (message := _read_message(entry)):
            return Finding(Level(level), message)
    return None


def _read_message(entry: object) -> Message | None:
    """The finding's message, or the text that it was when it had no template."""
    match entry:
        case {"code": str(), "template": str(), "values": dict()}:
            return from_json(entry)
        case {"code": str(code), "text": str(text)}:
            return Message(code, text)
    return None
