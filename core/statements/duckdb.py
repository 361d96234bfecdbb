"""The lexer of DuckDB statements.

DuckDB reads strings, comments, casts and slices as PostgreSQL does. Beyond that it quotes names in
backticks too, and writes structs and maps in braces, `{'a': 1}`.

Directly inside braces a colon with a name is ambiguous as in a slice: `{{n}}` is the parameter, and so
is `:n` behind a colon and a space, `{'a': :n}`.

`[[1, 2], [3, 4]]` is a list of lists and no optional clause; `[[:a, :b]]` could be either and is the
clause, `[ [:a, :b] ]` the list.
"""

import re
from typing import Final

from core.dialects import ConnectionCode, DialectRules
from core.errors import StatementError
from core.messages import message
from core.statements.lexer import compile_tokens
from core.statements.postgresql import (
    BLANKS,
    FAULTS,
    PLAIN_TOKENS,
    SNIPPETS,
    TOKEN_KINDS,
    NumberedPostgresqlLexer,
    PostgresqlLexer,
)
from core.toolspec import Dialect

_COMMANDS = (
    "ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT COMMENT COMMIT COPY CREATE DEALLOCATE DELETE DESC"
    " DESCRIBE DETACH DROP END EXECUTE EXPLAIN EXPORT FORCE GRANT IMPORT INSERT INSTALL LOAD MERGE"
    " PIVOT PIVOT_WIDER PRAGMA PREPARE RELEASE RESET ROLLBACK SAVEPOINT SET SHOW START SUMMARIZE"
    " TRUNCATE UNPIVOT UPDATE USE VACUUM"
)
# In a name in backticks, a doubled one is one of its own.
_KINDS: Final = {
    "question": r"\?",
    **TOKEN_KINDS,
    "quoted_name": r'"(?:[^"]++|"")*+"|`(?:[^`]++|``)*+`',
    "unclosed_name": r'["`]',
}
# A backtick is an operator of PostgreSQL, and so is what it cannot be here.
_PLAIN = tuple(token.replace("|`?", "|") for token in PLAIN_TOKENS)
_BEFORE_COLON = frozenset({"word", "quoted_name"})


class DuckdbLexer(PostgresqlLexer):
    """Reads one DuckDB statement."""

    dialect = Dialect.DUCKDB
    token = compile_tokens(BLANKS, _PLAIN, _KINDS)
    commands = frozenset(_COMMANDS.split())
    queries = "SELECT, WITH, FROM, VALUES, TABLE"
    faults = {kind: text for kind, text in FAULTS.items() if kind != "brace"} | {
        "question": message(
            "statement.no_question_marks",
            "numbered parameters such as ? or ?1 are not allowed; write :name",
        )
    }

    def read_brace(self, match: re.Match[str]) -> int:
        bracket, start = match["brace"], match.start("brace")
        if bracket == "{":
            return self._open(bracket, start, is_subscript=True)
        if not self._brackets or self._brackets[-1][0] != "{":
            raise StatementError(
                message(
                    "statement.closes_nothing", "this {bracket} closes nothing", bracket=bracket
                ),
                start,
            )
        self._brackets.pop()
        return match.end()

    def read_colon_name(self, match: re.Match[str]) -> int:
        if self._is_in_braces() and self._before == ("other", ":"):
            start = match.start("colon_name")
            return self._add_colon_name(match, self._check_name(match["colon_name"][1:], start))
        return super().read_colon_name(match)

    def read_psql_name(self, match: re.Match[str]) -> int:
        if self._is_in_braces() and self._before[0] in _BEFORE_COLON:
            return match.end()  # The separator of {key:'value'}.
        return super().read_psql_name(match)

    def _opens_list(self, start: int) -> bool:
        if super()._opens_list(start):
            return True
        if self._clause is not None:
            # No clause stands in another, and a list stands where a value may.
            return self._before[0] in {"operator", "open"}
        position, depth, has_parameter = start, 0, False
        while (match := self.token.match(self.text, position)) and match.lastgroup != "end":
            kind, position = match.lastgroup or "", match.end()
            mark = match[kind]
            if kind == "comment":
                position = self._skip_comment(match.start(kind))
            has_parameter |= kind in {"colon_name", "template"}
            depth += (mark in {"(", "[", "{"}) - (mark in {")", "]", "}"})
            if mark == "]" and depth == 1:
                is_closed_twice = self.text.startswith("]]", match.start(kind))
                return not (is_closed_twice and has_parameter)
        return False

    def _is_in_braces(self) -> bool:
        return bool(self._brackets) and self._brackets[-1][0] == "{"


RULES = DialectRules(
    label="DuckDB",
    lexer=DuckdbLexer,
    numbered=NumberedPostgresqlLexer,
    has_schemas=True,
    list_query="SELECT unnest(coalesce({}, [NULL]))",
    code=ConnectionCode(
        url_form="duckdb:////absolute/path.duckdb",
        packages="sqlalchemy 2 and duckdb-engine",
        engine="engine = create_engine({address}, connect_args={{'read_only': True}})",
    ),
    snippets=SNIPPETS,
)
