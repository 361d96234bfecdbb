"""The file of a backup: a zip with a part for each table and each uploaded file, and a manifest of their hashes."""

import hashlib
import json
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Self

import msgspec

from core.archives import ZIP_DAMAGE
from core.errors import BackupError

FORMAT = 1
PROGRAM = "toolbuilder"
MANIFEST = "manifest.json"
PIECE_BYTES = 1 << 20
_BROKEN = "The file's manifest is broken; take another backup."
# No other name can lead anywhere but into the folder of a data source.
_FILE_NAME = re.compile(r"files/[0-9a-f]{32}/[^./\x00][^/\x00]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The rows of one table, as PostgreSQL's COPY writes them."""

    table: str
    columns: list[str]
    rows: int
    bytes: int
    sha256: str

    @property
    def name(self) -> str:
        """Its name in the file."""
        return f"tables/{self.table}.copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedPart:
    """An uploaded file that is a table; `folder` is that of its data source below FILES_DIR."""

    folder: str
    file: str
    bytes: int
    sha256: str

    @property
    def name(self) -> str:
        """Its name in the file."""
        return f"files/{self.folder}/{self.file}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup holds. `migrations` has, by app, those that had run; `settings` what is no secret."""

    version: str
    made_at: str
    has_secrets: bool
    migrations: dict[str, list[str]]
    parts: list[Part]
    files: list[UploadedPart] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT
    program: str = PROGRAM

    @classmethod
    def read(cls, text: bytes) -> Self:
        """Raises BackupError for what is none, or none of ours."""
        try:
            given: dict[str, Any] = json.loads(text)
            if given["program"] != PROGRAM:
                raise BackupError("This file is no backup of Toolbuilder.")
            if given["format"] > FORMAT:
                raise BackupError(
                    f"This backup was made by version {given['version']}, whose files this one cannot"
                    " read; restore it with that version or a later one."
                )
            manifest = msgspec.convert(given, cls)
        except (ValueError, KeyError, TypeError, msgspec.ValidationError) as error:
            raise BackupError(_BROKEN) from error
        if not all(_FILE_NAME.fullmatch(part.name) for part in manifest.files):
            raise BackupError(_BROKEN)
        return manifest


class BackupWriter:
    """Writes a backup beside its place, and puts it there when it is whole."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._file: IO[bytes]
        self._zip: zipfile.ZipFile

    def __enter__(self) -> Self:
        # Nobody else may read it, at no moment.
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
        self._file = os.fdopen(os.open(self._unfinished, flags, 0o600), "w+b")
        self._zip = zipfile.ZipFile(self._file, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        return self

    @contextmanager
    def part(self, name: str, *, is_packed: bool = False) -> Iterator["PartWriter"]:
        """A part that is written piece by piece; one that `is_packed` is not packed again."""
        entry = zipfile.ZipInfo(name, datetime.now(UTC).timetuple()[:6])
        entry.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
        with self._zip.open(entry, "w", force_zip64=True) as file:
            yield PartWriter(file)

    def finish(self, manifest: Manifest) -> None:
        """Put the whole file in its place."""
        self._zip.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))
        self._zip.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._unfinished.replace(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def __exit__(self, *_exc: object) -> None:
        self._file.close()
        self._unfinished.unlink(missing_ok=True)


class PartWriter:
    """Counts and hashes what goes through it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.bytes = 0

    def write(self, piece: bytes) -> None:
        self._file.write(piece)
        self._digest.update(piece)
        self.bytes += len(piece)

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()


class BackupReader:
    """A backup that was looked through from end to end when it was opened."""

    def __init__(self, path: Path) -> None:
        try:
            self._zip = zipfile.ZipFile(path)
        except FileNotFoundError as error:
            raise BackupError(f"There is no file {path}.") from error
        except ZIP_DAMAGE as error:
            raise BackupError(
                f"{path} is no backup, or not all of it; take it from where it was made again."
            ) from error
        try:
            self.manifest = Manifest.read(self._zip.read(MANIFEST))
        except KeyError as error:
            raise BackupError(f"{path} is no backup: it has no manifest.") from error
        except ZIP_DAMAGE as error:
            raise BackupError(_BROKEN) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self._zip.close()

    def verify(self) -> None:
        """Raises BackupError unless each part is what was written, and no other is there."""
        parts: list[Part | UploadedPart] = [*self.manifest.parts, *self.manifest.files]
        expected = {part.name for part in parts} | {MANIFEST}
        if others := set(self._zip.namelist()) ^ expected:
            raise BackupError(f"The backup is not whole, or holds too much: {min(others)}.")
        for part in parts:
            digest = hashlib.sha256()
            try:
                for piece in self.read(part):
                    digest.update(piece)
            except ZIP_DAMAGE as error:
                raise BackupError(f"{part.name} is broken; take another backup.") from error
            if digest.hexdigest() != part.sha256:
                raise BackupError(f"{part.name} is not what was written; take another backup.")

    def read(self, part: Part | UploadedPart) -> Iterator[bytes]:
        """The part, piece by piece."""
        with self._zip.open(part.name) as file:
            while piece := file.read(PIECE_BYTES):
                yield piece
