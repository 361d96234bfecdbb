"""PostgreSQL columns: how a type is selected and capped on the server and read as a JSON value."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, ClassVar

from core.json_text import MAX_LEVELS, is_deeper_than
from core.toolspec import JsonValue
from gateways.cells import (
    SAFE_FLOAT_DIGITS,
    ColumnReader,
    bytes_within,
    encode_base64,
    exact_number,
)

BOOLEAN_OID, INTEGER_OID, TEXT_OID, FLOAT_OID, NUMERIC_OID = 16, 20, 25, 701, 1700

_NON_FINITE = frozenset({"NaN", "Infinity", "-Infinity"})


@dataclass(frozen=True, slots=True)
class PostgresType:
    """A row of pg_type; `label` is the name that people know, such as `timestamp with time zone`."""

    oid: int
    name: str
    label: str
    category: str

    def declared(self, modifier: int) -> str:
        """The label, of a numeric with its digits."""
        precision, scale = numeric_digits(modifier) if self.oid == NUMERIC_OID else (0, 0)
        return f"{self.label}({precision},{scale})" if precision else self.label


class PostgresColumnReader(ColumnReader):
    """Reads the cells of one type.

    `loader_oid` names the psycopg loader that makes the first value from the wire's text;
    `character_bytes` times the cell limit bounds a cell on the wire, 0 for types of fixed size.
    """

    loader_oid: ClassVar[int] = TEXT_OID
    character_bytes: ClassVar[int] = 0

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        """SQL that gives the cell, or so much of it that a cell over the limit is seen as such."""
        return column


class BooleanReader(PostgresColumnReader):
    """bool."""

    loader_oid = BOOLEAN_OID


class IntegerReader(PostgresColumnReader):
    """int2, int4, int8, oid."""

    loader_oid = INTEGER_OID


class FloatReader(PostgresColumnReader):
    """float4 and float8; JSON has no NaN or Infinity, so they become null."""

    loader_oid = FLOAT_OID

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        # Where the sum is finite, each of them is.
        if isfinite(sum(filter(None, cells))):
            return cells
        finite = [cell if cell is None or isfinite(cell) else None for cell in cells]
        self.is_non_finite |= finite.count(None) > cells.count(None)
        return finite


class FixedNumericReader(FloatReader):
    """numeric with so few declared digits that a double keeps each value."""


class TimestampReader(PostgresColumnReader):
    """timestamp and timestamptz in ISO 8601: `2026-03-01T09:30:00.5+00:00`."""

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        texts = [text and text.replace(" ", "T", 1) for text in cells]
        # Offsets of whole hours come as +00; JSON's readers want +00:00.
        return [
            f"{text}:00" if text and text[-3] in "+-" and ":" in text else text for text in texts
        ]


class TextReader(PostgresColumnReader):
    """Everything that is given as the server's own text."""

    character_bytes = 4

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        return f"left({column}::text, {cell_limit + 1})"

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        limit = self.cell_limit
        if max(map(len, filter(None, cells)), default=0) <= limit:
            return cells
        self.is_cut = True
        return [text and text[:limit] for text in cells]


class ParsedReader(TextReader, ABC):
    """Text that becomes another JSON value; what was cut cannot be parsed and stays text."""

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        return [None if text is None else self._read_cell(text) for text in cells]

    def _read_cell(self, text: str) -> JsonValue:
        if len(text) <= self.cell_limit:
            return self.convert(text)
        self.is_cut = True
        return text[: self.cell_limit]

    @abstractmethod
    def convert(self, text: str) -> JsonValue:
        """The JSON value of a whole cell."""


class NumericReader(ParsedReader):
    """numeric: a number where a double keeps every digit, else its text."""

    def _read_cell(self, text: str) -> JsonValue:
        # The common case without a call of two others.
        if len(text) <= SAFE_FLOAT_DIGITS and "." in text:
            return float(text)
        return super()._read_cell(text)

    def convert(self, text: str) -> JsonValue:
        if text in _NON_FINITE:
            self.is_non_finite = True
            return None
        return exact_number(text)


