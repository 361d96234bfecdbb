"""The head of a table that somebody attached: CSV in the encodings of Korean and Japanese Excel, or XLSX."""

import csv
import io
import zipfile
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Final

import openpyxl

from agents.data_search.constants import (
    ATTACHED_BYTES,
    ATTACHED_CELL_CHARACTERS,
    ATTACHED_COLUMNS,
    ATTACHED_ROWS,
)
from agents.data_search.tables import Cell, Table

# euc_kr is strict, and refuses Japanese; cp932 takes nearly everything. What is left is rare syllables of Korean.
_ENCODINGS: Final = ("utf-8-sig", "euc_kr", "cp932", "cp949")
_SEPARATORS: Final = (",", "\t", ";", "|")
_NOT_XLSX: Final = "it is no spreadsheet of Excel (XLSX)"
# A small file may unpack to a huge one.
_UNPACKED_BYTES: Final = 20 * ATTACHED_BYTES


class AttachmentError(Exception):
    """An attached file cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class AttachedTable:
    """The first rows and columns, and how many there are of both."""

    head: Table
    row_count: int
    column_count: int


def read_attached_table(kind: str, data: bytes) -> AttachedTable:
    """The table of a file of kind `csv` or `xlsx`; its first line holds the names of columns.

    Raises AttachmentError.
    """
    if len(data) > ATTACHED_BYTES:
        raise AttachmentError(f"too large; at most {ATTACHED_BYTES // 1_000_000} MB are read")
    return _make_head(_read_xlsx(data) if kind == "xlsx" else _read_csv(data))


def _read_csv(data: bytes) -> Iterable[Iterable[object]]:
    # "Unicode text" of Excel; cp932 would read it as nonsense.
    is_utf_16 = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
    for encoding in ("utf-16",) if is_utf_16 else _ENCODINGS:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        first = text.partition("\n")[0]
        separator = max(_SEPARATORS, key=first.count)
        return csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    raise AttachmentError("its encoding is not known; save it as UTF-8")


def _read_xlsx(data: bytes) -> Iterable[Iterable[object]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except zipfile.BadZipFile as error:
        raise AttachmentError(_NOT_XLSX) from error
    if size > _UNPACKED_BYTES:
        raise AttachmentError("too large when it is unpacked")
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = list(sheet.iter_rows(values_only=True))
        book.close()
    except Exception as error:
        # openpyxl raises whatever its parsers do.
        raise AttachmentError(_NOT_XLSX) from error
    return rows


def _make_head(rows: Iterable[Iterable[object]]) -> AttachedTable:
    try:
        kept = (cells for cells in map(list, rows) if any(cell not in {None, ""} for cell in cells))
        names = [str(_to_cell(cell) or "") for cell in next(kept, [])]
        if not any(names):
            raise AttachmentError("it is empty")
        columns = tuple(names[:ATTACHED_COLUMNS])
        head = tuple(
            tuple(map(_to_cell, (cells + [None] * len(columns))[: len(columns)]))
            for cells in islice(kept, ATTACHED_ROWS)
        )
        row_count = len(head) + sum(1 for _ in kept)
    except csv.Error as error:
        raise AttachmentError("it is no table of comma-separated values") from error
    return AttachedTable(Table(columns, head), row_count, len(names))


def _to_cell(value: object) -> Cell:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime | date):
        value = value.isoformat().removesuffix("T00:00:00")
    return " ".join(str(value).split())[:ATTACHED_CELL_CHARACTERS]
