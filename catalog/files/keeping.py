"""Uploaded files on disk: what waits to be looked at, and the tables of a data source."""

import json
import logging
import re
import secrets
import shutil
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any, Protocol
from unicodedata import normalize

from asgiref.sync import async_to_sync
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from catalog.models import CatalogColumn, DataSource
from core.errors import DataSourceError
from core.messages import message
from gateways.engine import GuessedFile
from gateways.engines import UPLOADED

assert UPLOADED.uploads is not None  # noqa: S101 - it is chosen for them
UPLOADS = UPLOADED.uploads
WAITING_S = 3_600
TABLE_NAME = re.compile(r"[^\W\d][\w -]{0,62}")
_KEY = re.compile(r"[0-9a-f]{32}")
_BODY_OVERHEAD = 1_000_000
_TABLE = ".parquet"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class KeptTable:
    """A table of a data source: a Parquet file."""

    name: str
    size: int
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class WaitingFile:
    """A file that was uploaded and is no table yet; `username` is who may go on with it."""

    key: str
    source_id: int
    username: str
    file_name: str
    table: str
    kind: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]

    @property
    def path(self) -> Path:
        return _waiting_folder() / f"{self.key}.{self.kind}"


class ReadUsers(Protocol):
    """Names of what uses any of these columns of a table; None for the columns is the table itself."""

    def __call__(
        self, source: DataSource, table: str, columns: Collection[str] | None
    ) -> list[str]: ...


# What uses columns, by a name of its own; those above the catalogue add themselves.
COLUMN_USERS: dict[str, ReadUsers] = {}


def upload_limit() -> int:
    """The most bytes that a file may have; a larger request is refused while it is read."""
    longest = settings.HTTP_MAX_BODY_BYTES - _BODY_OVERHEAD
    return max(min(settings.FILES_UPLOAD_LIMIT_MB * 1_000_000, longest), 0)


def list_tables(source: DataSource) -> list[KeptTable]:
    """The tables of the source, by name."""
    folder = Path(source.files_folder)
    found = []
    for path in sorted(folder.glob(f"*{_TABLE}")) if folder.is_dir() else ():
        stat = path.stat()
        found.append(
            KeptTable(path.stem, stat.st_size, datetime.fromtimestamp(stat.st_mtime, tz=UTC))
        )
    return found


def path_of_table(source: DataSource, table: str) -> Path:
    """Where the table is kept."""
    return Path(source.files_folder) / f"{table}{_TABLE}"


def forget_source(source: DataSource) -> None:
    """Remove what was uploaded to a data source that is deleted, once that is certain.

    A folder that an operator named is not ours, and stays. Queries under way keep the files they read.
    """
    folder = Path(settings.FILES_DIR) / source.uid.hex

    def remove() -> None:
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            pass
        except OSError as error:
            # The source is gone all the same.
            logger.warning("Uploaded files were not removed: %s (%s)", folder, error)

    transaction.on_commit(remove)


def receive_file(
    source: DataSource, username: str, file: UploadedFile[Any], table: str = ""
) -> WaitingFile:
    """The file as it was guessed, kept for an hour. Raises DataSourceError for what cannot be a table."""
    # macOS gives names with their accents and syllables taken apart.
    name = normalize("NFC", Path(file.name or "").name)
    kind = UPLOADS.kinds.get(Path(name).suffix.lower())
    if kind is None:
        raise DataSourceError(
            message("files.kinds", "a table is made of a CSV, TSV, Parquet, JSON or XLSX file")
        )
    if (file.size or 0) > upload_limit():
        raise DataSourceError(
            message(
                "files.too_large",
                "the file is larger than {limit} MB, which FILES_UPLOAD_LIMIT_MB sets",
                limit=upload_limit() // 1_000_000,
            )
        )
    if not file.size:
        raise DataSourceError(message("files.empty", "the file is empty"))
    # `2026 Sales.csv` becomes table_2026_sales.
    words = re.sub(r"\W+", "_", Path(name).stem.lower()).strip("_")[:50] or "table"
    proposed = words if words[0].isalpha() or words[0] == "_" else f"table_{words}"
    table = check_table_name(normalize("NFC", table.strip()) or proposed)
    forget_old_files()
    key = secrets.token_hex(16)
    folder = _waiting_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{key}.{kind}"
    with path.open("wb") as target:
        for chunk in file.chunks():
            target.write(chunk)
    try:
        guessed: GuessedFile = async_to_sync(UPLOADS.guess)(path, kind)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    waiting = WaitingFile(
        key, source.pk, username, name, table, kind, guessed.columns, guessed.rows
    )
    path.with_suffix(".waiting").write_text(json.dumps(asdict(waiting)))
    return waiting


