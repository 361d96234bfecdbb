"""A statement as a list of names, values and marks, comments left out."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto

from core.dialects import find_rules
from core.errors import StatementError
from core.statements.lexer import NUMBER, WORD, StatementLexer, fold
from core.toolspec import Dialect

_CLAUSE_MARKS = frozenset({"[[", "]]"})
_TEXTS = frozenset({"text", "double_text", "escape_text", "dollar_text"})
_VALUES = frozenset({"colon_name", "template"})
_PLAIN = re.compile(rf"(?P<word>{WORD})|(?P<number>{NUMBER})|(?P<mark>::|:=|[^ \t\n\r\f\v])")


class TokenKind(Enum):
    """What a token is, as far as names are concerned."""

    WORD = auto()  # A name or a keyword, folded.
    QUOTED = auto()  # A name that stood in quotes.
    TEXT = auto()
    VALUE = auto()  # A number or a parameter.
    OPEN = auto()
    CLOSE = auto()
    MARK = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `text` is empty for texts and parameters, `start` and `end` are offsets."""

    kind: TokenKind
    text: str = ""
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def is_name(self) -> bool:
        return self.kind is TokenKind.WORD or self.kind is TokenKind.QUOTED

    def is_word(self, *words: str) -> bool:
        return self.kind is TokenKind.WORD and self.text in words

    def is_among(self, words: frozenset[str]) -> bool:
        return self.kind is TokenKind.WORD and self.text in words

    def is_mark(self, mark: str) -> bool:
        return self.text == mark and self.kind is not TokenKind.QUOTED


def read_tokens(lexer: StatementLexer) -> list[Token]:
    """The tokens up to the bracket or quote before the first fault of the text; what is in [[ ]] counts."""
    tokens: list[Token] = []

    def note(kind: str, position: int, start: int, end: int) -> None:
        tokens.extend(_split_plain(lexer, position, start))
        if token := _read_marked(kind, lexer.text[start:end], lexer.dialect):
            tokens.append(Token(*token, start, end))

    with suppress(StatementError):
        lexer.run(note)
    return tokens


def _split_plain(lexer: StatementLexer, start: int, end: int) -> Iterator[Token]:
    """Words, numbers and operators, which the lexer passes over together."""
    plain = lexer.text[start:end]
    if "--" in plain or "#" in plain:
        # As long as it was, so that offsets stay.
        plain = lexer.line_comment.sub(lambda found: " " * len(found[0]), plain)
    for match in _PLAIN.finditer(plain):
        place = (start + match.start(), start + match.end())
        match match.lastgroup:
            case "word":
                yield Token(TokenKind.WORD, _cut(fold(match[0]), lexer.dialect), *place)
            case "number":
                yield Token(TokenKind.VALUE, "", *place)
            case _:
                yield Token(TokenKind.MARK, match[0], *place)


def _read_marked(kind: str, text: str, dialect: Dialect) -> tuple[TokenKind, str] | None:
    if kind in {"comment", "end", "semicolon"} or text in _CLAUSE_MARKS:
        return None
    if kind == "quoted_name":
        quote, name = text[0], text[1:-1]
        name = name if quote == "[" else name.replace(quote * 2, quote)
        return TokenKind.QUOTED, fold(name) if find_rules(dialect).folds_names else _cut(
            name, dialect
        )
    if kind in _TEXTS:
        return TokenKind.TEXT, ""
    if kind in _VALUES:
        return TokenKind.VALUE, ""
    kinds = {"open": TokenKind.OPEN, "close": TokenKind.CLOSE}
    return kinds.get(kind, TokenKind.MARK), text


def _cut(name: str, dialect: Dialect) -> str:
    limit = find_rules(dialect).name_bytes
    if limit is None or len(name) <= limit // 4:
        return name
    return name.encode()[:limit].decode(errors="ignore")
