"""Uploaded files in a backup: read where they are, and put back when the rows that name them are there."""

import os
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db.backends.utils import CursorWrapper

from catalog.files.keeping import list_tables, path_of_table
from catalog.models import DataSource
from config.backup.archive import PIECE_BYTES, BackupReader, BackupWriter, UploadedPart
from core.errors import BackupError
from gateways.engines import UPLOADED

_HAS_SOURCES = "SELECT to_regclass('h_data_source') IS NOT NULL"
_FOLDERS = "SELECT replace(uid::text, '-', '') FROM h_data_source WHERE engine = %s AND path = ''"


def write_files(writer: BackupWriter) -> list[UploadedPart]:
    """Put the tables of all sources that take uploads into the backup.

    A table is replaced by a rename, so each is whole; one that is deleted meanwhile is left out.
    """
    found = []
    for source in DataSource.objects.filter(engine=UPLOADED.name, path="").order_by("pk"):
        for table in list_tables(source):
            path = path_of_table(source, table.name)
            try:
                file = path.open("rb")
            except FileNotFoundError:
                continue
            name = f"files/{path.parent.name}/{path.name}"
            with file, writer.part(name, is_packed=True) as part:
                while piece := file.read(PIECE_BYTES):
                    part.write(piece)
            found.append(
                UploadedPart(
                    folder=path.parent.name, file=path.name, bytes=part.bytes, sha256=part.sha256
                )
            )
    return found


def find_folders(cursor: CursorWrapper) -> list[str]:
    """The folders below FILES_DIR of the sources that there are; [] where there is no table of sources."""
    cursor.execute(_HAS_SOURCES)
    if not cursor.fetchone()[0]:
        return []
    cursor.execute(_FOLDERS, [UPLOADED.name])
    return [folder for (folder,) in cursor.fetchall()]


@contextmanager
def staged_files(backup: BackupReader) -> Iterator[Path]:
    """A folder beside their place with the files of the backup, not made without any; it goes at the end.

    Raises BackupError where they do not fit on the disk, or cannot be written.
    """
    root = Path(settings.FILES_DIR)
    stage = root / f".restored-{secrets.token_hex(8)}"
    size = sum(part.bytes for part in backup.manifest.files)
    try:
        try:
            if backup.manifest.files:
                stage.mkdir(parents=True, mode=0o700)
            if size and size > (free := shutil.disk_usage(stage).free):
                raise BackupError(
                    f"The uploaded files take {size / 1e6:,.0f} MB, and {root} (FILES_DIR) has"
                    f" {free / 1e6:,.0f} MB left."
                )
            for part in backup.manifest.files:
                path = stage / part.folder / part.file
                path.parent.mkdir(exist_ok=True, mode=0o700)
                with path.open("wb") as file:
                    file.writelines(backup.read(part))
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            raise BackupError(
                f"The uploaded files cannot be written to {root} (FILES_DIR): {error.strerror}."
            ) from error
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def put_in_place(stage: Path, replaced: Collection[str]) -> None:
    """Remove the `replaced` folders, and move the staged ones to where their rows look for them.

    Raises BackupError where that fails; the rows are there by then.
    """
    root = Path(settings.FILES_DIR)
    try:
        staged = sorted(stage.iterdir()) if stage.exists() else []
        for name in {*replaced, *(folder.name for folder in staged)}:
            shutil.rmtree(root / name, ignore_errors=True)
        for folder in staged:
            folder.replace(root / folder.name)
    except OSError as error:
        raise BackupError(
            f"The rows were restored, the uploaded files were not: {error.strerror}. Mend {root}"
            " (FILES_DIR), and restore again with --replace."
        ) from error
