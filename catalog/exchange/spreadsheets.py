"""Small tables that people edit in a spreadsheet: read whole, with the line of each row."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import islice

from catalog.exchange.cells import decode_bytes, read_cell, refuse_rows, refuse_size
from core.errors import EditError, ImportFileError
from core.formatting import format_csv
from core.messages import message
from core.toolspec import JsonValue

MAX_FILE_BYTES = 2_000_000
MAX_ROWS = 50_000


@dataclass(frozen=True, slots=True)
class SheetRow:
    """The cells of a row by column, and its line in the file, counted from 1."""

    line: int
    cells: Mapping[str, str]

    def refuse(self, error: EditError) -> EditError:
        """The error with the number of the line."""
        return EditError(
            message(
                "import.at_line",
                "line {number}: {reason}",
                number=self.line,
                reason=error.message,
            )
        )


def write_sheet(columns: Sequence[str], rows: Iterable[Sequence[JsonValue]]) -> str:
    """A CSV file that spreadsheets read as UTF-8 by its mark, and run no cell of."""
    return "\ufeff" + format_csv(columns, list(rows))


def read_sheet(data: bytes, required: Sequence[str]) -> list[SheetRow]:
    """The rows of a CSV file that are not blank; cells parted by commas, semicolons or tabs.

    Raises ImportFileError where it is too large, no such file, or lacks one of the `required` columns.
    """
    if len(data) > MAX_FILE_BYTES:
        raise refuse_size(MAX_FILE_BYTES // 10**6)
    reader = open_csv(decode_bytes(data).lstrip("\ufeff"))
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        rows = [
            SheetRow(line, dict(zip(header, map(read_cell, cells), strict=False)))
            for line, cells in islice(with_lines(reader), MAX_ROWS + 1)
        ]
    except csv.Error as error:
        raise ImportFileError(
            message("import.no_csv", "the file is no CSV file that can be read")
        ) from error
    if len(rows) > MAX_ROWS:
        raise refuse_rows(MAX_ROWS)
    if set(required) - set(header):
        names = {"names": ", ".join(required)}
        raise ImportFileError(
            message("import.columns", "the first line has to name the columns {names}", **names)
        )
    return rows


def open_csv(text: str) -> Iterator[list[str]]:
    """The rows of a text whose cells are parted by commas, semicolons or tabs."""
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    return csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)


def with_lines(reader: Iterator[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """The rows of `open_csv` that are not blank, each with the number of its first line."""
    line = getattr(reader, "line_num", 0)
    for cells in reader:
        if any(map(str.strip, cells)):
            yield line + 1, cells
        line = getattr(reader, "line_num", 0)
