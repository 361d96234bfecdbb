"""Literals of a pasted query as parameters, named by the columns that they are compared with."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from core.dialects import find_rules
from core.statement import find_placeholders, make_lexer
from core.statements.comparisons import Comparison, Value, find_clauses, find_comparisons
from core.statements.lexer import continues_word
from core.statements.tokens import TokenKind, read_tokens
from core.toolspec import Dialect, JsonValue, ParameterType

_FILTERS = frozenset({"where", "having"})
_PREFIXES = {">": "min_", ">=": "min_", "<": "max_", "<=": "max_"}
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NOT_IN_NAMES = re.compile(r"\W+")
_DOLLARS = re.compile(r"\$(\w*)\$(.*)\$\1\$", re.DOTALL)
_CODED = frozenset({"b", "x", "u&"})
_TYPED = re.compile(r"\w+\s*'")
_ESCAPE = re.compile(r"\s*ESCAPE\b", re.IGNORECASE)
_PLAIN_ARRAY = re.compile(r"\{([^{}\"\\\s]+)\}")
_BEFORE_LIST = re.compile(r"\bIN\s*\(\s*\Z", re.IGNORECASE)
_LOOK_BACK = 100
_CAST = re.compile(r"(?:\s*::\s*[\w.\" ]+(?:\(\d+(?:\s*,\s*\d+)?\))?)?\s*")
_BETWEEN_ITEMS = re.compile(rf"{_CAST.pattern},\s*")
ROW_COUNT_NAME = "max_rows"


@dataclass(frozen=True, slots=True)
class ProposedParameter:
    """A parameter in the place of literals; `example` is the literal's value, `type` a first guess.

    The name is ASCII even where the column's is not.
    """

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
    names: dict[tuple[str, str, str], ProposedParameter] = {}
    pieces: list[str] = []
    copied = 0
    for edit in edits:
        if edit.start < copied:
            continue
        key = (edit.parameter.name, edit.parameter.column, repr(edit.parameter.example))
        if key not in names:
            name, number = edit.parameter.name, 2
            while name in taken:
                name, number = f"{edit.parameter.name}_{number}", number + 1
            names[key] = replace(edit.parameter, name=name)
            taken.add(name)
        if names[key].name in keep:
            continue
        # Quotes may touch the words beside them, a parameter may not.
        before = " " if continues_word(text, edit.start - 1) else ""
        after = " " if continues_word(text, edit.end) else ""
        written = edit.text.format(f":{names[key].name}")
        pieces += text[copied : edit.start], before, written, after
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
    # Some models refuse parameters with other letters in their names.
    base = base if base.isidentifier() and base.isascii() else "value"
    values = [_read_literal(text, value, dialect) for value in comparison.values]
    first, found = comparison.values[0], values[0]
    if None in values:
        return
    if operator == "between":
        for value, literal, prefix in zip(
            comparison.values, values, ("start_", "end_"), strict=True
        ):
            yield _edit(value, prefix + base, literal, column)
    elif operator == "in":
        if end := _end_of_list(text, comparison.values):
            yield _Edit(first.start, end, _list_parameter(base, values, column))
    elif operator.endswith((" any", " all")):
        if isinstance(found, str) and (array := _PLAIN_ARRAY.fullmatch(found)):
            items = array[1].split(",")
            numbers = [_read_number(item) for item in items]
            listed = items if None in numbers else numbers
            yield _Edit(first.start, first.end, _list_parameter(base, listed, column))
    elif operator in {"like", "ilike"} and comparison.is_whole and isinstance(found, str):
        yield from _like_edit(text, comparison, base, pattern=found, dialect=dialect)
    elif comparison.is_whole or not _TYPED.match(text, first.start, first.end):
        # `date '2026-01-01' + 7` without its word would be another sum.
        yield _edit(first, _PREFIXES.get(operator, "") + base, found, column)


def _end_of_list(text: str, values: Sequence[Value]) -> int | None:
    """Where the values of an IN end, their casts included; None if they stand inside of functions.

    The list takes the type of the column, so that it needs no casts.
    """
    if not _BEFORE_LIST.search(text, max(0, values[0].start - _LOOK_BACK), values[0].start):
        return None
    for value, following in pairwise(values):
        if not _BETWEEN_ITEMS.fullmatch(text, value.end, following.start):
            return None
    last = _CAST.match(text, values[-1].end)
    return last.end() if last and text.startswith(")", last.end()) else None


def _list_parameter(base: str, values: list[JsonValue], column: str) -> ProposedParameter:
    types = {_guess_type(value) for value in values}
    kind = ParameterType.STRING_LIST
    if types <= {ParameterType.INTEGER, ParameterType.NUMBER}:
        is_whole = types == {ParameterType.INTEGER}
        kind = ParameterType.INTEGER_LIST if is_whole else ParameterType.NUMBER_LIST
    name = base
    if not base.endswith("s"):
        ends_in_y = base.endswith("y") and base[-2:-1] not in {*"aeiou"}
        name = f"{base[:-1]}ies" if ends_in_y else f"{base}s"
    return ProposedParameter(name, kind, values, column)


def _edit(value: Value, name: str, found: JsonValue, column: str) -> _Edit:
    parameter = ProposedParameter(name, _guess_type(found), found, column)
    return _Edit(value.start, value.end, parameter)


def _like_edit(
    text: str, comparison: Comparison, base: str, *, pattern: str, dialect: Dialect
) -> Iterator[_Edit]:
    """`'%tea%'` as `'%' || :name || '%'`, so that who calls need not know of wildcards."""
    value, inner = comparison.values[0], pattern.strip("%")
    has_escapes = "\\" in pattern or _ESCAPE.match(text, value.end)
    if not inner or "%" in inner or has_escapes:
        return
    rules = find_rules(dialect)
    between = rules.between
    begins = f"'%'{between}" if pattern.startswith("%") else ""
    ends = f"{between}'%'" if pattern.endswith("%") else ""
    edited = f"{begins}{{}}{ends}"
    if edited != "{}":
        edited = rules.joined.format(edited)
    parameter = ProposedParameter(base, ParameterType.STRING, inner, comparison.column[-1])
    yield _Edit(value.start, value.end, parameter, edited)


def _limits(text: str, dialect: Dialect) -> Iterator[_Edit]:
    tokens = read_tokens(make_lexer(text, dialect))
    for index, clause in enumerate(find_clauses(tokens)):
        if clause != "limit" or not tokens[index].is_word("limit"):
            continue
        numbers = tokens[index + 1 : index + 4]
        if len(numbers) == 3 and numbers[1].is_mark(","):
            numbers = numbers[2:]  # MySQL and SQLite: the first is how many are left out.
        is_number = numbers and numbers[0].kind is TokenKind.VALUE
        count = _read_number(text[numbers[0].start : numbers[0].end]) if is_number else None
        if isinstance(count, int):
            parameter = ProposedParameter(ROW_COUNT_NAME, ParameterType.INTEGER, count, "")
            yield _Edit(numbers[0].start, numbers[0].end, parameter)


def _read_literal(text: str, value: Value, dialect: Dialect) -> JsonValue:
    """The literal's value; of one with a type word before it, the text inside. None for one that stays.

    Those are bits, bytes and texts with escapes, whose value is not what is written.
    """
    written = text[value.start : value.end]
    if dollars := _DOLLARS.fullmatch(written):
        return dollars[2]
    mark = next((letter for letter in written if letter in "'\""), "")
    if not mark:
        return _read_number(written)
    start, end = written.index(mark), written.rindex(mark)
    inner, word = written[start + 1 : end], written[:start].lower()
    has_escapes = "\\" in inner and (word == "e" or find_rules(dialect).has_backslashes)
    return None if word in _CODED or has_escapes else inner.replace(mark * 2, mark)


def _read_number(written: str) -> int | float | None:
    """The number that is written, if a parameter can hold every digit of it."""
    digits = "".join(written.split())
    try:
        whole = int(digits)
    except ValueError:
        pass
    else:
        return whole if -(2**63) <= whole < 2**63 else None
    try:
        number = float(digits)
    except ValueError:
        return None
    return number if Decimal(repr(number)) == Decimal(digits) else None


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
