"""Requests where there is no broker."""

from typing import Any

import pytest

from catalog.models import CatalogScan, ScanState
from catalog.scans.scanning import request_scan
from tests.catalog.scans.conftest import Database
from tests.waiting import wait_until


@pytest.mark.django_db(transaction=True)
def test_without_a_broker_a_thread_scans(shop_database: Database, settings: Any) -> None:
    settings.REDIS_URL = ""

    scan: CatalogScan = request_scan(shop_database.source, "kim")

    wait_until(lambda: CatalogScan.objects.get().is_active is False)
    scan.refresh_from_db()
    assert (scan.state, scan.new_count) == (ScanState.DONE, 2)
