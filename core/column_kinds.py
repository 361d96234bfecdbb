"""What the values of a result's column are, so that grids, spreadsheets and charts treat them alike."""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum

from core.formatting import format_cell
from core.toolspec import JsonValue

# The largest whole number up to which JavaScript's numbers, and a spreadsheet's, keep every one apart.
MAX_EXACT = 2**53
_NUMERIC = re.compile(r"numeric(?:\(\d+,(?P<scale>\d+)\))?")
_NUMBER_TYPE = re.compile(
    r"(small|big|tiny|medium|huge)?int(eger|\d+)?\b|numeric|decimal|number|real|double|float",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?", re.ASCII
)


class ColumnKind(StrEnum):
    """What all values of a column are that are not null."""

    NUMBER = "number"
    DATE = "date"
    MOMENT = "moment"
    BOOLEAN = "boolean"
    JSON = "json"
    TEXT = "text"


def kind_of(values: Iterable[JsonValue], type_name: str = "") -> ColumnKind:
    """The kind of a column of that type; `type_name` is '' if it is not known.

    Digits as text are numbers where the type is one: they stand for those that a double cannot hold.
    """
    given = [value for value in values if value is not None]
    if any(isinstance(value, list | dict) for value in given):
        return ColumnKind.JSON
    if not given:
        return ColumnKind.NUMBER if _NUMBER_TYPE.match(type_name) else ColumnKind.TEXT
    if all(isinstance(value, bool) for value in given):
        return ColumnKind.BOOLEAN
    is_number = _is_typed_number if _NUMBER_TYPE.match(type_name) else _is_number
    checks: tuple[tuple[ColumnKind, Callable[[JsonValue], bool]], ...] = (
        (ColumnKind.NUMBER, is_number),
        (ColumnKind.DATE, lambda value: isinstance(value, str) and bool(_DATE.fullmatch(value))),
        (
            ColumnKind.MOMENT,
            lambda value: isinstance(value, str) and bool(_MOMENT.fullmatch(value)),
        ),
    )
    return next((kind for kind, check in checks if all(map(check, given))), ColumnKind.TEXT)


def exact_text(value: JsonValue, type_name: str) -> str:
    """The value as plain text, a numeric with the decimals that its type declares, or with two."""
    text = format_cell(value)
    numeric = _NUMERIC.fullmatch(type_name)
    if numeric and type(value) is float and "e" not in text.lower():
        # JSON drops the decimals that the type declares.
        whole, _, decimals = text.partition(".")
        scale = numeric["scale"]
        return f"{value:.{scale}f}" if scale else f"{whole}.{decimals:0<2}"
    return text


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_typed_number(value: JsonValue) -> bool:
    return _is_number(value) or (isinstance(value, str) and bool(_NUMBER.fullmatch(value)))
