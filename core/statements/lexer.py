"""The lexer that both dialects share: brackets, optional clauses and parameters."""

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import ClassVar

from core.errors import StatementError
from core.messages import Message, message
from core.toolspec import Dialect

# Both dialects take every character beyond ASCII for a letter, spaces such as U+3000 included. Said by
# what is none: a class of a million characters takes ten milliseconds to compile wherever it stands.
_MARKS = r"\x00-#%-/:-@\[-^`{-\x7f"
LETTER, LETTER_OR_DIGIT = rf"[^0-9${_MARKS}]", rf"[^${_MARKS}]"
WORD_CHARACTER = rf"[^{_MARKS}]"
WORD = rf"{LETTER}{WORD_CHARACTER}*+"
NUMBER = rf"[0-9]++(?:{WORD})?"
NAME = r"[^\W\d]\w*+"
TEMPLATE = rf"\{{\{{\s*+({NAME})\s*+\}}\}}"
MOST_CLAUSES = 12

_FIND_TEMPLATE = re.compile(TEMPLATE)
_WORD_CHARACTER = re.compile(WORD_CHARACTER)
_CLAUSE = "[["
_VALUES = frozenset(
    {
        "escape_text",
        "text",
        "double_text",
        "dollar_text",
        "number",
        "close",
        "template",
        "colon_name",
    }
)
UNCLOSED_TEXT = message(
    "statement.string_unclosed",
    "this string is never closed; a quote inside a string is written ''",
)
_UNCLOSED_CLAUSE = message(
    "statement.clause_unclosed",
    "this [[ is never closed; an optional clause ends with ]]",
)
UNCLOSED_NAME = message("statement.name_unclosed", "this quoted name is never closed")
TEMPLATE_IN_TEXT = message(
    "statement.template_in_string",
    "{template} stands inside a string; a parameter is a whole value: remove the quotes around it,"
    " or join the pieces as '...' || {template} || '...'",
)
_TEMPLATE_IN_NAME = message(
    "statement.template_in_name",
    "{template} stands inside a quoted name; only values can be parameters, not the names of tables"
    " or columns",
)
BRACE = message(
    "statement.no_templates",
    "templates are not supported; a parameter is written :name or {{name}}",
)

# Called for each token with its kind, where the plain tokens before it begin, where it begins and ends.
Note = Callable[[str, int, int, int], None]


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One use of a parameter; `start` and `end` are offsets in the source text."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OptionalClause:
    """A part in [[ ]]: its parameters, each once; `start` and `end` are offsets in the source text."""

    names: tuple[str, ...]
    start: int
    end: int


