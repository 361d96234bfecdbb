"""Statements whose parameters have numbers, as $1 or ?, and the same with names, as :name."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.errors import StatementError
from core.messages import message
from core.statements.lexer import StatementLexer, continues_word
from core.statements.lists import Edit, edit_lists
from core.statements.mysql import MysqlLexer
from core.statements.postgresql import PostgresqlLexer
from core.statements.sqlite import SqliteLexer
from core.toolspec import Dialect

_DIGITS = re.compile(r"[0-9]*")


@dataclass(frozen=True, slots=True)
class _Use:
    """The parameter of that number, from 1; only {{name}} is clear where a colon has a meaning."""

    start: int
    end: int
    number: int
    needs_braces: bool = False


class _NumberedPostgresql(PostgresqlLexer):
    """Takes $1 for a parameter, and a colon for what PostgreSQL takes it."""

    faults = {kind: text for kind, text in PostgresqlLexer.faults.items() if kind != "numbered"}

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.uses: list[_Use] = []
        self.colons: list[int] = []

    def read_numbered(self, match: re.Match[str]) -> int:
        start = match.start("numbered")
        digits = _DIGITS.match(self.text, start + 1)
        assert digits is not None  # noqa: S101 - the token has one
        in_slice = bool(self._brackets) and self._brackets[-1][2]
        needs_braces = in_slice or self._follows_value()
        self.uses.append(_Use(start, digits.end(), int(digits[0]), needs_braces))
        return digits.end()

    def read_colon_name(self, match: re.Match[str]) -> int:
        # A blank behind it keeps it from being a parameter.
        self.colons.append(match.start("colon_name") + 1)
        return match.start("colon_name") + 1


class _NumberedSqlite(SqliteLexer):
    """Takes ? and ?1 for parameters."""

    faults = {kind: text for kind, text in SqliteLexer.faults.items() if kind != "numbered"}

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.uses: list[_Use] = []
        self.colons: list[int] = []

    def read_numbered(self, match: re.Match[str]) -> int:
        start = match.start("numbered")
        if self.text[start] != "?":
            raise StatementError(SqliteLexer.faults["numbered"], start)
        digits = _DIGITS.match(self.text, start + 1)
        number = int(digits[0]) if digits and digits[0] else self._next_number()
        end = digits.end() if digits else match.end()
        self.uses.append(_Use(start, end, number))
        return end

    def _next_number(self) -> int:
        # As SQLite counts: one more than the largest before it.
        return max((use.number for use in self.uses), default=0) + 1


class _NumberedMysql(MysqlLexer):
    """Takes each ? for the next parameter."""

    faults = {kind: text for kind, text in MysqlLexer.faults.items() if kind != "numbered"}

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.uses: list[_Use] = []
        self.colons: list[int] = []

    def read_numbered(self, match: re.Match[str]) -> int:
        start = match.start("numbered")
        if self.text[start] != "?":
            raise StatementError(MysqlLexer.faults["numbered"], start)
        self.uses.append(_Use(start, match.end(), len(self.uses) + 1))
        return match.end()


_LEXERS: Mapping[Dialect, type[_NumberedPostgresql | _NumberedSqlite | _NumberedMysql]] = {
    Dialect.POSTGRESQL: _NumberedPostgresql,
    Dialect.SQLITE: _NumberedSqlite,
    Dialect.MYSQL: _NumberedMysql,
    Dialect.DUCKDB: _NumberedPostgresql,
}


def name_placeholders(statement: str, names: Sequence[str], dialect: Dialect) -> str:
    """The statement with :name instead of $1 or ?; `names` are in the order of the numbers.

    Raises StatementError for a number without a name, and for a text that is no statement.
    """
    lexer = _LEXERS[dialect](statement)
    lexer.run()
    edits: list[Edit] = [(at, at, " ") for at in lexer.colons]
    for use in lexer.uses:
        if not 1 <= use.number <= len(names):
            raise StatementError(
                message(
                    "statement.number_without_parameter",
                    "the statement has parameter {number}, and {count} are declared",
                    number=use.number,
                    count=len(names),
                ),
                use.start,
            )
        name = names[use.number - 1]
        is_glued = continues_word(statement, use.end)
        mark = f"{{{{{name}}}}}" if use.needs_braces else f":{name}"
        edits.append((use.start, use.end, f"{mark} " if is_glued else mark))
    return _apply(statement, edits)


def number_placeholders(lexer: StatementLexer, names: Sequence[str], lists: Collection[str]) -> str:
    """The statement of a lexer that has run, with $1, ?1 or ? for :name; the number is its place in `names`.

    `lists` are the parameters that may stand alone in IN (:ids). Raises StatementError for a name that
    is not declared, and for a list that needs more than a number.
    """
    mark = "?" if lexer.dialect is Dialect.SQLITE else "$"
    if missing := [use for use in lexer.placeholders if use.name not in names]:
        raise StatementError(
            message("statement.name_undeclared", "{name} is not declared", name=missing[0].name),
            missing[0].start,
        )
    if lists and lexer.dialect is not Dialect.POSTGRESQL:
        raise StatementError(
            message("statement.no_numbered_lists", "SQLite takes no list for a number")
        )
    edits: list[Edit] = [
        (use.start, use.end, f"{mark}{names.index(use.name) + 1}") for use in lexer.placeholders
    ]
    if lexer.dialect is Dialect.MYSQL:
        # Its marks have no numbers: each stands for the next parameter.
        if [use.name for use in lexer.placeholders] != list(names):
            raise StatementError(
                message(
                    "statement.marks_in_order",
                    "parameters that are marked ? stand in the query once each, in their order",
                )
            )
        edits = [(start, end, "?") for start, end, _mark in edits]
    return _apply(lexer.text, edit_lists(lexer, edits, lists))


def _apply(text: str, edits: Sequence[Edit]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
