"""The lexers agree with the servers: what is a string, a comment, a name and a parameter."""

import json
import re
import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import pq

from core.errors import StatementError
from core.execution import Query
from core.statement import CompiledStatement, compile_statement
from core.toolspec import Dialect, ParameterType
from gateways.postgres.source import PostgresSource

FIRST = "00000000-0000-0000-0000-000000000001"
LISTS = frozenset({"ids"})
VALUES: dict[str, Any] = {"a": "one", "이름": "둘' :a", "none": None, "ids": [2, 3]}
FEWER = settings(max_examples=200, deadline=None)


class Item(NamedTuple):
    """A value of a SELECT: its tokens, what may stand between them, and what the server answers."""

    tokens: tuple[str, ...]
    answer: Any


def literal(quote: str, opening: str) -> st.SearchStrategy[Item]:
    """Strings that hold whatever could end them too early."""
    return contents.map(
        lambda text: Item((opening + text.replace(quote, quote * 2) + quote,), text)
    )


def parameter(cast: str) -> st.SearchStrategy[Item]:
    name = st.sampled_from(["a", "이름", "none"])
    written = st.tuples(name, st.sampled_from([":{}", "{{{{{}}}}}", "{{{{ {} }}}}"]))
    return written.map(lambda pair: Item((cast.format(pair[1].format(pair[0])),), VALUES[pair[0]]))


def with_optional(item: Item, name: str) -> Item:
    """The text joined with an optional one."""
    end = VALUES[name] or ""
    return Item((*item.tokens, "[[", "||", f"CAST(:{name} AS text)", "]]"), item.answer + end)


def fixed(*pairs: tuple[str, Any]) -> st.SearchStrategy[Item]:
    return st.sampled_from([Item(tuple(text.split(" ")), answer) for text, answer in pairs])


def statements(items: st.SearchStrategy[Item], gaps: list[str]) -> st.SearchStrategy[Item]:
    """(text, answers) of a SELECT of several items, with blanks and comments between all tokens."""

    @st.composite
    def draw_statement(draw: st.DrawFn) -> Item:
        chosen = draw(st.lists(items, min_size=1, max_size=6))
        text = "SELECT"
        for index, item in enumerate(chosen):
            for token in (*([","] if index else []), *item.tokens):
                text += draw(st.sampled_from(gaps)) + token
        return Item((text + draw(st.sampled_from(["", *gaps, " ;"])),), [i.answer for i in chosen])

    return draw_statement()


contents = st.text(alphabet="a:x'\"\\-/*$?[]%;`é\n ", max_size=8)
texts = st.sampled_from(["x", "", ":a"]).map(lambda text: Item((f"'{text}'",), text))

POSTGRESQL_GAPS = [" ", "\n", "\t\r", " --:a '\n", " -- /* {{a}}\r", "/* :a ' /* \" */ $$ [[ */"]
POSTGRESQL_ITEMS = fixed(
    ("'{\"a\":{\"b\":\":x\"}}'::jsonb -> 'a' ->> 'b'", ":x"),
    ("'{\"b\":1}'::jsonb ?| ARRAY [ 'b' ]", True),
    ("( ARRAY [[1,2],[3,4]] ) [2] [1]", 3),
    ("( ARRAY [5,6,7] ) [2:3]", [6, 7]),
    ("( ARRAY[ [[7]], [[8]] ] ) [2] [1] [1]", 8),
    ("2 - - 1", 3),
    ("5 # 1 :: int", 4),
    ('( SELECT ":a" FROM ( VALUES (7) ) AS t ( ":a" ) )', 7),
    ('( SELECT "a""\'" FROM ( VALUES (8) ) AS t ( "a""\'" ) )', 8),
    ("U&'\\0041:a'", "A:a"),
    ("E'a'\n'b\\':a'", "ab':a"),
    ("E'a'--'\n'b\\\\'", "ab\\"),
    ("'a'\n'b\\'", "ab\\"),
    ("1 IN (:ids)", False),
    ("2 NOT IN ( {{ids}} )", False),
    ("3 = ANY ( :ids )", True),
)
escapes = contents.map(
    lambda text: Item(("E'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'",), text)
)
dollars = contents.filter(lambda text: f"{text}$q$".index("$q$") == len(text)).map(
    lambda text: Item((f"$q${text}$q$",), text)
)
optional_texts = st.one_of(texts, literal("'", "'"), escapes, dollars).flatmap(
    lambda item: st.sampled_from(["a", "이름", "none"]).map(lambda name: with_optional(item, name))
)
postgresql_statements = statements(
    st.one_of(
        POSTGRESQL_ITEMS,
        literal("'", "'"),
        escapes,
        dollars,
        parameter("{}::text"),
        optional_texts,
    ),
    POSTGRESQL_GAPS,
)

