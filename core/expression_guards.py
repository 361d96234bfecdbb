"""The operations of expressions, each bounded in time, memory and digits.

A compiled expression holds calls of these functions in place of Python's operators. Every value that
an expression can reach obeys `check_value`, every walk over a value draws steps from its budget, so
an evaluation always ends.
"""

import operator
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from core.errors import EvaluationError

STEP_BUDGET = 50_000
MAX_INTEGER_BITS = 4_096
MAX_LENGTH = 20_000
MAX_DECIMAL_EXPONENT = 1_200

_SMALL = 1 << 64
_KEY_LIMIT = 1 << 60
_KEY_DIGITS = 18
_DECIMAL_POWER_STEPS = 32
_KIND_NAMES = {
    type(None): "null",
    bool: "a boolean",
    int: "a whole number",
    float: "a number",
    Decimal: "a number",
    str: "a text",
    list: "a list",
    tuple: "a tuple",
    set: "a set",
    dict: "a dictionary",
    date: "a date",
    datetime: "a datetime",
    timedelta: "a time span",
}
_INTEGERS = frozenset({int, bool})
_MACHINE_NUMBERS = frozenset({int, float, bool})
_FREE_TO_WALK = frozenset({float, bool, type(None), Decimal, date, datetime, timedelta})
_CONTAINERS = frozenset({list, tuple, set, dict})
_SEQUENCES = frozenset({str, list, tuple})

Guard = Callable[..., Any]


