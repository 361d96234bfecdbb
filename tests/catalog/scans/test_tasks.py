"""Scans as workers and beat run them."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from catalog.jobs import SCAN_SOURCE
from catalog.models import CatalogQuery, CatalogScan, ScanState
from catalog.scans.scanning import request_scan
from catalog.tasks import look_after_scans, prune_searches, scan_all, scan_source
from config.celery import app
from tests.catalog.scans.conftest import Database

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def broker(settings: Any) -> None:
    """The default source not set, and a broker that is away."""
    settings.POSTGRESQL_DB_HOST = ""
    settings.REDIS_URL = settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"


def test_task_carries_out_a_scan_once(shop_database: Database) -> None:
    scan = request_scan(shop_database.source, "kim")

    scan_source(scan.pk)
    scan_source(scan.pk)

    scan.refresh_from_db()
    assert (scan.state, scan.new_count) == (ScanState.DONE, 2)


def test_task_of_a_deleted_scan_does_nothing() -> None:
    scan_source(0)


def test_every_source_is_requested_at_night(shop_database: Database) -> None:
    assert scan_all() == 1
    assert CatalogScan.objects.get().source == shop_database.source


def test_source_that_was_never_scanned_is_requested_once(shop_database: Database) -> None:
    assert look_after_scans() == 1

    CatalogScan.objects.update(state=ScanState.FAILED)
    assert look_after_scans() == 0


def test_scan_that_lost_its_process_is_sent_again(shop_database: Database) -> None:
    silent_since = timezone.now() - timedelta(seconds=61)
    CatalogScan.objects.create(
        source=shop_database.source, state=ScanState.RUNNING, heartbeat_at=silent_since
    )

    assert look_after_scans() == 1


def test_broker_that_is_away_leaves_the_scan_waiting(
    shop_database: Database, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        scan = request_scan(shop_database.source, "kim")

    scan.refresh_from_db()
    assert scan.state == ScanState.QUEUED


def test_beat_and_requests_name_tasks_that_workers_know() -> None:
    app.loader.import_default_modules()

    named = {entry["task"] for entry in app.conf.beat_schedule.values()} | {SCAN_SOURCE}
    assert named <= set(app.tasks)


def test_old_searches_are_forgotten(settings: Any) -> None:
    settings.CALL_LOG_RETENTION_DAYS = 90
    CatalogQuery.objects.create(at=timezone.now() - timedelta(days=91), query="old")
    CatalogQuery.objects.create(at=timezone.now() - timedelta(days=89), query="young")

    assert prune_searches() == 1
    assert CatalogQuery.objects.get().query == "young"
