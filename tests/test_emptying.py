"""Tests that commit leave the database as Django's flush would."""

import pytest
from django.contrib.auth.models import Permission, User
from django.core.management import call_command
from django.db import connection
from django.test import TransactionTestCase

from tests.catalog.rows import make_table
from tests.emptying import empty_written_tables
from tests.factories import make_tool


def count_rows() -> dict[str, int]:
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    counts = " UNION ALL ".join(f"SELECT '{name}', count(*) FROM {name}" for name in tables)  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(counts)
        counted = {name: rows for name, rows in cursor.fetchall() if rows}
    # Emptying a table is written there, too.
    for table in ("h_registry_change", "h_audit", "h_audit_head"):
        counted.pop(table, None)
    return counted


def write_rows() -> None:
    make_table("stores", columns=("id", "region"))
    make_tool(name="daily_sales")
    User.objects.create(username="ann").user_permissions.set(Permission.objects.all()[:1])


@pytest.mark.django_db(transaction=True)
def test_what_is_left_is_what_a_flush_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_SOURCE_SALES_URL", "postgresql://ann:x@localhost/sales")
    write_rows()
    empty_written_tables(TransactionTestCase())
    left = count_rows()
    write_rows()
    with connection.cursor() as cursor:
        for table in ("h_audit", "h_audit_head"):
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER refuse_change")

    call_command("flush", verbosity=0, interactive=False, reset_sequences=False)

    with connection.cursor() as cursor:
        for table in ("h_audit", "h_audit_head"):
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER refuse_change")
    assert left == count_rows()
    assert left["h_data_source"] == 1
