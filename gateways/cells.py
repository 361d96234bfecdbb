"""Reading the cells of an answer: what had to be changed, in words."""

import base64
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from core.results import QueryResult, Row, RowCollector
from core.toolspec import JsonValue

# 15 digits survive a double both ways, 18 always fit 64 bits.
SAFE_FLOAT_DIGITS = 15
SAFE_INTEGER_DIGITS = 18


class ColumnReader:
    """Reads the cells of one column of one answer, and notes what it had to change."""

    def __init__(self, name: str, cell_limit: int) -> None:
        self.name = name
        self.cell_limit = cell_limit
        self.is_cut = False
        self.is_non_finite = False

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        """The JSON value of each cell; the very same cells where there is nothing to change."""
        return cells

    def notes(self) -> Iterator[str]:
        """A sentence for each kind of change."""
        if self.is_cut:
            yield f'Long cells of "{self.name}" were cut to {self.cell_limit} characters.'
        if self.is_non_finite:
            yield f'NaN or infinite cells of "{self.name}" are given as null.'


class RowReader:
    """Reads the rows of one answer into `collector`; `readers` are those of columns that may change, by index."""

    def __init__(
        self, readers: Sequence[tuple[int, ColumnReader]], collector: RowCollector
    ) -> None:
        self._readers = readers
        self._collector = collector

    def add(self, chunk: list[tuple[Any, ...]]) -> bool:
        """Add the rows of a chunk; False when there is no room for the rows to come."""
        collector = self._collector
        room = collector.row_limit - len(collector.rows)
        # Only one row more than the limit is asked for, so there are none to come behind it.
        rows: list[Row] = chunk if len(chunk) <= room else chunk[:room]
        columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if self._readers else []
        is_changed = False
        for index, reader in self._readers if rows else ():
            read = reader.read(columns[index])
            is_changed |= read is not columns[index]
            columns[index] = read
        if is_changed:
            rows = list(zip(*columns, strict=True))
        return collector.add_all(rows) and (len(chunk) <= room or not collector.add(chunk[room]))

    def finish(self, names: Sequence[str], elapsed_ms: float) -> QueryResult:
        """The rows, with notes of what was changed in them."""
        for _, reader in self._readers:
            self._collector.truncated |= reader.is_cut
        notes = [note for _, reader in self._readers for note in reader.notes()]
        return self._collector.finish(names, elapsed_ms, notes)


def exact_number(text: str) -> int | float | str:
    """The number that `text` spells, or the text itself where JSON's readers would lose digits."""
    if text.isdecimal() or text[1:].isdecimal():
        # 64 bits hold 19 digits at most; int() on thousands of digits would be slow, then an error.
        if len(text) > 20:
            return text
        number = int(text)
        is_safe = len(text) <= SAFE_INTEGER_DIGITS or -(2**63) <= number < 2**63
        return number if is_safe else text
    value = float(text)
    if len(text) <= SAFE_FLOAT_DIGITS and "e" not in text and "E" not in text:
        return value
    return value if value - value == 0.0 and Decimal(repr(value)) == Decimal(text) else text


def bytes_within(cell_limit: int) -> int:
    """How many bytes have a base64 text of at most `cell_limit` characters."""
    return cell_limit // 4 * 3


def encode_base64(content: bytes) -> str:
    """The bytes as text of JSON."""
    return base64.b64encode(content).decode("ascii")
