"""Empties the database after a test that has committed, in less time than Django's flush."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connections
from django.test import TransactionTestCase

from access.models import AuditEntry, AuditHead
from catalog.sources.environment import sync_environment_sources
from tools.models import RegistryChange, RegistryRevision

# Those of migrate, the same in every test; the counter goes on with its log, as sequences do.
LASTING = {
    model._meta.db_table
    for model in (ContentType, Permission, RegistryRevision, RegistryChange, AuditEntry, AuditHead)
}
# Without triggers and foreign keys, as TRUNCATE does it; but that makes new files for each table, for
# its indexes and for all that refer to it, which takes a hundred times as long. Runtimes take the rows
# of tools for those of the revision, so it has to go up.
_FUNCTION = """
CREATE SCHEMA tests;
CREATE FUNCTION tests.empty_written_tables() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public SET session_replication_role = replica AS $$
DECLARE
    was_written boolean := false;
BEGIN
    {deletions}
    IF was_written THEN
        INSERT INTO h_registry_change (revision, tool_id) VALUES (toolbuilder_next_registry(), NULL);
    END IF;
END $$;
CREATE FUNCTION tests.empty_trail() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public SET session_replication_role = replica AS $$
    DELETE FROM h_audit;
    INSERT INTO h_audit_head (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET number = 0, hash = '';
$$;
"""
_kept: list[psycopg.Connection] = []


@contextmanager
def emptying(dsn: str) -> Iterator[None]:
    """Make the functions that empty the tables of this database, and let tests call them; `dsn` is its superuser's.

    All call them on one connection, which knows the tables: each test's own would first read about
    all of them, which takes ten times as long.
    """
    with psycopg.connect(dsn, autocommit=True) as superuser:
        superuser.execute(_FUNCTION.format(deletions=_list_deletions()).encode())
        # What a test has left open would hold it up for ever.
        superuser.execute("SET lock_timeout = '60s'")
        _kept.append(superuser)
        yield
        _kept.remove(superuser)


def empty_written_tables(case: TransactionTestCase) -> None:
    """Leave the rows that Django's flush leaves; takes the place of `_fixture_teardown`.

    What migrate makes for Django's own apps is kept, not made again.
    """
    if "default" in case._databases_names(include_mirrors=False):  # type: ignore[attr-defined]
        empty_database()


def empty_database() -> None:
    """The same, for a fixture that several tests share."""
    _kept[-1].execute("SELECT tests.empty_written_tables()")
    RegistryRevision.objects.update(demo_loaded_at=None)
    sync_environment_sources()


def empty_trail() -> None:
    """Empty the audit trail, which goes on from test to test: few of them look at it."""
    _kept[-1].execute("SELECT tests.empty_trail()")


def _list_deletions() -> str:
    """Empties each table that has rows, and takes down that there was one."""
    names = connections["default"].introspection.django_table_names(
        only_existing=True, include_views=False
    )
    quoted = [connections["default"].ops.quote_name(name) for name in names if name not in LASTING]
    return "\n".join(
        f"IF EXISTS (SELECT FROM {name}) THEN DELETE FROM {name}; was_written := true; END IF;"  # noqa: S608 - names of our models
        for name in quoted
    )
