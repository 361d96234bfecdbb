"""Which tables and columns a statement names, query by query, without knowing any schema.

No grammar: a statement that the database takes is read rightly in all but odd corners, and any
other text gives some answer, in linear time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.statement import make_lexer
from core.statements.keywords import (
    CLAUSE_WORDS,
    NAMING_WORDS,
    NO_ALIAS,
    OPERATOR_WORDS,
    QUERY_WORDS,
    RESERVED,
    SET_WORDS,
    VALUE_WORDS,
)
from core.statements.tokens import Token, TokenKind, read_tokens
from core.toolspec import Dialect

_END = Token(TokenKind.MARK)
# A type follows, or a field of a record.
_BEFORE_NO_COLUMN = frozenset({"::", "."})


@dataclass(frozen=True, slots=True)
class TableMention:
    """A table in FROM; `path` is its name behind that of its schema, `alias` how columns refer to it.

    `is_renamed`: the alias gives the columns other names, as in `users AS u(a, b)`. `place` are start
    and end of the path in the text.
    """

    path: tuple[str, ...]
    alias: str
    is_renamed: bool = False
    place: tuple[int, int] = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class ColumnMention:
    """A name where a column may stand, with what stood before its dots; `name` None is a star."""

    qualifiers: tuple[str, ...]
    name: str | None
    place: tuple[int, int] = field(default=(0, 0), compare=False)


@dataclass(slots=True)
class QueryBlock:
    """What one SELECT names; `parent` is the index of the one around it.

    `derived` are aliases of what is no table: subqueries, functions, common table expressions.
    `labels` are names that it gives, to columns of its answer among others.
    """

    parent: int | None
    tables: list[TableMention] = field(default_factory=list)
    columns: list[ColumnMention] = field(default_factory=list)
    derived: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set, compare=False)


@dataclass(slots=True)
class _Frame:
    """The inside of a pair of brackets, or the whole statement."""

    is_query: bool = False
    block: int | None = None
    parent: int | None = None
    opener: str = ""  # The function whose arguments these are.
    in_from: bool = False
    expects_table: bool = False
    expects_common: bool = False
    is_recursive: bool = False
    is_source: bool = False  # Stands where a table may, so that an alias may follow.
    common: str = ""  # The common table expression that these brackets define.
    commons: set[str] = field(default_factory=set)


def find_used_names(text: str, dialect: Dialect = Dialect.POSTGRESQL) -> list[QueryBlock]:
    """The queries of a statement, the outer before the inner, up to about the first fault.

    Names are folded as the dialect does it; names in [[ ]] count.
    """
    reader = _NameReader(read_tokens(make_lexer(text, dialect)))
    reader.read()
    return reader.blocks


class _NameReader:
    """Walks over the tokens; `_at` is the one being read, `_follows_value` tells of the one before."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.blocks: list[QueryBlock] = []
        self._tokens = tokens
        self._at = 0
        self._follows_value = False
        self._frames = [_Frame(is_query=True)]

    @property
    def _frame(self) -> _Frame:
        return self._frames[-1]

    def read(self) -> None:
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.kind is TokenKind.OPEN:
                self._open(token)
            elif token.kind is TokenKind.CLOSE:
                self._close()
            elif not token.is_name:
                self._read_mark(token)
            elif self._frame.expects_common and not token.is_word("select", "values", "table"):
                self._read_common(token)
            elif self._frame.expects_table and not token.is_word("select", "with", "values"):
                self._read_table(token)
            elif token.is_among(RESERVED):
                self._read_keyword(token.text)
            else:
                self._read_column()

    def _peek(self, distance: int = 1) -> Token:
        index = self._at + distance
        return self._tokens[index] if 0 <= index < len(self._tokens) else _END

    # Brackets

    def _open(self, token: Token) -> None:
        outer, is_query = self._frame, self._peek().is_among(QUERY_WORDS) and token.text == "("
        inner = _Frame(is_query=is_query, block=outer.block, parent=outer.block)
        before = self._peek(-1)
        inner.opener = before.text if before.is_name else ""
        if outer.expects_table:
            inner.is_source = True
            # Brackets around joined tables hold a part of the same list.
            inner.in_from = inner.expects_table = not is_query
            outer.expects_table = False
        self._frames.append(inner)
        self._at += 1
        self._follows_value = False

    def _close(self) -> None:
        self._at += 1
        self._follows_value = True
        if len(self._frames) == 1:
            return
        inner = self._frames.pop()
        if inner.is_source:
            self._add_derived(self._read_alias()[0])
        if inner.common:
            self._frame.commons.add(inner.common)
            self._frame.expects_common = self._peek(0).is_mark(",")
            self._at += self._frame.expects_common
            self._follows_value = False

    def _skip_brackets(self) -> bool:
        """Pass over the pair of brackets that begins here; False where none does."""
        if not self._peek(0).is_mark("("):
            return False
        depth = 0
        while self._at < len(self._tokens):
            kind = self._tokens[self._at].kind
            depth += (kind is TokenKind.OPEN) - (kind is TokenKind.CLOSE)
            self._at += 1
            if not depth:
                break
        return True

    # Names

    def _read_common(self, token: Token) -> None:
        """`name (columns) AS MATERIALIZED (`, up to the bracket."""
        self._at += 1
        if token.is_word("recursive") and not self._peek(0).is_word("as"):
            self._frame.is_recursive = True
            return
        self._frame.expects_common = False
        self._skip_brackets()
        while self._peek(0).is_word("as", "not", "materialized"):
            self._at += 1
        if self._frame.is_recursive:
            self._frame.commons.add(token.text)
        if self._peek(0).is_mark("("):
            self._open(self._peek(0))
            self._frame.common = token.text

    def _read_table(self, token: Token) -> None:
        if token.is_word("only", "lateral") and (self._peek().is_name or self._peek().is_mark("(")):
            self._at += 1
            return
        if token.is_word("rows") and self._peek().is_word("from"):
            self._at += 2
            return
        self._frame.expects_table = False
        path, _ = self._read_path()
        place = token.start, self._peek(-1).end
        if self._peek(0).is_mark("("):
            # A function instead of a table; its arguments are read like any others.
            self._open(self._peek(0))
            self._frame.is_source = True
            return
        self._at += self._peek(0).is_mark("*")
        alias, is_renamed = self._read_alias()
        if len(path) == 1 and any(path[0] in frame.commons for frame in self._frames):
            self._add_derived(alias or path[-1])
        elif (block := self._block()) is not None:
            block.tables.append(TableMention(path, alias or path[-1], is_renamed, place))

    def _add_derived(self, alias: str) -> None:
        if (block := self._block()) is not None:
            block.derived.add(alias)

    def _read_alias(self) -> tuple[str, bool]:
        """The alias at this place, '' where there is none, and whether it renames the columns."""
        if self._peek(0).is_word("with") and self._peek(1).is_word("ordinality"):
            self._at += 2
        has_as = self._peek(0).is_word("as")
        self._at += has_as
        token = self._peek(0)
        if not token.is_name or (not has_as and token.is_among(NO_ALIAS)):
            return "", has_as and self._skip_brackets()
        self._at += 1
        return token.text, self._skip_brackets()

    def _read_path(self) -> tuple[tuple[str, ...], bool]:
        """Names joined by dots, and whether a star is the last of them."""
        path = [self._tokens[self._at].text]
        self._at += 1
        while self._peek(0).is_mark("."):
            if self._peek(1).is_mark("*"):
                self._at += 2
                return tuple(path), True
            if not self._peek(1).is_name:
                break
            path.append(self._peek(1).text)
            self._at += 2
        return tuple(path), False

    def _read_column(self) -> None:
        before, is_label = self._peek(-1), self._follows_value
        token = self._tokens[self._at]
        path, is_star = self._read_path()
        place = token.start, self._peek(-1).end
        self._follows_value = True
        if is_label and token.is_among(OPERATOR_WORDS):
            self._follows_value = False
            return
        if is_label or before.is_among(NAMING_WORDS) or before.text in _BEFORE_NO_COLUMN:
            if (block := self._block()) is not None:
                block.labels.add(path[-1])
            return
        after = self._peek(0)
        is_function = after.is_mark("(") or after.kind is TokenKind.TEXT
        is_argument = after.is_mark(":=") or (after.is_mark("=") and self._peek(1).is_mark(">"))
        is_field = before.is_mark("(") and self._frame.opener == "extract" and after.is_word("from")
        if not (is_function or is_argument or is_field):
            qualifiers, name = (path, None) if is_star else (path[:-1], path[-1])
            self._add_column(ColumnMention(qualifiers, name, place))

    def _add_column(self, mention: ColumnMention) -> None:
        if (block := self._block()) is not None:
            block.columns.append(mention)

    def _block(self) -> QueryBlock | None:
        index = self._frame.block
        return None if index is None else self.blocks[index]

    # Keywords and marks

    def _read_keyword(self, word: str) -> None:
        frame = self._frame
        if frame.is_query and word in QUERY_WORDS:
            self._begin_query(word)
        elif word == "from":
            # IS DISTINCT FROM compares.
            is_distinct = self._peek(-1).is_word("distinct") and self._peek(-2).is_word("is", "not")
            if frame.is_query and not is_distinct:
                frame.in_from = frame.expects_table = True
        elif word in SET_WORDS:
            frame.block, frame.in_from = frame.parent, False
        elif word in CLAUSE_WORDS:
            frame.in_from = False
        elif word == "join" and frame.in_from:
            frame.expects_table = True
        self._follows_value = word in VALUE_WORDS
        self._at += 1

    def _begin_query(self, word: str) -> None:
        frame = self._frame
        if word == "with":
            # Elsewhere it belongs to a type, or to FETCH.
            frame.expects_common = frame.block == frame.parent
            return
        self.blocks.append(QueryBlock(frame.parent))
        frame.block = len(self.blocks) - 1
        frame.in_from = frame.expects_table = word == "table"
        if word == "table":
            self._add_column(ColumnMention((), None))

    def _read_mark(self, token: Token) -> None:
        frame = self._frame
        is_star = token.is_mark("*") and not self._follows_value
        if is_star and frame.is_query:
            self._add_column(ColumnMention((), None))
        elif token.is_mark(",") and frame.in_from:
            frame.expects_table = True
        self._follows_value = is_star or token.kind in {TokenKind.TEXT, TokenKind.VALUE}
        self._at += 1
