"""The methods of texts, lists, dictionaries and dates that expressions may call."""

from datetime import date, datetime
from typing import Any

from core.errors import EvaluationError
from core.expressions.guards import join_texts
from core.expressions.limits import Budget, Guard, check_key, check_length, kind_name, weigh
from core.expressions.table import Function, guard_function, make_table
from core.messages import message


def _search(budget: Budget, text: str, *parts: Any) -> None:
    """Draws the steps of a search through `text`; raises TypeError unless `parts` are texts."""
    if any(type(part) is not str for part in parts):
        raise TypeError
    budget.draw(len(text) >> 4)


def _upper(budget: Budget, text: str) -> str:
    """The text in capitals."""
    return text.upper()


def _lower(budget: Budget, text: str) -> str:
    """The text in small letters."""
    return text.lower()


def _title(budget: Budget, text: str) -> str:
    """The text with a capital at the start of each word."""
    return text.title()


def _capitalize(budget: Budget, text: str) -> str:
    """The text with one capital, at its start."""
    return text.capitalize()


def _stripper(strip: Guard, doc: str) -> Guard:
    def call(budget: Budget, text: str, characters: Any = None) -> str:
        # Each character of the text is looked up among the others.
        budget.draw((len(text) >> 4) * (1 + (len(characters or "") >> 4)))
        return str(strip(text, characters))

    call.__doc__ = doc
    return call


def _split(budget: Budget, text: str, separator: Any = None, most: Any = -1) -> list[str]:
    """The pieces between separators (blanks unless given), at most `most` cuts."""
    _search(budget, text, separator or " ")
    if separator == "":
        raise EvaluationError(
            message("expression.split_separator", "split() needs a separator that is not empty")
        )
    return _pieces(budget, text.split(separator, most))


def _pieces(budget: Budget, pieces: list[str]) -> list[str]:
    budget.draw(len(pieces) >> 2)
    return pieces


def _partition(budget: Budget, text: str, separator: Any) -> tuple[str, str, str]:
    """The text before the first separator, the separator, and the text after it."""
    _search(budget, text, separator)
    return text.partition(separator)


def _splitlines(budget: Budget, text: str) -> list[str]:
    """The lines of the text."""
    _search(budget, text)
    return _pieces(budget, text.splitlines())


