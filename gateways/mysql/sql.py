"""The SQL around a statement: what bounds its rows and cells, and a mark for each value."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.statement import CompiledStatement
from core.statements.lists import LIST_MARK
from core.statements.mysql import find_main_query

# A list that is empty: IN finds nothing, NOT IN everything.
_EMPTY_LIST = "SELECT NULL FROM (SELECT 1) AS e WHERE FALSE"
_LARGEST_LIST = 32_768
_MARK = re.compile(r"\$([1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class MysqlSlot:
    """A place of a value: the index of its parameter, and whether it is a list of values for IN."""

    parameter: int
    is_list: bool


@dataclass(frozen=True, slots=True)
class SplitStatement:
    """The text between the places of values, and the places."""

    pieces: tuple[str, ...]
    slots: tuple[MysqlSlot, ...]

    def render(self, lengths: Sequence[int]) -> str:
        """The text with marks; `lengths` are those of the lists, in the order of their places."""
        rest = iter(lengths)
        parts = [self.pieces[0]]
        for slot, piece in zip(self.slots, self.pieces[1:], strict=True):
            count = next(rest) if slot.is_list else 1
            parts.append(",".join("?" * count) if count else _EMPTY_LIST)
            parts.append(piece)
        return "".join(parts)

    def render_once(self) -> str:
        """The text with one mark at each place."""
        return self.render([1] * sum(slot.is_list for slot in self.slots))

    def compiled_offset(self, offset: int) -> int:
        """Where in the compiled SQL stands what is at this offset of `render_once`."""
        rendered = compiled = 0
        for piece, slot in zip(self.pieces, self.slots, strict=False):
            if offset <= rendered + len(piece):
                break
            rendered += len(piece) + 1
            mark = f"${slot.parameter + 1}{LIST_MARK if slot.is_list else ''}"
            compiled += len(piece) + len(mark)
        return compiled + offset - rendered


def split_statement(statement: CompiledStatement) -> SplitStatement:
    """The compiled statement apart at $1..$n."""
    pieces: list[str] = []
    slots: list[MysqlSlot] = []
    copied = 0
    # Anchors are the first one, then start and end of each place where the texts differ.
    starts = [sql for sql, _source in statement.anchors[1::2]]
    for start in starts[: len(statement.placeholders)]:
        match = _MARK.match(statement.sql, start)
        assert match is not None  # noqa: S101 - the compiler wrote it there
        end = match.end()
        is_list = statement.sql.startswith(LIST_MARK, end)
        pieces.append(statement.sql[copied:start])
        slots.append(MysqlSlot(int(match[1]) - 1, is_list))
        copied = end + (len(LIST_MARK) if is_list else 0)
    return SplitStatement((*pieces, statement.sql[copied:]), tuple(slots))


def pad_length(count: int) -> int:
    """As many marks as a list of so many items gets: few texts serve lists of all lengths."""
    return 0 if count == 0 else min(1 << (count - 1).bit_length(), max(count, _LARGEST_LIST))


def limited_sql(sql: str) -> str:
    """The statement of at most `?` rows, in its own order.

    The line breaks keep a comment at the statement's end from hiding what follows.
    """
    main = find_main_query(sql)
    return f"{sql[:main]}(\n{sql[main:]}\n) LIMIT ?"


def capped_sql(sql: str, cells: Sequence[str], *, is_named: bool = False) -> str:
    """The same with these expressions instead of its columns c0, c1 and so on.

    `is_named` is for a statement of equal names, below whose own LIMIT they may not be.
    """
    names = ", ".join(f"c{index}" for index in range(len(cells)))
    chosen = ", ".join(cells)
    if is_named:
        # The statement is the author's own SQL; what it may be is for the server to say.
        return f"WITH toolbuilder_answer({names}) AS (\n{sql}\n) SELECT {chosen} FROM toolbuilder_answer LIMIT ?"  # noqa: S608
    main = find_main_query(sql)
    opening = f"{sql[:main].rstrip()}, " if main else "WITH "
    limited = f"toolbuilder_answer({names}) AS ((\n{sql[main:]}\n) LIMIT ?)"
    return f"{opening}{limited} SELECT {chosen} FROM toolbuilder_answer"  # noqa: S608
