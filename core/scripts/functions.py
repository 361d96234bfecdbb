"""What scripts may call beyond expressions: the clock, and the methods that change a value."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any, ClassVar

from core.errors import EvaluationError
from core.expressions.functions import FUNCTIONS
from core.expressions.limits import Budget, check_items, check_key, check_length, kind_name, weigh
from core.expressions.methods import METHODS
from core.expressions.table import Function, make_table
from core.messages import Message, message
from core.toolspec import SCRIPT

_MAX_OFFSET_HOURS = 14


class ScriptBudget(Budget):
    """Room for real work, within what a process of half a gigabyte holds.

    Loops and calls are free, the tool's time-out ends them. All that a script makes is counted, whether
    it is kept or not: the shifts are such that a step pays for about 64 bytes.
    """

    __slots__ = ("moment",)

    logic: ClassVar[Message] = SCRIPT
    step_limit: ClassVar[int] = 5_000_000
    length_limit: ClassVar[int] = 1_000_000
    shifts: ClassVar[Mapping[type, int]] = {str: 5, list: 3, tuple: 3, set: 1, dict: 1}

    def __init__(self) -> None:
        super().__init__()
        self.moment = datetime.now(UTC)


def _now(budget: ScriptBudget, offset_hours: Any = 0) -> datetime:
    """The moment at which the script began, in UTC or so many hours east of it."""
    if not -_MAX_OFFSET_HOURS <= offset_hours <= _MAX_OFFSET_HOURS:
        raise EvaluationError(
            message(
                "script.offset_range", "the offset from UTC is from -14 to 14 hours, such as now(9)"
            )
        )
    return budget.moment.astimezone(timezone(timedelta(hours=offset_hours)))


def _today(budget: ScriptBudget, offset_hours: Any = 0) -> date:
    """The date at which the script began, in UTC or so many hours east of it."""
    return _now(budget, offset_hours).date()


def _sorted(budget: Budget, values: Any, reverse: Any = False, key: Any = None) -> list[Any]:
    """The elements as a list in rising order, or falling with reverse=True, by a function if given."""
    rows = list(check_items(budget, values))
    keys = weigh(budget, _keys_of(rows, key))
    return [rows[i] for i in sorted(range(len(rows)), key=keys.__getitem__, reverse=bool(reverse))]


def _min(budget: Budget, *values: Any, key: Any = None) -> Any:
    """The least of a list, or of several values, by a function if given."""
    return _find_end(budget, FUNCTIONS["min"], values, key)


def _max(budget: Budget, *values: Any, key: Any = None) -> Any:
    """The greatest of a list, or of several values, by a function if given."""
    return _find_end(budget, FUNCTIONS["max"], values, key)


def _find_end(budget: Budget, choose: Function, values: tuple[Any, ...], key: Any) -> Any:
    if key is None:
        return choose.call(budget, *values)
    rows = list(check_items(budget, values[0])) if len(values) == 1 else list(values)
    keys = _keys_of(rows, key)
    return rows[keys.index(choose.call(budget, keys))]


def _keys_of(rows: list[Any], key: Any) -> list[Any]:
    return rows if key is None else [key(row) for row in rows]


def _append(budget: Budget, values: list[Any], item: Any) -> None:
    """Puts the item at the end."""
    check_length(budget, len(values) + 1)
    values.append(item)


def _extend(budget: Budget, values: list[Any], items: Any) -> None:
    """Puts the items of another list at the end."""
    check_length(budget, len(values) + len(check_items(budget, items)))
    values.extend(items)


def _insert(budget: Budget, values: list[Any], position: Any, item: Any) -> None:
    """Puts the item before the position."""
    check_length(budget, len(values) + 1)
    values.insert(position, item)


def _pop(budget: Budget, values: list[Any], position: Any = -1) -> Any:
    """Takes the item at the position, the last unless given, out of the list."""
    if type(position) is not int:
        raise TypeError
    if not -len(values) <= position < len(values):
        raise EvaluationError(
            message(
                "script.position_outside",
                "position {position} is outside a list of {count}",
                position=str(position),
                count=len(values),
            )
        )
    return values.pop(position)


def _remove(budget: Budget, values: list[Any] | set[Any], item: Any) -> None:
    """Takes the first equal item out; an error if there is none."""
    if type(values) is set:
        present = check_key(item) in values
    else:
        weigh(budget, item)
        present = item in weigh(budget, values)
    if not present:
        raise EvaluationError(
            message(
                "script.remove_missing",
                "remove() of an item that is not in {kind}",
                kind=kind_name(values),
            )
        )
    values.remove(item)


def _sort(budget: Budget, values: list[Any], reverse: Any = False) -> None:
    """Puts the items in rising order, or falling with reverse=True."""
    weigh(budget, values)
    values.sort(reverse=bool(reverse))


def _reverse(budget: Budget, values: list[Any]) -> None:
    """Turns the order around."""
    values.reverse()


def _clear(budget: Budget, values: list[Any] | set[Any] | dict[Any, Any]) -> None:
    """Takes everything out."""
    values.clear()


def _copy(budget: Budget, values: list[Any] | set[Any] | dict[Any, Any]) -> Any:
    """A copy; what it holds is shared."""
    return values.copy()


def _update(budget: Budget, dictionary: dict[Any, Any], other: Any) -> None:
    """Takes over the keys and values of another dictionary."""
    if type(other) is not dict:
        raise TypeError
    check_length(budget, len(dictionary) + len(other))
    dictionary.update(other)


def _setdefault(budget: Budget, dictionary: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """The value of the key, which is the default from now on if there was none."""
    check_length(budget, len(dictionary) + 1)
    return dictionary.setdefault(check_key(key), default)


def _pop_key(budget: Budget, dictionary: dict[Any, Any], key: Any, *default: Any) -> Any:
    """Takes the key out, and gives its value, or the default if there is no such key."""
    if check_key(key) not in dictionary and not default:
        raise EvaluationError(
            message(
                "expression.no_key", "the dictionary has no key {key}", key=repr(str(key)[:100])
            )
        )
    return dictionary.pop(key, *default)


def _add(budget: Budget, members: set[Any], item: Any) -> None:
    """Puts the item in."""
    check_length(budget, len(members) + 1)
    members.add(check_key(item))


def _discard(budget: Budget, members: set[Any], item: Any) -> None:
    """Takes the item out if it is there."""
    members.discard(check_key(item))


def _update_set(budget: Budget, members: set[Any], items: Any) -> None:
    """Puts the items of a list in."""
    check_length(budget, len(members) + len(check_items(budget, items)))
    members.update(check_key(item) for item in list(items))


_pop_key.__name__ = "_pop"
_update_set.__name__ = "_update"

SCRIPT_FUNCTIONS: dict[str, Function] = FUNCTIONS | make_table(_now, _today, _sorted, _min, _max)
CHANGING_METHODS: dict[type, dict[str, Function]] = {
    list: make_table(
        *(_append, _extend, _insert, _pop, _remove, _sort, _reverse, _clear, _copy),
    ),
    dict: make_table(_update, _setdefault, _pop_key, _clear, _copy),
    set: make_table(_add, _discard, _remove, _update_set, _clear, _copy),
}
SCRIPT_METHODS: dict[type, dict[str, Function]] = METHODS | {
    kind: METHODS.get(kind, {}) | table for kind, table in CHANGING_METHODS.items()
}
SCRIPT_METHOD_NAMES = frozenset(name for table in SCRIPT_METHODS.values() for name in table)
CHANGING_METHOD_NAMES = frozenset(name for table in CHANGING_METHODS.values() for name in table)
VALUE_METHOD_NAMES = frozenset({"pop", "setdefault", "copy"})
