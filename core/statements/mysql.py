"""The lexer of MariaDB and MySQL statements.

It follows the servers' own lexical rules with the sql_mode that a session of ours has, without
ANSI_QUOTES and NO_BACKSLASH_ESCAPES: "a" is a text, a name is quoted `a`, and a backslash escapes in
both kinds of text. What a server would run although it looks like a comment is refused.
"""

import re

from core.dialects import ConnectionCode, DialectRules
from core.errors import StatementError
from core.messages import message
from core.statements.lexer import (
    BRACE,
    NAME,
    TEMPLATE,
    UNCLOSED_NAME,
    UNCLOSED_TEXT,
    WORD,
    NumberedLexer,
    NumberedUse,
    StatementLexer,
    compile_tokens,
)
from core.statements.mysql_rules import refuse_words
from core.toolspec import Dialect

# Two hyphens begin a comment only before a blank, a control character or the end: 5--1 is 6.
_DASHES = r"--(?=[\x01-\x20\x7f]|\Z)"
_LINE_COMMENT = rf"(?:{_DASHES}|\#)[^\n]*+"
_BLANKS = rf"(?:[ \t\n\r\f\v]++|{_LINE_COMMENT})*+"
# Blanks elsewhere, letters to the server.
_ODD_BLANK = "[\u00a0\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff]"
_PLAIN_TOKENS = (
    rf"(?:\.[ \t\n\r\f\v]*+)?(?![xXbBnN]'|{_ODD_BLANK}){WORD}",
    rf"(?:[~!&|+*%<>=.,^]|-(?!{_DASHES[1:]})|/(?!\*))",
    # A name may begin with digits here.
    rf"[0-9]++(?:{WORD})?",
)
_TOKEN_KINDS = {
    "open": r"\(|\[\[",
    "close": r"[)\]]",
    "text": r"[xXbBnN]?'(?:[^'\\]++|\\.|'')*+'",
    "double_text": r'"(?:[^"\\]++|\\.|"")*+"',
    "unclosed_text": r"""[xXbBnN]?'|\"""",
    "colon_name": rf":{NAME}",
    "numbered": r"\?|:[0-9]",
    "psql_name": r""":['"`]""",
    "cast": r"::",
    "assignment": r":=",
    "colon": r":",
    "template": TEMPLATE,
    "quoted_name": r"`(?:[^`]++|``)*+`",
    "unclosed_name": r"`",
    "comment": r"/\*",
    "variable": r"@",
    "dollar": r"\$",
    "backslash": r"\\",
    "bracket": r"\[",
    "odd_blank": _ODD_BLANK,
    "semicolon": r";",
    "brace": r"[{}]",
    "end": r"\Z",
    "other": r".",
}
_FAULTS = {
    "unclosed_text": UNCLOSED_TEXT,
    "unclosed_name": UNCLOSED_NAME,
    "numbered": message(
        "statement.no_mysql_numbers",
        "parameters such as ? or :1 are not allowed; write :name",
    ),
    "psql_name": message(
        "statement.no_quoted_colon", "a parameter is written :name, without quotes"
    ),
    "cast": message(
        "statement.no_mysql_cast",
        "MariaDB and MySQL have no :: to change a type; write CAST(value AS type)",
    ),
    "assignment": message(
        "statement.no_assignment", "a query cannot set a variable with :=; leave it out"
    ),
    "colon": message(
        "statement.lone_colon", "a colon means nothing here; write a parameter as :name"
    ),
    "variable": message(
        "statement.no_mysql_variables",
        "variables such as @name and @@name are not allowed; write a parameter as :name",
    ),
    "dollar": message(
        "statement.lone_dollar", "a $ means nothing here; write a parameter as :name"
    ),
    "backslash": message(
        "statement.lone_backslash", "a backslash means nothing outside of a string; remove it"
    ),
    "bracket": message(
        "statement.no_square_bracket",
        "a [ means nothing here; an optional clause is written [[ ... ]]",
    ),
    "odd_blank": message(
        "statement.odd_blank",
        "a space of another kind (such as U+00A0 or U+3000) stands here; write a plain one",
    ),
    "brace": BRACE,
}
# The server would read || as OR.
_TEMPLATE_IN_TEXT = message(
    "statement.template_in_mysql_string",
    "{template} stands inside a string; a parameter is a whole value: remove the quotes around it,"
    " or join the pieces as CONCAT('...', {template}, '...')",
)
_COMMANDS = (
    "ALTER ANALYZE BEGIN BINLOG CACHE CALL CHANGE CHECK CHECKSUM COMMIT CREATE DEALLOCATE DELETE"
    " DESC DESCRIBE DO DROP EXECUTE EXPLAIN FLUSH GET GRANT HANDLER HELP IMPORT INSERT INSTALL KILL"
    " LOAD LOCK OPTIMIZE PREPARE PURGE RELEASE RENAME REPAIR REPLACE RESET RESIGNAL REVOKE ROLLBACK"
    " SAVEPOINT SET SHOW SHUTDOWN SIGNAL START STOP TABLE TRUNCATE UNINSTALL UNLOCK UPDATE USE XA"
)
_EXECUTED = re.compile(r"/\*(?:!|M!|\+)", re.IGNORECASE)


