"""Makes a backup: one moment of all tables that are backed up."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from config.backup.archive import BackupWriter, Manifest, Part
from config.backup.files import write_files
from config.backup.tables import BACKED_UP, BackedUpTable
from config.web.variables import HIDDEN, list_variables
from core.errors import BackupError

# Texts of values that any server reads in the same way.
SAME_EVERYWHERE = """
SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres';
SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex'
"""
_COLUMNS = """
SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position)
FROM information_schema.columns
WHERE table_schema = current_schema() AND is_generated = 'NEVER' GROUP BY table_name
"""


@dataclass(frozen=True, slots=True)
class WrittenBackup:
    """Where it is, how many rows of how many tables, and how many uploaded files."""

    path: Path
    tables: int
    rows: int
    files: int
    bytes: int


def write_backup(path: Path, *, with_secrets: bool = False) -> WrittenBackup:
    """Write all that people have made into one file, which nobody else may read.

    Raises BackupError where the file cannot be written; one that was there is kept then.
    """
    path = path.absolute()
    try:
        with BackupWriter(path) as writer, transaction.atomic(), connection.cursor() as cursor:
            # All tables as they are at one moment, and nothing is changed or held up.
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute(SAME_EVERYWHERE)
            columns = read_columns(cursor)
            parts = [
                _write_part(writer, cursor, table, columns[table.name], with_secrets)
                for table in BACKED_UP
                if table.name in columns
            ]
            manifest = Manifest(
                version=settings.VERSION,
                made_at=timezone.now().isoformat(),
                has_secrets=with_secrets,
                migrations=read_migrations(),
                parts=parts,
                files=write_files(writer),
                settings=_read_settings(),
            )
            writer.finish(manifest)
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror or error}.") from error
    rows = sum(part.rows for part in parts)
    return WrittenBackup(path, len(parts), rows, len(manifest.files), path.stat().st_size)


def read_columns(cursor: CursorWrapper) -> dict[str, list[str]]:
    """The columns of each table of ours that can be written, in order."""
    cursor.execute(_COLUMNS)
    return dict(cursor.fetchall())


def read_migrations() -> dict[str, list[str]]:
    """Names of the migrations that have run, by app."""
    found: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        found.setdefault(app, []).append(name)
    return found


def _write_part(  # noqa: PLR0917 - the parts of one COPY
    writer: BackupWriter,
    cursor: CursorWrapper,
    table: BackedUpTable,
    columns: list[str],
    with_secrets: bool,
) -> Part:
    instead = {**table.reset, **({} if with_secrets else table.secrets)}
    quote = connection.ops.quote_name
    chosen = ", ".join(
        # Where there is no secret, nothing takes its place.
        f"CASE WHEN {quote(name)} IS NULL OR {quote(name)} = '' THEN {quote(name)} ELSE {instead[name]} END"
        if name in table.secrets and name in instead
        else instead.get(name, quote(name))
        for name in columns
    )
    where = " WHERE false" if table.skips_without_secrets and not with_secrets else ""
    order = " ORDER BY 1"
    query = f"COPY (SELECT {chosen} FROM {quote(table.name)}{where}{order}) TO STDOUT"  # noqa: S608 - our names
    with writer.part(f"tables/{table.name}.copy") as part:
        with cursor.copy(query) as copy:
            for piece in copy:
                part.write(bytes(piece))
        rows = cursor.rowcount
    return Part(table=table.name, columns=columns, rows=rows, bytes=part.bytes, sha256=part.sha256)


def _read_settings() -> dict[str, str]:
    """Variables that are set and hold no secret: for people, who set up the next installation."""
    return {
        shown.variable.name: shown.value
        for _group, variables in list_variables()
        for shown in variables
        if shown.origin == "environment" and not shown.is_secret and HIDDEN not in shown.value
    }
