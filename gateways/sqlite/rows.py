"""Reads rows of SQLite, where any cell may be of any type, into rows of JSON values."""

import base64
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from core.toolspec import JsonValue
from gateways.cells import ColumnReader

_PLAIN = frozenset({int, type(None)})
_NUMBERS = frozenset({int, float, type(None)})
_TEXT = frozenset({str})


class CellReader(ColumnReader):
    """Reads the cells of one column, and notes what it had to change."""

    has_broken_text = False

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        # Whole columns of one kind are judged at once.
        kinds = set(map(type, cells))
        if kinds <= _PLAIN:
            return cells
        # Zero is as finite as nothing is.
        if kinds <= _NUMBERS and all(map(isfinite, filter(None, cells))):
            return cells
        if kinds == _TEXT and max(map(len, cells)) <= self.cell_limit:
            return cells
        return [self._read_cell(cell) for cell in cells]

    def notes(self) -> Iterator[str]:
        yield from super().notes()
        if self.has_broken_text:
            yield f'Cells of "{self.name}" that are not valid UTF-8 are given with U+FFFD.'

    def _read_cell(self, cell: Any) -> JsonValue:
        match cell:
            case str():
                return self._cut(cell)
            case float() if not isfinite(cell):
                self.is_non_finite = True
                return None
            case bytes():
                # How many bytes have a base64 text within the limit.
                limit = self.cell_limit // 4 * 3
                self.is_cut |= len(cell) > limit
                return base64.b64encode(cell[:limit]).decode("ascii")
        return cell

    def _cut(self, text: str) -> str:
        if len(text) > self.cell_limit:
            self.is_cut = True
            return text[: self.cell_limit]
        return text


class LenientCellReader(CellReader):
    """For text that `decode_leniently` made of bytes that are not all UTF-8."""

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        return [self._read_cell(cell) for cell in cells]

    def _cut(self, text: str) -> str:
        shown = super()._cut(text)
        try:
            shown.encode()
        except UnicodeEncodeError:
            self.has_broken_text = True
            return shown.encode(errors="surrogateescape").decode(errors="replace")
        return shown


def decode_leniently(content: bytes) -> str:
    """Text in which each byte that is not UTF-8 is kept as half a character."""
    return content.decode(errors="surrogateescape")


def decode_legibly(content: bytes) -> str:
    """Text with U+FFFD for each byte that is not UTF-8."""
    return content.decode(errors="replace")
