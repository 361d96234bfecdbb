"""The files of a folder, each of which is a table of its name."""

import csv
import encodings.cp437  # noqa: F401 - zipfile's, which could not be imported later
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path
from stat import S_ISREG
from typing import Any
from unicodedata import normalize

from core.archives import ZIP_DAMAGE
from core.errors import DataSourceError
from core.messages import message

FILE_LIMIT = 1_000
SPREADSHEET_LIMIT = 64_000_000
# What a spreadsheet may have when it is unpacked; beyond that it is taken for a bomb.
UNPACKED_LIMIT = 512_000_000
_PACKED_FILES_LIMIT = 10_000
KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".json": "json",
    ".ndjson": "json",
    ".jsonl": "json",
    ".xlsx": "xlsx",
}
_PATTERN = re.compile(r"[*?\[]")
_SEPARATOR = re.compile(r"[,;\t|]")


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file that is a table; `kind` is a value of KINDS."""

    name: str
    path: Path
    kind: str


def find_files(folder: Path) -> tuple[list[TableFile], list[str]]:
    """The files that are tables, by name, and the names of files that cannot be one.

    Of two files with one name the first by its ending is taken. Left out are links that lead out of the
    folder, hidden files, what Excel puts beside an open workbook, and names that are not UTF-8. Raises
    DataSourceError for too many files, OSError where the folder cannot be read.
    """
    found: dict[str, TableFile] = {}
    refused: list[str] = []
    root = folder.resolve(strict=True)
    for path in sorted(folder.iterdir(), key=lambda path: (path.stem, path.suffix)):
        kind = KINDS.get(path.suffix.lower())
        if kind is None or path.name.startswith((".", "~$")):
            continue
        real = _find_inside(root, path)
        # macOS gives names with their accents and syllables taken apart.
        name = normalize("NFC", path.stem)
        if real is None or name.lower() in found:
            refused.append(path.name)
            continue
        found[name.lower()] = TableFile(name, real, kind)
    if len(found) > FILE_LIMIT:
        raise DataSourceError(
            message(
                "files.too_many",
                "the folder has more than {limit} files that are tables; move some elsewhere",
                limit=FILE_LIMIT,
            )
        )
    return list(found.values()), refused


def _find_inside(root: Path, path: Path) -> Path | None:
    """The file behind the path; None where it is none below `root`, or has a name that SQL cannot hold."""
    try:
        path.name.encode()
        real = path.resolve(strict=True)
        is_inside = root in real.parents and S_ISREG(real.stat().st_mode)
    except (OSError, RuntimeError, UnicodeEncodeError):
        # Links that go in a circle are a RuntimeError before Python 3.13.
        return None
    return real if is_inside else None


def readable_path(file: TableFile, number: int, folder: Path) -> str:
    """The path by which DuckDB reads the file: a link in `folder` where it would take it for a pattern."""
    if not _PATTERN.search(str(file.path)):
        return str(file.path)
    link = folder / f"file-{number}{file.path.suffix}"
    link.symlink_to(file.path)
    return str(link)


def find_state(folder: Path, files: list[TableFile]) -> list[tuple[int, int]]:
    """Changes when a file comes, goes or is written to."""
    found = [folder.stat()]
    for file in files:
        try:
            found.append(file.path.stat())
        except OSError:
            return []
    return [(stat.st_mtime_ns, stat.st_ino) for stat in found]


def is_misread(kind: str, columns: Sequence[str]) -> bool:
    """Whether a file was read as lines, because a row has fewer cells than others: it has to be padded."""
    return kind == "csv" and len(columns) == 1 and bool(_SEPARATOR.search(columns[0]))


def reading_sql(
    kind: str, path: str, types: dict[str, str] | None = None, *, is_padded: bool = False
) -> str:
    """The call that reads a file of the kind; of a CSV, all as text if there are no `types` for columns."""
    literal = quote_text(path)
    # Padded rows with line ends in quotes can be read one after another alone.
    options = ", null_padding = true, parallel = false" if is_padded else ""
    if types is not None and kind in {"csv", "tsv", "xlsx"}:
        pairs = ", ".join(f"{quote_text(name)}: {quote_text(kind)}" for name, kind in types.items())
        options += f", types = {{{pairs}}}" if types else ""
    match kind:
        case "csv" | "xlsx":
            return f"read_csv({literal}{options})"
        case "tsv":
            return f"read_csv({literal}, delim = '\\t'{options})"
        case "json":
            return f"read_json({literal})"
    return f"read_parquet({literal})"


def quote_text(text: str) -> str:
    """The text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def unpack_spreadsheet(path: Path, target: Path) -> None:
    """Write the first sheet as CSV. Raises DataSourceError for what is no spreadsheet, or a bomb."""
    # Imported in the processes that read spreadsheets alone.
    from python_calamine import CalamineError, CalamineWorkbook  # noqa: PLC0415

    _check_size(path)
    try:
        workbook = CalamineWorkbook.from_path(str(path))
        sheet = workbook.get_sheet_by_index(0)
    except (CalamineError, IndexError, OSError) as error:
        raise _no_spreadsheet() from error
    with target.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([_write_cell(cell) for cell in row] for row in sheet.iter_rows())


def _check_size(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as packed:
            entries = packed.infolist()
    except ZIP_DAMAGE as error:
        raise _no_spreadsheet() from error
    size = sum(entry.file_size for entry in entries)
    if (
        path.stat().st_size > SPREADSHEET_LIMIT
        or size > UNPACKED_LIMIT
        or len(entries) > _PACKED_FILES_LIMIT
    ):
        raise DataSourceError(
            message(
                "files.spreadsheet_too_large",
                "the spreadsheet is larger than {limit} MB when it is unpacked; save the sheet as CSV",
                limit=UNPACKED_LIMIT // 1_000_000,
            )
        )


def _no_spreadsheet() -> DataSourceError:
    return DataSourceError(
        message("files.no_spreadsheet", "the file is no XLSX spreadsheet, or it is encrypted")
    )


def _write_cell(cell: Any) -> str:
    """The cell as CSV has it: whole numbers without a point, midnights as days."""
    match cell:
        case bool():
            return "true" if cell else "false"
        case float() if cell.is_integer() and abs(cell) < 2**53:
            return str(int(cell))
        case datetime():
            return cell.isoformat(sep=" ")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return str(cell)
    return str(cell)
