"""The functions and methods that expressions may call; each draws on the budget of its evaluation.

Their signatures without the budget, and the first lines of their docstrings, are what the editor and
the documentation show.
"""

import functools
import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from inspect import Parameter, Signature, signature
from typing import Any, NamedTuple

from core.errors import EvaluationError
from core.expression_guards import (
    MAX_LENGTH,
    OPERATORS,
    Budget,
    Guard,
    check_items,
    check_value,
    kind_name,
    make_set,
    weigh,
)

_MAX_NUMBER_TEXT = 1_300
_MAX_ROUNDING = 400


class Function(NamedTuple):
    """A function or method of the allow-list.

    `call` takes the budget first (a method: then the object); `signature` is without the budget.
    """

    call: Guard
    doc: str
    signature: Signature


def guard_function(name: str, function: Guard) -> Function:
    """The function with a checked result, and with kinds instead of Python's types in its errors."""

    @functools.wraps(function)
    def call(budget: Budget, *args: Any, **options: Any) -> Any:
        try:
            return check_value(budget, function(budget, *args, **options))
        except TypeError:
            kinds = ", ".join(kind_name(argument) for argument in args) or "nothing"
            raise EvaluationError(f"{name}() does not accept {kinds}") from None

    declared = signature(function)
    shown = [
        parameter.replace(annotation=Parameter.empty) for parameter in declared.parameters.values()
    ]
    return Function(call, (function.__doc__ or "").split("\n", 1)[0], Signature(shown[1:]))


def _abs(budget: Budget, number: Any) -> Any:
    """The number without its sign."""
    return abs(number)


def _round(budget: Budget, number: Any, digits: Any = None) -> Any:
    """The number rounded to `digits` places, halves to the even neighbour."""
    if digits is not None and not -_MAX_ROUNDING <= digits <= _MAX_ROUNDING:
        raise EvaluationError(f"round() takes at most {_MAX_ROUNDING} digits")
    return round(number, digits)


def _min(budget: Budget, *values: Any) -> Any:
    """The least of a list, or of several values."""
    return min(_several(budget, "min", values))


def _max(budget: Budget, *values: Any) -> Any:
    """The greatest of a list, or of several values."""
    return max(_several(budget, "max", values))


def _several(budget: Budget, name: str, values: tuple[Any, ...]) -> Any:
    several = check_items(budget, values[0] if len(values) == 1 else values)
    if not several:
        raise EvaluationError(f"{name}() of an empty list")
    return weigh(budget, several)


def _sum(budget: Budget, values: Any) -> Any:
    """The sum of a list of numbers; exact, rounded once."""
    kinds = {type(value) for value in check_items(budget, values)}
    if not kinds <= {int, bool, float, Decimal}:
        raise TypeError
    weigh(budget, values)
    if Decimal in kinds:
        return sum(Decimal(repr(value)) if type(value) is float else value for value in values)
    return math.fsum(values) if float in kinds else sum(values)


def _mean(budget: Budget, values: Any) -> Any:
    """The arithmetic mean of a list of numbers; exact, rounded once."""
    if not check_items(budget, values):
        raise EvaluationError("mean() of an empty list")
    return OPERATORS["/"](budget, _sum(budget, values), len(values))


def _median(budget: Budget, values: Any) -> Any:
    """The middle of a list of numbers, or the mean of the two in the middle."""
    ordered = _sorted(budget, values)
    if not ordered:
        raise EvaluationError("median() of an empty list")
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return _mean(budget, ordered[middle - 1 : middle + 1])


def _len(budget: Budget, values: Any) -> int:
    """How many characters a text has, or elements a list."""
    return len(values)


def _sorted(budget: Budget, values: Any, reverse: Any = False) -> list[Any]:
    """The elements as a list in rising order, or falling with reverse=True."""
    return sorted(weigh(budget, check_items(budget, values)), reverse=bool(reverse))


def _int(budget: Budget, value: Any) -> int:
    """The whole number of a number (its fraction cut off) or of a text."""
    if type(value) is str and len(value) > _MAX_NUMBER_TEXT:
        raise EvaluationError("a text is too long for a number")
    return int(value)


def _float(budget: Budget, value: Any) -> float:
    """The floating-point number of a number or of a text."""
    if type(value) is str and len(value) > _MAX_NUMBER_TEXT:
        raise EvaluationError("a text is too long for a number")
    return float(value)


def _str(budget: Budget, value: Any = "") -> str:
    """The value as a text; lists are joined with ', '.join instead."""
    if type(value) in {list, tuple, set, dict}:
        raise EvaluationError(
            f"str() of {kind_name(value)}; write ', '.join([str(x) for x in ...])"
        )
    return str(value)


def _bool(budget: Budget, value: Any) -> bool:
    """False for null, zero and whatever is empty; else True."""
    return bool(value)


def _any(budget: Budget, values: Any) -> bool:
    """Whether at least one element is true."""
    return any(check_items(budget, values))


