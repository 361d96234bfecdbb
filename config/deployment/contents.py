"""Checks of what is in the database: people, data sources, issuers; and of the machine around it."""

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings

from access.administrators import find_administrators
from access.issuers.models import TokenIssuer
from catalog.models import DataSource
from catalog.sources.checking import inspect_row
from catalog.sources.connections import default_settings
from config import env
from config.deployment.findings import DeploymentFinding, caution, fault, fine
from config.services.disk import explain_full_disk
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.errors import IssuerUnavailableError, ToolboxError
from gateways.check_report import ConnectionReport, Level
from gateways.engines import inspect_source
from gateways.issuers import read_metadata

SOURCE_TIMEOUT_S = 20.0
SOURCES_AT_ONCE = 8
MIN_FREE_BYTES = 1 << 30
GOOD_FREE_BYTES = 10 << 30
MIN_RETENTION_DAYS = 7
MAX_RETENTION_DAYS = 400
READER_LINE = (
    "CREATE ROLE reader LOGIN NOINHERIT; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;"
)


def check_administrator() -> Iterator[DeploymentFinding]:
    """Whether somebody can sign in and administer."""
    count = find_administrators().count()
    if count:
        yield fine("administrator", f"Administrators: {count}.")
    elif settings.SSO_ADMINISTRATORS:
        yield caution(
            "administrator",
            "There is no administrator until one of SSO_ADMINISTRATORS has signed in.",
        )
    else:
        yield fault(
            "administrator",
            "Nobody can administer.",
            f"{env.PROGRAM} create_admin NAME --generate",
        )


def check_sources() -> Iterator[DeploymentFinding]:
    """Whether each data source is there and its role can only read; services are not asked."""
    rows = list(DataSource.objects.prefetch_related("secrets"))
    reports = async_to_sync(_inspect_all)(rows)
    for name, report in reports:
        if report is None:
            yield fault(f"source {name}", f"No answer within {SOURCE_TIMEOUT_S:g} s.")
            continue
        found = [one for one in report.findings if one.level is not Level.OK]
        for one in found:
            make = fault if one.level is Level.REFUSED else caution
            yield make(f"source {name}", one.text, report.role_sql or READER_LINE)
        if not found:
            yield fine(f"source {name}", "It can be read, and not written.")
    if not reports:
        yield caution(
            "sources",
            "There is no data source.",
            "DATA_SOURCE_SALES_URL=postgresql://reader:password@db.example.org/sales",
        )


async def _inspect_all(rows: list[DataSource]) -> list[tuple[str, ConnectionReport | None]]:
    gate = asyncio.Semaphore(SOURCES_AT_ONCE)
    asked = [(row.name, partial(inspect_row, row, asks_service=False)) for row in rows]
    if (default := default_settings()) is not None:
        asked.insert(0, (DEFAULT_SOURCE_NAME, partial(inspect_source, default)))

    async def ask(
        name: str, inspect: Callable[[], Coroutine[Any, Any, ConnectionReport]]
    ) -> tuple[str, ConnectionReport | None]:
        async with gate:
            try:
                return name, await asyncio.wait_for(inspect(), SOURCE_TIMEOUT_S)
            except (TimeoutError, ToolboxError):
                return name, None

    return list(await asyncio.gather(*(ask(*one) for one in asked)))


def check_issuers() -> Iterator[DeploymentFinding]:
    """Whether the issuers of tokens and sign-ins answer."""
    for issuer in TokenIssuer.objects.filter(is_active=True):
        try:
            async_to_sync(read_metadata)(issuer.url)
        except IssuerUnavailableError:
            yield fault(
                f"issuer {issuer.name}",
                f"{issuer.url} does not say who it is at /.well-known/openid-configuration.",
            )
        else:
            yield fine(f"issuer {issuer.name}", f"{issuer.url} answers.")


def check_retention() -> Iterator[DeploymentFinding]:
    """Whether calls are kept as long as somebody asks for them, and not for ever."""
    days = settings.CALL_LOG_RETENTION_DAYS
    if MIN_RETENTION_DAYS <= days <= MAX_RETENTION_DAYS:
        yield fine(
            "call-log",
            f"Calls are kept for {days} days, arguments as {settings.CALL_LOG_ARGUMENTS!r}.",
        )
    else:
        yield caution(
            "call-log",
            f"Calls are kept for {days} days; what happened last week should be found, and the table"
            " should end somewhere.",
            "CALL_LOG_RETENTION_DAYS=90",
        )


def check_audit_head() -> Iterator[DeploymentFinding]:
    """Whether the end of the audit trail is kept where who owns the database cannot change it."""
    if not settings.AUDIT_HEAD_FILE:
        yield caution(
            "audit",
            "AUDIT_HEAD_FILE is not set: whoever owns the database can cut off the end of the trail.",
            "AUDIT_HEAD_FILE=/var/log/toolbuilder/audit-heads",
        )
        return
    try:
        with Path(settings.AUDIT_HEAD_FILE).open("ab"):
            pass
    except OSError as error:
        yield fault(
            "audit",
            f"AUDIT_HEAD_FILE cannot be written ({error.strerror}).",
            "AUDIT_HEAD_FILE=/var/log/toolbuilder/audit-heads",
        )
    else:
        yield fine("audit", "The end of the audit trail is kept in a file.")


def check_disk() -> Iterator[DeploymentFinding]:
    """Whether there is room where this process writes."""
    folder = env.data_dir().absolute()
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if reason := explain_full_disk([folder]):
        yield fault(
            "disk", f"{reason[0].upper()}{reason[1:]}.", "TOOLBUILDER_DATA_DIR=/var/lib/toolbuilder"
        )
    elif free < GOOD_FREE_BYTES:
        make = fault if free < MIN_FREE_BYTES else caution
        yield make("disk", f"{free / (1 << 30):.1f} GiB are free at {folder}.")
    else:
        yield fine("disk", f"{free >> 30} GiB are free at {folder}.")


def check_metrics() -> Iterator[DeploymentFinding]:
    """Whether somebody can watch."""
    if settings.METRICS_TOKEN or settings.METRICS_PORT:
        yield fine("metrics", "Metrics are served.")
    else:
        yield caution("metrics", "No metrics are served.", "METRICS_PORT=9464")
