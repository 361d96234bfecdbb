"""What a SQL statement reads, by its words: tables, columns that must not leave, and conditions it forgot.

It parses no SQL: it sees names, and where in doubt it refuses. The database's rights are what keeps data safe.
"""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final

# A comment holds others, four deep here.
_COMMENT: Final = reduce(
    lambda comment, _: rf"/\*(?:[^*/]++|\*(?!/)|/(?!\*)|{comment})*\*/", range(4), "(?!)"
)
_TOKEN: Final = re.compile(
    rf"(?P<gone>--[^\n]*|{_COMMENT}|[eE]'(?:[^'\\]|\\.|'')*'|(?:[bBxXnN]|[uU]&)?'(?:[^']|'')*'"
    r"|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)"
    r"""|(?P<coded>[uU]&"(?:[^"]|"")*")(?:\s*(?i:uescape)\s*'(?P<escape>.)')?"""
    r'|(?P<quoted>"(?:[^"]|"")*")|(?P<word>[^\W\d][\w$]*)|(?P<mark>[(),.*;])',
    re.DOTALL,
)
_READING = frozenset({"select", "with", "values", "table", "explain"})
_WRITING = frozenset({"insert", "update", "delete", "merge", "into"})
_CLAUSE_ENDS = frozenset(
    [
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "fetch",
        "union",
        "intersect",
        "except",
        "window",
        "for",
        "select",
        "on",
        "using",
        "set",
    ]
)
_QUERIES = frozenset({"select", "with", "values", "table"})
_JOINS = frozenset({"join", "lateral", "only", "cross", "inner", "left", "right", "full", "outer"})
_BEFORE_TABLES = _JOINS | {"from", "table", ",", "("}


@dataclass(frozen=True, slots=True)
class _Word:
    """A name or mark, and whether it stands where tables are named."""

    text: str
    is_name: bool
    names_table: bool


def writes(statement: str) -> bool:
    """Whether the statement does anything but read, as far as its words say."""
    words = [word.text for word in _read_words(statement)]
    first = next((word for word in words if word != "("), "")
    # As a column of that name it has a table's name or AS before it.
    pairs = zip(["", *words], words, strict=False)
    return first not in _READING or any(
        word in _WRITING and before not in {".", "as"} for before, word in pairs
    )


def find_tables(statement: str) -> list[str]:
    """Names of the tables that the statement names after FROM and JOIN, each once, as written there."""
    return list(dict.fromkeys(name for name, _ in _read_tables(list(_read_words(statement)))))


def find_masked(statement: str, masked: Mapping[str, Collection[str]]) -> list[str]:
    """Masked columns that the statement may read, as `table.column`; `masked` are those of its tables.

    `count(column)` and `column IS NULL` say nothing of a value. `*` and a whole row stand for all of them.
    """
    words = list(_read_words(statement))
    aliases = _read_tables(words)
    shown: list[str] = []
    for table, columns in masked.items():
        own = {alias for name, alias in aliases if _bare(name) == _bare(table)} | {_bare(table)}
        if columns and any(reads(words, own) for reads in (_reads_all, _reads_row, _renames)):
            shown += [f"{table}.{column}" for column in columns]
            continue
        names = {column.casefold(): column for column in columns}
        shown += [
            f"{table}.{names[word.text]}"
            for place, word in enumerate(words)
            if word.is_name and word.text in names and _shows_value(words, place, own)
        ]
    return list(dict.fromkeys(shown))


def find_forgotten(statement: str, columns: Iterable[str]) -> list[str]:
    """Which of the columns the statement does not name at all."""
    named = {word.text for word in _read_words(statement) if word.is_name}
    return [column for column in columns if column.casefold() not in named]


def _read_words(statement: str) -> Iterator[_Word]:
    """Names in small letters and marks; without comments and literals."""
    in_from, before = [False], ""
    for token in _TOKEN.finditer(statement):
        if token["gone"]:
            continue
        quoted = token["quoted"] or _decode(token["coded"] or "", token["escape"] or "\\")
        text = quoted[1:-1].replace('""', '"').casefold() if quoted else token[0].casefold()
        if not quoted:
            if text == "(":
                # Tables in brackets, as in FROM (users JOIN orders USING (user_id)).
                in_from.append(in_from[-1] and before in {"from", ",", "(", *_JOINS})
            elif text == ")" and len(in_from) > 1:
                in_from.pop()
            elif text in {"from", "join", "table"}:
                in_from[-1] = True
            elif text in _CLAUSE_ENDS:
                in_from[-1] = False
        is_name, before = bool(quoted or token["word"]), text
        yield _Word(text, is_name, in_from[-1])