SQLITE_GAPS = [" ", "\n", "\t\r", " --:a '\n", " -- /* \r{{a}}\n", "/* :a ' /* \" [[ */", "/*/*/"]
SQLITE_ITEMS = fixed(
    ("'{\"a\":{\"b\":\":x\"}}' -> 'a' ->> 'b'", ":x"),
    ("2 - - 1", 3),
    ('( SELECT ":a" FROM ( SELECT 7 AS ":a" ) )', 7),
    ("( SELECT [a:b] FROM ( SELECT 8 AS [a:b] ) )", 8),
    ("( SELECT `:``'a` FROM ( SELECT 9 AS `:``'a` ) )", 9),
    ("x'61'", b"a"),
    ("1 IN (:ids)", 0),
    ("2 NOT IN ( {{ids}} )", 0),
    ("5 << 1 >> 1", 5),
)
sqlite_optional_texts = st.one_of(texts, literal("'", "'")).flatmap(
    lambda item: st.sampled_from(["a", "이름", "none"]).map(lambda name: with_optional(item, name))
)
sqlite_statements = statements(
    st.one_of(SQLITE_ITEMS, literal("'", "'"), parameter("{}"), sqlite_optional_texts), SQLITE_GAPS
)


@pytest.fixture(scope="module")
def connection(owner_dsn: str) -> Iterator["psycopg.Connection[tuple[Any, ...]]"]:
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        yield connection


def count_parameters(
    connection: "psycopg.Connection[tuple[Any, ...]]", statement: CompiledStatement
) -> int:
    """How many parameters the server sees."""
    prepared = connection.pgconn.prepare(b"", statement.sql.encode())
    assert prepared.status == pq.ExecStatus.COMMAND_OK
    return connection.pgconn.describe_prepared(b"").nparams


def postgresql_takes(connection: "psycopg.Connection[tuple[Any, ...]]", text: str) -> bool:
    """Whether the text is a statement; what its names stand for does not matter."""
    prepared = connection.pgconn.prepare(b"", text.encode())
    state = prepared.error_field(pq.DiagnosticField.SQLSTATE)
    return state in {None, *UNKNOWN_NAMES}


def sqlite_takes(text: str) -> bool:
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(text)
    except (sqlite3.Error, sqlite3.Warning) as error:
        return str(error).startswith("no such")
    finally:
        connection.close()
    return True


@FEWER
@given(statement=postgresql_statements)
def test_postgresql_answers_what_the_lexer_saw(
    connection: "psycopg.Connection[tuple[Any, ...]]", statement: Item
) -> None:
    compiled = compile_statement(statement.tokens[0], list_names=LISTS).for_values(VALUES)
    values = [VALUES[name] for name in compiled.parameter_names]

    row = psycopg.RawCursor(connection).execute(compiled.sql, values).fetchone()

    assert list(row or ()) == statement.answer
    assert count_parameters(connection, compiled) == len(values)


@FEWER
@given(statement=sqlite_statements)
def test_sqlite_answers_what_the_lexer_saw(statement: Item) -> None:
    compiled = compile_statement(
        statement.tokens[0], dialect=Dialect.SQLITE, list_names=LISTS
    ).for_values(VALUES)
    values = {
        str(number): json.dumps(VALUES[name]) if name == "ids" else VALUES[name]
        for number, name in enumerate(compiled.parameter_names, 1)
    }

    connection = sqlite3.connect(":memory:")
    row = connection.execute(compiled.sql, values).fetchone()
    connection.close()

    assert list(row) == statement.answer


FRAGMENTS = [
    *(
        "'",
        "''",
        '"',
        "E'",
        "e'\\'",
        "U&'",
        "N'",
        "x'",
        "$$",
        "$q$",
        "$1q$",
        "\\",
        "--",
        "/*",
        "*/",
    ),
    *(
        "\n",
        "\r",
        "\t",
        " ",
        "a",
        "1",
        "q",
        ",",
        "(",
        ")",
        "[",
        "]",
        "||",
        "-",
        ":",
        "`",
        "é",
        "\ufeff",
    ),
]
scraps = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map(
    lambda parts: f"SELECT {''.join(parts)}"
)
UNKNOWN_NAMES = frozenset({b"42703", b"42883", b"42P01", b"3F000"})
UNCLOSED = re.compile(r"never closed|closes? nothing|does not close")


def refusal(text: str, dialect: Dialect) -> str:
    try:
        compile_statement(text, dialect=dialect)
    except StatementError as error:
        return str(error)
    return ""


@FEWER
@given(text=scraps)
def test_what_postgresql_takes_is_never_called_unclosed(
    connection: "psycopg.Connection[tuple[Any, ...]]", text: str
) -> None:
    is_unclosed = UNCLOSED.search(refusal(text, Dialect.POSTGRESQL))

    assert not is_unclosed or not postgresql_takes(connection, text)


