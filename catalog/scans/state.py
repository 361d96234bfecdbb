"""Whose a scan is, how far it is and how it ended: one process at a time writes its row."""

from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils import timezone

from access.reader_language import to_columns
from catalog.models import CatalogScan, ScanState, SchemaState
from core.errors import ToolboxError
from core.messages import Message, message

# A scan that has not been heard of for so long has lost its process.
SILENT_AFTER = timedelta(seconds=60)
# One that is begun again and again kills its process; it is not begun once more.
GIVEN_UP_AFTER = timedelta(hours=6)
WARNING_LIMIT = 50
_PROGRESS = (
    *("phase", "table_name", "done_count", "total_count"),
    *("new_count", "changed_count", "gone_count", "warnings", "warning_messages"),
)


_MORE_WARNINGS = message("scan.more_warnings", "There are more warnings, which are not kept.")


class ScanBusyError(ToolboxError):
    """Another process works on the scan, or it is over."""


class ScanLostError(ToolboxError):
    """The scan was taken by another process, or is gone, while this one worked on it."""


class ScanCancelledError(ToolboxError):
    """A person has had enough of the scan."""


def take_scan(scan: CatalogScan) -> None:
    """Make the scan this process's: one that waits, or one whose process is silent.

    Raises ScanBusyError.
    """
    now = timezone.now()
    free = CatalogScan.objects.filter(find_free(), pk=scan.pk)
    begun = Coalesce(F("started_at"), now)
    if not free.update(state=ScanState.RUNNING, heartbeat_at=now, started_at=begun):
        raise ScanBusyError(
            message(
                "scan.busy", "this scan is done, or another process is working on it; wait for it"
            )
        )
    scan.refresh_from_db()


def find_free() -> Q:
    """The condition of scans that a process may take."""
    silent = Q(heartbeat_at__lt=timezone.now() - SILENT_AFTER)
    return Q(state=ScanState.QUEUED) | Q(state=ScanState.RUNNING) & silent


def keep_scan(scan: CatalogScan) -> None:
    """Write how far the scan is and that it is worked on; in a transaction, the last thing of it.

    Raises ScanLostError: the heartbeat in the row tells this process's claim from a later one.
    """
    now = timezone.now()
    progress = {name: getattr(scan, name) for name in _PROGRESS}
    _update_own(scan, heartbeat_at=now, **progress)
    scan.heartbeat_at = now


def is_cancel_wanted(scan: CatalogScan) -> bool:
    """Whether a person has asked for the end of the scan."""
    return CatalogScan.objects.filter(pk=scan.pk, is_cancel_wanted=True).exists()


def finish_scan(scan: CatalogScan, state: ScanState, error: Message | None = None) -> None:
    """End the scan, and have tools checked again if it found a change. Raises ScanLostError."""
    now = timezone.now()
    with transaction.atomic():
        keep_scan(scan)
        _update_own(scan, state=state, finished_at=now, **to_columns("error", error))
        if scan.new_count or scan.changed_count or scan.gone_count:
            schema, _created = SchemaState.objects.get_or_create(source_id=scan.source_id)
            own = SchemaState.objects.filter(pk=schema.pk)
            own.update(revision=F("revision") + 1, changed_at=now)
    scan.refresh_from_db()


def warn(scan: CatalogScan, sentence: Message) -> None:
    """Add a sentence to the warnings; of very many, the first are kept."""
    if len(scan.warnings) == WARNING_LIMIT:
        sentence = _MORE_WARNINGS
    if len(scan.warnings) <= WARNING_LIMIT:
        scan.warnings.append(str(sentence))
        scan.warning_messages.append(sentence.to_json())


def _update_own(scan: CatalogScan, **columns: object) -> None:
    own = CatalogScan.objects.filter(
        pk=scan.pk, state=ScanState.RUNNING, heartbeat_at=scan.heartbeat_at
    )
    if not own.update(**columns):
        raise ScanLostError(
            message("scan.lost", "the scan was ended or taken over by another process")
        )
