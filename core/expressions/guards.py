"""The operations of expressions, each bounded in time, memory and digits.

A compiled expression holds calls of these functions in place of Python's operators. Every value that
an expression can reach obeys `check_value`, every walk over a value draws steps from its budget, so
an evaluation always ends.
"""

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from core.errors import EvaluationError
from core.expressions.limits import (
    CONTAINERS,
    INTEGERS,
    SEQUENCES,
    Budget,
    Guard,
    check_bits,
    check_integer,
    check_items,
    check_key,
    check_length,
    check_value,
    kind_name,
    kinds_apart,
    weigh,
)
from core.messages import message

_SMALL = 1 << 64
_DECIMAL_POWER_STEPS = 32
_MACHINE_NUMBERS = frozenset({int, float, bool})


def make_set(budget: Budget, values: Any) -> set[Any]:
    """The distinct `values`."""
    return {check_key(value) for value in check_items(budget, values)}


def make_dictionary(budget: Budget, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """The dictionary of `pairs`; the last of equal keys wins."""
    return {check_key(key): value for key, value in check_items(budget, pairs)}


def _align(left: Any, right: Any) -> tuple[Any, Any]:
    """Both operands, a float beside a Decimal as the Decimal that is written the same."""
    if type(left) is Decimal and type(right) is float:
        return left, Decimal(repr(right))
    if type(left) is float and type(right) is Decimal:
        return Decimal(repr(left)), right
    return left, right


def _prepare_nothing(budget: Budget, left: Any, right: Any) -> None:
    """Most operators cannot make a value much larger than their operands."""


def _careful(symbol: str, operate: Guard, prepare: Guard) -> Guard:
    """A guarded binary operator; `prepare` refuses operands whose result would be too large."""

    def calculate(budget: Budget, left: Any, right: Any) -> Any:
        for operand in (left, right):
            if type(operand) is int:
                check_integer(budget, operand)
        prepare(budget, left, right)
        try:
            return check_value(budget, operate(*_align(left, right)))
        except TypeError:
            raise EvaluationError(
                message(
                    "expression.operator_kinds",
                    "cannot apply {symbol} to {left} and {right}",
                    symbol=symbol,
                    left=kind_name(left),
                    right=kind_name(right),
                )
            ) from None

    return calculate


def _quick(symbol: str, operate: Guard, prepare: Guard = _prepare_nothing) -> Guard:
    """The same, with a short way for machine-sized numbers, whose result is never large."""
    calculate_carefully = _careful(symbol, operate, prepare)

    def calculate(budget: Budget, left: Any, right: Any) -> Any:
        if type(left) in _MACHINE_NUMBERS and type(right) in _MACHINE_NUMBERS:
            result = operate(left, right)
            if -_SMALL < result < _SMALL:
                return result
        return calculate_carefully(budget, left, right)

    return calculate


def _prepare_multiplication(budget: Budget, left: Any, right: Any) -> None:
    for sequence, count in ((left, right), (right, left)):
        if type(sequence) in SEQUENCES and type(count) in INTEGERS:
            check_length(budget, len(sequence) * max(count, 0))


def _prepare_power(budget: Budget, base: Any, exponent: Any) -> None:
    if Decimal in {type(base), type(exponent)}:
        budget.draw(_DECIMAL_POWER_STEPS)
    if type(base) in INTEGERS and type(exponent) in INTEGERS and abs(base) > 1:
        check_bits((abs(base).bit_length() - 1) * abs(exponent))


def _prepare_shift(budget: Budget, value: Any, count: Any) -> None:
    if type(value) in INTEGERS and type(count) in INTEGERS:
        check_bits(value.bit_length() + count)


def _prepare_remainder(budget: Budget, left: Any, right: Any) -> None:
    if type(left) is str:
        raise EvaluationError(
            message(
                "expression.no_percent_format",
                "texts are not formatted with %; write f'{value:.2f}'",
            )
        )


def _comparison(operate: Guard) -> Guard:
    def compare(budget: Budget, left: Any, right: Any) -> Any:
        if type(left) in _MACHINE_NUMBERS and type(right) in _MACHINE_NUMBERS:
            return operate(left, right)
        weigh(budget, left)
        weigh(budget, right)
        try:
            return operate(*_align(left, right))
        except TypeError:
            raise EvaluationError(kinds_apart(kind_name(left), kind_name(right))) from None

    return compare


def contains(budget: Budget, item: Any, values: Any) -> bool:
    """`item in values`."""
    kind = type(values)
    if kind in {set, dict}:
        return check_key(item) in values
    if kind is str and type(item) is not str:
        raise EvaluationError(
            message(
                "expression.text_in_text",
                "only a text can be in a text, not {item}",
                item=kind_name(item),
            )
        )
    if kind is str:
        budget.draw(len(values) >> 4)
    else:
        weigh(budget, check_items(budget, values))
        weigh(budget, item)
    return item in values


def chain(budget: Budget, left: Any, links: tuple[tuple[Guard, Callable[[], Any]], ...]) -> Any:
    """`a < b < c`: each link is a comparison and its right side, read only when it is reached."""
    result: Any = True
    for compare, read_right in links:
        right = read_right()
        result = compare(budget, left, right)
        if not result:
            break
        left = right
    return result


def _unary(symbol: str, operate: Guard) -> Guard:
    def calculate(_: Budget, value: Any) -> Any:
        try:
            return operate(value)
        except TypeError:
            raise EvaluationError(
                message(
                    "expression.sign_kind",
                    "cannot apply {symbol} to {value}",
                    symbol=symbol,
                    value=kind_name(value),
                )
            ) from None

    return calculate


def subscript(budget: Budget, values: Any, key: Any) -> Any:
    """`values[key]`."""
    kind = type(values)
    if kind is dict:
        if check_key(key) not in values:
            raise EvaluationError(
                message(
                    "expression.no_key", "the dictionary has no key {key}", key=repr(str(key)[:100])
                )
            )
        return values[key]
    if kind not in SEQUENCES:
        raise EvaluationError(
            message("expression.no_subscript", "{values} has no [ ]", values=kind_name(values))
        )
    if type(key) not in INTEGERS:
        raise EvaluationError(
            message(
                "expression.position_kind",
                "a position must be a whole number, not {kind}",
                kind=kind_name(key),
            )
        )
    if not -len(values) <= key < len(values):
        raise EvaluationError(
            message(
                "expression.position_outside",
                "position {position} is outside {kind} of {count}",
                position=str(key),
                kind=kind_name(values),
                count=len(values),
            )
        )
    return values[key]


def take_slice(budget: Budget, values: Any, bounds: tuple[Any, Any, Any]) -> Any:
    """`values[start:stop:step]`."""
    if type(values) not in SEQUENCES:
        raise EvaluationError(
            message("expression.no_subscript", "{values} has no [ ]", values=kind_name(values))
        )
    if any(type(bound) not in {int, type(None)} for bound in bounds):
        raise EvaluationError(
            message("expression.slice_bounds", "the bounds of a slice must be whole numbers")
        )
    return check_value(budget, values[slice(*bounds)])


def format_value(budget: Budget, value: Any, specification: str) -> str:
    """`value` as an f-string writes it; the specification was checked at compile time."""
    if type(value) in CONTAINERS:
        raise EvaluationError(
            message(
                "expression.format_kind",
                "cannot write {value} into a text; join it first: ', '.join([...])",
                value=kind_name(value),
            )
        )
    try:
        text = format(value, specification)
    except (ValueError, TypeError):
        raise EvaluationError(
            message(
                "expression.format_unfit",
                "the format {specification} does not fit {value}",
                specification=repr(specification),
                value=kind_name(value),
            )
        ) from None
    budget.draw(len(text) >> 6)
    return text


def join_texts(budget: Budget, pieces: list[str], separator: str = "") -> str:
    """The texts as one, `separator` between them."""
    for piece in check_items(budget, pieces):
        if type(piece) is not str:
            raise EvaluationError(
                message(
                    "expression.join_kind",
                    "only texts can be joined, not {piece}; write str(x)",
                    piece=kind_name(piece),
                )
            )
    check_length(budget, sum(map(len, pieces)) + len(separator) * max(len(pieces) - 1, 0))
    return separator.join(pieces)


OPERATORS: dict[str, Guard] = {
    "+": _quick("+", operator.add),
    "-": _quick("-", operator.sub),
    "*": _quick("*", operator.mul, _prepare_multiplication),
    "/": _quick("/", operator.truediv),
    "//": _quick("//", operator.floordiv),
    "%": _quick("%", operator.mod, _prepare_remainder),
    "**": _careful("**", operator.pow, _prepare_power),
    "<<": _careful("<<", operator.lshift, _prepare_shift),
    ">>": _careful(">>", operator.rshift, _prepare_nothing),
    "&": _careful("&", operator.and_, _prepare_nothing),
    "|": _careful("|", operator.or_, _prepare_nothing),
    "^": _careful("^", operator.xor, _prepare_nothing),
}
COMPARISONS: dict[str, Guard] = {
    "==": _comparison(operator.eq),
    "!=": _comparison(operator.ne),
    "<": _comparison(operator.lt),
    "<=": _comparison(operator.le),
    ">": _comparison(operator.gt),
    ">=": _comparison(operator.ge),
    "in": contains,
    "not in": lambda budget, item, values: not contains(budget, item, values),
    "is": lambda _, left, right: left is right,
    "is not": lambda _, left, right: left is not right,
}
SIGNS: dict[str, Guard] = {
    "+": _unary("+", operator.pos),
    "-": _unary("-", operator.neg),
    "~": _unary("~", operator.invert),
}
