"""Whether two answers say the same: equal rows, whatever the order of rows and columns and the columns' names."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

_MIDNIGHT = re.compile(r"(?<=\d)[T ]00:00:00(?:\.0+)?(?:Z|[+-]\d\d:?\d\d)?$")

Row = Sequence[object]


def say_the_same(expected: Sequence[Row], actual: Sequence[Row]) -> bool:
    """Whether the actual rows are the expected ones; they may have more columns, such as a name beside a key."""
    if len(expected) != len(actual):
        return False
    if not expected:
        return True
    wanted, found = _to_columns(expected), _to_columns(actual)
    fitting = [
        [place for place, column in enumerate(found) if Counter(column) == Counter(each)]
        for each in wanted
    ]
    rows = Counter(zip(*wanted, strict=True))
    return any(
        Counter(zip(*(found[place] for place in places), strict=True)) == rows
        for places in _choose(fitting)
    )


def _to_columns(rows: Sequence[Row]) -> list[list[str]]:
    return [[_plain(cell) for cell in column] for column in zip(*rows, strict=True)]


def _choose(fitting: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Every way to take a different place of each list."""
    if not fitting:
        yield ()
        return
    for place in fitting[0]:
        for rest in _choose(fitting[1:]):
            if place not in rest:
                yield (place, *rest)


def _plain(cell: object) -> str:
    """A value as text: numbers to two digits, a time at midnight as its day."""
    if cell is None or isinstance(cell, bool):
        return str(cell)
    text = str(cell)
    try:
        number = Decimal(text)
    except InvalidOperation:
        # A month comes as a date from one statement and as a time from another.
        return _MIDNIGHT.sub("", text)
    return f"{number:.2f}" if number.is_finite() else text
