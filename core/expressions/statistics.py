"""The functions of expressions that sum up a list."""

import math
from collections import Counter
from decimal import Decimal
from typing import Any

from core.errors import EvaluationError
from core.expressions.guards import OPERATORS
from core.expressions.limits import Budget, check_items, check_key, kind_name, weigh
from core.messages import message

_NUMBERS = frozenset({int, bool, float, Decimal})


def min_(budget: Budget, *values: Any) -> Any:
    """The least of a list, or of several values."""
    return min(_several(budget, "min", values))


def max_(budget: Budget, *values: Any) -> Any:
    """The greatest of a list, or of several values."""
    return max(_several(budget, "max", values))


def _several(budget: Budget, name: str, values: tuple[Any, ...]) -> Any:
    return weigh(budget, _filled(budget, name, values[0] if len(values) == 1 else values))


def _filled(budget: Budget, name: str, values: Any) -> Any:
    if not check_items(budget, values):
        raise EvaluationError(
            message("expression.empty_list", "{name}() of an empty list", name=name)
        )
    return values


def sum_(budget: Budget, values: Any) -> Any:
    """The sum of a list of numbers; exact, rounded once."""
    kinds = {type(value) for value in check_items(budget, values)}
    if not kinds <= _NUMBERS:
        other = next(value for value in values if type(value) not in _NUMBERS)
        raise EvaluationError(
            message(
                "expression.sum_kind",
                "only numbers have a sum or a mean, not {kind}",
                kind=kind_name(other),
            )
        )
    weigh(budget, values)
    if Decimal in kinds:
        return sum(Decimal(repr(value)) if type(value) is float else value for value in values)
    return math.fsum(values) if float in kinds else sum(values)


def mean(budget: Budget, values: Any) -> Any:
    """The arithmetic mean of a list of numbers; exact, rounded once."""
    return OPERATORS["/"](budget, sum_(budget, _filled(budget, "mean", values)), len(values))


def median(budget: Budget, values: Any) -> Any:
    """The middle of a list of numbers, or the mean of the two in the middle."""
    ordered = _ordered(budget, "median", values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return mean(budget, ordered[middle - 1 : middle + 1])


def _ordered(budget: Budget, name: str, values: Any) -> list[Any]:
    return sorted(weigh(budget, _filled(budget, name, values)))


def percentile(budget: Budget, values: Any, percent: Any) -> Any:
    """The value below which so many percent of a list of numbers lie, between two if need be."""
    if not 0 <= percent <= 100:
        raise EvaluationError(
            message("expression.percentage_range", "percentile() needs a percentage from 0 to 100")
        )
    ordered = _ordered(budget, "percentile", values)
    rank = (len(ordered) - 1) * percent / 100
    low = math.floor(rank)
    if low == rank:
        return ordered[low]
    span = OPERATORS["-"](budget, ordered[low + 1], ordered[low])
    return OPERATORS["+"](budget, ordered[low], OPERATORS["*"](budget, span, float(rank) - low))


def mode(budget: Budget, values: Any) -> Any:
    """The most frequent element of a list; of several the one that comes first."""
    counts = Counter(check_key(value) for value in _filled(budget, "mode", values))
    return max(counts, key=lambda value: counts[value])


def variance(budget: Budget, values: Any) -> float:
    """The variance of a list of at least two numbers taken as a sample."""
    numbers = _centred(_floats(budget, "variance", values))
    return math.fsum(number * number for number in numbers) / (len(numbers) - 1)


def stdev(budget: Budget, values: Any) -> float:
    """The standard deviation of a list of at least two numbers taken as a sample."""
    return math.sqrt(variance(budget, _floats(budget, "stdev", values)))


def _floats(budget: Budget, name: str, values: Any) -> list[float]:
    if not {type(value) for value in check_items(budget, values)} <= _NUMBERS:
        raise TypeError
    if len(values) < 2:
        raise EvaluationError(
            message("expression.two_numbers", "{name}() needs at least two numbers", name=name)
        )
    return [float(value) for value in values]


def correlation(budget: Budget, left: Any, right: Any) -> float:
    """Pearson's correlation of two lists of numbers of one length, from -1 to 1."""
    columns = [_floats(budget, "correlation", values) for values in (left, right)]
    if len(columns[0]) != len(columns[1]):
        raise EvaluationError(
            message("expression.correlation_length", "correlation() needs two lists of one length")
        )
    xs, ys = map(_scaled, columns)
    spread = math.sqrt(math.fsum(x * x for x in xs) * math.fsum(y * y for y in ys))
    return math.fsum(x * y for x, y in zip(xs, ys, strict=True)) / spread


def _scaled(numbers: list[float]) -> list[float]:
    """The numbers around 0, the farthest at 1 or -1, so that no square is too large or too small."""
    centred = _centred(numbers)
    farthest = max(map(abs, centred))
    if not farthest:
        raise EvaluationError(
            message(
                "expression.correlation_same",
                "correlation() of a list whose numbers are all the same",
            )
        )
    return [number / farthest for number in centred]


def _centred(numbers: list[float]) -> list[float]:
    centre = math.fsum(numbers) / len(numbers)
    return [number - centre for number in numbers]
