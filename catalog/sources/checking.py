"""Asks databases whether they can be used safely, and keeps what they said."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta

from asgiref.sync import async_to_sync
from django.db.models import prefetch_related_objects
from django.utils import timezone

from access.reader_language import to_columns
from catalog.models import CheckState, DataSource, DefaultSourceCheck, KeptCheck, SourceCheck
from catalog.sources.connections import find_target, make_default_row, to_service, to_settings
from catalog.sources.environment import STARTED_AT
from catalog.sources.findings import find_worst
from core.errors import ConfigurationError
from core.messages import list_sentences
from gateways.check_report import ConnectionReport, Finding, Level, refused
from gateways.engines import inspect_source as inspect_database
from gateways.http.kind import inspect_service

CHECKED_AT_ONCE = 8
# How long the word of a check is taken, and that of a database that was away.
VALID_FOR = timedelta(days=1)
RETRY_AFTER = timedelta(minutes=1)

# Findings that say nothing of the role: the check was cut short.
_CUT_SHORT = frozenset({"too-slow", "connection-lost"})


def find_due() -> list[DataSource]:
    """Data sources that nobody has checked as they are now, or not lately; other programs write rows too."""
    due = []
    rows = DataSource.objects.select_related("last_check").prefetch_related("secrets")
    for source in (make_default_row(), *rows):
        try:
            target = find_target(source)
        except ConfigurationError:
            continue
        check = find_check(source)
        if check is None or _is_outdated(source, check, target):
            due.append(source)
    return due


def _is_outdated(source: DataSource, check: KeptCheck, target: str) -> bool:
    valid_for = RETRY_AFTER if check.state == CheckState.UNREACHABLE else VALID_FOR
    if timezone.now() - check.checked_at > valid_for:
        return True
    # Processes with different variables would otherwise check the default one by turns for ever.
    return check.checked_at < STARTED_AT if source.is_default else check.target != target


def find_check(source: DataSource) -> KeptCheck | None:
    """The last check, None before the first."""
    check: KeptCheck | None = (
        source.default_check if source.is_default else getattr(source, "last_check", None)
    )
    return check


async def inspect_row(source: DataSource, *, asks_service: bool = True) -> ConnectionReport:
    """What the database says now, of a row that may not be saved yet; stores nothing.

    An HTTP service gets a request only if it is asked: nobody wants that of a check by the clock.
    """
    try:
        if source.is_service:
            return await inspect_service(to_service(source), asks=asks_service)
        settings = to_settings(source)
    except ConfigurationError as error:
        finding = refused(
            "wrong-configuration",
            "The data source is not set up correctly: {reason}.",
            reason=str(error).rstrip("."),
        )
        return ConnectionReport(findings=(finding,))
    return await inspect_database(settings)


def inspect_source(source: DataSource) -> ConnectionReport:
    """As `inspect_row`."""
    if source.pk and source.is_service:
        prefetch_related_objects([source], "secrets")
    return async_to_sync(inspect_row)(source)


def check_sources(sources: Sequence[DataSource]) -> list[KeptCheck]:
    """The stored outcome of checking each source, in order; some are asked at the same time."""
    gate = asyncio.Semaphore(CHECKED_AT_ONCE)
    # No query is made while databases are asked.
    prefetch_related_objects([source for source in sources if source.pk], "secrets")

    async def inspect(source: DataSource) -> ConnectionReport:
        async with gate:
            return await inspect_row(source)

    async def inspect_all() -> list[ConnectionReport]:
        return await asyncio.gather(*map(inspect, sources))

    reports = async_to_sync(inspect_all)()
    return [store_report(*pair) for pair in zip(sources, reports, strict=True)]


def store_report(source: DataSource, report: ConnectionReport) -> KeptCheck:
    """The report as the source's last check."""
    checks = DefaultSourceCheck.objects if source.is_default else SourceCheck.objects
    key = 1 if source.is_default else source.pk
    try:
        target = find_target(source)
    except ConfigurationError:
        target = ""
    if state_of(report) is not CheckState.UNREACHABLE:
        faults = [fault.message for fault in select_faults(report)]
        refusal = to_columns("refusal", list_sentences(faults) if faults else None)
    else:
        # A database that is away does not change what was found before.
        before = checks.filter(pk=key, target=target).first()
        refusal = {
            "refusal": before.refusal if before else "",
            "refusal_message": before.refusal_message if before else None,
        }
    worst = find_worst(report.findings)
    check, _created = checks.update_or_create(
        pk=key,
        defaults={
            "checked_at": timezone.now(),
            "state": state_of(report),
            "summary": worst.text if worst else "",
            **refusal,
            "target": target,
            "report": asdict(report)
            | {"findings": [finding.to_json() for finding in report.findings]},
        },
    )
    return check


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
    if select_faults(report):
        return CheckState.REFUSED
    if report.is_refused:
        return CheckState.UNREACHABLE
    has_warning = any(finding.level is Level.WARNING for finding in report.findings)
    return CheckState.WARNING if has_warning else CheckState.OK
