"""Puts a backup into an installation: all of it, or nothing."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.migrations.exceptions import InvalidMigrationPlan, IrreversibleError
from django.db.migrations.executor import MigrationExecutor

from access.audit.models import AuditAction
from access.audit.trail import check_chain, record_event
from catalog.jobs import INDEX_PENDING, send_job
from config.backup.archive import BackupReader, Manifest
from config.backup.files import find_folders, put_in_place, staged_files
from config.backup.tables import BACKED_UP, OF_EVERY_INSTALLATION
from config.backup.writing import SAME_EVERYWHERE, read_columns, read_migrations
from core.errors import BackupError

# Any number that no other program of this database uses for its own lock.
LOCK = 3_003_015
# Their rows are of people and keys of before.
ENDED = ("django_session",)
_SEQUENCES = """
SELECT c.relname, a.attname, pg_get_serial_sequence(quote_ident(c.relname), a.attname)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY(%s)
    AND pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL
"""
# Runtimes read all tools and keys, and ready tools of the demo do not come beside the restored ones.
_AFTERWARDS = """
INSERT INTO h_registry_change (revision, tool_id) VALUES (toolbuilder_next_registry(), NULL);
UPDATE h_registry_revision SET demo_loaded_at = coalesce(demo_loaded_at, now());
SELECT pg_notify('toolbuilder_keys', '')
"""


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    """What was put in. `broken_entry` is the first number of the audit trail that is not what was written."""

    manifest: Manifest
    rows: int
    broken_entry: int | None
    is_indexing: bool


def restore_backup(path: Path, *, replaces: bool = False) -> RestoredBackup:
    """The backup in the place of what is there.

    Raises BackupError, and changes nothing, for a file that is broken or of a later version, and for
    an installation that is used, unless it `replaces` it.
    """
    with BackupReader(path) as backup, ExitStack() as stack:
        backup.verify()
        manifest = backup.manifest
        check_version(manifest)
        stage = stack.enter_context(staged_files(backup))
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
                if not replaces:
                    check_unused(cursor)
                replaced = find_folders(cursor)
                _migrate_to(manifest)
                with _without_triggers(cursor):
                    _load(cursor, backup)
                _set_sequences(cursor)
                # Forward to this version, and what migrations leave to be made after them.
                ContentType.objects.clear_cache()
                call_command("migrate", interactive=False, verbosity=0)
                cursor.execute(_AFTERWARDS)
                record_event(
                    AuditAction.INSERT, "backup", target_id=manifest.made_at, target_name=path.name
                )
        except DatabaseError as error:
            words = str(error).strip().splitlines()[0]
            raise BackupError(f"The database refused the backup: {words}.") from error
        put_in_place(stage, replaced)
    broken = check_chain().broken
    rows = sum(part.rows for part in manifest.parts)
    return RestoredBackup(manifest, rows, broken, send_job(INDEX_PENDING))


def check_version(manifest: Manifest) -> None:
    """Raise BackupError for a backup that a later program has made."""
    known = MigrationExecutor(connection).loader.graph.nodes
    unknown = [
        f"{app}.{name}"
        for app, names in manifest.migrations.items()
        for name in names
        if (app, name) not in known and app in {node[0] for node in known}
    ]
    tables = {table.name for table in BACKED_UP}
    unknown += [part.table for part in manifest.parts if part.table not in tables]
    if unknown:
        raise BackupError(
            f"This backup is of version {manifest.version}, which is later than this program"
            f" ({unknown[0]} is not known here); restore it with that version or a later one."
        )


def check_unused(cursor: CursorWrapper) -> None:
    """Raise BackupError unless the installation holds nothing that people have made."""
    columns = read_columns(cursor)
    used = []
    for table in BACKED_UP:
        if table.name in OF_EVERY_INSTALLATION or table.name not in columns:
            continue
        # Variables of the environment have their rows after each `migrate`.
        where = " WHERE origin <> 'environment'" if table.name == "h_data_source" else ""
        cursor.execute(f"SELECT count(*) FROM {table.name}{where}")  # noqa: S608 - our names
        if count := cursor.fetchone()[0]:
            used.append(f"{table.name} ({count} rows)")
    if used:
        raise BackupError(
            f"This installation is used: {', '.join(used[:4])}{', …' if used[4:] else ''}. Restore into"
            " an empty one, or give --replace to delete what is here."
        )


def _migrate_to(manifest: Manifest) -> None:
    """Bring the tables to where they were when the backup was made."""
    if read_migrations() == manifest.migrations:
        return
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    applied = {(app, name) for app, names in manifest.migrations.items() for name in names}
    targets: list[tuple[str, str | None]] = []
    for app in sorted(executor.loader.migrated_apps):
        nodes = {node for node in graph.nodes if node[0] == app and node in applied}
        ends = [
            node
            for node in nodes
            if not {child.key for child in graph.node_map[node].children} & nodes
        ]
        targets += sorted(ends) or [(app, None)]
    try:
        executor.migrate(targets)
    except (IrreversibleError, InvalidMigrationPlan) as error:
        raise BackupError(
            f"The tables cannot be brought back to those of version {manifest.version}; give a database"
            " without any tables."
        ) from error


@contextmanager
def _without_triggers(cursor: CursorWrapper) -> Iterator[None]:
    """No trigger of ours writes beside what is loaded; references are checked at the end."""
    tables = [table.name for table in BACKED_UP]
    present = [name for name in tables if name in read_columns(cursor)]
    for name in present:
        cursor.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER")
    yield
    # A table cannot be altered while checks of it wait.
    cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for name in present:
        cursor.execute(f"ALTER TABLE {name} ENABLE TRIGGER USER")
    cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def _load(cursor: CursorWrapper, backup: BackupReader) -> None:
    columns = read_columns(cursor)
    quote = connection.ops.quote_name
    emptied = [table.name for table in BACKED_UP if table.name in columns] + list(ENDED)
    # What refers to rows that go, such as test runs, goes with them.
    cursor.execute(f"TRUNCATE {', '.join(map(quote, emptied))} RESTART IDENTITY CASCADE")
    cursor.execute(SAME_EVERYWHERE)
    cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    for part in backup.manifest.parts:
        if set(part.columns) != set(columns.get(part.table, ())):
            raise BackupError(
                f"{part.table} has other columns here than in the backup; its migrations and its"
                " tables do not belong together."
            )
        names = ", ".join(map(quote, part.columns))
        with cursor.copy(f"COPY {quote(part.table)} ({names}) FROM STDIN") as copy:
            for piece in backup.read(part):
                copy.write(piece)
        if cursor.rowcount != part.rows:
            raise BackupError(f"{part.name} holds other rows than the manifest says.")


def _set_sequences(cursor: CursorWrapper) -> None:
    cursor.execute(_SEQUENCES, [[table.name for table in BACKED_UP]])
    for table, column, sequence in cursor.fetchall():
        cursor.execute(
            f"SELECT setval(%s, coalesce(max({column}), 1), max({column}) IS NOT NULL) FROM {table}",  # noqa: S608 - our names
            [sequence],
        )