class Budget:
    """The steps that one evaluation may still take."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps = STEP_BUDGET

    def draw(self, steps: int) -> None:
        """Take `steps`; raises EvaluationError when they are used up."""
        self.steps -= steps
        if self.steps < 0:
            raise EvaluationError("the expression takes too many steps on these arguments")


def kind_name(value: object) -> str:
    """What agents call the type of `value`, with its article."""
    return _KIND_NAMES.get(type(value), type(value).__name__)


def check_value(budget: Budget, value: Any) -> Any:
    """`value` itself; raises EvaluationError if it is too large. Looks at the outermost level only."""
    kind = type(value)
    if kind is int:
        _check_integer(budget, value)
    elif kind in _SEQUENCES or kind in _CONTAINERS:
        check_length(len(value))
        budget.draw(len(value) >> 6)
    elif kind is Decimal:
        if abs(value.adjusted()) > MAX_DECIMAL_EXPONENT:
            raise EvaluationError("a number has too many digits")
    elif kind is complex:
        raise EvaluationError("the result of a power is not a real number")
    elif kind not in _KIND_NAMES:
        raise EvaluationError(f"values of type {kind.__name__} are not supported")
    return value


def _check_integer(budget: Budget, value: int) -> None:
    bits = value.bit_length()
    if bits > 64:
        check_bits(bits)
        budget.draw(bits >> 4)


def check_bits(bits: int) -> None:
    """Raises EvaluationError for an integer of more than MAX_INTEGER_BITS."""
    if bits > MAX_INTEGER_BITS:
        raise EvaluationError("a number has too many digits")


def check_length(length: int) -> None:
    """Raises EvaluationError for a text or a collection of more than MAX_LENGTH."""
    if length > MAX_LENGTH:
        raise EvaluationError(f"a text or a list is longer than {MAX_LENGTH:,}")


def weigh(budget: Budget, value: Any) -> Any:
    """`value` itself, after one step for each element that a walk over it meets.

    Comparing, hashing and writing walk nested values; one that shares its parts is a tree to them.
    """
    waiting = [value]
    while waiting:
        value_seen = waiting.pop()
        kind = type(value_seen)
        if kind in _FREE_TO_WALK:
            continue
        if kind is str:
            budget.draw(len(value_seen) >> 6)
        elif kind is int:
            budget.draw(value_seen.bit_length() >> 8)
        else:
            budget.draw(len(value_seen) + 1)
            waiting.extend(_parts(value_seen))
    return value


def _parts(value: Any) -> Iterable[Any]:
    return [*value, *value.values()] if type(value) is dict else value


def check_items(budget: Budget, values: Any, steps_each: int = 1) -> Any:
    """`values` itself if it is a collection that may be walked, whose steps are drawn at once."""
    if type(values) not in _CONTAINERS and type(values) is not str:
        raise EvaluationError(f"a list is needed here, not {kind_name(values)}")
    budget.draw(len(values) * steps_each)
    return values


def check_key(value: Any) -> Any:
    """`value` itself if it may be a dictionary key or a set member.

    Large numbers are refused because their hashes can be made to collide, tuples because theirs
    take as long as the tuple is deep.
    """
    kind = type(value)
    if kind in _CONTAINERS or kind is timedelta:
        raise EvaluationError(f"a key must be a text, a number or a date, not {kind_name(value)}")
    if kind is int and not -_KEY_LIMIT < value < _KEY_LIMIT:
        raise EvaluationError("a number is too large for a key")
    if kind is Decimal and not _is_plain_decimal(value):
        raise EvaluationError("a number has too many digits for a key")
    return value


def _is_plain_decimal(value: Decimal) -> bool:
    _, digits, exponent = value.as_tuple()
    return isinstance(exponent, int) and len(digits) <= _KEY_DIGITS >= abs(exponent)


def make_set(budget: Budget, values: Any) -> set[Any]:
    """The distinct `values`."""
    return {check_key(value) for value in check_items(budget, values)}


def make_dictionary(budget: Budget, pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """The dictionary of `pairs`; the last of equal keys wins."""
    return {check_key(key): value for key, value in check_items(budget, pairs)}


def _unsupported(symbol: str, left: Any, right: Any) -> EvaluationError:
    return EvaluationError(f"cannot apply {symbol} to {kind_name(left)} and {kind_name(right)}")


def _align(left: Any, right: Any) -> tuple[Any, Any]:
    """Both operands, a float beside a Decimal as the Decimal that is written the same."""
    if type(left) is Decimal and type(right) is float:
        return left, Decimal(repr(right))
    if type(left) is float and type(right) is Decimal:
        return Decimal(repr(left)), right
    return left, right


def _apply(symbol: str, operate: Guard, left: Any, right: Any) -> Any:
    try:
        return operate(*_align(left, right))
    except TypeError:
        raise _unsupported(symbol, left, right) from None


def _prepare_nothing(budget: Budget, left: Any, right: Any) -> None:
    """Most operators cannot make a value much larger than their operands."""


def _careful(symbol: str, operate: Guard, prepare: Guard) -> Guard:
    """A guarded binary operator; `prepare` refuses operands whose result would be too large."""

    def calculate(budget: Budget, left: Any, right: Any) -> Any:
        for operand in (left, right):
            if type(operand) is int:
                _check_integer(budget, operand)
        prepare(budget, left, right)
        return check_value(budget, _apply(symbol, operate, left, right))

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
        if type(sequence) in _SEQUENCES and type(count) in _INTEGERS:
            check_length(len(sequence) * max(count, 0))


def _prepare_power(budget: Budget, base: Any, exponent: Any) -> None:
    if Decimal in {type(base), type(exponent)}:
        budget.draw(_DECIMAL_POWER_STEPS)
    if type(base) in _INTEGERS and type(exponent) in _INTEGERS and abs(base) > 1:
        check_bits((abs(base).bit_length() - 1) * abs(exponent))


def _prepare_shift(budget: Budget, value: Any, count: Any) -> None:
    if type(value) in _INTEGERS and type(count) in _INTEGERS:
        check_bits(value.bit_length() + count)


def _prepare_remainder(budget: Budget, left: Any, right: Any) -> None:
    if type(left) is str:
        raise EvaluationError("% does not format texts here; write f'{value:.2f}'")


def _comparison(operate: Guard) -> Guard:
    def compare(budget: Budget, left: Any, right: Any) -> Any:
        if type(left) in _MACHINE_NUMBERS and type(right) in _MACHINE_NUMBERS:
            return operate(left, right)
        weigh(budget, left)
        weigh(budget, right)
        try:
            return operate(*_align(left, right))
        except TypeError:
            raise EvaluationError(
                f"cannot compare {kind_name(left)} and {kind_name(right)}"
            ) from None

    return compare


def contains(budget: Budget, item: Any, values: Any) -> bool:
    """`item in values`."""
    kind = type(values)
    if kind in {set, dict}:
        return check_key(item) in values
    if kind is str and type(item) is not str:
        raise EvaluationError(f"only a text can be in a text, not {kind_name(item)}")
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
            raise EvaluationError(f"cannot apply {symbol} to {kind_name(value)}") from None

    return calculate


def subscript(budget: Budget, values: Any, key: Any) -> Any:
    """`values[key]`."""
    kind = type(values)
    if kind is dict:
        return _look_up(values, key)
    if kind not in _SEQUENCES:
        raise EvaluationError(f"{kind_name(values)} has no [ ]")
    if type(key) not in _INTEGERS:
        raise EvaluationError(f"a position must be a whole number, not {kind_name(key)}")
    if not -len(values) <= key < len(values):
        raise EvaluationError(f"position {key} is outside {kind_name(values)} of {len(values)}")
    return values[key]


def _look_up(values: dict[Any, Any], key: Any) -> Any:
    if check_key(key) not in values:
        raise EvaluationError(f"the dictionary has no key {str(key)[:100]!r}")
    return values[key]


def take_slice(budget: Budget, values: Any, bounds: tuple[Any, Any, Any]) -> Any:
    """`values[start:stop:step]`."""
    if type(values) not in _SEQUENCES:
        raise EvaluationError(f"{kind_name(values)} has no [ ]")
    if any(type(bound) not in {int, type(None)} for bound in bounds):
        raise EvaluationError("the bounds of a slice must be whole numbers")
    return check_value(budget, values[slice(*bounds)])


def format_value(budget: Budget, value: Any, specification: str) -> str:
    """`value` as an f-string writes it; the specification was checked at compile time."""
    if type(value) in _CONTAINERS:
        raise EvaluationError(
            f"cannot write {kind_name(value)} into a text; join it first: ', '.join([...])"
        )
    try:
        text = format(value, specification)
    except (ValueError, TypeError):
        raise EvaluationError(
            f"the format {specification!r} does not fit {kind_name(value)}"
        ) from None
    budget.draw(len(text) >> 6)
    return text


def join_texts(budget: Budget, pieces: list[str], separator: str = "") -> str:
    """The texts as one, `separator` between them."""
    for piece in check_items(budget, pieces):
        if type(piece) is not str:
            raise EvaluationError(f"only texts can be joined, not {kind_name(piece)}; write str(x)")
    check_length(sum(map(len, pieces)) + len(separator) * max(len(pieces) - 1, 0))
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