def _decode(name: str, escape: str) -> str:
    """The quoted name that U&"..." is, where the escape stands before four digits, or + and six."""
    mark = re.escape(escape)
    code = re.compile(rf"{mark}(?:({mark})|([0-9a-f]{{4}})|\+([0-9a-f]{{6}}))", re.IGNORECASE)

    def read(found: re.Match[str]) -> str:
        number = int(found[2] or found[3] or "0", 16)
        return found[1] or (chr(number) if number <= sys.maxunicode else found[0])

    return code.sub(read, name[2:])


def _read_tables(words: Sequence[_Word]) -> list[tuple[str, str]]:
    """Each table with the name by which the statement calls it."""
    tables: list[tuple[str, str]] = []
    place = 0
    while place < len(words):
        starts = words[place].names_table and words[place].text in _BEFORE_TABLES
        place += 1
        if not starts or place >= len(words) or not words[place].is_name:
            continue
        if words[place].text in _JOINS | _QUERIES:
            continue
        parts = [words[place].text]
        while place + 2 < len(words) and words[place + 1].text == "." and words[place + 2].is_name:
            parts.append(words[place + 2].text)
            place += 2
        following = [word.text for word in words[place + 1 : place + 3]]
        named = following[1:] if following[:1] == ["as"] else following
        reserved = _CLAUSE_ENDS | _JOINS | {"natural", "(", ")", ",", ";", ".", "*"}
        alias = named[0] if named and named[0] not in reserved else parts[-1]
        tables.append((".".join(parts), alias))
    return tables


def _bare(name: str) -> str:
    return name.rpartition(".")[2].replace('"', "").casefold()


def _reads_all(words: Sequence[_Word], own: Collection[str]) -> bool:
    """Whether a `*` stands for all columns, of one of these tables or of all."""
    for place, word in enumerate(words):
        if word.text != "*":
            continue
        before = words[place - 1].text if place else ""
        if before in {"select", ",", "distinct", "all", ")"}:
            return True
        if before == "." and place > 1 and words[place - 2].text in own:
            return True
    # TABLE users is SELECT * FROM users.
    return any(word.text == "table" and word.names_table for word in words)


def _reads_row(words: Sequence[_Word], own: Collection[str]) -> bool:
    """Whether a table's name stands for its whole row, as in `SELECT u FROM users u`."""
    for place, word in enumerate(words):
        if not word.is_name or word.text not in own or word.names_table:
            continue
        before = words[place - 1].text if place else ""
        after = words[place + 1].text if place + 1 < len(words) else ""
        if before != "." and after != "." and before != "as":
            return True
    return False


def _renames(words: Sequence[_Word], own: Collection[str]) -> bool:
    """Whether a table's columns get other names: `FROM users AS u (a, b)`, or of a join in brackets."""
    opened: list[int] = []
    for place, word in enumerate(words):
        following = [after.text for after in words[place + 1 : place + 4]]
        if word.text == "(":
            opened.append(place)
        elif word.text == ")" and opened:
            start = opened.pop()
            inside = words[start + 1 : place]
            holds_own = any(one.names_table and one.text in own for one in inside)
            if holds_own and inside[0].text not in _QUERIES and _names_columns(following):
                return True
        elif word.names_table and word.text in own and following[:1] == ["("]:
            return True
    return False


def _names_columns(following: Sequence[str]) -> bool:
    name, *rest = following[1:] if following[:1] == ["as"] else following or [""]
    return rest[:1] == ["("] and name not in _CLAUSE_ENDS | _JOINS | {"natural", ","}


def _shows_value(words: Sequence[_Word], place: int, own: Collection[str]) -> bool:
    """Whether a masked column's name at this place may bring out its values."""
    first = place
    if place > 1 and words[place - 1].text == ".":
        if words[place - 2].text not in own:
            return False
        first = place - 2
        if first > 1 and words[first - 1].text == ".":
            first -= 2
    before = [word.text for word in words[max(first - 3, 0) : first]]
    after = [word.text for word in words[place + 1 : place + 4]]
    counts = before[-2:] == ["count", "("] or before[-3:] == ["count", "(", "distinct"]
    if counts and after[:1] == [")"]:
        return False
    return after[:2] != ["is", "null"] and after[:3] != ["is", "not", "null"]
