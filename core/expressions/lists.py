"""The functions of expressions over lists, and over lists of rows: dictionaries or tuples."""

from typing import Any

from core.errors import EvaluationError
from core.expressions.guards import make_dictionary, make_set, subscript
from core.expressions.limits import Budget, check_items, check_key, check_length, kind_name, weigh
from core.expressions.statistics import sum_
from core.messages import message


def len_(budget: Budget, values: Any) -> int:
    """How many characters a text has, or elements a list."""
    return len(values)


def any_(budget: Budget, values: Any) -> bool:
    """Whether at least one element is true."""
    return any(check_items(budget, values))


def all_(budget: Budget, values: Any) -> bool:
    """Whether every element is true."""
    return all(check_items(budget, values))


def range_(budget: Budget, start: Any, stop: Any = None, step: Any = 1) -> list[int]:
    """The whole numbers from start (or 0) up to, without, stop."""
    numbers = range(start) if stop is None else range(start, stop, step)
    if numbers[budget.length_limit :]:  # len() of a range overflows, a slice of it does not.
        raise EvaluationError(
            message(
                "expression.range_too_long",
                "range() makes at most {limit} numbers",
                limit=budget.length_limit,
            )
        )
    budget.draw(len(numbers))
    return list(numbers)


def sorted_(budget: Budget, values: Any, reverse: Any = False) -> list[Any]:
    """The elements as a list in rising order, or falling with reverse=True."""
    return sorted(weigh(budget, check_items(budget, values)), reverse=bool(reverse))


def reversed_(budget: Budget, values: Any) -> list[Any]:
    """The elements as a list, the last first."""
    return list(check_items(budget, values))[::-1]


def list_(budget: Budget, values: Any = ()) -> list[Any]:
    """The elements as a list; a text as its characters."""
    return list(check_items(budget, values))


def tuple_(budget: Budget, values: Any = ()) -> tuple[Any, ...]:
    """The elements as a tuple."""
    return tuple(check_items(budget, values))


def set_(budget: Budget, values: Any = ()) -> set[Any]:
    """The distinct elements."""
    return make_set(budget, values)


def dict_(budget: Budget, pairs: Any = ()) -> dict[Any, Any]:
    """The dictionary of pairs of a key and a value, or a copy of a dictionary."""
    if type(pairs) is dict:
        return dict(check_items(budget, pairs))
    for pair in check_items(budget, pairs):
        if type(pair) not in {list, tuple} or len(pair) != 2:
            raise EvaluationError(
                message(
                    "expression.dict_pairs",
                    "dict() needs pairs of a key and a value, not {kind}",
                    kind=kind_name(pair),
                )
            )
    return make_dictionary(budget, pairs)


def merge(budget: Budget, *dictionaries: Any) -> dict[Any, Any]:
    """One dictionary of several; the last value of a key wins."""
    merged: dict[Any, Any] = {}
    for dictionary in dictionaries:
        if type(dictionary) is not dict:
            raise TypeError
        merged.update(check_items(budget, dictionary))
    return merged


def zip_(budget: Budget, left: Any, right: Any) -> list[tuple[Any, Any]]:
    """Pairs of the elements of two lists, as many as the shorter has."""
    return list(zip(check_items(budget, left), check_items(budget, right), strict=False))


def enumerate_(budget: Budget, values: Any, start: Any = 0) -> list[tuple[int, Any]]:
    """Pairs of a counter and an element."""
    return list(enumerate(check_items(budget, values), start))


def first(budget: Budget, values: Any, default: Any = None) -> Any:
    """The first element, or the default if there is none."""
    return next(iter(check_items(budget, values)), default)


def last(budget: Budget, values: Any, default: Any = None) -> Any:
    """The last element, or the default if there is none."""
    return next(reversed(list(check_items(budget, values))), default)


def unique(budget: Budget, values: Any) -> list[Any]:
    """The distinct elements in the order of their first appearance."""
    return list(dict.fromkeys(check_key(value) for value in check_items(budget, values)))


def flatten(budget: Budget, lists: Any) -> list[Any]:
    """The elements of the lists of a list as one list; one level, what is no list stays."""
    flat: list[Any] = []
    for part in check_items(budget, lists):
        flat.extend(check_items(budget, part) if type(part) in {list, tuple, set} else [part])
        check_length(budget, len(flat))
    return flat


def chunks(budget: Budget, values: Any, size: Any) -> list[Any]:
    """The list cut into pieces of `size`; the last may be shorter."""
    if type(size) is not int or size < 1:
        raise EvaluationError(
            message("expression.chunk_size", "chunks() needs a size of 1 or more")
        )
    items = list(check_items(budget, values))
    return [items[start : start + size] for start in range(0, len(items), size)]


def pluck(budget: Budget, rows: Any, key: Any) -> list[Any]:
    """The values of a key, or of a position, of each row."""
    return [subscript(budget, row, key) for row in check_items(budget, rows)]


def sum_by(budget: Budget, rows: Any, key: Any) -> Any:
    """The sum of the values of a key of each row; null counts as 0."""
    return sum_(budget, [value for value in pluck(budget, rows, key) if value is not None])


def count_by(budget: Budget, rows: Any, key: Any) -> dict[Any, int]:
    """How many rows there are for each value of a key."""
    return {value: len(group) for value, group in group_by(budget, rows, key).items()}


def group_by(budget: Budget, rows: Any, key: Any) -> dict[Any, list[Any]]:
    """The rows by their value of a key: a dictionary of lists."""
    groups: dict[Any, list[Any]] = {}
    for row, value in zip(rows, pluck(budget, rows, key), strict=True):
        groups.setdefault(check_key(value), []).append(row)
    return groups


def index_by(budget: Budget, rows: Any, key: Any) -> dict[Any, Any]:
    """A dictionary of the rows by their value of a key; the last of equal ones wins."""
    return make_dictionary(budget, list(zip(pluck(budget, rows, key), rows, strict=True)))


def sort_by(budget: Budget, rows: Any, key: Any, reverse: Any = False) -> list[Any]:
    """The rows in rising order of a key, falling with reverse=True; those without a value last."""
    values = weigh(budget, pluck(budget, rows, key))
    keyed = list(zip(values, rows, strict=True))
    known = [pair for pair in keyed if pair[0] is not None]
    known.sort(key=lambda pair: pair[0], reverse=bool(reverse))
    return [row for _, row in known] + [row for value, row in keyed if value is None]
