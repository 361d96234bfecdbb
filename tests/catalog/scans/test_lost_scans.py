"""Scans that do not come to their end: cancelled, cut off from the source, or killed."""

from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from catalog.models import CatalogScan, CatalogTable, DataSource, ScanState, SchemaState
from catalog.scans.scanning import find_or_queue_scan, run_scan, send_waiting_scans
from catalog.scans.state import ScanLostError
from config.services.postgres import EmbeddedPostgres
from tests.catalog.scans.conftest import (
    DATABASE,
    Database,
    LostProcess,
    after_portions,
    found,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_portions")]
# The keys lead to a table of a later portion, and to one of an earlier one.
SEVEN = """
DROP TABLE sales; DROP TABLE stores;
CREATE TABLE t1 (id INTEGER PRIMARY KEY, other INTEGER REFERENCES t7 (id));
CREATE TABLE t2 (id INTEGER); CREATE TABLE t3 (id INTEGER);
CREATE TABLE t4 (id INTEGER); CREATE TABLE t5 (id INTEGER); CREATE TABLE t6 (id INTEGER);
CREATE TABLE t7 (id INTEGER PRIMARY KEY, other INTEGER REFERENCES t1 (id));
"""


def kill() -> None:
    raise LostProcess


def lose(database: Database) -> CatalogScan:
    """A scan whose process was killed after four tables, a minute ago."""
    with after_portions(2, kill), pytest.raises(LostProcess):
        database.scan()
    CatalogScan.objects.update(heartbeat_at=timezone.now() - timedelta(seconds=61))
    return CatalogScan.objects.get()


@pytest.mark.usefixtures("steady_pulse")
def test_cancelled_scan_keeps_what_was_read(shop_database: Database) -> None:
    shop_database.execute(SEVEN)
    scan = find_or_queue_scan(shop_database.source, "")

    def cancel() -> None:
        CatalogScan.objects.update(is_cancel_wanted=True)

    with after_portions(1, cancel):
        run_scan(scan)

    assert scan.state == ScanState.CANCELLED
    assert 2 <= CatalogTable.objects.count() < 7
    assert SchemaState.objects.get().revision == 1


@pytest.mark.usefixtures("steady_pulse")
def test_cancelled_scan_marks_nothing_as_gone(shop_database: Database) -> None:
    shop_database.scan()
    shop_database.execute(SEVEN)

    scan = run_scan(find_or_queue_scan(shop_database.source, ""), is_stopped=lambda: True)

    assert scan.state == ScanState.CANCELLED
    assert shop_database.table("stores").gone_at is None


def test_killed_scan_goes_on_where_it_was(shop_database: Database) -> None:
    shop_database.execute(SEVEN)
    scan = lose(shop_database)
    written = shop_database.table("t1").scanned_at

    run_scan(scan)

    assert (scan.state, found(scan), scan.warnings) == (ScanState.DONE, (7, 0, 0), [])
    assert shop_database.table("t1").scanned_at == written
    assert shop_database.table("t1").relations.get().target.name == "t7"
    assert shop_database.table("t7").relations.get().target.name == "t1"


def test_killed_scan_is_begun_by_the_next_request(shop_database: Database) -> None:
    shop_database.execute(SEVEN)
    scan = lose(shop_database)

    assert shop_database.scan() == scan


def test_process_that_was_only_slow_notices_that_its_scan_was_taken(
    shop_database: Database,
) -> None:
    shop_database.execute(SEVEN)

    def take_over() -> None:
        CatalogScan.objects.update(heartbeat_at=timezone.now())

    with after_portions(1, take_over), pytest.raises(ScanLostError, match="another process"):
        shop_database.scan()

    assert CatalogScan.objects.get().state == ScanState.RUNNING
    assert CatalogTable.objects.count() == 2


def test_scan_that_never_ends_is_given_up(shop_database: Database) -> None:
    shop_database.execute(SEVEN)
    scan = lose(shop_database)
    CatalogScan.objects.update(started_at=timezone.now() - timedelta(hours=7))

    assert send_waiting_scans() == 0

    scan.refresh_from_db()
    assert scan.state == ScanState.FAILED
    assert "scan once more" in scan.error


def test_source_that_dies_leaves_what_was_read(
    postgres_source: DataSource, scanned_dsn: str, embedded_postgres: EmbeddedPostgres
) -> None:
    with psycopg.connect(scanned_dsn) as owner:
        for number in range(5):
            owner.execute(f"CREATE TABLE t{number} (id int)".encode())
    superuser = psycopg.connect(embedded_postgres.dsn("postgres", "superuser"), autocommit=True)

    def close_database() -> None:
        superuser.execute(f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS false")
        superuser.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [DATABASE]
        )

    try:
        with after_portions(1, close_database):
            scan = run_scan(find_or_queue_scan(postgres_source, ""))
    finally:
        superuser.execute(f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS true")
        superuser.close()

    assert (scan.state, found(scan)) == (ScanState.FAILED, (2, 0, 0))
    assert scan.error.startswith("read 2 of 5 tables; ")
    assert CatalogTable.objects.filter(gone_at=None).count() == 2


def test_source_that_is_away_is_said_so(shop_database: Database) -> None:
    shop_database.path.unlink()

    scan = shop_database.scan()

    assert scan.state == ScanState.FAILED
    assert scan.error.startswith("no table was read; ")
    assert str(shop_database.path) not in scan.error


def test_deleted_source_takes_its_tables_along(shop_database: Database) -> None:
    shop_database.scan()

    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM h_data_source WHERE name = 'shop'")
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    assert (CatalogTable.objects.count(), CatalogScan.objects.count()) == (0, 0)