class JsonReader(ParsedReader):
    """json, jsonb, and types whose text is JSON, such as pgvector's; of more levels than clients read, it stays text."""

    def _read_cell(self, text: str) -> JsonValue:
        value = super()._read_cell(text)
        # Counting finds nearly all cells innocent, and is fast.
        may_be_deep = text.count("[") + text.count("{") > MAX_LEVELS
        return text if may_be_deep and is_deeper_than(MAX_LEVELS, value) else value

    def convert(self, text: str) -> JsonValue:
        try:
            return json.loads(text, parse_float=exact_number, parse_int=exact_number)
        except (ValueError, RecursionError):
            return text


class ArrayReader(JsonReader):
    """Arrays of any depth; the server writes them as JSON, so quoting is its own business."""

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        return f"left(to_json({column})::text, {cell_limit + 1})"


class NumberArrayReader(ArrayReader):
    """float4[], float8[], numeric[]: the server writes their NaN as text."""

    def convert(self, text: str) -> JsonValue:
        values = super().convert(text)
        return _map_texts(values, self._nullify) if '"' in text else values

    def _nullify(self, text: str) -> str | None:
        if text not in _NON_FINITE:
            return text
        self.is_non_finite = True
        return None


class BytesArrayReader(ArrayReader):
    """bytea[], each element in base64."""

    def convert(self, text: str) -> JsonValue:
        return _map_texts(
            super().convert(text), lambda item: encode_base64(bytes.fromhex(item[2:]))
        )


class BytesReader(PostgresColumnReader):
    r"""bytea in base64; arrives as `\x` and two digits a byte."""

    character_bytes = 2

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        return f"substring({column}, 1, {bytes_within(cell_limit) + 1})"

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        limit = bytes_within(self.cell_limit)
        contents = [None if text is None else bytes.fromhex(text[2:]) for text in cells]
        self.is_cut |= any(content is not None and len(content) > limit for content in contents)
        return [None if content is None else encode_base64(content[:limit]) for content in contents]


class SizedTextReader(PostgresColumnReader):
    """Types whose text is short and already as wanted: date, time, uuid, interval."""


_READERS_BY_OID: dict[int, type[PostgresColumnReader]] = {
    **dict.fromkeys((16,), BooleanReader),
    **dict.fromkeys((20, 21, 23, 26), IntegerReader),
    **dict.fromkeys((700, 701), FloatReader),
    **dict.fromkeys((1082, 1083, 1186, 1266, 2950), SizedTextReader),
    **dict.fromkeys((1114, 1184), TimestampReader),
    **dict.fromkeys((114, 3802), JsonReader),
    **dict.fromkeys((1021, 1022, 1231), NumberArrayReader),
    **dict.fromkeys((17,), BytesReader),
    **dict.fromkeys((1001,), BytesArrayReader),
}
_VECTOR_NAMES = frozenset({"vector", "halfvec"})


def find_reader(column_type: PostgresType, modifier: int = -1) -> type[PostgresColumnReader]:
    """The reader for columns of this type; TextReader for a type it knows nothing about.

    `modifier` is what the column is declared with, -1 for nothing.
    """
    if column_type.oid == NUMERIC_OID:
        precision, scale = numeric_digits(modifier)
        # A whole number stays one, which a double is not.
        return FixedNumericReader if scale and precision <= SAFE_FLOAT_DIGITS else NumericReader
    if reader := _READERS_BY_OID.get(column_type.oid):
        return reader
    if column_type.category == "A":
        return ArrayReader
    return JsonReader if column_type.name in _VECTOR_NAMES else TextReader


def numeric_digits(modifier: int) -> tuple[int, int]:
    """The digits that a numeric is declared with, in all and behind the point; 0, 0 where it has none."""
    precision, scale = divmod(max(modifier - 4, 0), 1 << 16)
    return (precision, scale) if scale <= precision else (0, 0)


def _map_texts(value: JsonValue, change: Callable[[str], JsonValue]) -> JsonValue:
    if isinstance(value, list):
        return [_map_texts(item, change) for item in value]
    return change(value) if isinstance(value, str) else value
