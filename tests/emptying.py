"""Empties the database after a test that has committed, in less time than Django's flush."""

from functools import cache

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from django.db.transaction import atomic
from django.test import TransactionTestCase

from access.models import AuditEntry, AuditHead
from catalog.sources.environment import sync_environment_sources
from tools.models import RegistryChange, RegistryRevision

# Those of migrate, the same in every test; the counter goes on with its log, as sequences do.
LASTING = {
    model._meta.db_table
    for model in (ContentType, Permission, RegistryRevision, RegistryChange, AuditEntry, AuditHead)
}
CALLS = '"h_call_record"'
# What its triggers refuse to others, the owner of the tables may do without them.
_EMPTY_TRAIL = """
ALTER TABLE h_audit DISABLE TRIGGER refuse_change;
TRUNCATE h_audit;
ALTER TABLE h_audit ENABLE TRIGGER refuse_change;
INSERT INTO h_audit_head (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET number = 0, hash = '';
"""


def empty_written_tables(case: TransactionTestCase) -> None:
    """Leave the rows that Django's flush leaves; takes the place of `_fixture_teardown`.

    Only tables that have rows are truncated, since PostgreSQL makes new files for each one and for
    its indexes; and what migrate makes for Django's own apps is kept, not made again.
    """
    for alias in case._databases_names(include_mirrors=False):  # type: ignore[attr-defined]
        with connections[alias].cursor() as cursor:
            cursor.execute(_look_into_tables(alias))
            written = [name for (name,) in cursor.fetchall()]
            if CALLS in written:
                # Each of its partitions would get new files.
                cursor.execute(f"DELETE FROM {CALLS}")  # noqa: S608 - our table
                written.remove(CALLS)
            if written:
                cursor.execute(f"TRUNCATE {', '.join(written)} CASCADE")
    RegistryRevision.objects.update(demo_loaded_at=None)
    sync_environment_sources()


def empty_trail() -> None:
    """Empty the audit trail, which goes on from test to test: few of them look at it."""
    with connections["default"].cursor() as cursor, atomic():
        cursor.execute(_EMPTY_TRAIL)


@cache
def _look_into_tables(alias: str) -> str:
    """SQL that lists the quoted names of the tables that have rows."""
    names = connections[alias].introspection.django_table_names(
        only_existing=True, include_views=False
    )
    quoted = [connections[alias].ops.quote_name(name) for name in names if name not in LASTING]
    return " UNION ALL ".join(
        f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})"  # noqa: S608 - names of our models
        for name in quoted
    )
