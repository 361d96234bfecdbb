"""Advice on SQL: what the database takes without a word and agents stumble over."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.lints.advice import Advice, suggestion, warning
from core.statement import STATEMENT_BYTE_LIMIT, make_lexer
from core.statements.comparisons import Comparison, compare_tokens, find_clauses
from core.statements.lexer import Placeholder
from core.statements.names import find_used_names
from core.statements.tokens import Token, TokenKind, read_tokens
from core.toolspec import ParameterSpec, SqlLogic, ToolSpec

_AGGREGATE_NAMES = """
array_agg avg bool_and bool_or count every group_concat json_agg json_group_array jsonb_agg max median
min stddev string_agg sum total
"""
_AGGREGATES = frozenset(_AGGREGATE_NAMES.split())
_LIKES = frozenset({"like", "ilike", "not like", "not ilike"})
_WILDCARD = re.compile("%|_|wildcard|와일드카드|ワイルドカード", re.IGNORECASE)
# What a value that may be NULL is given to on purpose.
_HANDLES_NULL = frozenset({"coalesce", "ifnull", "nullif", "nvl", "concat", "concat_ws"})


def advise_on_statement(spec: ToolSpec, logic: SqlLogic) -> Iterator[Advice]:
    """What the text says, without a database; nothing of a text that cannot be read."""
    if len(logic.statement) > STATEMENT_BYTE_LIMIT:
        return
    read = _read(logic)
    by_name = {parameter.name: parameter for parameter in spec.parameters}
    yield from _judge_nulls(read, by_name)
    yield from _judge_patterns(read, by_name)
    yield from _judge_stars(logic)
    yield from _judge_rows(read.tokens)


@dataclass(frozen=True, slots=True)
class _Read:
    """A statement that was read once."""

    tokens: Sequence[Token]
    uses: Sequence[Placeholder]
    comparisons: Sequence[Comparison]
    in_clauses: frozenset[str]  # Parameters of optional clauses.


def _read(logic: SqlLogic) -> _Read:
    lexer = make_lexer(logic.statement, logic.dialect)
    tokens = read_tokens(lexer)
    return _Read(
        tokens=tokens,
        uses=lexer.placeholders,
        comparisons=compare_tokens(logic.statement, tokens),
        in_clauses=frozenset(name for clause in lexer.clauses for name in clause.names),
    )


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


def _judge_nulls(read: _Read, parameters: dict[str, ParameterSpec]) -> Iterator[Advice]:
    """`a = :x` finds nothing where x is NULL."""
    done = _find_handled(read.tokens, read.uses) | read.in_clauses
    for comparison, use in _compared_uses(read):
        parameter = parameters.get(use.name)
        is_given = parameter is None or not parameter.accepts_null
        if is_given or use.name in done or comparison.clause == "case":
            continue
        done.add(use.name)
        yield warning(
            "optional_compared",
            "{name} may be left out, and a comparison with NULL finds no row; put the condition in"
            " [[ ]], or write (:{name} IS NULL OR …).",
            name=use.name,
        ).at("logic", use.start, use.end)


def _compared_uses(read: _Read) -> Iterator[tuple[Comparison, Placeholder]]:
    by_start = {use.start: use for use in read.uses}
    for comparison in read.comparisons:
        for value in comparison.values:
            if use := by_start.get(value.start):
                yield comparison, use


def _find_handled(tokens: Sequence[Token], uses: Sequence[Placeholder]) -> set[str]:
    """Names that somewhere are asked for NULL, or given to a function that takes it."""
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
    """Whether `IS` follows the parameter, its cast left out, or `DISTINCT FROM` stands before it."""
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


def _judge_patterns(read: _Read, parameters: dict[str, ParameterSpec]) -> Iterator[Advice]:
    for comparison, use in _compared_uses(read):
        if comparison.operator not in _LIKES or not comparison.is_whole:
            continue
        parameter = parameters.get(use.name)
        told = f"{parameter.description} {parameter.example}" if parameter else ""
        if not _WILDCARD.search(told):
            yield suggestion(
                "like_without_wildcard",
                "LIKE :{name} finds only equal texts, since agents write no %; write"
                " '%' || :{name} || '%'.",
                name=use.name,
            ).at("logic", use.start, use.end)


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
    outer = list(_outermost(tokens))
    words = {token.text for token in outer if token.kind is TokenKind.WORD}
    is_bounded = bool(words & {"limit", "fetch"})
    is_aggregate = "group" in words or "distinct" in words or _has_aggregate(tokens)
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


def _outermost(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        depth += token.kind is TokenKind.OPEN
        if not depth:
            yield token
        depth -= token.kind is TokenKind.CLOSE


def _has_aggregate(tokens: Sequence[Token]) -> bool:
    """Whether an aggregate without OVER is called outside of brackets in the list of columns."""
    clauses, depth = find_clauses(tokens), 0
    for index, token in enumerate(tokens[:-1]):
        depth += (token.kind is TokenKind.OPEN) - (token.kind is TokenKind.CLOSE)
        is_call = token.is_among(_AGGREGATES) and tokens[index + 1].is_mark("(")
        if is_call and not depth and clauses[index] == "select":
            return True
    return False
