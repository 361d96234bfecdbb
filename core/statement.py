"""Compiles SQL statements: bound parameters become $1..$n, what cannot be one query is refused.

The server's parser stays the judge of the grammar; what is refused here is what must never reach
it, and what the author and the server would understand differently.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from core.dialects import find_rules
from core.errors import StatementError
from core.messages import message
from core.statements.lexer import OptionalClause, Placeholder, StatementLexer, continues_word
from core.statements.lists import Edit, edit_lists
from core.toolspec import Dialect

STATEMENT_BYTE_LIMIT = 100_000
VARIANT_LIMIT = 64

_NUMBERED = re.compile(r"\$([1-9][0-9]*)")
# Which clauses stay, in their order.
_Kept = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class CompiledStatement:
    """A statement ready to be sent: `sql` holds $1..$n and no last `;`.

    `parameter_names` are in the order of $n, each name once.
    `anchors` are rising pairs (offset in sql, offset in source) from which both texts run in step:
    the first one, then the start and the end of each place where they differ.
    With optional `clauses` this is the statement that keeps them all.
    """

    sql: str
    parameter_names: tuple[str, ...]
    placeholders: tuple[Placeholder, ...]
    anchors: tuple[tuple[int, int], ...] = ((0, 0),)
    clauses: tuple[OptionalClause, ...] = ()
    _compile_variant: Callable[[_Kept], "CompiledStatement"] | None = field(
        default=None, repr=False, compare=False
    )

    def for_values(self, values: Mapping[str, object]) -> "CompiledStatement":
        """The statement of one call: a clause stays when none of its parameters is absent or None.

        Raises StatementError when the author's text makes no statement without the others.
        """
        if not self.clauses:
            return self
        return self._keep(
            tuple(
                all(values.get(name) is not None for name in clause.names)
                for clause in self.clauses
            )
        )

    def variants(self) -> tuple["CompiledStatement", ...]:
        """What to check before serving: with all clauses, with none, and with each one alone."""
        count = len(self.clauses)
        alone = [tuple(index == kept for index in range(count)) for kept in range(count)]
        choices = dict.fromkeys([(True,) * count, (False,) * count, *alone])
        return tuple(map(self._keep, choices))

    def with_names(self, message: str) -> str:
        """The database's message with the parameters' own names instead of the $n that nobody wrote."""
        names = {f"${number}": f":{name}" for number, name in enumerate(self.parameter_names, 1)}
        return _NUMBERED.sub(lambda match: names.get(match[0], match[0]), message)

    def source_position(self, position: int) -> int:
        """The 0-based offset in the source of `position`, counted from 1 in `sql` by the server."""
        offset = max(position - 1, 0)
        index = bisect_right(self.anchors, offset, key=lambda anchor: anchor[0])
        sql_offset, source_offset = self.anchors[index - 1]
        found = source_offset + offset - sql_offset
        return min(found, self.anchors[index][1]) if index < len(self.anchors) else found

    def _keep(self, kept: _Kept) -> "CompiledStatement":
        if self._compile_variant is None or all(kept):
            return self
        return self._compile_variant(kept)


# One press of a key in the editor analyses, checks, shows and runs the same statement.
@lru_cache(maxsize=64)
def compile_statement(
    text: str,
    *,
    dialect: Dialect = Dialect.POSTGRESQL,
    list_names: frozenset[str] = frozenset(),
) -> CompiledStatement:
    """The statement with its parameters as $n; raises StatementError with what to write instead.

    A parameter in `list_names` may stand alone in `IN (:ids)`; for SQLite its value is JSON text, and
    for MySQL $n[] stands there, for one mark or more in its place.
    """
    _check_text(text)
    lexer = find_rules(dialect).lexer(text)
    lexer.run()
    lexer.check_ends()
    if lexer.clauses:
        return _compile_clauses(lexer, list_names)
    lexer.check_command()
    return _splice(lexer, list_names)


def find_parameters(text: str, dialect: Dialect = Dialect.POSTGRESQL) -> list[str]:
    """Names of the parameters in order of first appearance, up to the first fault of the text."""
    return list(dict.fromkeys(use.name for use in find_placeholders(text, dialect)))


def find_placeholders(text: str, dialect: Dialect = Dialect.POSTGRESQL) -> list[Placeholder]:
    """Every use of a parameter in order, up to the first fault of the text."""
    lexer = make_lexer(text, dialect)
    # The editor asks while the statement is being typed: half a text has half the names.
    with suppress(StatementError):
        lexer.run()
    return lexer.placeholders


def find_command(text: str, dialect: Dialect = Dialect.POSTGRESQL) -> str:
    """The word that begins the statement, such as SELECT or WITH; '' where none does."""
    lexer = make_lexer(text, dialect)
    match = lexer.first.match(text.lstrip("( \t\r\n"))
    return match[1].upper() if match else ""


def make_lexer(text: str, dialect: Dialect) -> StatementLexer:
    """A lexer that has not read the text yet."""
    return find_rules(dialect).lexer(text)


def _check_text(text: str) -> None:
    if "\0" in text:
        raise StatementError(
            message("statement.nul", "the statement holds a NUL character; remove it"),
            text.index("\0"),
        )
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise StatementError(
            message("statement.half_character", "the statement holds half a character; remove it"),
            error.start,
        ) from error
    if size > STATEMENT_BYTE_LIMIT:
        raise StatementError(
            message(
                "statement.too_long",
                "the statement has {size} bytes; the limit is {limit}",
                size=size,
                limit=STATEMENT_BYTE_LIMIT,
            ),
            None,
        )


def _compile_clauses(lexer: StatementLexer, list_names: Collection[str]) -> CompiledStatement:
    lexer_class, text, clauses = type(lexer), lexer.text, tuple(lexer.clauses)

    # Each variant is read again: what is beside a clause may mean something else without it.
    def compile_variant(kept: _Kept) -> CompiledStatement:
        # As long as the text was, so that offsets stay: blanks for what is left out, and for [[ ]].
        pieces: list[str] = []
        copied = 0
        for clause, stays in zip(clauses, kept, strict=True):
            inner = text[clause.start + 2 : clause.end - 2]
            pieces += text[copied : clause.start], f"  {inner if stays else ' ' * len(inner)}  "
            copied = clause.end
        variant = lexer_class("".join(pieces) + text[copied:])
        variant.run()
        variant.check_ends()
        variant.check_command()
        return _splice(variant, list_names)

    whole = compile_variant((True,) * len(clauses))
    remembered = lru_cache(VARIANT_LIMIT)(compile_variant)
    return replace(whole, clauses=clauses, _compile_variant=remembered)


def _splice(lexer: StatementLexer, list_names: Collection[str]) -> CompiledStatement:
    text = lexer.text
    numbers: dict[str, int] = {}
    for placeholder in lexer.placeholders:
        numbers.setdefault(placeholder.name, len(numbers) + 1)
    edits: list[Edit] = [
        (placeholder.start, placeholder.end, f"${numbers[placeholder.name]}")
        for placeholder in lexer.placeholders
    ]
    if lexer.semicolon is not None:
        edits.append((lexer.semicolon, lexer.semicolon + 1, ""))
    if list_names:
        edits = edit_lists(lexer, edits, list_names)
    pieces: list[str] = []
    anchors = [(0, 0)]
    length = copied = 0
    for start, end, mark in edits:
        gap = " " if mark and continues_word(text, start - 1) else ""
        pieces += text[copied:start], gap, mark
        marked_at = length + start - copied + len(gap)
        length, copied = marked_at + len(mark), end
        anchors += (marked_at, start), (length, end)
    return CompiledStatement(
        sql="".join(pieces) + text[copied:],
        parameter_names=tuple(numbers),
        placeholders=tuple(lexer.placeholders),
        anchors=tuple(anchors),
    )
