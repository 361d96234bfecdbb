"""The borders of an evaluation: arguments that come in, and the result that goes out as JSON."""

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from core.errors import EvaluationError
from core.expressions.limits import Budget, check_value, kind_name
from core.messages import message
from core.toolspec import JsonValue

MAX_DEPTH = 40
_TIME_SPAN = message(
    "expression.result_time_span",
    "the result holds a time span, which has no JSON form; use days_between(start, end)",
)


def admit_argument(budget: Budget, name: str, value: Any) -> Any:
    """The argument itself; raises EvaluationError if expressions cannot work with it."""
    if type(value) is float or value is None or type(value) is bool:
        return value
    try:
        parts = [value]
        while parts:
            part = check_value(budget, parts.pop())
            if type(part) is list:
                parts += part
            elif type(part) is dict:
                parts += part.values()
    except EvaluationError as error:
        raise EvaluationError(
            message("expression.argument", "{name}: {reason}", name=name, reason=error.message)
        ) from None
    return value


def export_result(budget: Budget, value: Any, depth: int = 0) -> JsonValue:
    """The value as JSON: dates as ISO 8601 text, tuples and sets as lists, only finite numbers."""
    export = _EXPORTS.get(type(value))
    if export is None:
        raise EvaluationError(
            _TIME_SPAN
            if type(value) is timedelta
            else message(
                "expression.result_kind",
                "the result holds {kind}, which has no JSON form",
                kind=kind_name(value),
            )
        )
    if depth > MAX_DEPTH:
        raise EvaluationError(
            message(
                "expression.result_nested",
                "the result is nested more than {limit} deep",
                limit=MAX_DEPTH,
            )
        )
    return export(budget, value, depth)


def _export_plain(budget: Budget, value: Any, depth: int) -> JsonValue:
    return value


def _export_integer(budget: Budget, value: int, depth: int) -> int:
    budget.draw(value.bit_length() >> 8)
    return value


def _export_float(budget: Budget, value: float, depth: int) -> float:
    _check_finite(value, math.isfinite(value))
    return value


def _check_finite(value: float | Decimal, is_finite: bool) -> None:
    if not is_finite:
        nan = message("kind.nan", "not a number (NaN)")
        infinite = message("kind.infinite", "infinite")
        raise EvaluationError(
            message(
                "expression.result_not_finite",
                "the result is {kind}, which has no JSON form",
                kind=nan if math.isnan(value) else infinite,
            )
        )


def _export_text(budget: Budget, value: str, depth: int) -> str:
    budget.draw(len(value) >> 6)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise EvaluationError(
            message("expression.result_half_character", "the result holds half a character")
        ) from None
    return value


def _export_decimal(budget: Budget, value: Decimal, depth: int) -> int | float | str:
    _check_finite(value, value.is_finite())
    return decimal_to_json(value)


def decimal_to_json(value: Decimal) -> int | float | str:
    """The finite number as JSON: as a number where that is exact, else as text."""
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else str(value)


def _export_date(budget: Budget, value: date, depth: int) -> str:
    return value.isoformat()


def _export_sequence(budget: Budget, values: Any, depth: int) -> list[JsonValue]:
    budget.draw(len(values) + 1)
    return [export_result(budget, value, depth + 1) for value in values]


def _export_set(budget: Budget, values: set[Any], depth: int) -> list[JsonValue]:
    # The order of a set changes from process to process; that of its answer must not.
    return _export_sequence(budget, sorted(values, key=_set_order), depth)


def _set_order(value: Any) -> tuple[str, Any]:
    if type(value) in {int, float, bool, Decimal}:
        return "number", value
    return str(kind_name(value)), str(value)


def _export_dictionary(budget: Budget, values: dict[Any, Any], depth: int) -> dict[str, JsonValue]:
    budget.draw(len(values) + 1)
    exported: dict[str, JsonValue] = {}
    for key, value in values.items():
        if key is None or type(key) is bool:
            raise EvaluationError(
                message(
                    "expression.result_key",
                    "the result has {kind} as a key; use a text",
                    kind=kind_name(key),
                )
            )
        exported[str(export_result(budget, key, depth + 1))] = export_result(
            budget, value, depth + 1
        )
    return exported


_EXPORTS: dict[type, Callable[[Budget, Any, int], JsonValue]] = {
    type(None): _export_plain,
    bool: _export_plain,
    int: _export_integer,
    float: _export_float,
    str: _export_text,
    Decimal: _export_decimal,
    date: _export_date,
    datetime: _export_date,
    list: _export_sequence,
    tuple: _export_sequence,
    set: _export_set,
    dict: _export_dictionary,
}
