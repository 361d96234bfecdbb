"""Which parameters a statement itself allows to be left out."""

from core.dialects import find_rules
from core.statement import make_lexer
from core.statements.tokens import Token, TokenKind, read_tokens
from core.toolspec import Dialect

_FALLBACKS = ("coalesce", "ifnull")
_END = Token(TokenKind.MARK)


def find_optional_names(text: str, dialect: Dialect = Dialect.POSTGRESQL) -> frozenset[str]:
    """Names in [[ ]] only, before IS NULL, first in COALESCE, or behind LIMIT or OFFSET.

    SQLite, MariaDB and MySQL refuse a limit that is null. Up to about the first fault of the text.
    """
    lexer = make_lexer(text, dialect)
    tokens = read_tokens(lexer)
    places = {token.start: index for index, token in enumerate(tokens)}
    found = {
        use.name
        for use in lexer.placeholders
        if use.start in places and _may_be_null(tokens, places[use.start], dialect)
    }
    outside = {
        use.name
        for use in lexer.placeholders
        if not any(clause.start <= use.start < clause.end for clause in lexer.clauses)
    }
    inside = {name for clause in lexer.clauses for name in clause.names}
    return frozenset(found | (inside - outside))


def _may_be_null(tokens: list[Token], at: int, dialect: Dialect) -> bool:
    before = tokens[at - 1] if at else _END
    if find_rules(dialect).takes_null_limit and before.is_word("limit", "offset"):
        return True
    if at > 1 and before.is_mark("(") and tokens[at - 2].is_word(*_FALLBACKS):
        return True
    after = at + 1
    if after < len(tokens) and tokens[after].is_mark("::"):
        after += 2
    words = [token.text for token in tokens[after : after + 2] if token.kind is TokenKind.WORD]
    return words == ["is", "null"]
