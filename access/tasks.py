"""Housekeeping that beat starts."""

from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from access.models import CallRecord, RuntimeInstance

RUNTIME_FORGOTTEN_AFTER = timedelta(hours=1)


@shared_task(ignore_result=True)
def prune_call_records() -> int:
    """Delete calls older than CALL_LOG_RETENTION_DAYS; returns how many."""
    before = timezone.now() - timedelta(days=settings.CALL_LOG_RETENTION_DAYS)
    return CallRecord.objects.filter(at__lt=before).delete()[0]


@shared_task(ignore_result=True)
def prune_runtimes() -> int:
    """Delete runtimes that have been silent for an hour; returns how many."""
    before = timezone.now() - RUNTIME_FORGOTTEN_AFTER
    return RuntimeInstance.objects.filter(last_seen_at__lt=before).delete()[0]
