"""Asks databases whether they can be used safely, and keeps what they said."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from asgiref.sync import async_to_sync
from django.utils import timezone

from access.reader_language import to_columns
from catalog.models import CheckState, DataSource, Engine, SourceCheck
from catalog.sources.connections import to_settings
from catalog.sources.finding_texts import find_worst
from catalog.sources.http_services import find_target, to_service
from core.errors import ConfigurationError
from core.messages import list_sentences
from gateways.checks.postgres import inspect_postgres
from gateways.checks.report import ConnectionReport, Finding, Level, refused
from gateways.checks.sqlite import inspect_sqlite
from gateways.http.check import inspect_service
from gateways.sources import DatabaseSettings
from gateways.sqlite.settings import SqliteSettings

CHECKED_AT_ONCE = 8
# How long the word of a check is taken, and that of a database that was away.
VALID_FOR = timedelta(days=1)
RETRY_AFTER = timedelta(minutes=1)

# Findings that say nothing of the role: the check was cut short.
_CUT_SHORT = frozenset({"too-slow", "connection-lost"})


def find_due() -> list[DataSource]:
    """Data sources that nobody has checked as they are now, or not lately; other programs write rows too."""
    return [row for row in DataSource.objects.select_related("last_check") if _is_due(row)]


def _is_due(source: DataSource) -> bool:
    try:
        target = find_target(source)
    except ConfigurationError:
        return False
    check: SourceCheck | None = getattr(source, "last_check", None)
    if check is None or check.target != target:
        return True
    is_away = check.state == CheckState.UNREACHABLE
    return timezone.now() - check.checked_at > (RETRY_AFTER if is_away else VALID_FOR)


async def inspect_row(source: DataSource) -> ConnectionReport:
    """What the database says now; reads nothing of ours and stores nothing."""
    return await _inspect_row(source, asyncio.Semaphore(1))


def inspect_source(source: DataSource) -> ConnectionReport:
    """What the database says now, of a row that may not be saved yet; stores nothing."""
    return async_to_sync(inspect_row)(source)


def check_sources(sources: Sequence[DataSource]) -> list[SourceCheck]:
    """The stored outcome of checking each source, in order; some are asked at the same time."""
    reports = async_to_sync(_inspect_rows)(sources)
    return [store_report(*pair) for pair in zip(sources, reports, strict=True)]


def store_report(source: DataSource, report: ConnectionReport) -> SourceCheck:
    """The report as the source's last check."""
    try:
        target = find_target(source)
    except ConfigurationError:
        target = ""
    check, _created = SourceCheck.objects.update_or_create(
        source=source,
        defaults={
            "checked_at": timezone.now(),
            "state": state_of(report),
            "summary": summarize(report),
            **_find_refusal(source, report, target),
            "target": target,
            "report": _to_json(report),
        },
    )
    return check


def find_faults(report: ConnectionReport) -> list[str]:
    """English texts of what makes the database unfit, as `select_faults`."""
    return [fault.text for fault in select_faults(report)]


def select_faults(report: ConnectionReport) -> list[Finding]:
    """What makes the database unfit; nothing when it was not reached, since nothing is known then."""
    if report.is_unreachable:
        return []
    return [
        finding
        for finding in report.findings
        if finding.level is Level.REFUSED and finding.code not in _CUT_SHORT
    ]


def state_of(report: ConnectionReport) -> CheckState:
    """The worst that was found."""
    if find_faults(report):
        return CheckState.REFUSED
    if report.is_refused:
        return CheckState.UNREACHABLE
    has_warning = any(finding.level is Level.WARNING for finding in report.findings)
    return CheckState.WARNING if has_warning else CheckState.OK


def summarize(report: ConnectionReport) -> str:
    """The worst finding in English, '' if there is none."""
    worst = find_worst(report.findings)
    return worst.text if worst else ""


def _to_json(report: ConnectionReport) -> dict[str, Any]:
    """The report as it is stored."""
    return asdict(report) | {"findings": [finding.to_json() for finding in report.findings]}


def _find_refusal(source: DataSource, report: ConnectionReport, target: str) -> dict[str, Any]:
    """Why the source may not be used; a database that is away does not change what was found before."""
    if state_of(report) is not CheckState.UNREACHABLE:
        faults = [fault.message for fault in select_faults(report)]
        return to_columns("refusal", list_sentences(faults) if faults else None)
    before = SourceCheck.objects.filter(source=source, target=target).first()
    refusal, message = (before.refusal, before.refusal_message) if before else ("", None)
    return {"refusal": refusal, "refusal_message": message}


async def _inspect_rows(sources: Sequence[DataSource]) -> list[ConnectionReport]:
    gate = asyncio.Semaphore(CHECKED_AT_ONCE)
    return await asyncio.gather(*(_inspect_row(source, gate) for source in sources))


async def _inspect_row(source: DataSource, gate: asyncio.Semaphore) -> ConnectionReport:
    try:
        if source.engine == Engine.HTTP:
            return await inspect_service(to_service(source))
        settings = to_settings(source)
    except ConfigurationError as error:
        return ConnectionReport(findings=(_misconfigured(error),))
    async with gate:
        return await _inspect(settings)


async def _inspect(settings: DatabaseSettings) -> ConnectionReport:
    if isinstance(settings, SqliteSettings):
        return await inspect_sqlite(settings)
    return await inspect_postgres(settings)


def _misconfigured(error: ConfigurationError) -> Finding:
    return refused(
        "wrong-configuration",
        "The data source is not set up correctly: {reason}.",
        reason=str(error).rstrip("."),
    )
