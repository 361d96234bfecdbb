"""The lexer of SQL statements: brackets, parameters and function names, in one pass.

It follows PostgreSQL's own lexical rules (standard_conforming_strings = on) and refuses what the
server would understand differently from what it means here.
"""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import StatementError

# PostgreSQL takes every character beyond ASCII for a letter, spaces such as U+3000 included.
_LETTER = r"A-Za-z_\x80-\U0010ffff"
_WORD = rf"[{_LETTER}][{_LETTER}0-9$]*+"
_TEMPLATE = r"\{\{\s*+([^\W\d]\w*+)\s*+\}\}"
_BLANKS = r"(?:[ \t\n\r\f\v]++|--[^\n\r]*+)*+"
# A word keeps the dot before it: `t.array` is a column, `array` a keyword.
_PLAIN_WORD = rf"(?:\.[ \t\n\r\f\v]*+)?(?![eEbBxXnN]'|[uU]&['\"]){_WORD}"
_OPERATOR = r"(?:[~!@#^&|`?+*%<>=.,]|-(?!-)|/(?!\*)|::|:=)"
_NUMBER = rf"[0-9]++(?:{_WORD})?"

# Order matters: a closed literal before its unclosed form.
_TOKEN_PATTERNS = {
    "open": r"[(\[]",
    "close": r"[)\]]",
    "escape_text": r"[eE]'(?:[^'\\]++|\\.|'')*+'",
    "text": r"(?:[uU]&|[bBxXnN])?'(?:[^']++|'')*+'",
    "unclosed_text": r"(?:[uU]&|[eEbBxXnN])?'",
    "unicode_name": r'[uU]&"',
    "colon_name": r":[^\W\d]\w*+",
    "psql_name": r""":(?=['"])""",
    "template": _TEMPLATE,
    "quoted_name": r'"(?:[^"]++|"")*+"',
    "unclosed_name": r'"',
    "comment": r"/\*",
    "dollar_text": rf"\$(?P<tag>(?:[{_LETTER}][{_LETTER}0-9]*+)?)\$.*?\$(?P=tag)\$",
    "unclosed_dollar": rf"\$(?:[{_LETTER}][{_LETTER}0-9]*+)?\$",
    "numbered": r"\$[0-9]",
    "dollar": r"\$",
    "semicolon": r";",
    "brace": r"[{}]",
    "end": r"\Z",
    "other": r".",
}
# One match is a run of plain tokens, of which only the last can matter, and one token that does.
# No possessive repeat around a group: CPython 3.11 and early 3.12 lose their place in it (gh-101955).
_TOKEN = re.compile(
    rf"(?:{_BLANKS}(?P<plain>{_PLAIN_WORD}|{_OPERATOR}|{_NUMBER}))*{_BLANKS}(?:"
    + "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _TOKEN_PATTERNS.items())
    + ")",
    re.DOTALL,
)
# A string may go on after a line break, and keeps its kind: E'a' <newline> 'b\'c' is one literal.
_TEXT_CONTINUES = re.compile(
    r"(?:[ \t\f\v]++|--[^\n\r]*+)*+[\n\r](?:[ \t\n\r\f\v]++|--[^\n\r]*+[\n\r])*+"
    r"'(?:[^'\\]++|\\.|'')*+(?P<close>'?)",
    re.DOTALL,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
_FIND_TEMPLATE = re.compile(_TEMPLATE)
_WORD_CHARACTER = re.compile(rf"[{_LETTER}0-9$]")

_VALUES = frozenset(
    {"escape_text", "text", "dollar_text", "number", "close", "template", "colon_name"}
)
_FAULTS = {
    "unclosed_text": "this string is never closed; a quote inside a string is written ''",
    "unclosed_name": "this quoted name is never closed",
    "unclosed_dollar": "this dollar-quoted string is never closed",
    "unicode_name": 'U&"..." names are not allowed; write the name in plain letters',
    "numbered": "numbered parameters such as $1 are not allowed; write :name",
    "dollar": "a $ means nothing here; write a parameter as :name",
    "brace": "templates are not supported; a parameter is written :name or {{name}}",
}
# Reserved words cannot name a function, so these are no calls although "(" may follow them.
_RESERVED = (
    "all and any array as asc both case check collate desc distinct else except for from group having"
    " in intersect into lateral leading limit not offset on only or order primary returning select"
    " some symmetric then trailing union unique using variadic when where window with"
)
_NO_FUNCTIONS = frozenset(_RESERVED.split())
_FIRST_WORD = re.compile(rf"{_BLANKS}({_WORD})")


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One use of a parameter; `start` and `end` are offsets in the source text."""

    name: str
    start: int
    end: int


class StatementLexer:
    """The state of one pass: open brackets, what was found, and the token before this one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.placeholders: list[Placeholder] = []
        self.function_names: set[str] = set()
        self.semicolon: int | None = None
        self.start: int | None = None  # Of the first token, blanks before it included.
        self._before = ("", "")  # Kind and text of the token before the one being read.
        # (bracket, offset, whether a colon directly inside may be a slice)
        self._brackets: list[tuple[str, int, bool]] = []

    def run(self) -> None:
        """Read the whole text; raises StatementError at the first fault."""
        position, kind = 0, ""
        while kind != "end" and (match := _TOKEN.match(self.text, position)):
            kind = match.lastgroup or ""
            position = self._read(kind, match, position)

    def _read(self, kind: str, match: re.Match[str], position: int) -> int:
        plain = match["plain"]
        if plain is not None:
            self._note_token(position)
            self._before = (_plain_kind(plain), plain)
        if kind == "comment":
            return self._skip_comment(match.start(kind))
        if kind == "end":
            return match.end()
        self._note_token(position)
        action = _ACTIONS.get(kind)
        end = match.end() if action is None else action(self, match)
        self._before = (kind, match[kind])
        return end

    def _note_token(self, position: int) -> None:
        if self.semicolon is not None:
            raise StatementError(
                "only one statement is allowed; remove what follows this ;", self.semicolon
            )
        if self.start is None:
            self.start = position

    def check_ends(self) -> None:
        """Raises StatementError unless a statement was found and all its brackets are closed."""
        if self._brackets:
            bracket, offset, _ = self._brackets[-1]
            raise StatementError(f"this {bracket} is never closed", offset)
        if self.start is None:
            raise StatementError("the statement is empty", 0)

    def first_word(self) -> tuple[str, int]:
        """The first word in capitals and its offset; an empty word if something else comes first."""
        match = _FIRST_WORD.match(self.text, self.start or 0)
        return (match[1].upper(), match.start(1)) if match else ("", 0)

    def _skip_comment(self, start: int) -> int:
        depth = 0
        for edge in _COMMENT_EDGE.finditer(self.text, start):
            depth += 1 if edge[0] == "/*" else -1
            if not depth:
                return edge.end()
        raise StatementError("this comment is never closed", start)

    def _read_text(self, match: re.Match[str]) -> int:
        start, end = match.span(match.lastgroup or "")
        if match.lastgroup == "escape_text":
            end = self._continue_text(start, end)
        if template := _FIND_TEMPLATE.search(self.text, start, end):
            raise StatementError(
                f"{template[0]} stands inside a string; a parameter is a whole value: remove the quotes"
                f" around it, or join the pieces as '...' || {template[0]} || '...'",
                template.start(),
            )
        return end

    def _continue_text(self, start: int, end: int) -> int:
        while more := _TEXT_CONTINUES.match(self.text, end):
            if not more["close"]:
                raise StatementError(_FAULTS["unclosed_text"], start)
            end = more.end()
        return end

    def _read_quoted_name(self, match: re.Match[str]) -> int:
        start, end = match.span("quoted_name")
        if template := _FIND_TEMPLATE.search(self.text, start, end):
            raise StatementError(
                f"{template[0]} stands inside a quoted name; only values can be parameters,"
                " not the names of tables or columns",
                template.start(),
            )
        return end

    def _open_bracket(self, match: re.Match[str]) -> int:
        bracket = match["open"]
        if bracket == "(":
            self._note_function()
        is_subscript = bracket == "[" and self._opens_subscript()
        self._brackets.append((bracket, match.start("open"), is_subscript))
        return match.end()

    def _note_function(self) -> None:
        kind, text = self._before
        if kind == "quoted_name":
            self.function_names.add(text[1:-1].replace('""', '"'))
        elif kind == "word":
            name = _fold(text.lstrip(". \t\n\r\f\v"))
            if name not in _NO_FUNCTIONS:
                self.function_names.add(name)

    def _opens_subscript(self) -> bool:
        """Whether "[" here is a subscript; else it opens an array of values."""
        kind, text = self._before
        return kind not in {"operator", "open"} and _fold(text) != "array"

    def _close_bracket(self, match: re.Match[str]) -> int:
        bracket, offset = match["close"], match.start("close")
        if not self._brackets:
            raise StatementError(f"this {bracket} closes nothing", offset)
        opened, opened_at, _ = self._brackets.pop()
        if opened + bracket not in {"()", "[]"}:
            raise StatementError(
                f"this {bracket} does not close the {opened} at {opened_at}", offset
            )
        return match.end()

    def _bind_colon(self, match: re.Match[str]) -> int:
        start, end = match.span("colon_name")
        name = self._check_name(match["colon_name"][1:], start)
        in_slice = bool(self._brackets) and self._brackets[-1][2]
        if in_slice or self._follows_value():
            raise StatementError(
                f"{match['colon_name']} could be a parameter or a separator here; write {{{{{name}}}}}"
                f" for the parameter, or a space after the colon (: {name}) for the column",
                start,
            )
        if continues_word(self.text, end):
            raise StatementError(
                f"a parameter name ends before {self.text[end]!r}; put a space between", end
            )
        self.placeholders.append(Placeholder(name, start, end))
        return end

    def _bind_template(self, match: re.Match[str]) -> int:
        start, end = match.span("template")
        name = self._check_name(self.text[start + 2 : end - 2].strip(), start)
        if continues_word(self.text, start - 1) or continues_word(self.text, end):
            raise StatementError(
                f"{match['template']} is glued to a name; only whole values can be parameters",
                start,
            )
        self.placeholders.append(Placeholder(name, start, end))
        return end

    def _check_name(self, name: str, start: int) -> str:
        if not name.isidentifier():
            raise StatementError(f"{name} cannot be the name of a parameter", start)
        # As Python reads identifiers, so that SQL and expressions agree on equal names.
        return name if name.isascii() else unicodedata.normalize("NFKC", name)

    def _read_psql_name(self, match: re.Match[str]) -> int:
        if self._follows_value():
            return match.end()  # The separator of json_object('key':'value').
        raise StatementError(
            "psql variables such as :'name' are not supported; write :name without quotes",
            match.start("psql_name"),
        )

    def _note_semicolon(self, match: re.Match[str]) -> int:
        if self._before == ("", ""):
            raise StatementError("the statement is empty", match.start("semicolon"))
        self.semicolon = match.start("semicolon")
        return match.end()

    def _follows_value(self) -> bool:
        return self._before[0] in _VALUES


def _raise_fault(_: StatementLexer, match: re.Match[str]) -> int:
    kind = match.lastgroup or ""
    raise StatementError(_FAULTS[kind], match.start(kind))


_ACTIONS: dict[str, Callable[[StatementLexer, re.Match[str]], int]] = {
    "text": StatementLexer._read_text,
    "escape_text": StatementLexer._read_text,
    "dollar_text": StatementLexer._read_text,
    "quoted_name": StatementLexer._read_quoted_name,
    "open": StatementLexer._open_bracket,
    "close": StatementLexer._close_bracket,
    "colon_name": StatementLexer._bind_colon,
    "template": StatementLexer._bind_template,
    "psql_name": StatementLexer._read_psql_name,
    "semicolon": StatementLexer._note_semicolon,
} | dict.fromkeys(_FAULTS, _raise_fault)


def continues_word(text: str, offset: int) -> bool:
    """Whether the character at `offset` would melt into a name beside it; False outside the text."""
    return offset >= 0 and _WORD_CHARACTER.match(text, offset) is not None


def _plain_kind(plain: str) -> str:
    if _WORD_CHARACTER.match(plain[-1]):
        return "number" if plain[0].isascii() and plain[0].isdigit() else "word"
    return "operator"


def _fold(word: str) -> str:
    """The word as PostgreSQL folds it: only A-Z become small."""
    if word.isascii():
        return word.lower()
    return "".join(letter.lower() if letter.isascii() else letter for letter in word)
