"""The lexer of PostgreSQL statements.

It follows the server's own lexical rules (standard_conforming_strings = on) and refuses what the
server would understand differently from what it means here.

How a colon is read:

- `:name` is a parameter wherever a value may stand, `ARRAY[:a, :b]` and `items[(:n)]` included.
- `::` and `:=` are left alone, and so is a colon that no name follows (`items[1:2]`, `[: n]`).
- Directly inside a subscript (`items[:n]`, `items[1:n]`) and directly after a value
  (`json_object('key':n)`) a colon with a name could mean either of two things, so it is refused:
  `{{n}}` is always the parameter, `: n` with a space is always the column.
"""

import re

from core.dialects import ConnectionCode, DialectRules
from core.errors import StatementError
from core.messages import message
from core.statements.lexer import (
    BRACE,
    DIGITS,
    LETTER,
    LETTER_OR_DIGIT,
    NAME,
    NUMBER,
    TEMPLATE,
    TEMPLATE_IN_TEXT,
    UNCLOSED_NAME,
    UNCLOSED_TEXT,
    WORD,
    NumberedLexer,
    NumberedUse,
    StatementLexer,
    compile_tokens,
    fold,
)
from core.toolspec import Dialect

_LINE_COMMENT = r"--[^\n\r]*+"
BLANKS = rf"(?:[ \t\n\r\f\v]++|{_LINE_COMMENT})*+"
PLAIN_TOKENS = (
    # A word keeps the dot before it: `t.array` is a column, `array` a keyword.
    rf"(?:\.[ \t\n\r\f\v]*+)?(?![eEbBxXnN]'|[uU]&['\"]){WORD}",
    r"(?:[~!@#^&|`?+*%<>=.,]|-(?!-)|/(?!\*)|::|:=)",
    NUMBER,
)
TOKEN_KINDS = {
    "open": r"[(\[]",
    "close": r"[)\]]",
    "escape_text": r"[eE]'(?:[^'\\]++|\\.|'')*+'",
    "text": r"(?:[uU]&|[bBxXnN])?'(?:[^']++|'')*+'",
    "unclosed_text": r"(?:[uU]&|[eEbBxXnN])?'",
    "unicode_name": r'[uU]&"',
    "colon_name": rf":{NAME}",
    "psql_name": r""":(?=['"])""",
    "template": TEMPLATE,
    "quoted_name": r'"(?:[^"]++|"")*+"',
    "unclosed_name": r'"',
    "comment": r"/\*",
    "dollar_text": rf"\$(?P<tag>(?:{LETTER}{LETTER_OR_DIGIT}*+)?)\$.*?\$(?P=tag)\$",
    "unclosed_dollar": rf"\$(?:{LETTER}{LETTER_OR_DIGIT}*+)?\$",
    "numbered": r"\$[0-9]",
    "dollar": r"\$",
    "semicolon": r";",
    "brace": r"[{}]",
    "end": r"\Z",
    "other": r".",
}
# A string may go on after a line break, and keeps its kind: E'a' <newline> 'b\'c' is one literal.
_TEXT_CONTINUES = re.compile(
    r"(?:[ \t\f\v]++|--[^\n\r]*+)*+[\n\r](?:[ \t\n\r\f\v]++|--[^\n\r]*+[\n\r])*+"
    r"(?P<text>'(?:[^'\\]++|\\.|'')*+)(?P<close>'?)",
    re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")

FAULTS = {
    "unclosed_text": UNCLOSED_TEXT,
    "unclosed_name": UNCLOSED_NAME,
    "unclosed_dollar": message(
        "statement.dollar_unclosed", "this dollar-quoted string is never closed"
    ),
    "unicode_name": message(
        "statement.no_unicode_names",
        'U&"..." names are not allowed; write the name in plain letters',
    ),
    "numbered": message(
        "statement.no_numbers", "numbered parameters such as $1 are not allowed; write :name"
    ),
    "dollar": message(
        "statement.lone_dollar", "a $ means nothing here; write a parameter as :name"
    ),
    "brace": BRACE,
}
_COMMANDS = (
    "ABORT ALTER ANALYSE ANALYZE BEGIN CALL CHECKPOINT CLOSE CLUSTER COMMENT COMMIT COPY CREATE"
    " DEALLOCATE DECLARE DELETE DISCARD DO DROP END EXECUTE EXPLAIN FETCH GRANT IMPORT INSERT LISTEN"
    " LOAD LOCK MERGE MOVE NOTIFY PREPARE REASSIGN REFRESH REINDEX RELEASE RESET REVOKE ROLLBACK"
    " SAVEPOINT SECURITY SET SHOW START TRUNCATE UNLISTEN UPDATE VACUUM"
)


class PostgresqlLexer(StatementLexer):
    """Reads one PostgreSQL statement."""

    dialect = Dialect.POSTGRESQL
    line_comment = re.compile(_LINE_COMMENT)
    token = compile_tokens(BLANKS, PLAIN_TOKENS, TOKEN_KINDS)
    first = re.compile(rf"{BLANKS}({WORD})")
    commands = frozenset(_COMMANDS.split())
    queries = "SELECT, WITH, VALUES, TABLE"
    faults = FAULTS

    def _skip_comment(self, start: int) -> int:
        depth = 0
        for edge in _COMMENT_EDGE.finditer(self.text, start):
            depth += 1 if edge[0] == "/*" else -1
            if not depth:
                return edge.end()
        raise StatementError(
            message("statement.comment_unclosed", "this comment is never closed"), start
        )

    read_dollar_text = StatementLexer.read_text

    def read_escape_text(self, match: re.Match[str]) -> int:
        start, end = match.span("escape_text")
        self._refuse_template(TEMPLATE_IN_TEXT, start, end)
        while more := _TEXT_CONTINUES.match(self.text, end):
            if not more["close"]:
                raise StatementError(UNCLOSED_TEXT, start)
            self._refuse_template(TEMPLATE_IN_TEXT, *more.span("text"))
            end = more.end()
        return end

    def read_open(self, match: re.Match[str]) -> int:
        bracket, start = match["open"], match.start("open")
        if self.text.startswith("[[", start) and not self._opens_list(start):
            return self._open_clause(start)
        # "[" behind a value is a subscript; else it opens an array of values.
        kind, text = self._before
        is_value = kind in {"operator", "open"} or fold(text) == "array"
        return self._open(bracket, start, is_subscript=bracket == "[" and not is_value)

    def _opens_list(self, start: int) -> bool:
        """Whether the [[ at `start` is an array of arrays: directly after ARRAY and inside "["."""
        in_array = bool(self._brackets) and self._brackets[-1][0] == "["
        return in_array or fold(self._before[1]) == "array"

    def read_colon_name(self, match: re.Match[str]) -> int:
        start = match.start("colon_name")
        name = self._check_name(match["colon_name"][1:], start)
        in_slice = bool(self._brackets) and self._brackets[-1][2]
        if in_slice or self._follows_value():
            raise StatementError(
                message(
                    "statement.colon_ambiguous",
                    "{mark} could be a parameter or a separator here; write {{{name}}} for the"
                    " parameter, or a space after the colon (: {name}) for the column",
                    mark=match["colon_name"],
                    name=name,
                ),
                start,
            )
        return self._add_colon_name(match, name)

    def read_psql_name(self, match: re.Match[str]) -> int:
        if self._follows_value():
            return match.end()  # The separator of json_object('key':'value').
        raise StatementError(
            message(
                "statement.no_psql_variables",
                "psql variables such as :'name' are not supported; write :name without quotes",
            ),
            match.start("psql_name"),
        )


class NumberedPostgresqlLexer(NumberedLexer, PostgresqlLexer):
    """Takes $1 for a parameter, and a colon for what PostgreSQL takes it."""

    faults = {kind: text for kind, text in PostgresqlLexer.faults.items() if kind != "numbered"}

    def read_numbered(self, match: re.Match[str]) -> int:
        start = match.start("numbered")
        digits = DIGITS.match(self.text, start + 1)
        assert digits is not None  # noqa: S101 - the token has one
        in_slice = bool(self._brackets) and self._brackets[-1][2]
        needs_braces = in_slice or self._follows_value()
        self.uses.append(NumberedUse(start, digits.end(), int(digits[0]), needs_braces))
        return digits.end()

    def read_colon_name(self, match: re.Match[str]) -> int:
        # A blank behind it keeps it from being a parameter.
        self.colons.append(match.start("colon_name") + 1)
        return match.start("colon_name") + 1


SNIPPETS = {
    "search_text": "${column} ILIKE '%' || :${word} || '%'",
    "month_buckets": "date_trunc('month', ${day})::date AS month",
}
RULES = DialectRules(
    label="PostgreSQL",
    lexer=PostgresqlLexer,
    numbered=NumberedPostgresqlLexer,
    folds_names=False,
    name_bytes=63,
    has_schemas=True,
    numbers_lists=True,
    code=ConnectionCode(
        url_form="postgresql://USER:PASSWORD@HOST:5432/DATABASE",
        packages="sqlalchemy 2 and psycopg or psycopg2",
        imports=("import os", "from importlib.util import find_spec"),
        names="create_engine, make_url",
        # Left to itself, SQLAlchemy 2.0 wants psycopg2 and 2.1 psycopg, and neither knows postgres://.
        engine="driver = 'postgresql+psycopg' if find_spec('psycopg') else 'postgresql+psycopg2'\n"
        "engine = create_engine(make_url({address}).set(drivername=driver))",
    ),
    snippets={
        **SNIPPETS,
        "pivot": "sum(${total}) FILTER (WHERE ${column} = '${value}') AS ${name}",
    },
)
