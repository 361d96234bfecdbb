"""DuckDB's columns: how a type is selected and capped inside DuckDB and read as a JSON value.

Where DuckDB writes a value as PostgreSQL does, so is it read: the same value is the same JSON on both.
"""

import json
from collections.abc import Sequence
from typing import Any

from core.toolspec import JsonValue
from gateways.cells import ColumnReader, exact_number
from gateways.postgres.columns import (
    FloatReader,
    JsonReader,
    NumericReader,
    TextReader,
    TimestampReader,
)


class PlainReader(ColumnReader):
    """Booleans, and whole numbers of at most 64 bits."""

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        """SQL that gives the cell, or so much of it that a cell over the limit is seen as such."""
        return column


class SingleReader(FloatReader):
    """FLOAT, as the shortest number that is the same 32 bits."""

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        return f"CAST({column}::VARCHAR AS DOUBLE)"


class BlobReader(ColumnReader):
    """BLOB in base64."""

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        return f"to_base64({column}[1:{cell_limit // 4 * 3 + 1}])"

    def read(self, cells: Sequence[Any]) -> Sequence[JsonValue]:
        limit = self.cell_limit // 4 * 4
        if max(map(len, filter(None, cells)), default=0) <= limit:
            return cells
        self.is_cut = True
        return [text and text[:limit] for text in cells]


class NestedReader(JsonReader):
    """LIST, ARRAY, STRUCT, MAP, UNION and VARIANT as JSON; a NaN inside becomes null."""

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        return f"left(CAST(to_json({column}) AS VARCHAR), {cell_limit + 1})"

    def convert(self, text: str) -> JsonValue:
        try:
            return json.loads(
                text,
                parse_float=exact_number,
                parse_int=exact_number,
                parse_constant=self._nullify,
            )
        except (ValueError, RecursionError):
            return text

    def _nullify(self, _name: str) -> None:
        self.is_non_finite = True


class DuckdbJsonReader(NestedReader):
    """JSON, which DuckDB keeps as it was written."""

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        return f"left({column}::VARCHAR, {cell_limit + 1})"


_WHOLE = "BOOLEAN TINYINT SMALLINT INTEGER BIGINT UTINYINT USMALLINT UINTEGER UBIGINT"
_READERS: dict[str, Any] = {
    **dict.fromkeys(_WHOLE.split(), PlainReader),
    **dict.fromkeys(("HUGEINT", "UHUGEINT", "BIGNUM"), NumericReader),
    "FLOAT": SingleReader,
    "DOUBLE": FloatReader,
    "BLOB": BlobReader,
    "JSON": DuckdbJsonReader,
    "VARIANT": NestedReader,
}


def find_reader(type_name: str) -> Any:
    """The class of readers for columns of a type as DuckDB writes it, as in `DECIMAL(5,2)`."""
    if reader := _READERS.get(type_name):
        return reader
    if type_name.endswith("]") or type_name.startswith(("STRUCT(", "MAP(", "UNION(")):
        return NestedReader
    if type_name.startswith("DECIMAL"):
        return NumericReader
    if type_name.startswith("TIMESTAMP"):
        return CappedTimestampReader
    return TextReader


class CappedTimestampReader(TimestampReader):
    """TIMESTAMP of every precision, with its nanoseconds, in ISO 8601."""

    @staticmethod
    def expression(column: str, cell_limit: int) -> str:
        return f"{column}::VARCHAR"