@FEWER
@given(text=scraps)
def test_what_sqlite_takes_is_never_called_unclosed(text: str) -> None:
    # SQLite reads a comment that is never closed to the end of the text.
    is_unclosed = UNCLOSED.search(refusal(text, Dialect.SQLITE).replace("comment is never", ""))

    assert not is_unclosed or not sqlite_takes(text)


LISTED: dict[str, tuple[str, ParameterType, list[Any]]] = {
    "texts": ("name IN (:ids)", ParameterType.STRING_LIST, ["apple", "x"]),
    "codes": ("code IN (:ids)", ParameterType.STRING_LIST, ["a-1"]),
    "uuids": ("reference IN (:ids)", ParameterType.STRING_LIST, [FIRST]),
    "enums": ("colour IN (:ids)", ParameterType.STRING_LIST, ["red"]),
    "dates": ("day IN (:ids)", ParameterType.STRING_LIST, ["2026-01-01"]),
    "integers": ("id IN (:ids)", ParameterType.INTEGER_LIST, [1, 9]),
    "big integers": ("views IN (:ids)", ParameterType.INTEGER_LIST, [3_000_000_000]),
    "numbers": ("price IN (:ids)", ParameterType.NUMBER_LIST, [9.5]),
    "fractions with integer": ("id IN (:ids)", ParameterType.NUMBER_LIST, [1, 1.5]),
    "others": ("id NOT IN (:ids)", ParameterType.INTEGER_LIST, [2, 3]),
    "optional": ("(:ids IS NULL OR reference IN (:ids))", ParameterType.STRING_LIST, [FIRST]),
    "optional others": (
        "(:ids IS NULL OR reference NOT IN (:ids)) AND (:ids IS NULL OR name <> 'bread')",
        ParameterType.STRING_LIST,
        ["00000000-0000-0000-0000-000000000002"],
    ),
    "optional clause": ("true [[ AND reference IN (:ids) ]]", ParameterType.STRING_LIST, [FIRST]),
}


async def find_items(
    source: PostgresSource, condition: str, kind: ParameterType, value: list[Any] | None
) -> list[Any]:
    text = " ".join(("SELECT id FROM item WHERE", condition, "ORDER BY id"))
    statement = compile_statement(text, list_names=LISTS).for_values({"ids": value})
    query = Query(
        statement=statement,
        types=(kind,) * len(statement.parameter_names),
        values={"ids": value},
        row_limit=10,
        byte_limit=10_000,
        timeout_ms=60_000,
    )
    return [number for (number,) in (await source.run(query)).rows]


@pytest.mark.parametrize(("condition", "kind", "value"), LISTED.values(), ids=LISTED)
async def test_list_takes_the_type_of_its_column(
    source: PostgresSource, condition: str, kind: ParameterType, value: list[Any]
) -> None:
    assert await find_items(source, condition, kind, value) == [1]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("id IN (:ids)", []),
        ("id NOT IN (:ids)", []),
        ("(:ids IS NULL OR id IN (:ids))", [1, 2, 3]),
        ("true [[ AND id IN (:ids) ]]", [1, 2, 3]),
    ],
    ids=["in", "not_in", "null_test", "optional_clause"],
)
async def test_absent_list_finds_nothing_unless_its_clause_is_left_out(
    source: PostgresSource, condition: str, found: list[int]
) -> None:
    assert await find_items(source, condition, ParameterType.INTEGER_LIST, None) == found


@pytest.mark.parametrize(
    ("condition", "values", "found"),
    [
        ("id IN (:ids)", [1, 3, None], [1, 3]),
        ("id NOT IN (:ids)", [1], [2, 3]),
        ("name IN (:ids)", ["b"], [2]),
        ("id IN (:ids)", [], []),
        ("id NOT IN (:ids)", [], [1, 2, 3]),
        ("id IN (:ids)", None, []),
        ("id NOT IN (:ids)", None, []),
        ("1 [[ AND id IN (:ids) ]]", None, [1, 2, 3]),
    ],
    ids=["in", "not_in", "texts", "empty", "not_empty", "absent", "not_absent", "optional_clause"],
)
def test_list_means_the_same_in_sqlite(
    condition: str, values: list[Any] | None, found: list[int]
) -> None:
    items = "WITH item (id, name) AS (VALUES (1, 'a'), (2, 'b'), (3, 'c'))"
    text = " ".join((items, "SELECT id FROM item WHERE", condition))
    compiled = compile_statement(text, dialect=Dialect.SQLITE, list_names=LISTS)
    statement = compiled.for_values({"ids": values})

    connection = sqlite3.connect(":memory:")
    value = None if values is None else json.dumps(values)
    rows = connection.execute(statement.sql, {"1": value}).fetchall()
    connection.close()

    assert rows == [(number,) for number in found]
