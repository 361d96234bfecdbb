"""Which columns of which tables each parameter of a statement is compared with."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from core.statement import find_placeholders, make_lexer
from core.statements.comparisons import find_clauses
from core.statements.keywords import CLAUSE_WORDS, QUERY_WORDS, SET_WORDS
from core.statements.names import find_used_names
from core.statements.tokens import Token, TokenKind, read_tokens
from core.toolspec import Dialect

_CONDITIONS = frozenset({"where", "having", "on", "filter", "qualify"})
_BETWEEN_CONDITIONS = (
    CLAUSE_WORDS
    | SET_WORDS
    | {"and", "or", "case", "when", "then", "else", "end", "select", "on", "join", "qualify"}
)
_COMPARING = frozenset({"like", "ilike", "glob", "regexp", "rlike", "in", "between", "similar"})

# A column and the tables that may have it, by their names in the statement.
ComparedColumn = tuple[str, frozenset[str]]


def find_compared_columns(
    text: str, dialect: Dialect = Dialect.POSTGRESQL
) -> Mapping[str, frozenset[ComparedColumn]]:
    """By parameter; a column without a table's name before it may be of any table of the statement.

    A parameter is compared with every column of its condition, whatever functions, casts and
    operators stand between them: of one too many nothing is kept, one too few would be told.
    """
    blocks = find_used_names(text, dialect)
    tables = {
        mention.alias.casefold(): mention.path[-1] for block in blocks for mention in block.tables
    }
    every_table = frozenset(tables.values())
    columns: dict[int, ComparedColumn] = {}
    for mention in (mention for block in blocks for mention in block.columns):
        if mention.name is not None:
            table = tables.get(mention.qualifiers[-1].casefold()) if mention.qualifiers else None
            columns[mention.place[0]] = (mention.name, frozenset({table}) if table else every_table)
    names = {use.start: use.name for use in find_placeholders(text, dialect)}
    found: dict[str, set[ComparedColumn]] = defaultdict(set)
    for condition in _split_conditions(read_tokens(make_lexer(text, dialect))):
        starts = [token.start for token in condition]
        compared = {columns[start] for start in starts if start in columns}
        for start in starts if compared else ():
            if start in names:
                found[names[start]] |= compared
    return {parameter: frozenset(columns) for parameter, columns in found.items()}


def _split_conditions(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens of each condition, and of each value elsewhere that a comparison makes."""
    conditions: list[list[Token]] = [[]]
    # Of each pair of brackets the condition that goes on in it, and whether it holds a query.
    opened = [(conditions[0], True)]
    compares: set[int] = set()
    ends_between = False
    for index, (token, clause) in enumerate(zip(tokens, find_clauses(tokens), strict=True)):
        current, is_query = opened[-1]
        if token.kind is TokenKind.OPEN:
            has_query = any(one.is_among(QUERY_WORDS) for one in tokens[index + 1 : index + 2])
            if has_query:
                conditions.append(current := [])
            opened.append((current, has_query))
        elif token.kind is TokenKind.CLOSE and len(opened) > 1:
            opened.pop()
        elif ends_between and token.is_word("and"):
            ends_between = False
        elif token.is_among(_BETWEEN_CONDITIONS) or (is_query and token.is_mark(",")):
            conditions.append([])
            opened[-1] = (conditions[-1], is_query)
        else:
            current.append(token)
            ends_between |= token.is_word("between")
            is_operator = token.kind is TokenKind.MARK and token.text in {*"=<>~"}
            if is_operator or token.is_among(_COMPARING) or clause in _CONDITIONS:
                compares.add(id(current))
    return [condition for condition in conditions if id(condition) in compares]
