"""Which values a statement compares with which columns, for advice and for proposals.

No grammar: it finds the usual forms, `column operator value` and the reverse, BETWEEN, IN, LIKE and
ANY, with at most one function or cast around either side; what it does not find is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.statement import make_lexer
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

    `clause` is the word of the clause around it, such as `where`. `is_whole`: each value stands
    alone, not as a part of a longer expression.
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


def find_clauses(tokens: Sequence[Token]) -> list[str]:
    """For each token the word of the clause around it; `case` inside of a CASE."""
    clauses: list[str] = []
    opened: list[str] = []
    clause, cases = "", 0
    for token in tokens:
        if token.kind is TokenKind.OPEN:
            opened.append(clause)
        elif token.kind is TokenKind.CLOSE and opened:
            clause = opened.pop()
        elif token.is_among(_CLAUSES | SET_WORDS):
            clause = token.text
        elif token.is_word("case", "end"):
            cases = max(0, cases + (1 if token.text == "case" else -1))
        clauses.append("case" if cases else clause)
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
            value = self._value_ending(before)
            column, is_whole = self._column_at(after), True
            values = (value,) if value and operator in _MARKS else ()
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
        one, other = self._peek(first), self._peek(second)
        are_marks = one.kind is other.kind is TokenKind.MARK
        return are_marks and one.end == other.start and "" not in {one.text, other.text}

    # Columns

    def _column_ending(self, at: int) -> tuple[str, ...]:
        """The column that ends at this token, perhaps inside of a function; () where none does."""
        token = self._peek(at)
        if token.is_mark(")"):
            at -= 1
            is_inner = self._is_lone(at)
            return self._path_ending(at) if is_inner else ()
        return self._path_ending(at)

    def _is_lone(self, at: int) -> bool:
        """Whether the path that ends here is all that stands in its brackets."""
        return self._peek(at - 2 * len(self._path_ending(at)) + 1).is_mark("(")

    def _path_ending(self, at: int) -> tuple[str, ...]:
        path: list[str] = []
        while self._is_column_name(self._peek(at)):
            path.insert(0, self._peek(at).text)
            if not self._peek(at - 1).is_mark("."):
                break
            at -= 2
        return tuple(path)

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

    # Values

    def _values_at(self, at: int, operator: str) -> tuple[tuple[Value, ...], bool]:
        if operator.endswith(("in", "any", "all")):
            return tuple(self._listed_values(at)), True
        first, after = self._value_at(at)
        if first is None:
            return (), True
        if operator.endswith("between"):
            second, end = self._value_at(after + 1)
            is_pair = second is not None and self._peek(after).is_word("and")
            return ((first, second), self._ends(end)) if second and is_pair else ((), True)
        return (first,), self._ends(after)

    def _listed_values(self, at: int) -> Iterator[Value]:
        """Values with commas between; nothing at all where anything else stands among them."""
        found: list[Value] = []
        while True:
            value, at = self._value_at(at)
            if value is None:
                return
            found.append(value)
            if not self._peek(at).is_mark(","):
                break
            at += 1
        if self._peek(at).is_mark(")"):
            yield from found

    def _value_at(self, at: int) -> tuple[Value | None, int]:
        """The value that begins here, and what follows it; a function or cast of one is passed into."""
        is_called = self._peek(at).is_name and self._peek(at + 1).is_mark("(")
        if is_called and (inner := self._plain_value(at + 2))[0]:
            return self._close_call(*inner)
        return self._plain_value(at)

    def _close_call(self, value: Value | None, at: int) -> tuple[Value | None, int]:
        if self._peek(at).is_word("as"):
            while self._peek(at).is_name or self._peek(at).text in {"[", "]"}:
                at += 1
        return (value, at + 1) if self._peek(at).is_mark(")") else (None, at)

    def _plain_value(self, at: int) -> tuple[Value | None, int]:
        token, start = self._peek(at), self._peek(at).start
        is_typed = token.kind is TokenKind.WORD and self._peek(at + 1).kind is TokenKind.TEXT
        if is_typed or token.is_mark("-"):
            at, token = at + 1, self._peek(at + 1)
        if token.kind not in {TokenKind.VALUE, TokenKind.TEXT}:
            return None, at
        is_parameter = self._text[token.start] in ":{"
        # A decimal number comes as digits, a dot and digits.
        while self._text[token.start].isdigit() and self._goes_on(at):
            at += 1
        return Value(start, self._peek(at).end, is_parameter), self._skip_cast(at + 1)

    def _goes_on(self, at: int) -> bool:
        token, following = self._peek(at), self._peek(at + 1)
        is_part = following.is_mark(".") or following.kind is TokenKind.VALUE
        return is_part and token.end == following.start

    def _skip_cast(self, at: int) -> int:
        while self._peek(at).is_mark("::"):
            at += 2
            while self._peek(at).text in {"[", "]"}:
                at += 1
        return at

    def _value_ending(self, at: int) -> Value | None:
        token = self._peek(at)
        if token.kind not in {TokenKind.VALUE, TokenKind.TEXT}:
            return None
        return Value(token.start, token.end, self._text[token.start] in ":{")

    def _ends(self, at: int) -> bool:
        """Whether no operator goes on with the value."""
        token = self._peek(at)
        return token.kind is not TokenKind.MARK or token.text in {"", ","}