class MysqlLexer(StatementLexer):
    """Reads one statement of MariaDB or MySQL."""

    dialect = Dialect.MYSQL
    line_comment = re.compile(_LINE_COMMENT)
    token = compile_tokens(_BLANKS, _PLAIN_TOKENS, _TOKEN_KINDS)
    first = re.compile(rf"[\s(]*+{_BLANKS}({WORD})")
    commands = frozenset(_COMMANDS.split())
    queries = "SELECT, WITH, VALUES"
    faults = _FAULTS

    def read_text(self, match: re.Match[str]) -> int:
        start, end = match.span(match.lastgroup or "")
        self._refuse_template(_TEMPLATE_IN_TEXT, start, end)
        return end

    read_double_text = read_text

    def check_command(self) -> None:
        """As for any statement, and no word or function that does more than read, wherever it is."""
        super().check_command()
        refuse_words(self.blank_texts())

    def blank_texts(self) -> str:
        """The text, as long as it was, with blanks for comments and quotes for what is a text."""
        return _blank_texts(type(self)(self.text))

    def _skip_comment(self, start: int) -> int:
        if _EXECUTED.match(self.text, start):
            raise StatementError(
                message(
                    "statement.executed_comment",
                    "the server would run what is in a comment such as /*! */ or /*+ */; remove it",
                ),
                start,
            )
        end = self.text.find("*/", start + 2)
        if end < 0:
            raise StatementError(
                message("statement.comment_unclosed", "this comment is never closed"), start
            )
        return end + 2

    def read_open(self, match: re.Match[str]) -> int:
        bracket, start = match["open"], match.start("open")
        return self._open_clause(start) if bracket == "[[" else self._open(bracket, start)

    def read_colon_name(self, match: re.Match[str]) -> int:
        self._refuse_beside_value(match)
        name = self._check_name(match["colon_name"][1:], match.start("colon_name"))
        return self._add_colon_name(match, name)

    def read_template(self, match: re.Match[str]) -> int:
        self._refuse_beside_value(match)
        return super().read_template(match)

    def _refuse_beside_value(self, match: re.Match[str]) -> None:
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


class _SentLexer(MysqlLexer):
    """Reads what is sent to the server, with its marks."""

    faults = {kind: text for kind, text in MysqlLexer.faults.items() if kind != "numbered"}


_OPENING = re.compile(rf"{_BLANKS}with\b", re.IGNORECASE)
_NAMED = re.compile(
    rf"\s*+(?:recursive\b\s*+)?(?:`(?:[^`]|``)*+`|(?!recursive\b){WORD})\s*+", re.IGNORECASE
)
_AS = re.compile(r"\s*+as\s*+(?=\()", re.IGNORECASE)
_CYCLE = re.compile(r"\s*+cycle\b.*?\brestrict\b", re.IGNORECASE | re.DOTALL)
_COMMA = re.compile(r"\s*+,")


