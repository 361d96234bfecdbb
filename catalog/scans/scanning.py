"""Scans of data sources: requested, carried out and cancelled."""

import threading
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace

from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from access.reader_language import to_columns
from catalog.jobs import SCAN_SOURCE, send_job
from catalog.management.interruption import IsStopped
from catalog.models import ACTIVE_STATES, CatalogScan, DataSource, ScanPhase, ScanState
from catalog.scans.run import Progress, ScanRun
from catalog.scans.state import (
    GIVEN_UP_AFTER,
    ScanBusyError,
    ScanCancelledError,
    ScanLostError,
    find_free,
    finish_scan,
    take_scan,
)
from catalog.sources.settings import read_sources
from core.errors import ToolboxError
from core.messages import Message, message

_FAULT = message(
    "scan.program_error", "an error in the program ended the scan; the log of the process says more"
)
_GIVEN_UP = message(
    "scan.never_ended",
    "the scan was begun again and again and never came to its end; scan once more",
)
_DONE = {
    ScanPhase.READING: message("scan.read", "read {done} of {count} tables"),
    ScanPhase.RELATING: message("scan.related", "related {done} of {count} tables"),
    ScanPhase.SAMPLING: message("scan.sampled", "sampled {done} of {count} tables"),
}


def request_scan(source: DataSource | None, username: str) -> CatalogScan:
    """The scan of the source that waits or runs, else a new one that waits; None is the default.

    On commit it is sent to a worker. Where there is no broker, a thread of this process takes it,
    so that no request waits for it.
    """
    scan = find_or_queue_scan(source, username)
    if CatalogScan.objects.filter(find_free(), pk=scan.pk).exists():
        transaction.on_commit(lambda: _send(scan.pk))
    return scan


def find_or_queue_scan(source: DataSource | None, username: str) -> CatalogScan:
    """As `request_scan`, but it is not sent: the caller carries it out."""
    scan, _created = CatalogScan.objects.get_or_create(
        source=source,
        state__in=ACTIVE_STATES,
        defaults={"state": ScanState.QUEUED, "requested_by": username},
    )
    return scan


def run_scan(
    scan: CatalogScan,
    tell: Progress = lambda scan: None,
    is_stopped: IsStopped = lambda: False,
) -> CatalogScan:
    """The scan when it is over: done, failed or cancelled, with what it found; it does not raise for that.

    `tell` gets the scan every half second, `is_stopped` is asked as often and cancels it. A scan
    whose process was lost goes on from where it was. Raises ScanBusyError where another process
    works on it, ScanLostError where another one has taken it meanwhile.
    """
    take_scan(scan)
    try:
        state, error = _carry_out(scan, tell, is_stopped)
    except ScanLostError:
        raise
    except Exception:
        finish_scan(scan, ScanState.FAILED, _FAULT)
        raise
    finish_scan(scan, state, error)
    tell(scan)
    return scan


def cancel_scan(scan: CatalogScan) -> None:
    """End a scan: at once where nobody works on it, else as soon as its process looks, in about a second."""
    CatalogScan.objects.filter(find_free(), pk=scan.pk).update(
        state=ScanState.CANCELLED, finished_at=timezone.now()
    )
    running = CatalogScan.objects.filter(pk=scan.pk, state=ScanState.RUNNING)
    running.update(is_cancel_wanted=True)
    scan.refresh_from_db()


def send_waiting_scans() -> int:
    """Send scans that nobody works on to workers again, and say how many; hopeless ones are ended."""
    hopeless = CatalogScan.objects.filter(
        find_free(), started_at__lt=timezone.now() - GIVEN_UP_AFTER
    )
    hopeless.update(
        state=ScanState.FAILED, finished_at=timezone.now(), **to_columns("error", _GIVEN_UP)
    )
    waiting = list(CatalogScan.objects.filter(find_free()).values_list("pk", flat=True))
    for pk in waiting:
        _send(pk)
    return len(waiting)


def find_scannable(without: Collection[ScanState] = ()) -> list[DataSource | None]:
    """Sources that can be used, None the default first, unless they have a scan in one of these states."""
    usable = read_sources().usable
    rows = DataSource.objects.filter(name__in=[name for name in usable if name]).order_by("name")
    found = [*([None] if None in usable else []), *rows]
    scans = CatalogScan.objects.filter(state__in=list(without))
    left_out = set(scans.values_list("source_id", flat=True))
    return [source for source in found if (source.pk if source else None) not in left_out]


def _carry_out(
    scan: CatalogScan, tell: Progress, is_stopped: IsStopped
) -> tuple[ScanState, Message | None]:
    """How the scan ended, and the error if it failed."""
    name = scan.source.name if scan.source else None
    sources = read_sources()
    if name not in sources.usable:
        return ScanState.FAILED, sources.refused.get(name) or message(
            "scan.source_gone", "there is no data source {name} any more", name=repr(name)
        )
    timeout_s = settings.CATALOG_SAMPLING_TIMEOUT_S
    run = ScanRun(scan, sources.usable[name], tell, is_stopped, sampling_timeout_s=timeout_s)
    try:
        async_to_sync(run.run)()
    except ScanCancelledError:
        return ScanState.CANCELLED, None
    except ScanLostError:
        raise
    except ToolboxError as error:
        done = message("scan.none_read", "no table was read")
        if scan.phase in _DONE:
            values = {"done": scan.done_count, "count": scan.total_count}
            done = replace(_DONE[ScanPhase(scan.phase)], values=values)
        return ScanState.FAILED, message(
            "scan.failed", "{done}; {reason}", done=done, reason=error.message
        )
    finally:
        run.publish_rest()
    return ScanState.DONE, None


def _send(pk: int) -> None:
    """To a worker, or a thread of this process; where the broker is away, beat finds the scan later."""
    if settings.REDIS_URL:
        send_job(SCAN_SOURCE, pk)
        return
    threading.Thread(target=_run_in_thread, args=[pk], name=f"scan-{pk}", daemon=True).start()


def _run_in_thread(pk: int) -> None:
    try:
        # ScanBusyError: somebody else has taken it; DoesNotExist: its source was deleted.
        with suppress(ScanBusyError, ScanLostError, CatalogScan.DoesNotExist):
            run_scan(CatalogScan.objects.get(pk=pk))
    finally:
        connection.close()
