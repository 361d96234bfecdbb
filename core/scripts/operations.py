"""The operations of scripts that change a list, a dictionary or a set in its place."""

from typing import Any

from core.errors import EvaluationError
from core.expressions.guards import OPERATORS, subscript
from core.expressions.limits import (
    INTEGERS,
    Budget,
    Guard,
    check_items,
    check_key,
    check_length,
    kind_name,
)
from core.messages import join, message

_CHANGEABLE = frozenset({list, set, dict})


def walk_range(budget: Budget, start: Any, stop: Any = None, step: Any = 1) -> range:
    """The numbers of a loop over range(), none of them made before its round."""
    bounds = (start,) if stop is None else (start, stop, step)
    try:
        return range(*bounds)
    except TypeError:
        kinds = join(map(kind_name, bounds))
        raise EvaluationError(
            message("script.range_kinds", "range() does not accept {kinds}", kinds=kinds)
        ) from None


def store(budget: Budget, values: Any, key: Any, value: Any) -> None:
    """`values[key] = value`."""
    if type(values) is dict:
        check_length(budget, len(values) + 1)
        values[check_key(key)] = value
    else:
        _check_position(values, key)
        values[key] = value


def _check_position(values: Any, key: Any) -> None:
    if type(values) is not list:
        raise EvaluationError(
            message("script.store_kind", "nothing can be put into {kind}", kind=kind_name(values))
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
                "script.position_outside",
                "position {position} is outside a list of {count}",
                position=str(key),
                count=len(values),
            )
        )


def delete(budget: Budget, values: Any, key: Any) -> None:
    """`del values[key]`."""
    if type(values) is dict:
        subscript(budget, values, key)
    else:
        _check_position(values, key)
    del values[key]


def _in_place(symbol: str) -> Guard:
    """The guard of `+=` and its like: a changeable value stays the same object."""
    calculate = OPERATORS[symbol]

    def operate(budget: Budget, left: Any, right: Any) -> Any:
        if type(left) not in _CHANGEABLE:
            return calculate(budget, left, right)
        grow = _GROWTHS.get((type(left), symbol))
        if grow is not None:
            grow(budget, left, right)
        else:
            _replace(left, calculate(budget, left, right))
        return left

    return operate


def _extend(budget: Budget, left: list[Any], right: Any) -> None:
    check_length(budget, len(left) + len(check_items(budget, right)))
    left.extend(right)


def _unite(budget: Budget, left: Any, right: Any) -> None:
    if type(left) is not type(right):
        raise EvaluationError(
            message(
                "script.unite_kinds",
                "cannot apply |= to {left} and {right}",
                left=kind_name(left),
                right=kind_name(right),
            )
        )
    check_length(budget, len(left) + len(check_items(budget, right)))
    left.update(right)


def _replace(left: Any, result: Any) -> None:
    if type(left) is list:
        left[:] = result
    else:
        left.clear()
        left.update(result)


_GROWTHS: dict[tuple[type, str], Guard] = {
    (list, "+"): _extend,
    (set, "|"): _unite,
    (dict, "|"): _unite,
}
IN_PLACE: dict[str, Guard] = {symbol: _in_place(symbol) for symbol in OPERATORS}