class StatementLexer(ABC):
    """The state of one pass: open brackets, what was found, and the token before this one.

    A method `read_X` takes a token of kind X and gives the offset behind it; the kinds in `faults` are
    refused, all others are passed over.
    """

    dialect: ClassVar[Dialect]
    token: ClassVar[re.Pattern[str]]
    line_comment: ClassVar[re.Pattern[str]]
    first: ClassVar[re.Pattern[str]]  # The first word of a text, behind blanks.
    faults: ClassVar[Mapping[str, Message]]
    commands: ClassVar[frozenset[str]]
    queries: ClassVar[str]  # What a statement may be, for people.

    def __init__(self, text: str) -> None:
        self.text = text
        self.placeholders: list[Placeholder] = []
        self.clauses: list[OptionalClause] = []
        self.semicolon: int | None = None
        self.start: int | None = None  # Of the first token, blanks before it included.
        self._before = ("", "")  # Kind and text of the token before the one being read.
        # (bracket, offset, whether a colon directly inside may be a slice)
        self._brackets: list[tuple[str, int, bool]] = []
        # Of the clause being read: its offset, and the number of placeholders before it.
        self._clause: tuple[int, int] | None = None

    def run(self, note: Note | None = None) -> None:
        """Read the whole text; raises StatementError at the first fault."""
        position, kind, next_match = 0, "", self.token.match
        while kind != "end" and (match := next_match(self.text, position)):
            kind = match.lastgroup or ""
            start, end = match.span(kind)
            if (plain := match["plain"]) is not None:
                self._note_token(position)
                is_word = _WORD_CHARACTER.match(plain[-1])
                is_number = plain[0].isascii() and plain[0].isdigit()
                plain_kind = "number" if is_number else "word"
                self._before = (plain_kind if is_word else "operator", plain)
            if kind == "comment":
                end = self._skip_comment(start)
            elif kind != "end":
                self._note_token(position)
                if kind in self.faults:
                    raise StatementError(self.faults[kind], start)
                read = getattr(self, f"read_{kind}", None)
                end = read(match) if read else end
                self._before = (kind, self.text[start:end])
            if note is not None:
                note(kind, position, start, end)
            position = end

    def check_ends(self) -> None:
        """Raises StatementError unless a statement was found and all its brackets are closed."""
        if self._brackets:
            bracket, offset, _ = self._brackets[-1]
            if bracket == _CLAUSE:
                raise StatementError(_UNCLOSED_CLAUSE, offset)
            raise StatementError(
                message("statement.unclosed", "this {bracket} is never closed", bracket=bracket),
                offset,
            )
        if self.start is None:
            raise StatementError(message("statement.empty", "the statement is empty"), 0)

    def check_command(self) -> None:
        """Raises StatementError when the first word begins a command instead of a query."""
        match = self.first.match(self.text, self.start or 0)
        if match and (word := match[1].upper()) in self.commands:
            raise StatementError(
                message(
                    "statement.only_queries",
                    "only queries ({queries}) can be served; this is {word}",
                    queries=self.queries,
                    word=word,
                ),
                match.start(1),
            )

    def _note_token(self, position: int) -> None:
        if self.semicolon is not None:
            raise StatementError(
                message(
                    "statement.two_statements",
                    "only one statement is allowed; remove what follows this ;",
                ),
                self.semicolon,
            )
        if self.start is None:
            self.start = position

    @abstractmethod
    def _skip_comment(self, start: int) -> int: ...

    def read_text(self, match: re.Match[str]) -> int:
        start, end = match.span(match.lastgroup or "")
        self._refuse_template(TEMPLATE_IN_TEXT, start, end)
        return end

    def read_quoted_name(self, match: re.Match[str]) -> int:
        start, end = match.span("quoted_name")
        self._refuse_template(_TEMPLATE_IN_NAME, start, end)
        return end

    def _refuse_template(self, fault: Message, start: int, end: int) -> None:
        if template := _FIND_TEMPLATE.search(self.text, start, end):
            raise StatementError(replace(fault, values={"template": template[0]}), template.start())

    def _open(self, bracket: str, offset: int, *, is_subscript: bool = False) -> int:
        self._brackets.append((bracket, offset, is_subscript))
        return offset + len(bracket)

    def _open_clause(self, start: int) -> int:
        if self._clause is not None:
            raise StatementError(
                message(
                    "statement.clause_in_clause",
                    "an optional clause cannot hold another one; close the first with ]] before"
                    " this [[",
                ),
                start,
            )
        if len(self.clauses) == MOST_CLAUSES:
            raise StatementError(
                message(
                    "statement.too_many_clauses",
                    "a statement has at most {limit} optional clauses",
                    limit=MOST_CLAUSES,
                ),
                start,
            )
        self._clause = (start, len(self.placeholders))
        return self._open(_CLAUSE, start)

    def read_close(self, match: re.Match[str]) -> int:
        bracket, offset = match["close"], match.start("close")
        if not self._brackets:
            raise StatementError(
                message(
                    "statement.closes_nothing", "this {bracket} closes nothing", bracket=bracket
                ),
                offset,
            )
        opened, opened_at, _ = self._brackets.pop()
        if opened == _CLAUSE and self.text.startswith("]]", offset):
            return self._close_clause(offset + 2)
        if opened + bracket not in {"()", "[]"}:
            raise StatementError(
                message(
                    "statement.closes_other",
                    "this {bracket} does not close the {opened} at {position}",
                    bracket=bracket,
                    opened=opened,
                    position=str(opened_at),
                ),
                offset,
            )
        return match.end()

    def _close_clause(self, end: int) -> int:
        assert self._clause is not None  # noqa: S101 - set with the bracket that was just closed
        start, earlier = self._clause
        names = dict.fromkeys(placeholder.name for placeholder in self.placeholders[earlier:])
        if not names:
            raise StatementError(
                message(
                    "statement.clause_without_parameter",
                    "this [[ ]] holds no parameter, so it would never be left out; use a :name"
                    " in it, or remove the brackets",
                ),
                start,
            )
        self.clauses.append(OptionalClause(tuple(names), start, end))
        self._clause = None
        return end

    def _add_colon_name(self, match: re.Match[str], name: str) -> int:
        start, end = match.span("colon_name")
        if continues_word(self.text, end):
            raise StatementError(
                message(
                    "statement.name_glued_behind",
                    "a parameter name ends before {character}; put a space between",
                    character=repr(self.text[end]),
                ),
                end,
            )
        self._add_placeholder(name, start, end)
        return end

    def read_template(self, match: re.Match[str]) -> int:
        start, end = match.span("template")
        name = self._check_name(self.text[start + 2 : end - 2].strip(), start)
        if continues_word(self.text, start - 1) or continues_word(self.text, end):
            raise StatementError(
                message(
                    "statement.name_glued",
                    "{name} is glued to a name; only whole values can be parameters",
                    name=match["template"],
                ),
                start,
            )
        self._add_placeholder(name, start, end)
        return end

    def _add_placeholder(self, name: str, start: int, end: int) -> None:
        # Thousands of statements use the same few names.
        self.placeholders.append(Placeholder(intern(name), start, end))

    def _check_name(self, name: str, start: int) -> str:
        if not name.isidentifier():
            raise StatementError(
                message(
                    "statement.name_form", "{name} cannot be the name of a parameter", name=name
                ),
                start,
            )
        # As Python reads identifiers, so that SQL and expressions agree on equal names.
        return name if name.isascii() else unicodedata.normalize("NFKC", name)

    def read_semicolon(self, match: re.Match[str]) -> int:
        if self._before == ("", ""):
            raise StatementError(
                message("statement.empty", "the statement is empty"), match.start("semicolon")
            )
        self.semicolon = match.start("semicolon")
        return match.end()

    def _follows_value(self) -> bool:
        kind, text = self._before
        return kind in _VALUES and text != "]]"


