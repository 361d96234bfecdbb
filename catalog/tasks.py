"""Jobs of the catalogue that workers run and beat starts."""

from contextlib import suppress
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from catalog.documents.pending import RUN_S, index_pending_for
from catalog.documents.tables import refresh_source_documents, remove_unserved_documents
from catalog.jobs import INDEX_PENDING, send_job
from catalog.models import CatalogQuery, CatalogScan, ScanState
from catalog.scans.scanning import find_scannable, request_scan, run_scan, send_waiting_scans
from catalog.scans.state import ScanBusyError, ScanLostError


@shared_task(ignore_result=True)
def scan_source(scan_id: int) -> None:
    """Carry out a scan, unless it is over or another process has it."""
    with suppress(ScanBusyError, ScanLostError, CatalogScan.DoesNotExist):
        run_scan(CatalogScan.objects.get(pk=scan_id))


@shared_task(ignore_result=True)
def scan_all() -> int:
    """Request a scan of every data source that can be used; returns how many."""
    return len([request_scan(source, "") for source in find_scannable()])


@shared_task(ignore_result=True)
def look_after_scans() -> int:
    """Request scans of sources that nobody ever scanned, take up those that were lost; returns how many."""
    taken_up = send_waiting_scans()
    return taken_up + len(
        [request_scan(source, "") for source in find_scannable(without=list(ScanState))]
    )


@shared_task(ignore_result=True)
def prune_searches() -> int:
    """Delete searches older than CALL_LOG_RETENTION_DAYS; returns how many."""
    before = timezone.now() - timedelta(days=settings.CALL_LOG_RETENTION_DAYS)
    return CatalogQuery.objects.filter(at__lt=before).delete()[0]


@shared_task(ignore_result=True, time_limit=10 * RUN_S)
def index_pending() -> None:
    """Embed what changed; another job follows while there is more."""
    remove_unserved_documents()
    if index_pending_for(RUN_S):
        send_job(INDEX_PENDING)


@shared_task(ignore_result=True)
def refresh_source(source_id: int | None) -> None:
    """Write the documents of a data source's tables again, and have them embedded."""
    refresh_source_documents(source_id)
    send_job(INDEX_PENDING)
