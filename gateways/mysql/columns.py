"""Columns of MariaDB and MySQL: how a type is capped on the server and read as a JSON value."""

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, cast
from zoneinfo import ZoneInfo

from core.toolspec import JsonValue
from gateways.cells import (
    SAFE_FLOAT_DIGITS,
    SAFE_INTEGER_DIGITS,
    ColumnReader,
    bytes_within,
    encode_base64,
    exact_number,
)
from gateways.mysql.wire import WireColumn

_DECIMAL, _FLOAT, TIMESTAMP, _LONGLONG, _DATE, _TIME, _DATETIME, _YEAR = 0, 4, 7, 8, 10, 11, 12, 13
_BIT, _JSON, _NEWDECIMAL, _FIXED_TEXT, _GEOMETRY = 16, 245, 246, 254, 255
_UNSIGNED, _ENUM, _SET = 32, 256, 2_048
_BINARY_CHARSET = 63
_UTC_OFFSET = "+00:00"
# utf8mb4, in which every text comes.
_CHARACTER_BYTES = 4
_INTEGERS = {1: "tinyint", 2: "smallint", 3: "int", _LONGLONG: "bigint", 9: "mediumint"}
_NAMES = {
    **_INTEGERS,
    _FLOAT: "float",
    5: "double",
    6: "null",
    TIMESTAMP: "timestamp",
    _DATE: "date",
    14: "date",
    _TIME: "time",
    _DATETIME: "datetime",
    _YEAR: "year",
    _JSON: "json",
    _GEOMETRY: "geometry",
}
_BLOBS = frozenset({249, 250, 251, 252})
_TEXT_CODES = frozenset({15, _JSON, 247, 248, 253, _FIXED_TEXT}) | _BLOBS
# What asyncmy's parser does with bytes: leave them, or read them as UTF-8 or as ASCII.
_AS_BYTES, _AS_UTF8, _AS_ASCII = 0, 1, 2
# Framed like a text, so that asyncmy leaves the bytes of a date alone: of one that no calendar has, such as
# 0000-00-00, it would make None, and of the others objects that have to be texts again.
_SENT_AS_TEXT = 253
_MOST_KEPT_TEXTS = 20_000
_read_bits = partial(int.from_bytes, byteorder="big")


class _KeptTexts(dict[bytes, str]):
    """Texts of what the protocol sends of days, or of times of day: they are few beside the rows."""

    def __init__(self, form: str, packed: str) -> None:
        super().__init__()
        self._form, self._struct = form, struct.Struct(packed)

    def __missing__(self, sent: bytes) -> str:
        if len(self) >= _MOST_KEPT_TEXTS:
            self.clear()
        text = self._form % self._struct.unpack(sent.ljust(self._struct.size, b"\0"))
        self[sent] = text
        return text


_DAYS, _CLOCKS = _KeptTexts("%04d-%02d-%02d", "<HBB"), _KeptTexts("T%02d:%02d:%02d", "<BBB")
_write_date = _DAYS.__getitem__


def _write_datetime(sent: bytes, offset: str = "") -> str:
    """`2026-03-01T09:30:00.5`, of a datetime as the protocol sends it, also one that no calendar has."""
    text = _DAYS[sent[:4]] + _CLOCKS[sent[4:7]]
    if len(sent) > 7:
        text += f".{int.from_bytes(sent[7:11], 'little'):06}".rstrip("0").rstrip(".")
    return text + offset


class MomentReader(ColumnReader):
    """timestamp of a session that is not in UTC: `2026-03-01T09:30:00+09:00`."""

    def __init__(self, name: str, cell_limit: int, zone: ZoneInfo) -> None:
        super().__init__(name, cell_limit)
        self._zone = zone

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        return [text and self._write(text.removesuffix(_UTC_OFFSET)) for text in cells]

    def _write(self, text: str) -> str:
        try:
            offset = datetime.fromisoformat(text).replace(tzinfo=self._zone).isoformat()[-6:]
        except ValueError:
            # One that no calendar has.
            offset = ""
        return text + offset


class DecimalReader(ColumnReader):
    """decimal: a number where a double keeps every digit, else its text."""

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        return [text and exact_number(text) for text in cells]


class MysqlFloatReader(ColumnReader):
    """float: the shortest number that means the same 32 bits."""

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        return [cell and shorten_float(cell) for cell in cells]


class TimeReader(ColumnReader):
    """time, of up to 838 hours: `-30:15:00`."""

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        return [None if cell is None else write_time(cell) for cell in cells]


class MysqlTextReader(ColumnReader):
    """Texts, cut at the limit."""

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        if max(map(len, filter(None, cells)), default=0) <= self.cell_limit:
            return cells
        self.is_cut = True
        return [text and text[: self.cell_limit] for text in cells]


class LenientTextReader(MysqlTextReader):
    """Texts whose bytes are in no character set."""

    has_broken_text = False

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        texts = [None if cell is None else cell.decode(errors="replace") for cell in cells]
        self.has_broken_text |= any("\ufffd" in text for text in texts if text)
        return super().read(texts)

    def notes(self) -> Iterator[str]:
        yield from super().notes()
        if self.has_broken_text:
            yield f'Cells of "{self.name}" that are not valid UTF-8 are given with U+FFFD.'


class MysqlBytesReader(ColumnReader):
    """binary, varbinary and blob in base64."""

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        limit = bytes_within(self.cell_limit)
        self.is_cut |= any(cell is not None and len(cell) > limit for cell in cells)
        return [None if cell is None else encode_base64(cell[:limit]) for cell in cells]