@dataclass(frozen=True, slots=True)
class NumberedUse:
    """A use of the parameter of that number, from 1; only {{name}} is clear where a colon has a meaning."""

    start: int
    end: int
    number: int
    needs_braces: bool = False


class NumberedLexer(StatementLexer):
    """Takes $1 or ? for a parameter; `colons` are places where a blank keeps a name from being one."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.uses: list[NumberedUse] = []
        self.colons: list[int] = []


DIGITS = re.compile(r"[0-9]*")


def compile_tokens(blanks: str, plain: Sequence[str], kinds: Mapping[str, str]) -> re.Pattern[str]:
    """One match is a run of plain tokens, of which only the last can matter, and one that does.

    The order of `kinds` matters: a closed literal before its unclosed form.
    """
    # No possessive repeat around a group: CPython 3.11 and early 3.12 lose their place in it
    # (gh-101955).
    return re.compile(
        rf"(?:{blanks}(?P<plain>{'|'.join(plain)}))*{blanks}(?:"
        + "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in kinds.items())
        + ")",
        re.DOTALL,
    )


def continues_word(text: str, offset: int) -> bool:
    """Whether the character at `offset` would melt into a name beside it; False outside the text."""
    return offset >= 0 and _WORD_CHARACTER.match(text, offset) is not None


def fold(word: str) -> str:
    """The word as both dialects fold it: only A-Z become small."""
    if word.isascii():
        return word.lower()
    return "".join(letter.lower() if letter.isascii() else letter for letter in word)
