"""Housekeeping that beat starts."""

import logging
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from access.audit.heads import publish_head
from access.history.days import roll_up_days
from access.history.months import drop_months, make_months
from access.limits.counting import forget_ended_windows
from access.limits.usage import read_near_limits
from access.models import EndedSession, RuntimeInstance, ToolLimit

logger = logging.getLogger(__name__)

RUNTIME_FORGOTTEN_AFTER = timedelta(hours=1)
SESSION_FORGOTTEN_AFTER = timedelta(days=30)


@shared_task(ignore_result=True)
def prune_call_records() -> int:
    """Drop months of calls that are all older than CALL_LOG_RETENTION_DAYS; returns how many.

    Partitions for the months ahead are made, too, and their days are counted before they go.
    """
    make_months()
    roll_up_days()
    return len(drop_months(timezone.now() - timedelta(days=settings.CALL_LOG_RETENTION_DAYS)))


@shared_task(ignore_result=True)
def count_calls() -> None:
    """Count the calls of the last days, for figures over months."""
    roll_up_days()


@shared_task(ignore_result=True)
def prune_runtimes() -> int:
    """Delete runtimes that have been silent for an hour; returns how many."""
    before = timezone.now() - RUNTIME_FORGOTTEN_AFTER
    return RuntimeInstance.objects.filter(last_seen_at__lt=before).delete()[0]


@shared_task(ignore_result=True)
def prune_ended_sessions() -> int:
    """Delete sessions that ended a month ago; returns how many."""
    before = timezone.now() - SESSION_FORGOTTEN_AFTER
    return EndedSession.objects.filter(at__lt=before).delete()[0]


@shared_task(ignore_result=True)
def publish_audit_head() -> str:
    """Say outside of the database how far the audit trail goes; returns number and hash of its end."""
    return publish_head()


@shared_task(ignore_result=True)
def warn_of_limits() -> int:
    """Log each limit of which 80 % is used; returns how many."""
    near = list(read_near_limits(ToolLimit.objects.all()))
    for use in near:
        place = f"limit {use.row.pk} ({use.row}), {use.measure.value}"
        logger.warning("%s: %s of %s used by %s", place, use.used, use.most, use.who or "all")
    return len(near)


@shared_task(ignore_result=True)
def forget_limit_windows() -> int:
    """Delete what was used in windows that ended two days ago; returns how many rows."""
    return forget_ended_windows()
