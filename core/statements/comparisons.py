"""Which values a statement compares with which columns, for advice and for proposals.

No grammar: it finds the usual forms, `column operator value` and the reverse, BETWEEN, IN, LIKE and
ANY, with at most one function or cast around either side; what it does not find is left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.statement import find_placeholders, make_lexer
from core.statements.keywords import CLAUSE_WORDS, RESERVED, SET_WORDS
from core.statements.tokens import Token, TokenKind, read_tokens
from core.toolspec import Dialect

_LIKE = frozenset({"like", "ilike", "glob", "regexp"})
_MARKS = frozenset({"=", "<", ">", "<=", ">=", "<>", "!=", "=="})
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
# Inside of them a value belongs to the answer's form, not to its rows.
_CLAUSES = CLAUSE_WORDS | {"select", "from", "on"}
_END = Token(TokenKind.MARK)


@dataclass(frozen=True, slots=True)
class Value:
    """A parameter or a literal as it stands in the text; a literal's type word is a part of it."""

    start: int
    end: int
    is_parameter: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """`operator` is folded, as in `=`, `not like`, `between`, `in`, `= any`; `column` is behind its table.

    `clause` is the word of the clause around it, such as `where`. `is_whole`: no value is
    a part of a longer expression.
    """

    column: tuple[str, ...]
    operator: str
    values: tuple[Value, ...]
    clause: str = ""
    is_whole: bool = True


def find_comparisons(text: str, dialect: Dialect = Dialect.POSTGRESQL) -> list[Comparison]:
    """The comparisons in order, up to about the first fault of the text; in linear time."""
    return compare_tokens(text, read_tokens(make_lexer(text, dialect)))


def compare_tokens(text: str, tokens: Sequence[Token]) -> list[Comparison]:
    """The same of a text that was read already."""
    reader = _Reader(text, tokens)
    return [found for found in map(reader.read, range(len(tokens))) if found]


def find_listed_names(text: str, dialect: Dialect = Dialect.POSTGRESQL) -> frozenset[str]:
    """Parameters that stand alone in an IN somewhere, where a list may stand."""
    tokens = read_tokens(make_lexer(text, dialect))
    names = {use.start: use.name for use in find_placeholders(text, dialect)}
    return frozenset(
        names[value.start]
        for word, opening, value, closing in zip(
            tokens, tokens[1:], tokens[2:], tokens[3:], strict=False
        )
        if word.is_word("in")
        and opening.is_mark("(")
        and closing.is_mark(")")
        and value.start in names
    )


def find_clauses(tokens: Sequence[Token]) -> list[str]:
    """For each token the word of the clause around it; `case` inside of a CASE, `filter` in an aggregate's."""
    clauses: list[str] = []
    opened: list[str] = []
    clause, cases = "", 0
    before, second_before = _END, _END
    for token in tokens:
        if token.kind is TokenKind.OPEN:
            opened.append(clause)
        elif token.kind is TokenKind.CLOSE and opened:
            clause = opened.pop()
        elif token.is_word("where") and second_before.is_word("filter"):
            clause = "filter"
        elif token.is_word("from") and before.is_word("distinct"):
            pass
        elif token.is_among(_CLAUSES | SET_WORDS):
            clause = token.text
        elif token.is_word("case", "end"):
            cases = max(0, cases + (1 if token.text == "case" else -1))
        clauses.append("case" if cases else clause)
        before, second_before = token, before
    return clauses


