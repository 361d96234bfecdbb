"""Samples of tables: masked, taken again when needed, and never the end of a scan."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.utils import timezone

from catalog.models import CatalogColumn, CatalogTable, DataSource, ScanState
from catalog.scans.scanning import find_or_queue_scan, run_scan
from core.catalogue.masking import MASK
from tests.catalog.scans.conftest import Database, found

pytestmark = pytest.mark.django_db


def rows(table: CatalogTable) -> Any:
    return table.sample and table.sample["rows"]


def test_sample_masks_what_names_say_is_sensitive(shop_database: Database) -> None:
    shop_database.scan()

    assert rows(shop_database.table("sales")) == [[7, 1, 9.5, MASK]]


@pytest.mark.parametrize(
    ("column", "is_masked", "expected"),
    [
        pytest.param("amount", True, [[7, 1, MASK, MASK]], id="masked"),
        pytest.param("email", False, [[7, 1, 9.5, "kim@example.com"]], id="shown"),
    ],
)
def test_what_people_say_of_a_column_decides(
    shop_database: Database, column: str, is_masked: bool, expected: list[list[Any]]
) -> None:
    shop_database.scan()
    row = CatalogColumn.objects.get(name=column)
    row.is_masked = is_masked
    row.save()

    shop_database.scan()

    assert rows(shop_database.table("sales")) == expected


def test_sample_serves_for_a_day(shop_database: Database) -> None:
    shop_database.scan()
    shop_database.execute("INSERT INTO stores VALUES (2, 'Tokyo')")

    shop_database.scan()
    assert rows(shop_database.table("stores")) == [[1, "Seoul"]]

    table = shop_database.table("stores")
    read_at = timezone.now() - timedelta(days=1)
    table.sample = {**(table.sample or {}), "read_at": read_at.isoformat()}
    table.save()
    shop_database.scan()
    assert rows(shop_database.table("stores")) == [[1, "Seoul"], [2, "Tokyo"]]


def test_changed_table_is_sampled_again(shop_database: Database) -> None:
    shop_database.scan()
    shop_database.execute("ALTER TABLE stores ADD city TEXT DEFAULT 'Seoul'")

    shop_database.scan()

    assert rows(shop_database.table("stores")) == [[1, "Seoul", "Seoul"]]


def test_view_that_fails_has_a_note_instead(postgres_source: DataSource, scanned_dsn: str) -> None:
    with psycopg.connect(scanned_dsn) as owner:
        owner.execute("CREATE VIEW broken AS SELECT 1 / (random() * 0)::int AS ratio")
        owner.execute("CREATE TABLE fine AS SELECT 1 AS id")

    scan = run_scan(find_or_queue_scan(postgres_source, ""))

    assert (scan.state, found(scan)) == (ScanState.DONE, (2, 0, 0))
    broken, fine = CatalogTable.objects.order_by("name")
    assert "division by zero" in broken.sample_note
    assert CatalogTable.objects.get(sample__isnull=True) == broken
    assert (rows(fine), fine.sample_note) == ([[1]], "")


def test_note_of_a_view_that_fails_quotes_no_values(
    postgres_source: DataSource, scanned_dsn: str
) -> None:
    with psycopg.connect(scanned_dsn) as owner:
        owner.execute("CREATE TABLE people AS SELECT 'kim \"the cat\" lee' AS email")
        owner.execute("CREATE VIEW numbers AS SELECT email::int AS number FROM people")

    run_scan(find_or_queue_scan(postgres_source, ""))

    note = CatalogTable.objects.get(name="numbers").sample_note
    assert note == "invalid input syntax for type integer: ***"


def test_samples_are_left_when_their_time_is_over(shop_database: Database, settings: Any) -> None:
    settings.CATALOG_SAMPLING_TIMEOUT_S = -1

    scan = shop_database.scan()

    assert scan.state == ScanState.DONE
    assert scan.warnings == ["2 tables were not sampled: the time for samples was over."]
    assert rows(shop_database.table("sales")) is None


def test_hostile_names_comments_and_values_survive(
    postgres_source: DataSource, scanned_dsn: str
) -> None:
    names = ['quote"d', "new\nline", "😀", "표" * 21, "semi;colon--"]
    comment = "<script>alert(1)</script>" + "x" * 100_000
    with psycopg.connect(scanned_dsn) as owner:
        for name in names:
            quoted = psycopg.sql.Identifier(name)
            statement = psycopg.sql.SQL("CREATE TABLE {t} AS SELECT E'\\u0001<b>' AS {t}")
            owner.execute(statement.format(t=quoted))
            owner.execute(psycopg.sql.SQL("COMMENT ON TABLE {} IS {}").format(quoted, comment))

    scan = run_scan(find_or_queue_scan(postgres_source, ""))

    assert (scan.state, scan.warnings, found(scan)) == (ScanState.DONE, [], (5, 0, 0))
    assert set(CatalogTable.objects.values_list("name", flat=True)) == set(names)
    table = CatalogTable.objects.get(name=names[0])
    assert table.source_comment.startswith("<script>")
    assert rows(table) == [["\x01<b>"]]


def test_text_that_json_of_the_database_cannot_hold_is_cleaned(shop_database: Database) -> None:
    shop_database.execute("UPDATE stores SET name = 'a' || char(0) || 'b'")

    scan = shop_database.scan()

    assert scan.state == ScanState.DONE
    assert rows(shop_database.table("stores")) in ([[1, "ab"]], [[1, "a"]])