class GeometryReader(MysqlBytesReader):
    """A shape, as the bytes that the server keeps."""

    def notes(self) -> Iterator[str]:
        yield from super().notes()
        yield f'"{self.name}" is a shape in base64; select ST_AsText() of it for one to read.'


@dataclass(frozen=True, slots=True)
class ColumnType:
    """How cells of a column are read: asyncmy's spec for its parser, and our reader behind it."""

    spec: tuple[int, bool, int, str | None, Callable[[Any], Any] | None]
    reader: type[ColumnReader] | None


def find_type(column: WireColumn, *, is_lenient: bool = False) -> ColumnType:
    """How the cells of the column are read; a lenient way reads what the usual one cannot."""
    how, converter = _AS_BYTES, cast(Callable[[Any], Any] | None, None)
    reader = _READERS.get(column.type_code)
    if column.type_code in {_DECIMAL, _NEWDECIMAL}:
        digits = _count_digits(column)
        if column.scale and digits <= SAFE_FLOAT_DIGITS:
            converter = float
        elif not column.scale and digits <= SAFE_INTEGER_DIGITS:
            converter = int
        else:
            how, reader = _AS_ASCII, DecimalReader
    elif column.type_code in _CONVERTERS:
        converter = _CONVERTERS[column.type_code]
    elif column.type_code in _TEXT_CODES:
        if column.charset == _BINARY_CHARSET and column.type_code != _JSON:
            reader = MysqlBytesReader
        elif is_lenient:
            reader = LenientTextReader
        else:
            how, reader = _AS_UTF8, MysqlTextReader
    is_unsigned = bool(column.flags & _UNSIGNED)
    type_code = _SENT_AS_TEXT if column.type_code in _CONVERTERS else column.type_code
    return ColumnType((type_code, is_unsigned, how, None, converter), reader)


def _count_digits(column: WireColumn) -> int:
    return column.length - (column.scale > 0) - (not column.flags & _UNSIGNED)


_CONVERTERS: dict[int, Callable[[Any], Any]] = {
    _BIT: _read_bits,
    _DATE: _write_date,
    14: _write_date,
    _DATETIME: _write_datetime,
    # A moment; a session in another zone than UTC has MomentReader behind it.
    TIMESTAMP: partial(_write_datetime, offset=_UTC_OFFSET),
}
_READERS: dict[int, type[ColumnReader]] = {
    _FLOAT: MysqlFloatReader,
    _TIME: TimeReader,
    _GEOMETRY: GeometryReader,
}


def may_be_long(column: WireColumn, cell_limit: int) -> bool:
    """Whether a cell may have more than the limit."""
    if column.type_code == _GEOMETRY:
        return True
    if column.type_code not in _TEXT_CODES:
        return False
    if column.charset == _BINARY_CHARSET:
        return column.length > bytes_within(cell_limit)
    return column.length > cell_limit * _CHARACTER_BYTES


def cell_expression(column: WireColumn, name: str, cell_limit: int) -> str:
    """SQL that gives the cell, or so much of it that a cell over the limit is seen as such."""
    if not may_be_long(column, cell_limit):
        return name
    if column.type_code == _GEOMETRY:
        return f"LEFT(ST_AsBinary({name}), {bytes_within(cell_limit) + 1})"
    is_binary = column.charset == _BINARY_CHARSET
    return f"LEFT({name}, {(bytes_within(cell_limit) if is_binary else cell_limit) + 1})"


def lenient_reader(column: WireColumn) -> type[ColumnReader] | None:
    """The reader of a column that came by the expression above, of which its answer tells less."""
    return GeometryReader if column.type_code == _GEOMETRY else None


def name_type(column: WireColumn) -> str:
    """The type as people write it, such as `decimal(10,2)` or `bigint unsigned`."""
    code = column.type_code
    if code in {_DECIMAL, _NEWDECIMAL}:
        return f"decimal({_count_digits(column)},{column.scale})"
    if code in _NAMES:
        is_unsigned = code in _INTEGERS and column.flags & _UNSIGNED
        return f"{_NAMES[code]} unsigned" if is_unsigned else _NAMES[code]
    if code == _BIT:
        return f"bit({column.length})"
    if column.flags & (_ENUM | _SET):
        return "enum" if column.flags & _ENUM else "set"
    is_binary = column.charset == _BINARY_CHARSET
    if code in _BLOBS:
        return "blob" if is_binary else "text"
    kind = "" if code == _FIXED_TEXT else "var"
    length = column.length if is_binary else column.length // _CHARACTER_BYTES
    return f"{kind}{'binary' if is_binary else 'char'}({length})"


def shorten_float(value: float) -> float:
    """The number of the fewest digits that is the same one in 32 bits: 1.1 for 1.100000023841858."""
    packed = struct.pack("f", value)
    for digits in range(6, 9):
        short = float(f"{value:.{digits}g}")
        if struct.pack("f", short) == packed:
            return short
    return float(f"{value:.9g}")


def write_time(value: timedelta) -> str:
    """As the server writes it: `838:59:59`, with a fraction only where there is one."""
    sign = "-" if value < timedelta() else ""
    minutes, seconds = divmod(abs(value) // timedelta(seconds=1), 60)
    text = f"{sign}{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    fraction = abs(value).microseconds
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text
