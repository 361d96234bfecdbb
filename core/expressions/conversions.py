"""The functions of expressions that turn a value into another kind, read and write JSON, or refuse."""

import json
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from core.errors import EvaluationError, StatedError
from core.expressions.limits import (
    CONTAINERS,
    Budget,
    check_bits,
    check_length,
    kind_name,
    weigh,
)
from core.expressions.values import export_result
from core.messages import message

_MAX_NUMBER_TEXT = 1_300
_MAX_REASON = 500


def int_(budget: Budget, value: Any) -> int:
    """The whole number of a number (its fraction cut off) or of a text."""
    try:
        return int(_short(value))
    except ValueError:
        raise EvaluationError(
            message(
                "expression.no_whole_number",
                "{text} is not a whole number; write it as 12",
                text=repr(str(value)[:40]),
            )
        ) from None


def float_(budget: Budget, value: Any) -> float:
    """The floating-point number of a number or of a text."""
    try:
        return float(_short(value))
    except ValueError:
        raise _refuse_number(value) from None


def decimal(budget: Budget, value: Any) -> Decimal:
    """The exact decimal number of a text such as '0.10', or of a number as it is written."""
    if type(value) not in {str, int, bool, float, Decimal}:
        raise TypeError
    try:
        return Decimal(repr(value) if type(value) is float else _short(value))
    except InvalidOperation:
        raise _refuse_number(value) from None


def _refuse_number(value: Any) -> EvaluationError:
    return EvaluationError(
        message(
            "expression.no_number",
            "{text} is not a number; write it as 12.50",
            text=repr(str(value)[:40]),
        )
    )


def _short(value: Any) -> Any:
    if type(value) is str and len(value) > _MAX_NUMBER_TEXT:
        raise EvaluationError(
            message("expression.number_text_too_long", "a text is too long for a number")
        )
    return value


def str_(budget: Budget, value: Any = "") -> str:
    """The value as a text; lists are joined with ', '.join instead."""
    if type(value) in CONTAINERS:
        raise EvaluationError(
            message(
                "expression.str_of_kind",
                "str() of {value}; write ', '.join([str(x) for x in ...])",
                value=kind_name(value),
            )
        )
    return str(value)


def bool_(budget: Budget, value: Any) -> bool:
    """False for null, zero and whatever is empty; else True."""
    return bool(value)


def coalesce(budget: Budget, *values: Any) -> Any:
    """The first value that is not null, or null."""
    return next((value for value in values if value is not None), None)


def parse_json(budget: Budget, text: Any) -> Any:
    """The value of a JSON text: dictionaries, lists, texts, numbers, booleans, null."""
    if type(text) is not str:
        raise TypeError
    budget.draw(len(text) >> 4)
    try:
        value = json.loads(text, parse_int=_read_integer, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise EvaluationError(
            message(
                "expression.no_json",
                "this is not JSON: {reason} at character {position}",
                reason=error.msg,
                position=error.pos,
            )
        ) from None
    return weigh(budget, value)


def _read_integer(digits: str) -> int:
    check_bits((len(digits) - 2) * 10 // 3)  # A long text is not even read.
    number = int(digits)
    check_bits(number.bit_length())
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise EvaluationError(
        message(
            "expression.no_json_constant", "this is not JSON: {name} is no number there", name=name
        )
    )


def to_json(budget: Budget, value: Any) -> str:
    """The value as a compact JSON text."""
    # The standard library's: scripts run where no package can be imported.
    exported = export_result(budget, value)
    text = json.dumps(exported, ensure_ascii=False, separators=(",", ":"))
    check_length(budget, len(text))
    return text


def fail(budget: Budget, reason: Any) -> NoReturn:
    """Ends the call with an error; the reason is what the agent reads."""
    raise StatedError(str_(budget, reason)[:_MAX_REASON])