def find_waiting(source: DataSource, username: str, key: str) -> WaitingFile | None:
    """The waiting file of this person; None where it was taken, dropped or is too old."""
    if not _KEY.fullmatch(key):
        return None
    try:
        read = json.loads((_waiting_folder() / f"{key}.waiting").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    waiting = WaitingFile(
        **{
            **read,
            "columns": tuple(map(tuple, read["columns"])),
            "rows": tuple(map(tuple, read["rows"])),
        }
    )
    is_of_person = (waiting.source_id, waiting.username) == (source.pk, username)
    return waiting if is_of_person and waiting.path.exists() else None


def drop_waiting(waiting: WaitingFile) -> None:
    """Forget the file."""
    waiting.path.unlink(missing_ok=True)
    waiting.path.with_suffix(".waiting").unlink(missing_ok=True)


def keep_table(source: DataSource, waiting: WaitingFile, types: Mapping[str, str]) -> int:
    """Make the file the table of its name, in place of one that there is; how many rows it has.

    Columns of `types` become these types. Raises DataSourceError where a value does not fit.
    """
    folder = Path(source.files_folder)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Beside the table, so that it is put in its place at once; hidden files are no tables.
    made = folder / f".{waiting.key}{_TABLE}"
    try:
        rows: int = async_to_sync(UPLOADS.convert)(waiting.path, waiting.kind, types, made)
        # SQL takes Sales and sales for one table, of which only one file is read.
        there = {kept.name.lower(): kept.name for kept in list_tables(source)}
        made.replace(path_of_table(source, there.get(waiting.table.lower(), waiting.table)))
    finally:
        made.unlink(missing_ok=True)
    drop_waiting(waiting)
    return rows


def delete_table(source: DataSource, table: str) -> bool:
    """Whether there was a table of that name, which is gone now."""
    if table not in {kept.name for kept in list_tables(source)}:
        return False
    path_of_table(source, table).unlink(missing_ok=True)
    return True


def find_lost_columns(source: DataSource, waiting: WaitingFile) -> list[str]:
    """Columns that the table has, as it was last scanned, and that the file has no more."""
    known = CatalogColumn.objects.filter(
        table__source=source, table__name__iexact=waiting.table, gone_at=None
    )
    names = {name.lower() for name, _ in waiting.columns}
    return [
        name
        for name in known.order_by("position").values_list("name", flat=True)
        if name.lower() not in names
    ]


def find_users(source: DataSource, table: str, columns: Collection[str] | None) -> list[str]:
    """Names of what uses any of the columns, or the table."""
    return sorted({name for read in COLUMN_USERS.values() for name in read(source, table, columns)})


def check_table_name(name: str) -> str:
    """The name, if a table can have it. Raises DataSourceError."""
    if not TABLE_NAME.fullmatch(name):
        raise DataSourceError(
            message(
                "files.table_name",
                "a table's name begins with a letter and has letters, digits, _, - and spaces, at"
                " most 63 of them",
            )
        )
    return name


def forget_old_files() -> None:
    """Remove what has waited for more than an hour."""
    folder = _waiting_folder()
    oldest = time() - WAITING_S
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)


def _waiting_folder() -> Path:
    return Path(settings.FILES_DIR) / "waiting"