def _replace(budget: Budget, text: str, old: Any, new: Any) -> str:
    """The text with every `old` replaced by `new`."""
    _search(budget, text, old, new)
    check_length(budget, len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _startswith(budget: Budget, text: str, start: Any) -> bool:
    """Whether the text starts so."""
    weigh(budget, start)
    return text.startswith(start)


def _endswith(budget: Budget, text: str, end: Any) -> bool:
    """Whether the text ends so."""
    weigh(budget, end)
    return text.endswith(end)


def _removeprefix(budget: Budget, text: str, start: Any) -> str:
    """The text without this start."""
    return text.removeprefix(start)


def _removesuffix(budget: Budget, text: str, end: Any) -> str:
    """The text without this end."""
    return text.removesuffix(end)


def _find(budget: Budget, text: str, part: Any) -> int:
    """Where the part first begins, counted from 0; -1 if it is nowhere."""
    _search(budget, text, part)
    return text.find(part)


def _rfind(budget: Budget, text: str, part: Any) -> int:
    """Where the part last begins, counted from 0; -1 if it is nowhere."""
    _search(budget, text, part)
    # Unlike find(), rfind() takes quadratic time on unlucky texts.
    found = text[::-1].find(part[::-1])
    return found if found < 0 else len(text) - len(part) - found


def _join(budget: Budget, separator: str, pieces: Any) -> str:
    """The texts of a list as one, this text between them."""
    return join_texts(budget, pieces, separator)


def _zfill(budget: Budget, text: str, width: Any) -> str:
    """The text with zeros before it up to a width."""
    check_length(budget, width)
    return text.zfill(width)


def _ljust(budget: Budget, text: str, width: Any, fill: Any = " ") -> str:
    """The text with blanks after it up to a width."""
    check_length(budget, width)
    return text.ljust(width, fill)


def _rjust(budget: Budget, text: str, width: Any, fill: Any = " ") -> str:
    """The text with blanks before it up to a width."""
    check_length(budget, width)
    return text.rjust(width, fill)


def _isdigit(budget: Budget, text: str) -> bool:
    """Whether the text is digits only."""
    _search(budget, text)
    return text.isdigit()


def _isalpha(budget: Budget, text: str) -> bool:
    """Whether the text is letters only."""
    _search(budget, text)
    return text.isalpha()


def _isalnum(budget: Budget, text: str) -> bool:
    """Whether the text is letters and digits only."""
    _search(budget, text)
    return text.isalnum()


def _isspace(budget: Budget, text: str) -> bool:
    """Whether the text is blanks only."""
    _search(budget, text)
    return text.isspace()


def _isupper(budget: Budget, text: str) -> bool:
    """Whether the text has letters and all are capitals."""
    _search(budget, text)
    return text.isupper()


def _islower(budget: Budget, text: str) -> bool:
    """Whether the text has letters and all are small."""
    _search(budget, text)
    return text.islower()


def _count(budget: Budget, values: Any, item: Any) -> int:
    """How many times the item is in the text or list."""
    if type(values) is str:
        _search(budget, values, item)
    else:
        weigh(budget, values)
        weigh(budget, item)
    return int(values.count(item))


def _index(budget: Budget, values: Any, item: Any) -> int:
    """Where the item first is, counted from 0."""
    weigh(budget, values)
    weigh(budget, item)
    if item not in values:
        raise EvaluationError(
            message(
                "expression.index_missing",
                "index() of an item that is not in {kind}",
                kind=kind_name(values),
            )
        )
    return int(values.index(item))


def _get(budget: Budget, dictionary: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """The value of the key, or the default."""
    return dictionary.get(check_key(key), default)


def _keys(budget: Budget, dictionary: dict[Any, Any]) -> list[Any]:
    """The keys as a list."""
    return list(dictionary)


def _values(budget: Budget, dictionary: dict[Any, Any]) -> list[Any]:
    """The values as a list."""
    return list(dictionary.values())


def _items(budget: Budget, dictionary: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """Pairs of a key and its value, as a list."""
    budget.draw(len(dictionary))
    return list(dictionary.items())


def _isoformat(budget: Budget, moment: Any) -> str:
    """The date or datetime as ISO 8601 text."""
    return str(moment.isoformat())


_TEXT_METHODS = make_table(
    *(_upper, _lower, _title, _capitalize, _split, _splitlines, _replace, _startswith, _endswith),
    *(_removeprefix, _removesuffix, _find, _rfind, _partition, _count, _join),
    *(_zfill, _ljust, _rjust, _isdigit, _isalpha, _isalnum, _isspace, _isupper, _islower),
) | {
    "strip": guard_function("strip", _stripper(str.strip, "The text without blanks around it.")),
    "lstrip": guard_function("lstrip", _stripper(str.lstrip, "The text without blanks before it.")),
    "rstrip": guard_function("rstrip", _stripper(str.rstrip, "The text without blanks after it.")),
}
_LIST_METHODS = make_table(_count, _index)
_DATE_METHODS = make_table(_isoformat)

METHODS: dict[type, dict[str, Function]] = {
    str: _TEXT_METHODS,
    list: _LIST_METHODS,
    tuple: _LIST_METHODS,
    dict: make_table(_get, _keys, _values, _items),
    date: _DATE_METHODS,
    datetime: _DATE_METHODS,
}
METHOD_NAMES = frozenset(name for methods in METHODS.values() for name in methods)


def call_method(budget: Budget, value: Any, name: str, *arguments: Any) -> Any:
    """`value.name(*arguments)`, looked up by the exact type of `value` in the table above."""
    method = METHODS.get(type(value), {}).get(name)
    if method is None:
        raise EvaluationError(
            message(
                "expression.no_method",
                "{kind} has no method {name}()",
                kind=kind_name(value),
                name=name,
            )
        )
    return method.call(budget, value, *arguments)
