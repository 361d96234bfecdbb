"""SQL as agents send it: code fences, blanks and signs of other keyboards, colons that bind nothing."""

import re
import unicodedata

from core.statement import STATEMENT_BYTE_LIMIT

_FENCED = re.compile(
    r"\s*```(?:[\w+-]*[ \t]*\r?\n|(?:postgresql|postgres|pgsql|psql|sql)\b)?(?P<sql>.*?)(?:```\s*)?\Z",
    re.DOTALL | re.IGNORECASE,
)
# Strings, quoted names and comments: what is in them is meant as it is. One that is never closed goes
# on to the end, so that reading stays linear.
_LITERAL = (
    r"(?<![\w$])[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)|'(?:[^']|'')*(?:'|\Z)|\"(?:[^\"]|\"\")*(?:\"|\Z)"
    r"|(?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?(?:\$(?P=tag)\$|\Z)|--[^\n\r]*|/\*.*?(?:\*/|\Z)"
)
_CODE = r"(?:[^'\"$/eE-]|[eE](?!')|-(?!-)|/(?!\*))+"
_LITERAL_OR_CODE = re.compile(rf"(?P<literal>{_LITERAL})|{_CODE}|.", re.DOTALL)
# Directly after a value or "[", a colon separates; nothing is bound here, so it can mean nothing else.
_LITERAL_OR_SEPARATOR = re.compile(
    rf"(?P<literal>{_LITERAL})|(?<=[\w\])'\"\[]):(?=[^\W\d])", re.DOTALL
)
# At the very end it cannot be a part of a name, and PostgreSQL would make it one: AS total；
_WIDE_END = re.compile(r"；(?=\s*\Z)")
_BLANKS = {
    code: " "
    for code in range(0x80, 0x3001)
    if unicodedata.category(chr(code)) in {"Zs", "Zl", "Zp"} or code == 0x85
}
_INVISIBLE = dict.fromkeys((0x200B, 0x2060, 0xFEFF), "")
_WIDE_QUOTES = {0xFF02, 0xFF07}
# U+FF01 to U+FF5E are ASCII's signs in the width of an ideograph.
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code not in _WIDE_QUOTES}
_AS_WRITTEN = {**_BLANKS, **_INVISIBLE}
_ALL_ASCII = {**_AS_WRITTEN, **_WIDE, ord("、"): ","}


def find_readings(text: str) -> list[str]:
    """The statement that the text holds, and after it what it may mean if the database refuses it.

    The second reading, only where it differs, takes wide signs for ASCII ones. Japanese and Korean
    names may hold such signs without quotes, so the text as it was written comes first.
    """
    fenced = _FENCED.match(text)
    sql = fenced["sql"].strip() if fenced else text
    if sql.isascii() or len(sql) > STATEMENT_BYTE_LIMIT:
        return [sql]
    ended = _WIDE_END.sub(";", sql)
    return list(dict.fromkeys(_translate(ended, table) for table in (_AS_WRITTEN, _ALL_ASCII)))


def separate_colons(sql: str) -> str:
    """The statement with a blank behind each colon of a slice or of json_object(), so that it binds nothing."""
    if ":" not in sql or len(sql) > STATEMENT_BYTE_LIMIT:
        return sql
    return _LITERAL_OR_SEPARATOR.sub(lambda match: match["literal"] or ": ", sql)


def _translate(sql: str, table: dict[int, str]) -> str:
    return _LITERAL_OR_CODE.sub(lambda match: match["literal"] or match[0].translate(table), sql)
