"""The methods of texts, lists, dictionaries and dates that expressions may call."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from core.errors import EvaluationError
from core.expressions.guards import join_texts
from core.expressions.limits import Budget, Guard, check_key, check_length, kind_name, weigh
from core.expressions.table import Function, make_table
from core.messages import message


def _search(budget: Budget, text: str, *parts: Any) -> None:
    """Draws the steps of a search through `text`; raises TypeError unless `parts` are texts."""
    if any(type(part) is not str for part in parts):
        raise TypeError
    budget.draw(len(text) >> 4)


def upper(budget: Budget, text: str) -> str:
    """The text in capitals."""
    return text.upper()


def lower(budget: Budget, text: str) -> str:
    """The text in small letters."""
    return text.lower()


def title(budget: Budget, text: str) -> str:
    """The text with a capital at the start of each word."""
    return text.title()


def capitalize(budget: Budget, text: str) -> str:
    """The text with one capital, at its start."""
    return text.capitalize()


def _stripper(strip: Guard, doc: str) -> Guard:
    def call(budget: Budget, text: str, characters: Any = None) -> str:
        # Each character of the text is looked up among the others.
        budget.draw((len(text) >> 4) * (1 + (len(characters or "") >> 4)))
        return str(strip(text, characters))

    call.__name__, call.__doc__ = strip.__name__, doc
    return call


def split(budget: Budget, text: str, separator: Any = None, most: Any = -1) -> list[str]:
    """The pieces between separators (blanks unless given), at most `most` cuts."""
    _search(budget, text, separator or " ")
    if separator == "":
        raise EvaluationError(
            message("expression.split_separator", "split() needs a separator that is not empty")
        )
    pieces = text.split(separator, most)
    budget.draw(len(pieces) >> 2)
    return pieces


def partition(budget: Budget, text: str, separator: Any) -> tuple[str, str, str]:
    """The text before the first separator, the separator, and the text after it."""
    _search(budget, text, separator)
    return text.partition(separator)


def splitlines(budget: Budget, text: str) -> list[str]:
    """The lines of the text."""
    _search(budget, text)
    lines = text.splitlines()
    budget.draw(len(lines) >> 2)
    return lines


def replace(budget: Budget, text: str, old: Any, new: Any) -> str:
    """The text with every `old` replaced by `new`."""
    _search(budget, text, old, new)
    check_length(budget, len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def startswith(budget: Budget, text: str, start: Any) -> bool:
    """Whether the text starts so."""
    weigh(budget, start)
    return text.startswith(start)


def endswith(budget: Budget, text: str, end: Any) -> bool:
    """Whether the text ends so."""
    weigh(budget, end)
    return text.endswith(end)


def removeprefix(budget: Budget, text: str, start: Any) -> str:
    """The text without this start."""
    return text.removeprefix(start)


def removesuffix(budget: Budget, text: str, end: Any) -> str:
    """The text without this end."""
    return text.removesuffix(end)


def find(budget: Budget, text: str, part: Any) -> int:
    """Where the part first begins, counted from 0; -1 if it is nowhere."""
    _search(budget, text, part)
    return text.find(part)


def rfind(budget: Budget, text: str, part: Any) -> int:
    """Where the part last begins, counted from 0; -1 if it is nowhere."""
    _search(budget, text, part)
    # Unlike find(), rfind() takes quadratic time on unlucky texts.
    found = text[::-1].find(part[::-1])
    return found if found < 0 else len(text) - len(part) - found


def join(budget: Budget, separator: str, pieces: Any) -> str:
    """The texts of a list as one, this text between them."""
    return join_texts(budget, pieces, separator)


def zfill(budget: Budget, text: str, width: Any) -> str:
    """The text with zeros before it up to a width."""
    check_length(budget, width)
    return text.zfill(width)


def ljust(budget: Budget, text: str, width: Any, fill: Any = " ") -> str:
    """The text with blanks after it up to a width."""
    check_length(budget, width)
    return text.ljust(width, fill)


def rjust(budget: Budget, text: str, width: Any, fill: Any = " ") -> str:
    """The text with blanks before it up to a width."""
    check_length(budget, width)
    return text.rjust(width, fill)


def _tester(test: Callable[[str], bool], doc: str) -> Guard:
    def call(budget: Budget, text: str) -> bool:
        _search(budget, text)
        return test(text)

    call.__name__, call.__doc__ = test.__name__, doc
    return call


def count(budget: Budget, values: Any, item: Any) -> int:
    """How many times the item is in the text or list."""
    if type(values) is str:
        _search(budget, values, item)
    else:
        weigh(budget, values)
        weigh(budget, item)
    return int(values.count(item))


def index(budget: Budget, values: Any, item: Any) -> int:
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


def get(budget: Budget, dictionary: dict[Any, Any], key: Any, default: Any = None) -> Any:
    """The value of the key, or the default."""
    return dictionary.get(check_key(key), default)


def keys(budget: Budget, dictionary: dict[Any, Any]) -> list[Any]:
    """The keys as a list."""
    return list(dictionary)


def values(budget: Budget, dictionary: dict[Any, Any]) -> list[Any]:
    """The values as a list."""
    return list(dictionary.values())


def items(budget: Budget, dictionary: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """Pairs of a key and its value, as a list."""
    budget.draw(len(dictionary))
    return list(dictionary.items())


def isoformat(budget: Budget, moment: Any) -> str:
    """The date or datetime as ISO 8601 text."""
    return str(moment.isoformat())


_TEXT_METHODS = make_table(
    *(upper, lower, title, capitalize, split, splitlines, replace, startswith, endswith),
    *(removeprefix, removesuffix, find, rfind, partition, count, join),
    *(zfill, ljust, rjust),
    _stripper(str.strip, "The text without blanks around it."),
    _stripper(str.lstrip, "The text without blanks before it."),
    _stripper(str.rstrip, "The text without blanks after it."),
    _tester(str.isdigit, "Whether the text is digits only."),
    _tester(str.isalpha, "Whether the text is letters only."),
    _tester(str.isalnum, "Whether the text is letters and digits only."),
    _tester(str.isspace, "Whether the text is blanks only."),
    _tester(str.isupper, "Whether the text has letters and all are capitals."),
    _tester(str.islower, "Whether the text has letters and all are small."),
)
_LIST_METHODS = make_table(count, index)
_DATE_METHODS = make_table(isoformat)

METHODS: dict[type, dict[str, Function]] = {
    str: _TEXT_METHODS,
    list: _LIST_METHODS,
    tuple: _LIST_METHODS,
    dict: make_table(get, keys, values, items),
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
