"""The functions of expressions over numbers."""

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from core.errors import EvaluationError
from core.expressions.guards import OPERATORS
from core.expressions.limits import Budget, weigh
from core.messages import message

_MAX_ROUNDING = 400


def abs_(budget: Budget, number: Any) -> Any:
    """The number without its sign."""
    return abs(number)


def round_(budget: Budget, number: Any, digits: Any = None) -> Any:
    """The number rounded to `digits` places, halves to the even neighbour."""
    if digits is not None:
        _check_rounding("round", digits)
    return round(number, digits)


def _check_rounding(name: str, digits: Any) -> None:
    if not -_MAX_ROUNDING <= digits <= _MAX_ROUNDING:
        raise EvaluationError(
            message(
                "expression.rounding_digits",
                "{name}() takes at most {limit} digits",
                name=name,
                limit=_MAX_ROUNDING,
            )
        )


def round_half_up(budget: Budget, number: Any, digits: Any = 0) -> Any:
    """The number rounded to `digits` places as it is written, halves away from zero."""
    _check_rounding("round_half_up", digits)
    if type(number) not in {int, float, Decimal}:
        raise TypeError
    written = Decimal(repr(number)) if type(number) is float else Decimal(number)
    if not written.is_finite():
        return number
    place = Decimal((0, (1,), -digits))
    # Only what has more digits than asked for is quantized, so that long whole numbers stay as they are.
    exponent = written.as_tuple().exponent
    if isinstance(exponent, int) and exponent >= -digits:
        return number
    return type(number)(written.quantize(place, ROUND_HALF_UP))


def floor(budget: Budget, number: Any) -> Any:
    """The greatest whole number that is not above."""
    return math.floor(number)


def ceil(budget: Budget, number: Any) -> Any:
    """The least whole number that is not below."""
    return math.ceil(number)


def sign(budget: Budget, number: Any) -> int:
    """-1, 0 or 1: whether the number is negative, zero or positive."""
    return int(number > 0) - int(number < 0)


def divmod_(budget: Budget, number: Any, divisor: Any) -> tuple[Any, Any]:
    """The pair of `number // divisor` and `number % divisor`."""
    return OPERATORS["//"](budget, number, divisor), OPERATORS["%"](budget, number, divisor)


def sqrt(budget: Budget, number: Any) -> Any:
    """The square root."""
    if number < 0:
        raise EvaluationError(message("expression.sqrt_negative", "sqrt() of a negative number"))
    return number.sqrt() if type(number) is Decimal else math.sqrt(number)


def pow_(budget: Budget, base: Any, exponent: Any) -> Any:
    """`base ** exponent`."""
    return OPERATORS["**"](budget, base, exponent)


def exp(budget: Budget, number: Any) -> float:
    """The number e to the power of this one."""
    return math.exp(number)


def log(budget: Budget, number: Any, base: Any = math.e) -> float:
    """The logarithm, natural unless a base is given."""
    if number <= 0 or base <= 0 or base == 1:
        raise EvaluationError(
            message(
                "expression.log_positive",
                "log() needs a positive number, and a positive base other than 1",
            )
        )
    return math.log(number) if base == math.e else math.log(number, base)


def log10(budget: Budget, number: Any) -> float:
    """The logarithm to the base 10."""
    if number <= 0:
        raise EvaluationError(
            message("expression.log10_positive", "log10() needs a positive number")
        )
    return math.log10(number)


def sin(budget: Budget, angle: Any) -> float:
    """The sine of an angle in radians."""
    return math.sin(angle)


def cos(budget: Budget, angle: Any) -> float:
    """The cosine of an angle in radians."""
    return math.cos(angle)


def tan(budget: Budget, angle: Any) -> float:
    """The tangent of an angle in radians."""
    return math.tan(angle)


def asin(budget: Budget, number: Any) -> float:
    """The angle in radians whose sine this is."""
    return math.asin(_check_unit("asin", number))


def acos(budget: Budget, number: Any) -> float:
    """The angle in radians whose cosine this is."""
    return math.acos(_check_unit("acos", number))


def _check_unit(name: str, number: Any) -> Any:
    if not -1 <= number <= 1:
        raise EvaluationError(
            message("expression.arc_range", "{name}() needs a number from -1 to 1", name=name)
        )
    return number


def atan2(budget: Budget, y: Any, x: Any) -> float:
    """The angle in radians of the point (x, y)."""
    return math.atan2(y, x)


def radians(budget: Budget, degrees: Any) -> float:
    """The angle in radians of one in degrees."""
    return math.radians(degrees)


def degrees(budget: Budget, radians: Any) -> float:
    """The angle in degrees of one in radians."""
    return math.degrees(radians)


def clamp(budget: Budget, value: Any, low: Any, high: Any) -> Any:
    """The value, or the bound that it is beyond."""
    for part in (value, low, high):
        weigh(budget, part)
    return min(max(value, low), high)


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that is known by a name; `doc` is what the editor and the reference show."""

    value: float
    doc: str


CONSTANTS = {
    "e": Constant(math.e, "Euler's number, 2.718281828459045."),
    "pi": Constant(math.pi, "The circumference of a circle of diameter 1, 3.141592653589793."),
}
