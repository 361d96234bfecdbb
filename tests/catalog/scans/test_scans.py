"""What a scan writes, and what it leaves alone."""

import pytest
from django.utils import timezone

from catalog.models import CatalogColumn, ScanState, SchemaState, TableRelation, Tag
from catalog.scans.scanning import cancel_scan, find_or_queue_scan, run_scan
from catalog.scans.state import ScanBusyError
from tests.catalog.scans.conftest import Database, found

pytestmark = pytest.mark.django_db


def revision(database: Database) -> int:
    return SchemaState.objects.get(source=database.source).revision


def test_tables_columns_and_keys_are_written(shop_database: Database) -> None:
    scan = shop_database.scan()

    assert (scan.state, scan.error, found(scan)) == (ScanState.DONE, "", (2, 0, 0))
    sales = shop_database.table("sales")
    columns = sales.columns.values_list("name", "position", "type_name", "is_primary_key")
    assert list(columns)[:2] == [("id", 1, "integer", True), ("store_id", 2, "integer", False)]
    relation = sales.relations.get()
    assert (relation.target.name, relation.columns) == ("stores", ["store_id"])


def test_scan_of_the_same_finds_nothing(shop_database: Database) -> None:
    shop_database.scan()
    shop_database.execute("INSERT INTO stores VALUES (2, 'Tokyo')")

    scan = shop_database.scan()

    assert found(scan) == (0, 0, 0)
    assert revision(shop_database) == 1


def test_new_changed_and_gone_tables_are_counted(shop_database: Database) -> None:
    shop_database.execute("CREATE TABLE old (id INTEGER)")
    shop_database.scan()
    shop_database.execute(
        "DROP TABLE old; CREATE TABLE fresh (id INTEGER); ALTER TABLE stores ADD city TEXT"
    )

    scan = shop_database.scan()

    assert found(scan) == (1, 1, 1)
    assert revision(shop_database) == 2
    assert shop_database.table("old").gone_at is not None
    assert shop_database.table("stores").columns.filter(name="city").exists()


def test_column_that_is_gone_keeps_its_row(shop_database: Database) -> None:
    shop_database.scan()
    shop_database.execute("ALTER TABLE sales DROP COLUMN email")

    shop_database.scan()

    gone = CatalogColumn.objects.exclude(gone_at=None)
    assert [column.name for column in gone] == ["email"]


def test_key_that_is_gone_keeps_its_row(shop_database: Database) -> None:
    shop_database.scan()
    shop_database.execute("DROP TABLE sales; CREATE TABLE sales (id INTEGER, store_id INTEGER)")

    shop_database.scan()

    assert TableRelation.objects.get().gone_at is not None


def test_table_that_comes_back_is_changed(shop_database: Database) -> None:
    shop_database.scan()
    shop_database.execute("ALTER TABLE sales RENAME TO away")
    shop_database.scan()
    shop_database.execute("ALTER TABLE away RENAME TO sales")

    scan = shop_database.scan()

    assert found(scan) == (0, 1, 1)
    assert shop_database.table("sales").gone_at is None
    assert TableRelation.objects.filter(table__name="sales").get().gone_at is None


def test_what_people_wrote_is_kept(shop_database: Database) -> None:
    shop_database.scan()
    table = shop_database.table("sales")
    written = {"display_name": "売上", "description": "판매", "notes": "n", "is_hidden": True}
    type(table).objects.filter(pk=table.pk).update(**written, updated_by="kim")
    table.tags.add(Tag.objects.create(name="sales"))
    amount = {"display_name": "금액", "description": "d", "is_masked": True, "updated_by": "kim"}
    table.columns.filter(name="amount").update(**amount)
    shop_database.execute("ALTER TABLE sales ADD city TEXT")

    shop_database.scan()

    after = shop_database.table("sales")
    assert {name: getattr(after, name) for name in written} == written
    assert (after.updated_by, after.tags.get().name) == ("kim", "sales")
    column = after.columns.get(name="amount")
    assert {name: getattr(column, name) for name in amount} == amount


def test_relations_of_people_are_kept(shop_database: Database) -> None:
    shop_database.scan()
    sales, stores = shop_database.table("sales"), shop_database.table("stores")
    TableRelation.objects.create(table=stores, target=sales, relation_type="own")
    TableRelation.objects.filter(table=sales).update(description="where it was sold")
    shop_database.execute("ALTER TABLE sales ADD city TEXT")

    shop_database.scan()

    assert TableRelation.objects.get(relation_type="own").gone_at is None
    assert TableRelation.objects.get(table=sales).description == "where it was sold"


def test_second_request_finds_the_first_scan(shop_database: Database) -> None:
    first = find_or_queue_scan(shop_database.source, "kim")

    assert find_or_queue_scan(shop_database.source, "lee") == first
    assert first.requested_by == "kim"


def test_scan_that_another_process_works_on_is_left_to_it(shop_database: Database) -> None:
    scan = find_or_queue_scan(shop_database.source, "")
    scan.state, scan.heartbeat_at = ScanState.RUNNING, timezone.now()
    scan.save()

    with pytest.raises(ScanBusyError, match="another process is working on it"):
        run_scan(scan)


def test_waiting_scan_is_cancelled_at_once(shop_database: Database) -> None:
    scan = find_or_queue_scan(shop_database.source, "")

    cancel_scan(scan)

    assert scan.state == ScanState.CANCELLED
    with pytest.raises(ScanBusyError):
        run_scan(scan)


def test_empty_database_is_remarked_upon(shop_database: Database) -> None:
    shop_database.execute("DROP TABLE sales; DROP TABLE stores")

    scan = shop_database.scan()

    assert scan.state == ScanState.DONE
    assert scan.warnings == ["The data source shows no tables; may its role read any?"]
