"""Compiles SQL statements: bound parameters become $1..$n, what cannot be one query is refused.

The server's parser stays the judge of the grammar; what is refused here is what must never reach
it, and what the author and the server would understand differently.

How a colon is read:

- `:name` is a parameter wherever a value may stand, `ARRAY[:a, :b]` and `items[(:n)]` included.
- `::` and `:=` are left alone, and so is a colon that no name follows (`items[1:2]`, `[: n]`).
- Directly inside a subscript (`items[:n]`, `items[1:n]`) and directly after a value
  (`json_object('key':n)`) a colon with a name could mean either of two things, so it is refused:
  `{{n}}` is always the parameter, `: n` with a space is always the column.
"""

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from core.errors import StatementError
from core.statement_lexer import Placeholder, StatementLexer, continues_word

STATEMENT_BYTE_LIMIT = 100_000

_COMMAND_WORDS = (
    "ABORT ALTER ANALYSE ANALYZE BEGIN CALL CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY CREATE"
    " DEALLOCATE DECLARE DELETE DISCARD DO DROP END EXECUTE EXPLAIN FETCH GRANT IMPORT INSERT LISTEN"
    " LOAD LOCK MERGE MOVE NOTIFY PREPARE REASSIGN REFRESH REINDEX RELEASE RESET REVOKE ROLLBACK"
    " SAVEPOINT SECURITY SET SHOW START TRUNCATE UNLISTEN UPDATE VACUUM"
)
_COMMANDS = frozenset(_COMMAND_WORDS.split())


@dataclass(frozen=True, slots=True)
class CompiledStatement:
    """A statement ready to be sent: `sql` holds $1..$n and no last `;`.

    `parameter_names` are in the order of $n, each name once. `function_names` are the names directly
    followed by "(", as the server looks them up (unquoted ones lower-cased, without their schema);
    it may hold a name that is no function, never lacks one that is.
    `anchors` are rising pairs (offset in sql, offset in source) from which both texts run in step.
    """

    sql: str
    parameter_names: tuple[str, ...]
    placeholders: tuple[Placeholder, ...]
    function_names: frozenset[str]
    anchors: tuple[tuple[int, int], ...] = ((0, 0),)

    def source_position(self, position: int) -> int:
        """The 0-based offset in the source of `position`, counted from 1 in `sql` by the server."""
        offset = max(position - 1, 0)
        index = bisect_right(self.anchors, offset, key=lambda anchor: anchor[0])
        sql_offset, source_offset = self.anchors[index - 1]
        found = source_offset + offset - sql_offset
        return min(found, self.anchors[index][1]) if index < len(self.anchors) else found


def compile_statement(text: str) -> CompiledStatement:
    """The statement with its parameters as $n; raises StatementError with what to write instead."""
    _check_text(text)
    lexer = StatementLexer(text)
    lexer.run()
    lexer.check_ends()
    _check_command(*lexer.first_word())
    return _splice(text, lexer)


def find_parameters(text: str) -> list[str]:
    """Names of the parameters in order of first appearance, up to the first fault of the text."""
    lexer = StatementLexer(text)
    # The editor asks while the statement is being typed: half a text has half the names.
    with suppress(StatementError):
        lexer.run()
    return list(dict.fromkeys(placeholder.name for placeholder in lexer.placeholders))


def _check_text(text: str) -> None:
    if "\0" in text:
        raise StatementError("the statement holds a NUL character; remove it", text.index("\0"))
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise StatementError(
            "the statement holds half a character; remove it", error.start
        ) from error
    if size > STATEMENT_BYTE_LIMIT:
        raise StatementError(
            f"the statement has {size:,} bytes; the limit is {STATEMENT_BYTE_LIMIT:,}", None
        )


def _check_command(word: str, offset: int) -> None:
    if word in _COMMANDS:
        raise StatementError(
            f"only queries (SELECT, WITH, VALUES, TABLE) can be served; this is {word}", offset
        )


def _splice(text: str, lexer: StatementLexer) -> CompiledStatement:
    numbers: dict[str, int] = {}
    for placeholder in lexer.placeholders:
        numbers.setdefault(placeholder.name, len(numbers) + 1)
    pieces: list[str] = []
    anchors = [(0, 0)]
    length = copied = 0
    for start, end, mark in _edits(lexer, numbers):
        pieces += text[copied:start], " " if mark and continues_word(text, start - 1) else "", mark
        marked_at = length + sum(map(len, pieces[-3:-1]))
        length, copied = marked_at + len(mark), end
        anchors += (marked_at, start), (length, end)
    return CompiledStatement(
        sql="".join(pieces) + text[copied:],
        parameter_names=tuple(numbers),
        placeholders=tuple(lexer.placeholders),
        function_names=frozenset(lexer.function_names),
        anchors=tuple(anchors),
    )


def _edits(lexer: StatementLexer, numbers: dict[str, int]) -> Iterator[tuple[int, int, str]]:
    """(start, end, replacement) in rising order: each parameter, then the last `;`."""
    for placeholder in lexer.placeholders:
        yield placeholder.start, placeholder.end, f"${numbers[placeholder.name]}"
    if lexer.semicolon is not None:
        yield lexer.semicolon, lexer.semicolon + 1, ""
