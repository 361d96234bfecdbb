"""What MariaDB or MySQL says, as errors for people: whose fault it is, and where in the statement."""

import re

from core.errors import DataSourceBusyError, DataSourceError, StatementError
from core.messages import Message, message
from core.statement import CompiledStatement
from core.statements.mysql import find_main_query
from gateways.mysql.sql import SplitStatement, limited_sql
from gateways.mysql.wire import MysqlServerError

# What a query says that took its time (of MariaDB, of MySQL) and one that was stopped from outside.
TIMED_OUT, STOPPED = frozenset({1969, 3024}), frozenset({1317, 3168})
EQUAL_NAMES = 1060
SYNTAX, _NO_TABLE = 1064, 1146
# What MariaDB says, and MySQL, of a value with characters that a column cannot hold.
_MIXED_COLLATIONS, _NO_CONVERSION = 1267, 3988
_LOCKED = frozenset({1205, 1213})
# What a query says whose table was changed after it was described.
DRIFT = frozenset({1054, 1146, 1243, 1356, 1615, 4002, 1353, 3554})
# The same faults have PostgreSQL's codes, by which the editor finds what was meant.
_CODES = {
    1052: "42702",
    1054: "42703",
    1146: "42P01",
    1109: "42P01",
    1305: "42883",
    1370: "42883",
    1630: "42883",
}
# Who may not do it, and where from.
_WHO = re.compile(r" to user '[^']*'@'[^']*'")
# What the server names: where it stopped to understand, or a name.
_NEAR = re.compile(r"near '(?P<near>.*)' at line (?P<line>\d+)\s*\Z", re.DOTALL)
_NAMED = re.compile(
    r"(?:Unknown column|Column|Table|FUNCTION|function|routine|Unknown table|Unknown (?:collation|"
    r"character set)\w*:?|variable) '?(?P<name>[^'\s]+)'?",
)


def statement_error(
    error: MysqlServerError, statement: CompiledStatement, split: SplitStatement
) -> StatementError:
    """Why the statement cannot be prepared in its place, in the server's words; where, if it is sure."""
    words: Message | str = clean_words(error)
    code = _CODES.get(error.number, error.sqlstate)
    if error.number == SYNTAX:
        offset = _find_near(error, split)
        words = _describe_syntax(error)
    else:
        offset = _find_name(error, statement.sql)
    position = None if offset is None else statement.source_position(offset + 1)
    return StatementError(words, position, code=code)


def clean_words(error: MysqlServerError) -> str:
    """The server's words without role and host."""
    return _WHO.sub("", error.message)


def _describe_syntax(error: MysqlServerError) -> Message:
    match = _NEAR.search(error.message)
    near = match["near"].partition("\n) LIMIT ?")[0] if match else ""
    if not near or near.startswith(") LIMIT ?"):
        return message("statement.syntax_at_end", "the statement is not whole: it ends too early")
    return message("statement.syntax_near", "syntax error near {text}", text=repr(near))


def run_error(error: MysqlServerError) -> DataSourceError:
    """The server's words about a query that failed while it ran."""
    if error.number in _LOCKED:
        return DataSourceBusyError(
            message(
                "source.rows_locked",
                "what the query reads is locked by a writer; retry in a few seconds",
            )
        )
    words: Message | str = clean_words(error)
    # Two columns of different collations are the statement's own fault.
    is_mixed = error.number == _MIXED_COLLATIONS and "COERCIBLE" in error.message
    if is_mixed or error.number == _NO_CONVERSION:
        words = message(
            "statement.other_characters",
            "a value has characters that the column compared with it cannot hold, so nothing there is"
            " like it; to compare all the same, write CONVERT(the column USING utf8mb4)",
        )
    return DataSourceError(words)


def _find_name(error: MysqlServerError, sql: str) -> int | None:
    """The offset of the name that the server does not know, if it occurs once, or is a table's."""
    named = _NAMED.search(error.message)
    if named is None:
        return None
    # The server puts the schema before a table or function, and the author mostly does not.
    full = named["name"].strip("`'\"")
    for name in dict.fromkeys((full, full.rpartition(".")[2])):
        pattern = r"(?<![\w$])`?" + re.escape(name).replace(r"\.", r"`?\s*\.\s*`?") + r"(?![\w$])"
        found = [place.start() for place in re.finditer(pattern, sql, re.IGNORECASE)]
        if len(found) == 1 or (found and error.number == _NO_TABLE):
            return found[0]
    return None


def _find_near(error: MysqlServerError, split: SplitStatement) -> int | None:
    """The offset of the rest that the server did not understand."""
    match = _NEAR.search(error.message)
    if match is None:
        return None
    sent = split.render_once()
    main = find_main_query(sent)
    limited = limited_sql(sent)
    before = sum(len(line) + 1 for line in limited.split("\n")[: int(match["line"]) - 1])
    near = match["near"]
    at = limited.find(near, before) if near else len(limited)
    if at < 0:
        # It is cut off after some bytes, in the middle of a letter too.
        at = limited.find(near[: len(near) // 2], before)
    if at < 0:
        return None
    # Two characters stand before the query.
    inner = at if at < main else max(at - 2, main)
    return split.compiled_offset(min(inner, len(sent)))