def find_main_query(sql: str) -> int:
    """Where the query behind WITH and its list begins, 0 for a statement without WITH."""
    text = _blank_texts(_SentLexer(sql))
    opening = _OPENING.match(text)
    at = opening.end() if opening else 0
    while at:
        named = _NAMED.match(text, at)
        if named is None:
            return 0
        at = named.end()
        if text.startswith("(", at):
            at = _close_bracket(text, at)
        if (as_ := _AS.match(text, at)) is None:
            return 0
        at = _close_bracket(text, as_.end())
        if cycle := _CYCLE.match(text, at):
            at = cycle.end()
        if (comma := _COMMA.match(text, at)) is None:
            break
        at = comma.end()
    return at


def _close_bracket(text: str, start: int) -> int:
    """Behind the bracket that closes the one at `start`."""
    depth = 0
    for match in re.compile(r"[()]").finditer(text, start):
        depth += 1 if match[0] == "(" else -1
        if not depth:
            return match.end()
    return len(text)


def _blank_texts(lexer: MysqlLexer) -> str:
    pieces: list[str] = []
    text = lexer.text

    def note(kind: str, position: int, start: int, end: int) -> None:
        pieces.append(
            lexer.line_comment.sub(lambda found: " " * len(found[0]), text[position:start])
        )
        is_text = kind in {"text", "double_text"}
        fill = " " if kind == "comment" else '"' if is_text else ""
        pieces.append(fill * (end - start) or text[start:end])

    lexer.run(note)
    return "".join(pieces)


class NumberedMysqlLexer(NumberedLexer, MysqlLexer):
    """Takes each ? for the next parameter."""

    faults = {kind: text for kind, text in MysqlLexer.faults.items() if kind != "numbered"}

    def read_numbered(self, match: re.Match[str]) -> int:
        start = match.start("numbered")
        if self.text[start] != "?":
            raise StatementError(MysqlLexer.faults["numbered"], start)
        self.uses.append(NumberedUse(start, match.end(), len(self.uses) + 1))
        return match.end()


# What MariaDB or MySQL refuses as a name beside what all do.
_RESERVED_WORDS = """
    accessible asensitive before bigint binary blob call cascade change char character condition continue
    convert cube cursor database databases dec decimal declare delayed delete describe deterministic
    distinctrow div double dual each elseif empty enclosed escaped exit explain float force fulltext
    function generated get groups hour_minute if ignore infile inout int integer interval iterate
    json_table key keys kill lag last_value lead leave lines linear load lock long loop match
    middleint mod modifies nth_value ntile of optimize option optionally out outfile over
    partition precision procedure purge range rank read reads real recursive regexp release rename
    repeat require resignal restrict return revoke rlike row row_number rows schema schemas
    sensitive separator show signal smallint spatial specific sql ssl starting stored straight_join
    system terminated text tinyint trigger undo unlock unsigned usage use utc_date utc_time
    utc_timestamp varbinary varchar varying virtual while write xor year_month zerofill offset
"""
RULES = DialectRules(
    label="MariaDB / MySQL",
    lexer=MysqlLexer,
    numbered=NumberedMysqlLexer,
    name_mark="`",
    reserved_words=frozenset(_RESERVED_WORDS.split()),
    between=", ",
    joined="CONCAT({})",
    marks_lists=True,
    has_backslashes=True,
    number_mark="",
    code=ConnectionCode(
        url_form="mysql://USER:PASSWORD@HOST:3306/DATABASE",
        packages="sqlalchemy 2 and PyMySQL",
        names="create_engine, make_url",
        # Left to itself, SQLAlchemy wants mysqlclient, which has to be compiled.
        engine="engine = create_engine(make_url({address}).set(drivername='mysql+pymysql'))",
    ),
    snippets={
        "search_text": "${column} LIKE CONCAT('%', :${word}, '%')",
        "month_buckets": "DATE_FORMAT(${day}, '%Y-%m-01') AS month",
        "pivot": "sum(CASE WHEN ${column} = '${value}' THEN ${total} END) AS ${name}",
    },
)
