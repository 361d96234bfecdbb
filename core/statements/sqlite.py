"""The lexer of SQLite statements.

It follows SQLite's own lexical rules: comments do not nest, strings know no escape but '', names are
quoted "a", `a` or [a], and a function's name means the same in any case, quoted or not.
"""

import re

from core.dialects import ConnectionCode, DialectRules
from core.errors import StatementError
from core.messages import message
from core.statements.lexer import (
    BRACE,
    DIGITS,
    NAME,
    NUMBER,
    TEMPLATE,
    UNCLOSED_NAME,
    UNCLOSED_TEXT,
    WORD,
    NumberedLexer,
    NumberedUse,
    StatementLexer,
    compile_tokens,
)
from core.toolspec import Dialect

_LINE_COMMENT = r"--[^\n]*+"
_BLANKS = rf"(?:[ \t\n\r\f\v]++|{_LINE_COMMENT})*+"
_MARK = "\ufeff"
_PLAIN_TOKENS = (
    rf"(?:\.[ \t\n\r\f\v]*+)?(?![xX]'|{_MARK}){WORD}",
    r"(?:[~!&|+*%<>=.,]|-(?!-)|/(?!\*))",
    NUMBER,
)
_TOKEN_KINDS = {
    "open": r"\(|\[\[",
    "close": r"[)\]]",
    "text": r"[xX]'[^']*+'|'(?:[^']++|'')*+'",
    "unclosed_text": r"[xX]?'",
    "colon_name": rf":{NAME}",
    "numbered": r":[0-9]|\?",
    "psql_name": r""":['"`\[]""",
    "cast": r"::",
    "colon": r":",
    "template": TEMPLATE,
    "quoted_name": r'"(?:[^"]++|"")*+"|`(?:[^`]++|``)*+`|\[[^\]]*+\]',
    "unclosed_name": r'["`\[]',
    "comment": r"/\*",
    "other_mark": r"[$@#]",
    "byte_order_mark": _MARK,
    "semicolon": r";",
    "brace": r"[{}]",
    "end": r"\Z",
    "other": r".",
}
_FAULTS = {
    "unclosed_text": UNCLOSED_TEXT,
    "unclosed_name": UNCLOSED_NAME,
    "numbered": message(
        "statement.no_sqlite_numbers",
        "numbered parameters such as ?, ?1 or :1 are not allowed; write :name",
    ),
    "psql_name": message(
        "statement.no_quoted_colon", "a parameter is written :name, without quotes"
    ),
    "cast": message(
        "statement.no_sqlite_cast", "SQLite has no :: to change a type; write CAST(value AS type)"
    ),
    "colon": message(
        "statement.lone_colon", "a colon means nothing here; write a parameter as :name"
    ),
    "other_mark": message(
        "statement.no_sqlite_marks",
        "parameters such as @name, $name or #name are not allowed; write :name",
    ),
    # SQLite reads it as a blank where a word begins, and as a letter behind.
    "byte_order_mark": message(
        "statement.invisible_character", "an invisible character (U+FEFF) stands here; remove it"
    ),
    "brace": BRACE,
}
_COMMANDS = (
    "ALTER ANALYZE ATTACH BEGIN COMMIT CREATE DELETE DETACH DROP END EXPLAIN INSERT PRAGMA REINDEX"
    " RELEASE REPLACE ROLLBACK SAVEPOINT UPDATE VACUUM"
)


class SqliteLexer(StatementLexer):
    """Reads one SQLite statement."""

    dialect = Dialect.SQLITE
    line_comment = re.compile(_LINE_COMMENT)
    token = compile_tokens(_BLANKS, _PLAIN_TOKENS, _TOKEN_KINDS)
    first = re.compile(rf"{_BLANKS}({WORD})")
    commands = frozenset(_COMMANDS.split())
    queries = "SELECT, WITH, VALUES"
    faults = _FAULTS

    def _skip_comment(self, start: int) -> int:
        end = self.text.find("*/", start + 2)
        if end < 0:
            raise StatementError(
                message("statement.comment_unclosed", "this comment is never closed"), start
            )
        return end + 2

    def read_open(self, match: re.Match[str]) -> int:
        bracket, start = match["open"], match.start("open")
        if bracket == "[[":
            return self._open_clause(start)
        kind, text = self._before
        if kind in {"colon_name", "template"}:
            # SQLite would read $1( ... ) as one long name of a parameter.
            raise StatementError(
                message(
                    "statement.value_called",
                    "{value} is a value, which no ( can follow",
                    value=text,
                ),
                start,
            )
        return self._open(bracket, start)

    def read_colon_name(self, match: re.Match[str]) -> int:
        self._refuse_beside_value(match)
        return self._add_colon_name(
            match, self._check_name(match["colon_name"][1:], match.start("colon_name"))
        )

    def read_template(self, match: re.Match[str]) -> int:
        self._refuse_beside_value(match)
        return super().read_template(match)

    def _refuse_beside_value(self, match: re.Match[str]) -> None:
        # Two numbered parameters side by side would melt into one name, $1$2.
        if self._follows_value():
            kind = match.lastgroup or ""
            raise StatementError(
                message(
                    "statement.value_followed",
                    "{text} follows a value; put an operator or a comma between",
                    text=match[kind],
                ),
                match.start(kind),
            )


class NumberedSqliteLexer(NumberedLexer, SqliteLexer):
    """Takes ? and ?1 for parameters."""

    faults = {kind: text for kind, text in SqliteLexer.faults.items() if kind != "numbered"}

    def read_numbered(self, match: re.Match[str]) -> int:
        start = match.start("numbered")
        if self.text[start] != "?":
            raise StatementError(SqliteLexer.faults["numbered"], start)
        digits = DIGITS.match(self.text, start + 1)
        # As SQLite counts: one more than the largest before it.
        next_number = max((use.number for use in self.uses), default=0) + 1
        number = int(digits[0]) if digits and digits[0] else next_number
        end = digits.end() if digits else match.end()
        self.uses.append(NumberedUse(start, end, number))
        return end


RULES = DialectRules(
    label="SQLite",
    lexer=SqliteLexer,
    numbered=NumberedSqliteLexer,
    column_catalogue="pragma_table_info",
    list_query="SELECT value FROM json_each(coalesce({}, '[null]'))",
    number_mark="?",
    takes_null_limit=False,
    code=ConnectionCode(
        url_form="sqlite:////absolute/path.db",
        packages="sqlalchemy 2",
        engine="engine = create_engine({address})",
    ),
    # The SQLSTATE that PostgreSQL has for the same.
    error_codes=(
        ("no such column", "42703"),
        ("no such table", "42P01"),
        ("no such function", "42883"),
    ),
    snippets={
        "search_text": "${column} LIKE '%' || :${word} || '%'",
        "month_buckets": "date(${day}, 'start of month') AS month",
        "pivot": "sum(${total}) FILTER (WHERE ${column} = '${value}') AS ${name}",
    },
)
