"""Literals of a pasted query as parameters, named by the columns that they are compared with."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from core.dialects import find_rules
from core.statement import find_placeholders, make_lexer
from core.statements.comparisons import Comparison, Value, find_clauses, find_comparisons
from core.statements.tokens import TokenKind, read_tokens
from core.toolspec import Dialect, JsonValue, ParameterType

_FILTERS = frozenset({"where", "having"})
_PREFIXES = {">": "min_", ">=": "min_", "<": "max_", "<=": "max_"}
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NOT_IN_NAMES = re.compile(r"\W+")
ROW_COUNT_NAME = "max_rows"


@dataclass(frozen=True, slots=True)
class ProposedParameter:
    """A parameter in the place of literals; `example` is the literal's value, `type` a first guess."""

    name: str
    type: ParameterType
    example: JsonValue
    column: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """The query with parameters instead of literals, in order of their first appearance."""

    statement: str
    parameters: tuple[ProposedParameter, ...]


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    parameter: ProposedParameter
    text: str = "{}"  # What replaces the literal, with the parameter at {}.


def propose_parameters(
    text: str, dialect: Dialect = Dialect.POSTGRESQL, keep: Collection[str] = ()
) -> Proposal:
    """The query with a parameter for each literal in WHERE and HAVING, and for the number of LIMIT.

    Equal literals compared with the same column become one parameter; literals in a CASE, in a
    list of columns or beside other operators stay. The text is changed nowhere else. Parameters
    named in `keep` stay the literals that they were; the others have the same names without them.
    """
    taken = {use.name for use in find_placeholders(text, dialect)}
    edits = sorted([*_filters(text, dialect), *_limits(text, dialect)], key=lambda edit: edit.start)
    names: dict[tuple[str, str], ProposedParameter] = {}
    pieces: list[str] = []
    copied = 0
    for edit in edits:
        if edit.start < copied:
            continue
        key = (edit.parameter.name, repr(edit.parameter.example))
        if key not in names:
            name, number = edit.parameter.name, 2
            while name in taken:
                name, number = f"{edit.parameter.name}_{number}", number + 1
            names[key] = replace(edit.parameter, name=name)
            taken.add(name)
        if names[key].name in keep:
            continue
        pieces += text[copied : edit.start], edit.text.format(f":{names[key].name}")
        copied = edit.end
    proposed = tuple(found for found in names.values() if found.name not in keep)
    return Proposal("".join(pieces) + text[copied:], proposed)


def _filters(text: str, dialect: Dialect) -> Iterator[_Edit]:
    """The edits of what WHERE and HAVING compare with literals alone."""
    for comparison in find_comparisons(text, dialect):
        is_filter = comparison.clause in _FILTERS
        if is_filter and not any(value.is_parameter for value in comparison.values):
            yield from _edits_of(text, comparison, dialect)


def _edits_of(text: str, comparison: Comparison, dialect: Dialect) -> Iterator[_Edit]:
    column, operator = comparison.column[-1], comparison.operator.removeprefix("not ")
    base = _NOT_IN_NAMES.sub("_", column).strip("_").lower()
    if not base or not base.isidentifier():
        base = "value"
    values = [_read_literal(text, value) for value in comparison.values]
    if operator == "between":
        for value, found, prefix in zip(comparison.values, values, ("start_", "end_"), strict=True):
            yield _edit(value, prefix + base, found, column)
    elif operator == "in":
        types = {_guess_type(value) for value in values}
        kind = ParameterType.STRING_LIST
        if types <= {ParameterType.INTEGER, ParameterType.NUMBER}:
            is_whole = types == {ParameterType.INTEGER}
            kind = ParameterType.INTEGER_LIST if is_whole else ParameterType.NUMBER_LIST
        name = base if base.endswith("s") else f"{base}s"
        parameter = ProposedParameter(name, kind, values, column)
        yield _Edit(comparison.values[0].start, comparison.values[-1].end, parameter)
    elif operator in {"like", "ilike"} and comparison.is_whole and isinstance(values[0], str):
        yield from _like_edit(comparison.values[0], base, values[0], column, dialect=dialect)
    else:
        yield _edit(comparison.values[0], _PREFIXES.get(operator, "") + base, values[0], column)


def _edit(value: Value, name: str, found: JsonValue, column: str) -> _Edit:
    parameter = ProposedParameter(name, _guess_type(found), found, column)
    return _Edit(value.start, value.end, parameter)


def _like_edit(
    value: Value, base: str, pattern: str, column: str, *, dialect: Dialect
) -> Iterator[_Edit]:
    """`'%tea%'` as `'%' || :name || '%'`, so that who calls need not know of wildcards."""
    inner = pattern.strip("%")
    if not inner or "%" in inner:
        return
    rules = find_rules(dialect)
    between = rules.between
    begins = f"'%'{between}" if pattern.startswith("%") else ""
    ends = f"{between}'%'" if pattern.endswith("%") else ""
    edited = f"{begins}{{}}{ends}"
    if edited != "{}":
        edited = rules.joined.format(edited)
    parameter = ProposedParameter(base, ParameterType.STRING, inner, column)
    yield _Edit(value.start, value.end, parameter, edited)


def _limits(text: str, dialect: Dialect) -> Iterator[_Edit]:
    tokens = read_tokens(make_lexer(text, dialect))
    for token, following, clause in zip(tokens, tokens[1:], find_clauses(tokens), strict=False):
        is_number = following.kind is TokenKind.VALUE and text[following.start].isdigit()
        if clause == "limit" and token.is_word("limit") and is_number:
            limit = Value(following.start, following.end, is_parameter=False)
            count = _read_literal(text, limit)
            parameter = ProposedParameter(ROW_COUNT_NAME, ParameterType.INTEGER, count, "")
            yield _Edit(limit.start, limit.end, parameter)


def _read_literal(text: str, value: Value) -> JsonValue:
    """The literal's value; of one with a type word before it, the text inside."""
    written = text[value.start : value.end]
    mark = next((letter for letter in written if letter in "'\""), "")
    if mark:
        start, end = written.index(mark), written.rindex(mark)
        return written[start + 1 : end].replace(mark * 2, mark)
    try:
        return int(written)
    except ValueError:
        pass
    try:
        return float(written)
    except ValueError:
        return written


def _guess_type(value: JsonValue) -> ParameterType:
    match value:
        case int():
            return ParameterType.INTEGER
        case float():
            return ParameterType.NUMBER
        case str() if _MOMENT.match(value):
            return ParameterType.DATETIME
        case str() if _DATE.fullmatch(value):
            return ParameterType.DATE
    return ParameterType.STRING