class _Reader:
    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._clauses = find_clauses(tokens)

    def read(self, at: int) -> Comparison | None:
        """The comparison whose operator begins at this token."""
        operator, after = self._read_operator(at)
        if not operator:
            return None
        before = at - 1 - self._peek(at - 1).is_word("not")
        operator = f"not {operator}" if before < at - 1 else operator
        if column := self._column_ending(before):
            values, is_whole = self._values_at(after, operator)
        else:
            column, is_whole, token = self._column_at(after), True, self._peek(before)
            is_value = operator in _MARKS and token.kind in {TokenKind.VALUE, TokenKind.TEXT}
            value = Value(token.start, token.end, self._text[token.start : token.start + 1] in ":{")
            values = (value,) if is_value else ()
            operator = _FLIPPED.get(operator, operator)
        if not column or not values:
            return None
        return Comparison(column, operator, values, self._clauses[at], is_whole)

    def _peek(self, at: int) -> Token:
        return self._tokens[at] if 0 <= at < len(self._tokens) else _END

    def _read_operator(self, at: int) -> tuple[str, int]:
        """The operator that begins here, '' where none does, and what follows it."""
        token = self._peek(at)
        if token.is_among(_LIKE) or token.is_word("between"):
            return token.text, at + 1
        if token.is_word("in") and self._peek(at + 1).is_mark("("):
            return "in", at + 2
        if token.kind is not TokenKind.MARK or self._touches(at - 1, at):
            return "", at
        end = at + 1
        while self._touches(end - 1, end):
            end += 1
        operator = "".join(token.text for token in self._tokens[at:end])
        if operator not in _MARKS:
            return "", at
        if self._peek(end).is_word("any", "all") and self._peek(end + 1).is_mark("("):
            return f"{operator} {self._peek(end).text}", end + 2
        return operator, end

    def _touches(self, first: int, second: int) -> bool:
        """Whether both are marks that make one operator."""
        left, right = self._peek(first), self._peek(second)
        are_marks = left.kind is right.kind is TokenKind.MARK
        return are_marks and left.end == right.start and "" not in {left.text, right.text}

    def _column_ending(self, at: int) -> tuple[str, ...]:
        """The column that ends at this token, perhaps cast or alone inside of a function; () where none does."""
        at = self._before_casts(at)
        is_called = self._peek(at).is_mark(")")
        first = last = self._before_casts(at - 1) if is_called else at
        path: list[str] = []
        while self._is_column_name(self._peek(first)):
            path.insert(0, self._peek(first).text)
            if not self._peek(first - 1).is_mark("."):
                break
            first -= 2
        is_alone = self._peek(last - 2 * len(path) + 1).is_mark("(")
        return () if is_called and not is_alone else tuple(path)

    def _column_at(self, at: int) -> tuple[str, ...]:
        path: list[str] = []
        while self._is_column_name(self._peek(at)):
            path.append(self._peek(at).text)
            at += 2
            if not self._peek(at - 1).is_mark("."):
                break
        return () if self._peek(at - 1).is_mark("(") else tuple(path)

    def _is_column_name(self, token: Token) -> bool:
        return token.is_name and not token.is_among(RESERVED)

    def _values_at(self, at: int, operator: str) -> tuple[tuple[Value, ...], bool]:
        """The values that the operator takes, () where anything else is among them; whether each is whole."""
        value, at = self._value_at(at)
        if value is None:
            return (), True
        if operator.endswith("between"):
            second, end = self._value_at(at + 1)
            is_pair = second is not None and self._peek(at).is_word("and")
            return ((value, second), self._ends(end)) if second and is_pair else ((), True)
        if not operator.endswith(("in", "any", "all")):
            return (value,), self._ends(at)
        listed = [value]
        while self._peek(at).is_mark(","):
            value, at = self._value_at(at + 1)
            if value is None:
                return (), True
            listed.append(value)
        return (tuple(listed) if self._peek(at).is_mark(")") else ()), True

    def _value_at(self, at: int) -> tuple[Value | None, int]:
        """The value that begins here, perhaps inside of a function or cast, and what follows it."""
        is_called = self._peek(at).is_name and self._peek(at + 1).is_mark("(")
        value, after = self._plain_value(at + 2) if is_called else (None, at)
        if value is None:
            return self._plain_value(at)
        if self._peek(after).is_word("as"):
            while self._peek(after).is_name or self._peek(after).text in {"[", "]"}:
                after += 1
        return (value, after + 1) if self._peek(after).is_mark(")") else (None, after)

    def _plain_value(self, at: int) -> tuple[Value | None, int]:
        token, start = self._peek(at), self._peek(at).start
        is_typed = token.kind is TokenKind.WORD and self._peek(at + 1).kind is TokenKind.TEXT
        if is_typed or token.is_mark("-"):
            at, token = at + 1, self._peek(at + 1)
        if token.kind not in {TokenKind.VALUE, TokenKind.TEXT}:
            return None, at
        first = self._text[token.start]
        # A decimal number comes as digits, a dot and digits.
        while first.isdigit() and self._peek(at + 1).start == self._peek(at).end:
            if not self._peek(at + 1).is_mark(".") and self._peek(at + 1).kind != TokenKind.VALUE:
                break
            at += 1
        value = Value(start, self._peek(at).end, first in ":{")
        return value, self._after_casts(at + 1)

    def _after_casts(self, at: int) -> int:
        """What follows the `::type`s that begin here."""
        while self._peek(at).is_mark("::"):
            at = self._skip(at + 1, 1, self._is_type_name)
            if self._peek(at).is_mark("("):
                at = self._skip(at + 1, 1, _is_size) + 1
            at = self._skip(at, 1, _is_bracket)
        return at

    def _before_casts(self, at: int) -> int:
        """The token before the `::type`s that end here; `at` itself where none do."""
        while True:
            before = self._skip(at, -1, _is_bracket)
            if self._peek(before).is_mark(")"):
                before = self._skip(before - 1, -1, _is_size) - 1
            before = self._skip(before, -1, self._is_type_name)
            if not self._peek(before).is_mark("::"):
                return at
            at = before - 1

    def _skip(self, at: int, step: int, is_skipped: Callable[[Token], bool]) -> int:
        while is_skipped(self._peek(at)):
            at += step
        return at

    def _is_type_name(self, token: Token) -> bool:
        return token.is_mark(".") or self._is_column_name(token)

    def _ends(self, at: int) -> bool:
        """Whether no operator goes on with the value."""
        token = self._peek(at)
        return token.kind is not TokenKind.MARK or token.text in {"", ","}


def _is_bracket(token: Token) -> bool:
    return token.text in {"[", "]"}


def _is_size(token: Token) -> bool:
    """Whether the brackets of a type such as `numeric(10, 2)` may hold the token."""
    return token.kind is TokenKind.VALUE or token.is_mark(",")