def _all(budget: Budget, values: Any) -> bool:
    """Whether every element is true."""
    return all(check_items(budget, values))


def _range(budget: Budget, start: Any, stop: Any = None, step: Any = 1) -> list[int]:
    """The whole numbers from start (or 0) up to, without, stop."""
    numbers = range(start) if stop is None else range(start, stop, step)
    if numbers[MAX_LENGTH:]:  # len() of a range overflows, a slice of it does not.
        raise EvaluationError(f"range() makes at most {MAX_LENGTH:,} numbers")
    budget.draw(len(numbers))
    return list(numbers)


def _list(budget: Budget, values: Any) -> list[Any]:
    """The elements as a list; a text as its characters."""
    return list(check_items(budget, values))


def _set(budget: Budget, values: Any) -> set[Any]:
    """The distinct elements."""
    return make_set(budget, values)


def _zip(budget: Budget, left: Any, right: Any) -> list[tuple[Any, Any]]:
    """Pairs of the elements of two lists, as many as the shorter has."""
    return list(zip(check_items(budget, left), check_items(budget, right), strict=False))


def _enumerate(budget: Budget, values: Any, start: Any = 0) -> list[tuple[int, Any]]:
    """Pairs of a counter and an element."""
    return list(enumerate(check_items(budget, values), start))


def _floor(budget: Budget, number: Any) -> Any:
    """The greatest whole number that is not above."""
    return math.floor(number)


def _ceil(budget: Budget, number: Any) -> Any:
    """The least whole number that is not below."""
    return math.ceil(number)


def _sqrt(budget: Budget, number: Any) -> Any:
    """The square root."""
    if number < 0:
        raise EvaluationError("sqrt() of a negative number")
    return number.sqrt() if type(number) is Decimal else math.sqrt(number)


def _pow(budget: Budget, base: Any, exponent: Any) -> Any:
    """`base ** exponent`."""
    return OPERATORS["**"](budget, base, exponent)


def _exp(budget: Budget, number: Any) -> float:
    """The number e to the power of this one."""
    return math.exp(number)


def _log(budget: Budget, number: Any, base: Any = math.e) -> float:
    """The logarithm, natural unless a base is given."""
    if number <= 0 or base <= 0 or base == 1:
        raise EvaluationError("log() needs a positive number, and a positive base other than 1")
    return math.log(number) if base == math.e else math.log(number, base)


def _log10(budget: Budget, number: Any) -> float:
    """The logarithm to the base 10."""
    if number <= 0:
        raise EvaluationError("log10() needs a positive number")
    return math.log10(number)


def _clamp(budget: Budget, value: Any, low: Any, high: Any) -> Any:
    """The value, or the bound that it is beyond."""
    low_or_value = _max(budget, value, low)
    return _min(budget, low_or_value, high)


def _coalesce(budget: Budget, *values: Any) -> Any:
    """The first value that is not null, or null."""
    return next((value for value in values if value is not None), None)


def _to_date(budget: Budget, value: Any) -> date:
    """The date of an ISO 8601 text (2024-12-31, with or without a time) or of a datetime."""
    if type(value) is datetime:
        return value.date()
    if type(value) is str:
        return _read_date(value)
    return _date(value)


def _read_date(text: str) -> date:
    try:
        return datetime.fromisoformat(text.strip()).date()
    except ValueError:
        raise EvaluationError(f"{text[:40]!r} is not a date; write it as YYYY-MM-DD") from None


def _date(value: Any) -> date:
    if type(value) is datetime or type(value) is date:
        return value
    raise TypeError


def _days_between(budget: Budget, start: Any, end: Any) -> int:
    """Calendar days from start to end; negative if the end comes first."""
    return (_to_date(budget, end) - _to_date(budget, start)).days


def _add_days(budget: Budget, day: Any, days: Any) -> date:
    """The date or datetime so many days later; earlier if negative."""
    return _date(day) + timedelta(days=days)


def _year(budget: Budget, day: Any) -> int:
    """The year of a date or datetime."""
    return _date(day).year


def _month(budget: Budget, day: Any) -> int:
    """The month of a date or datetime, 1 to 12."""
    return _date(day).month


def _day(budget: Budget, day: Any) -> int:
    """The day of the month of a date or datetime, 1 to 31."""
    return _date(day).day


def _weekday(budget: Budget, day: Any) -> int:
    """The day of the week of a date or datetime, 0 = Monday to 6 = Sunday."""
    return _date(day).weekday()


FUNCTIONS: dict[str, Function] = {
    function.__name__[1:]: guard_function(function.__name__[1:], function)
    for function in (
        *(_abs, _round, _floor, _ceil, _min, _max, _clamp, _sum, _mean, _median, _len),
        *(_sqrt, _pow, _exp, _log, _log10),
        *(_int, _float, _str, _bool, _coalesce, _any, _all),
        *(_range, _sorted, _list, _set, _zip, _enumerate),
        *(_to_date, _days_between, _add_days, _year, _month, _day, _weekday),
    )
}
