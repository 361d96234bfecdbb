"""Records as a table, and a table as CSV, XLSX and Markdown."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

Cell = str | int | float | bool | None

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Excel keeps 15 digits of a number, 32,767 characters of a text and 1,048,576 rows of a sheet.
_EXACT_LIMIT = 10**15
_CELL_CHARACTER_LIMIT = 32_767
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Table:
    """Columns in order, and rows of the same length."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def head(self, limit: int) -> "Table":
        """The first rows."""
        return Table(self.columns, self.rows[:limit])


def make_table(records: Iterable[Mapping[str, Any]]) -> Table:
    """The records with all of their keys as columns, in the order in which they first occur.

    A missing key is None; lists and objects become JSON text.
    """
    kept = list(records)
    columns = tuple(dict.fromkeys(str(key) for record in kept for key in record))
    rows = (tuple(_to_cell(record.get(column)) for column in columns) for record in kept)
    return Table(columns, tuple(rows))


def read_table(content: object) -> Table:
    """The table in the content of a `csv_table` or `excel_table`: records, CSV text, or an object with records."""
    if isinstance(content, Mapping):
        content = content.get("records", content.get("rows", []))
    if isinstance(content, str):
        return make_table(csv.DictReader(io.StringIO(content.removeprefix("\ufeff"))))
    items = content if isinstance(content, Sequence) else []
    return make_table(item for item in items if isinstance(item, Mapping))


def to_csv(table: Table) -> bytes:
    """UTF-8 with a byte-order mark, which Excel needs to read Korean and Japanese.

    A text that a spreadsheet would run as a formula gets an apostrophe in front; see CSV injection, OWASP.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(map(_defuse, table.columns))
    writer.writerows([_defuse(cell) for cell in row] for row in table.rows)
    return text.getvalue().encode("utf-8-sig", errors="replace")


def to_xlsx(table: Table) -> bytes:
    """One sheet with a header; texts stay texts, so that none is run as a formula."""
    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("result")
    sheet.freeze_panes = "A2"
    for row in (table.columns, *table.rows):
        sheet.append([_to_excel(sheet, cell) for cell in row])
    stream = io.BytesIO()
    workbook.save(stream)
    return stream.getvalue()


def to_markdown(table: Table) -> str:
    """A table of GitHub's Markdown; a cell is one line, and opens no link, image or tag."""
    lines = []
    for row in (table.columns, ("---",) * len(table.columns), *table.rows):
        cells = (_BLANKS.sub(" ", _show(cell)).strip().replace("\\", "\\\\") for cell in row)
        escaped = (
            cell.replace("|", "\\|").replace("<", "&lt;").replace("](", "]\\(") for cell in cells
        )
        lines.append("| " + " | ".join(escaped) + " |")
    return "\n".join(lines)


def _show(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    return "" if cell is None else str(cell)


def _to_cell(value: object) -> Cell:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _defuse(cell: Cell) -> str:
    text = _show(cell)
    is_risky = isinstance(cell, str) and text.lstrip(" ").startswith(_FORMULA_STARTS)
    return f"'{text}" if is_risky and not _NUMBER.fullmatch(text) else text


def _to_excel(sheet: Any, cell: Cell) -> Any:
    if isinstance(cell, int | float) and abs(cell) < _EXACT_LIMIT:
        return cell
    if cell is None:
        return None
    kept = WriteOnlyCell(sheet, value=_CONTROL.sub("", _show(cell))[:_CELL_CHARACTER_LIMIT])
    kept.data_type = "s"
    return kept
