"""What an evaluation may use: its steps, and the sizes and kinds of its values."""

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from core.errors import EvaluationError
from core.messages import Message, foreign, message
from core.toolspec import EXPRESSION

MAX_INTEGER_BITS = 4_096
MAX_DECIMAL_EXPONENT = 1_200
MAX_NESTING = 200

_KEY_LIMIT = 1 << 60
_KEY_DIGITS = 18
_KIND_NAMES = {
    type(None): foreign("null"),
    bool: message("kind.boolean", "a boolean"),
    int: message("kind.integer", "a whole number"),
    float: message("kind.number", "a number"),
    Decimal: message("kind.number", "a number"),
    str: message("kind.text", "a text"),
    list: message("kind.list", "a list"),
    tuple: message("kind.tuple", "a tuple"),
    set: message("kind.set", "a set"),
    dict: message("kind.dictionary", "a dictionary"),
    date: message("kind.date", "a date"),
    datetime: message("kind.datetime", "a datetime"),
    timedelta: message("kind.time_span", "a time span"),
}
INTEGERS = frozenset({int, bool})
CONTAINERS = frozenset({list, tuple, set, dict})
SEQUENCES = frozenset({str, list, tuple})
_FREE_TO_WALK = frozenset({float, bool, type(None), Decimal, date, datetime, timedelta})

Guard = Callable[..., Any]


class Budget:
    """The steps that one evaluation may still take, and the sizes that it may make.

    `shifts` says by kind how much a new value costs: a step for each 2**shift elements.
    """

    __slots__ = ("steps",)

    logic: ClassVar[Message] = EXPRESSION
    step_limit: ClassVar[int] = 50_000
    length_limit: ClassVar[int] = 20_000
    shifts: ClassVar[Mapping[type, int]] = dict.fromkeys(SEQUENCES | CONTAINERS, 6)

    def __init__(self) -> None:
        self.steps = self.step_limit

    def draw(self, steps: int) -> None:
        """Take `steps`; raises EvaluationError when they are used up."""
        self.steps -= steps
        if self.steps < 0:
            raise EvaluationError(
                message(
                    "logic.too_many_steps",
                    "the {logic} takes too many steps on these arguments",
                    logic=self.logic,
                )
            )


def kind_name(value: object) -> Message:
    """What agents call the type of `value`, with its article."""
    return _KIND_NAMES.get(type(value)) or foreign(type(value).__name__)


def kind_name_of_type(name: str) -> Message:
    """What agents call the values of the type that Python's messages call so."""
    last = name.rpartition(".")[2]
    return next(
        (known for kind, known in _KIND_NAMES.items() if kind.__name__ == last), foreign(last)
    )


def kinds_apart(left: Message, right: Message) -> Message:
    """Why two values have no order."""
    return message(
        "expression.compare_kinds", "cannot compare {left} and {right}", left=left, right=right
    )


def check_value(budget: Budget, value: Any) -> Any:
    """`value` itself; raises EvaluationError if it is too large. Looks at the outermost level only."""
    kind = type(value)
    if kind is int:
        check_integer(budget, value)
    elif kind in budget.shifts:
        check_length(budget, len(value))
        budget.draw(len(value) >> budget.shifts[kind])
    elif kind is Decimal:
        if abs(value.adjusted()) > MAX_DECIMAL_EXPONENT:
            raise EvaluationError(
                message("expression.too_many_digits", "a number has too many digits")
            )
    elif kind is complex:
        raise EvaluationError(
            message("expression.power_not_real", "the result of a power is not a real number")
        )
    elif kind not in _KIND_NAMES:
        raise EvaluationError(
            message(
                "expression.kind_unsupported",
                "values of type {kind} are not supported",
                kind=kind.__name__,
            )
        )
    return value


def check_integer(budget: Budget, value: int) -> None:
    """Draws the steps of a large integer; raises EvaluationError if it is too large."""
    bits = value.bit_length()
    if bits > 64:
        check_bits(bits)
        budget.draw(bits >> 4)


def check_bits(bits: int) -> None:
    """Raises EvaluationError for an integer of more than MAX_INTEGER_BITS."""
    if bits > MAX_INTEGER_BITS:
        raise EvaluationError(message("expression.too_many_digits", "a number has too many digits"))


def check_length(budget: Budget, length: int) -> None:
    """Raises EvaluationError for a text or a collection that is longer than allowed."""
    if length > budget.length_limit:
        raise EvaluationError(
            message(
                "expression.value_too_long",
                "a text or a list is longer than {limit}",
                limit=budget.length_limit,
            )
        )


def weigh(budget: Budget, value: Any) -> Any:
    """`value` itself, after one step for each element that a walk over it meets.

    Comparing, hashing and writing walk nested values; one that shares its parts is a tree to them, and
    one that holds itself never ends: raises EvaluationError beyond MAX_NESTING.
    """
    if type(value) is str:  # By far the most frequent.
        budget.draw(len(value) >> 6)
        return value
    level = [value]
    for _ in range(MAX_NESTING):
        following: list[Any] = []
        for part in level:
            kind = type(part)
            if kind is str:
                budget.draw(len(part) >> 6)
            elif kind is int:
                budget.draw(part.bit_length() >> 8)
            elif kind not in _FREE_TO_WALK:
                budget.draw(len(part) + 1)
                following.extend([*part, *part.values()] if kind is dict else part)
        if not following:
            return value
        level = following
    raise EvaluationError(
        message(
            "expression.value_nested",
            "a value is nested more than {limit} deep, or holds itself",
            limit=MAX_NESTING,
        )
    )


def check_items(budget: Budget, values: Any, steps_each: int = 1) -> Any:
    """`values` itself if it is a collection that may be walked, whose steps are drawn at once."""
    budget.draw(len(check_walkable(values)) * steps_each)
    return values


def check_walkable(values: Any) -> Any:
    """`values` itself; raises EvaluationError unless it is a collection or a text."""
    if type(values) not in CONTAINERS and type(values) is not str:
        raise EvaluationError(
            message(
                "expression.list_needed",
                "a list is needed here, not {kind}",
                kind=kind_name(values),
            )
        )
    return values


def check_key(value: Any) -> Any:
    """`value` itself if it may be a dictionary key or a set member.

    Large numbers are refused because their hashes can be made to collide, tuples because theirs
    take as long as the tuple is deep.
    """
    kind = type(value)
    if kind in CONTAINERS or kind is timedelta:
        raise EvaluationError(
            message(
                "expression.key_kind",
                "a key must be a text, a number or a date, not {kind}",
                kind=kind_name(value),
            )
        )
    if kind is int and not -_KEY_LIMIT < value < _KEY_LIMIT:
        raise EvaluationError(
            message("expression.key_too_large", "a number is too large for a key")
        )
    if kind is Decimal:
        _, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int) or max(len(digits), abs(exponent)) > _KEY_DIGITS:
            raise EvaluationError(
                message("expression.key_too_many_digits", "a number has too many digits for a key")
            )
    return value
