"""Findings of a check in the language of who reads them, also those that were stored."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext, ngettext

from catalog.models import SourceCheck
from gateways.checks.report import Finding, Level, Value, fill

_SEVERITY = (Level.REFUSED, Level.WARNING, Level.OK)


def find_worst(findings: Iterable[Finding]) -> Finding | None:
    """The first of those that matter most."""
    return min(findings, key=lambda finding: _SEVERITY.index(finding.level), default=None)


def translate(finding: Finding) -> str:
    """The finding in the active language; in English where it has no translation."""
    return fill(_find_translation(finding), finding.values)


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


def _find_translation(finding: Finding) -> str:
    count = finding.values.get("count")
    if finding.plural and isinstance(count, int):
        return ngettext(finding.template, finding.plural, count)
    return gettext(finding.template)


def _read(entry: object) -> Finding | None:
    """The finding with its template, or as the text that it was when it had none."""
    match entry:
        case {
            "level": level,
            "code": str(code),
            "template": str(template),
            "values": dict(values),
            "plural": str(plural),
        } if level in _SEVERITY:
            return Finding(Level(level), code, template, _read_values(values), plural)
        case {"level": level, "code": str(code), "text": str(text)} if level in _SEVERITY:
            return Finding(Level(level), code, text)
    return None


def _read_values(values: Mapping[str, object]) -> dict[str, Value]:
    return {name: value if isinstance(value, int) else str(value) for name, value in values.items()}
