"""The SQL around a statement: what bounds its rows and cells, and what asks for its columns."""

import re
import sqlite3
from contextlib import closing

from core.statement import CompiledStatement

# As a name of its own it cannot be that of a table of the file by accident.
_ANSWER = "toolbuilder_answer"
_REPEATED = re.compile(r"(.*):\d+", re.DOTALL)


def limited_sql(statement: CompiledStatement) -> str:
    """The statement as a subquery of at most $row_limit rows.

    The line breaks keep a comment at the statement's end from hiding what follows.
    """
    # The statement is the author's own SQL; what it may be is for SQLite to say.
    return f"SELECT * FROM (\n{statement.sql}\n) LIMIT $row_limit"  # noqa: S608


def capped_sql(statement: CompiledStatement, column_count: int, cell_limit: int) -> str:
    """The same with cells of at most one character, or byte, above the limit.

    The second LIMIT keeps SQLite from putting the statement's own expressions in the place of the
    names, where they would be computed up to four times a cell.
    """
    names = [f"c{index}" for index in range(column_count)]
    # Numbers are less than any text, texts less than any bytes. As bytes, a text tells its length
    # without being read, but a collation that only its own program knows cannot be asked.
    cells = ", ".join(
        f"CASE WHEN {name} COLLATE BINARY < '' THEN {name}"
        f" WHEN length(CAST({name} AS BLOB)) <= {cell_limit} THEN {name}"
        f" ELSE substr({name}, 1, {cell_limit + 1}) END"
        for name in names
    )
    limited = f"WITH {_ANSWER}({', '.join(names)}) AS ({limited_sql(statement)})"
    return f"{limited} SELECT {cells} FROM {_ANSWER} LIMIT -1"  # noqa: S608


def read_names(connection: sqlite3.Connection, statement: CompiledStatement) -> list[str]:
    """Names of the statement's columns, which is not run."""
    values: dict[str, int | None] = {**empty_values(statement), "row_limit": 0}
    with closing(connection.execute(limited_sql(statement), values)) as cursor:
        return column_names(cursor)


def column_names(cursor: sqlite3.Cursor) -> list[str]:
    """Names of an answer's columns as the statement has them.

    SQLite numbers the equal names of a subquery: the second `id` comes as `id:1`.
    """
    names: list[str] = [column[0] for column in cursor.description]
    folded = [name.lower() for name in names]
    for index, name in enumerate(names):
        match = _REPEATED.fullmatch(name) if ":" in name else None
        if match and match[1].lower() in folded[:index]:
            names[index] = match[1]
    return names


def empty_values(statement: CompiledStatement) -> dict[str, None]:
    """NULL for each of $1..$n."""
    return {str(number): None for number in range(1, len(statement.parameter_names) + 1)}
