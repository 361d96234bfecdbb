"""Advice on SQL: what the database accepts silently and agents stumble over."""

import re
from collections.abc import Iterator, Sequence

from core.lints.advice import Advice, suggestion, warning
from core.statement import STATEMENT_BYTE_LIMIT, make_lexer
from core.statements.comparisons import compare_tokens, find_clauses
from core.statements.lexer import Placeholder
from core.statements.names import find_used_names
from core.statements.tokens import Token, TokenKind, read_tokens
from core.toolspec import SqlLogic, ToolSpec

_AGGREGATE_NAMES = """
array_agg avg bool_and bool_or count every group_concat json_agg json_group_array jsonb_agg max median
min stddev string_agg sum total
"""
_AGGREGATES = frozenset(_AGGREGATE_NAMES.split())
_LIKES = frozenset({"like", "ilike", "not like", "not ilike"})
_WILDCARD = re.compile("%|_|wildcard|와일드카드|ワイルドカード", re.IGNORECASE)
# Functions that are given a value that may be NULL on purpose.
_HANDLES_NULL = frozenset({"coalesce", "ifnull", "nullif", "nvl", "concat", "concat_ws"})


def advise_on_statement(spec: ToolSpec, logic: SqlLogic) -> Iterator[Advice]:
    """What the text says, without a database; nothing of a text that cannot be read."""
    if len(logic.statement) > STATEMENT_BYTE_LIMIT:
        return
    lexer = make_lexer(logic.statement, logic.dialect)
    tokens = read_tokens(lexer)
    parameters = {parameter.name: parameter for parameter in spec.parameters}
    uses = {use.start: use for use in lexer.placeholders}
    compared = [
        (comparison, uses[value.start])
        for comparison in compare_tokens(logic.statement, tokens)
        for value in comparison.values
        if value.start in uses
    ]
    handled = _find_handled(tokens, lexer.placeholders)
    handled |= {name for clause in lexer.clauses for name in clause.names}
    for comparison, use in compared:
        parameter = parameters.get(use.name)
        is_optional = parameter is not None and parameter.accepts_null
        if is_optional and use.name not in handled and comparison.clause != "case":
            handled.add(use.name)
            yield warning(
                "optional_compared",
                "{name} may be left out, and a comparison with NULL finds no row; put the condition in"
                " [[ ]], or write (:{name} IS NULL OR …).",
                name=use.name,
            ).at("logic", use.start, use.end)
    for comparison, use in compared:
        parameter = parameters.get(use.name)
        text = f"{parameter.description} {parameter.example}" if parameter else ""
        is_like = comparison.operator in _LIKES and comparison.is_whole
        if is_like and not _WILDCARD.search(text):
            yield suggestion(
                "like_without_wildcard",
                "LIKE :{name} finds only equal texts, since agents write no %; write"
                " '%' || :{name} || '%'.",
                name=use.name,
            ).at("logic", use.start, use.end)
    yield from _judge_stars(logic)
    yield from _judge_rows(tokens)


def advise_on_annotations(spec: ToolSpec) -> Iterator[Advice]:
    """Hints that say the opposite of what is served: only reads are."""
    if spec.annotations.get("readOnlyHint") is False:
        yield warning(
            "annotation_read_only",
            "readOnlyHint is false, but the tool only reads; clients will ask before each call.",
        ).at("annotations")
    if spec.annotations.get("destructiveHint") is True:
        yield warning(
            "annotation_destructive",
            "destructiveHint is true, but the tool changes nothing; clients will warn of each call.",
        ).at("annotations")


def _find_handled(tokens: Sequence[Token], uses: Sequence[Placeholder]) -> set[str]:
    """Names that some part of the text tests for NULL, or gives to a function that accepts it."""
    names = {use.start: use.name for use in uses}
    handled: set[str] = set()
    openers: list[str] = [""]
    for index, token in enumerate(tokens):
        if token.kind is TokenKind.OPEN:
            before = tokens[index - 1] if index else token
            openers.append(before.text if before.is_name else openers[-1])
        elif token.kind is TokenKind.CLOSE and len(openers) > 1:
            openers.pop()
        elif token.start in names and token.kind is TokenKind.VALUE:
            is_asked = _asks_for_null(tokens, index)
            if is_asked or openers[-1] in _HANDLES_NULL:
                handled.add(names[token.start])
    return handled


def _asks_for_null(tokens: Sequence[Token], index: int) -> bool:
    """Whether `IS` follows the parameter and its cast, or `DISTINCT FROM` precedes it."""
    before = [token.text for token in tokens[max(0, index - 2) : index]]
    if before == ["distinct", "from"]:
        return True
    for token in tokens[index + 1 : index + 8]:
        if token.is_word("is", "isnull", "notnull"):
            return True
        is_cast = token.text in {"::", ")", "[", "]"} or token.is_name
        if not is_cast or token.is_word("and", "or", "then", "else"):
            return False
    return False


def _judge_stars(logic: SqlLogic) -> Iterator[Advice]:
    for block in find_used_names(logic.statement, logic.dialect):
        tables = {mention.alias for mention in block.tables}
        stars = [column for column in block.columns if column.name is None]
        # Of a subquery or common table expression the columns are written out already.
        if any(tables & set(star.qualifiers) or (not star.qualifiers and tables) for star in stars):
            yield suggestion(
                "select_star",
                "SELECT * gives agents every column, also those that are added later; name what they"
                " need.",
            ).at("logic")
            return


def _judge_rows(tokens: Sequence[Token]) -> Iterator[Advice]:
    """Of the outermost query alone: what is inside is bounded by it."""
    clauses, depth = find_clauses(tokens), 0
    words: set[str] = set()
    is_aggregate = False
    for index, token in enumerate(tokens):
        depth += (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
        if depth or token.kind is not TokenKind.WORD:
            continue
        words.add(token.text)
        if token.text in _AGGREGATES and clauses[index] == "select":
            is_aggregate |= any(
                following.is_mark("(") for following in tokens[index + 1 : index + 2]
            )
    is_aggregate |= not words.isdisjoint({"group", "distinct"})
    is_bounded = not words.isdisjoint({"limit", "fetch"})
    if is_bounded and "order" not in words and not is_aggregate:
        yield suggestion(
            "limit_unordered",
            "LIMIT without ORDER BY gives other rows each time; say which come first.",
        ).at("logic")
    is_plain = "from" in words and "where" not in words
    is_free = not any(token.kind is TokenKind.VALUE for token in tokens)
    if is_plain and is_free and not is_bounded and not is_aggregate:
        yield suggestion(
            "unbounded",
            "Nothing bounds the rows: there is no WHERE, no LIMIT and no aggregate; only the tool's"
            " row limit cuts them off.",
        ).at("logic")
