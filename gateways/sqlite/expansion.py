"""Bounds what SQLite would make of a statement before it runs it.

SQLite copies a common table (WITH) wherever it is named. Twenty tables that each name the one before
twice are a million copies, a gigabyte and several seconds that nothing can interrupt. SQLite 3.46
also follows nested brackets without a limit, on the stack of the thread; older and newer ones have one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from math import prod

from core.errors import StatementError
from core.messages import message

COPY_LIMIT = 10_000
DEPTH_LIMIT = 200

_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)"
    # SQLite takes all of these for the name of a table, a text in single quotes too.
    r"|(?P<quoted>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\])"
    r"|(?P<word>[^\W\d][\w$]*)|(?P<mark>\S)",
    re.DOTALL,
)
_TEXT = message(
    "statement.common_table_copies",
    "SQLite copies a common table (WITH) wherever it is named, here more than"
    " {limit} times in all; name each one fewer times, and nothing else like it",
    limit=COPY_LIMIT,
)


def check_expansion(sql: str) -> None:
    """Raise StatementError for common tables that would be copied too often, or what lies too deep."""
    if sql.count("(") > DEPTH_LIMIT:
        _check_brackets(_read_tokens(sql))
    if "with" in sql.lower():
        tables = _CommonTables(list(_read_tokens(sql)))
        if tables.bound_copies() > COPY_LIMIT and tables.count_copies() > COPY_LIMIT:
            raise StatementError(_TEXT)


class _CommonTables:
    """The definitions `name [(columns)] AS [[NOT] MATERIALIZED] (body)` among the tokens.

    What is counted is never too little: a column of the same name counts as a use.
    """

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._closing = _match_brackets(tokens)
        self._opening = {closing: start for start, closing in self._closing.items()}
        self._bodies: dict[str, tuple[int, int]] = {}
        self._costs: dict[str, int] = {}
        self._names: list[str] = []
        for index, token in enumerate(tokens):
            if token != "as":  # noqa: S105 - a word of SQL
                continue
            start = index + 1
            while tokens[start : start + 1] in (["not"], ["materialized"]):
                start += 1
            if tokens[start : start + 1] == ["("]:
                # The name is before AS, with or without its columns.
                before = self._opening.get(index - 1, index) - 1
                name = tokens[max(before, 0)]
                self._names.append(name)
                self._bodies[name] = (start + 1, self._closing.get(start, len(tokens)))

    def bound_copies(self) -> int:
        """Never less than the true number, whatever the names mean; often far more."""
        uses = Counter(self._tokens)
        return prod(max(uses[name] - 1, 1) for name in self._names)

    def count_copies(self) -> int:
        """The number of copies; above the limit as well where the names leave it open."""
        if len(self._names) > len(self._bodies):
            return COPY_LIMIT + 1
        return self._count((0, len(self._tokens)), ())

    def _count(self, body: tuple[int, int], inside: tuple[str, ...]) -> int:
        if len(inside) > DEPTH_LIMIT:
            raise StatementError(
                message(
                    "statement.common_tables_deep",
                    "the common tables (WITH) build on each other more than {limit} deep",
                    limit=DEPTH_LIMIT,
                )
            )
        return sum(
            self._cost(token, inside)
            for token in self._tokens[slice(*body)]
            # A recursive table may name itself.
            if token in self._bodies and token not in inside[-1:]
        )

    def _cost(self, name: str, inside: tuple[str, ...]) -> int:
        if name in inside:
            return COPY_LIMIT + 1
        if name not in self._costs:
            self._costs[name] = 1 + self._count(self._bodies[name], (*inside, name))
        return min(self._costs[name], COPY_LIMIT + 1)


def _check_brackets(tokens: Iterable[str]) -> None:
    steps = {"(": 1, ")": -1}
    for depth in accumulate(steps.get(token, 0) for token in tokens):
        if depth > DEPTH_LIMIT:
            raise StatementError(
                message(
                    "statement.brackets_deep",
                    "the brackets lie more than {limit} deep in each other",
                    limit=DEPTH_LIMIT,
                )
            )


def _read_tokens(sql: str) -> Iterator[str]:
    for match in _TOKEN.finditer(sql):
        if quoted := match["quoted"]:
            # A quoted bracket is none.
            yield quoted[1:-1].lower().replace("(", "[").replace(")", "]")
        elif token := match["word"] or match["mark"]:
            yield token.lower()


def _match_brackets(tokens: list[str]) -> dict[int, int]:
    """The index of the closing bracket by that of the opening one."""
    opened: list[int] = []
    closing: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token == "(":  # noqa: S105 - a bracket of SQL
            opened.append(index)
        elif token == ")" and opened:  # noqa: S105 - a bracket of SQL
            closing[opened.pop()] = index
    return closing
