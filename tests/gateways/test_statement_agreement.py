"""The lexers agree with the servers: what is a string, a comment, a name and a parameter."""

import asyncio
import json
import re
import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg import pq

from core.errors import StatementError
from core.execution import Query
from core.statement import (
    CompiledStatement,
    compile_statement,
    find_parameters,
    find_placeholders,
)
from core.toolspec import Dialect, ParameterType
from gateways.duckdb.values import typed_sql
from gateways.mysql.source import MysqlSource
from gateways.mysql.sql import split_statement
from gateways.mysql.wire import MysqlConnection, MysqlServerError
from gateways.postgres.source import PostgresSource
from tests.mariadb_server import MariadbServer

FIRST = "00000000-0000-0000-0000-000000000001"
LISTS = frozenset({"ids"})
VALUES: dict[str, Any] = {"a": "one", "이름": "둘' :a", "none": None, "ids": [2, 3]}
TYPES = {"ids": ParameterType.INTEGER_LIST}
FEWER = settings(max_examples=200, deadline=None)
# Each of these is a call, on two servers or of a slow parser.
FEWEST = settings(max_examples=100, deadline=None)


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


MARIADB_GAPS = [
    *(" ", "\n", "\t\r", " -- :a '\n", " --\n", ' #:a ` " /* {{a}}\n'),
    "/* :a ' \" ` -- # [[ */",
    "/**/",
]
MARIADB_ITEMS = fixed(
    ("5--1", 6),
    ("2 - - 1", 3),
    ("JSON_VALUE ( '{\"a\":\":x\"}', '$.a' )".replace(", ", ","), ":x"),
    ("( SELECT `:a` FROM ( SELECT 7 AS `:a` ) t )", 7),
    ("( SELECT `a``'\\` FROM ( SELECT 8 AS `a``'\\` ) t )", 8),
    ("'a' \"b'\" 'c'", "ab'c"),
    ("'\\'' ':a'", "':a"),
    ("N'b:a'", "b:a"),
    ("_utf8mb4'c:a'", "c:a"),
    ("x'3a61'", "OmE="),
    ("1 IN (:ids)", 0),
    ("2 NOT IN ( {{ids}} )", 0),
    ("1 / 4 * 4", 1.0),
    ("5 % 3 ^ 1", 1),
)
mariadb_texts = st.tuples(contents, st.sampled_from("'\""), st.booleans()).map(
    lambda drawn: Item((mariadb_literal(*drawn),), drawn[0])
)
mariadb_statements = statements(
    st.one_of(
        MARIADB_ITEMS,
        mariadb_texts,
        parameter("{}"),
        mariadb_texts.flatmap(
            lambda item: st.sampled_from(["a", "이름", "none"]).map(
                lambda name: Item(
                    ("CONCAT(", *item.tokens, "[[", ",", f":{name}", "]]", ")"),
                    item.answer + (VALUES[name] or ""),
                )
            )
        ),
    ),
    MARIADB_GAPS,
)

DUCKDB_ITEMS = fixed(
    ("'{\"a\":{\"b\":\":x\"}}'::JSON -> 'a' ->> 'b'", ":x"),
    ("( [5,6,7] ) [2:3]", [6, 7]),
    ("[ [1,2],[3,4]] [2] [1]", 3),
    ("{'a': :a }", {"a": "one"}),
    ("{'a': ':a' , b: 1}", {"a": ":a", "b": 1}),
    ("2 - - 1", 3),
    ('( SELECT ":a" FROM ( VALUES (7) ) AS t ( ":a" ) )', 7),
    ('( SELECT "a""\'" FROM ( VALUES (8) ) AS t ( "a""\'" ) )', 8),
    ("( SELECT `:``'a` FROM ( SELECT 9 AS `:``'a` ) )", 9),
    ("1 IN (:ids)", False),
    ("2 NOT IN ( {{ids}} )", False),
    ("3 = ANY ( :ids )", True),
)
duckdb_statements = statements(
    st.one_of(
        DUCKDB_ITEMS,
        literal("'", "'"),
        escapes,
        dollars,
        parameter("{}::VARCHAR"),
        st.one_of(texts, literal("'", "'"), escapes, dollars).flatmap(
            lambda item: st.sampled_from(["a", "이름", "none"]).map(
                lambda name: with_optional(item, name)
            )
        ),
    ),
    POSTGRESQL_GAPS,
)


def mariadb_literal(text: str, quote: str, is_doubled: bool) -> str:
    """The text between these quotes, as people write it either way."""
    inner = text.replace("\\", "\\\\")
    return quote + inner.replace(quote, quote * 2 if is_doubled else f"\\{quote}") + quote


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


@pytest.fixture(scope="module")
def mariadb_runner(mariadb: MariadbServer) -> Iterator["MariadbRunner"]:
    """Sources on a server whose own modes are the usual ones, and those that quote otherwise."""
    settings = mariadb.make_database("agreement")
    with asyncio.Runner() as runner:
        sources = []
        for mode in ("", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT,IGNORE_SPACE"):
            mariadb.run(f"SET GLOBAL sql_mode = '{mode}'")
            sources.append(MysqlSource(settings))
            runner.run(sources[-1].server_version())
        mariadb.run("SET GLOBAL sql_mode = DEFAULT")
        yield MariadbRunner(runner, sources)
        for source in sources:
            runner.run(source.close())


class MariadbRunner(NamedTuple):
    """Sources that are asked from a test without a loop; each has one connection."""

    runner: asyncio.Runner
    sources: list[MysqlSource]

    def fetch(self, text: str) -> Iterator[list[Any]]:
        """The only row that each of the sources gives."""
        statement = compile_statement(text, dialect=Dialect.MYSQL, list_names=LISTS)
        statement = statement.for_values(VALUES)
        types = [TYPES.get(name, ParameterType.STRING) for name in statement.parameter_names]
        query = Query(
            statement=statement,
            types=tuple(types),
            values=VALUES,
            row_limit=10,
            byte_limit=10_000,
            timeout_ms=9_000,
        )
        for source in self.sources:
            [row] = self.runner.run(source.run(query)).rows
            yield list(row)

    def count_parameters(self, text: str) -> Iterator[int | None]:
        """How many the server sees in the text; None where it takes it for no statement."""

        async def prepare(connection: MysqlConnection) -> int | None:
            try:
                prepared = await connection.prepare(text, is_kept=False)
            except MysqlServerError as error:
                return None if error.number in NO_STATEMENT else -1
            connection.drop(prepared)
            return prepared.parameter_count

        for source in self.sources:
            yield self.runner.run(source.ask(prepare))


@FEWEST
@given(statement=mariadb_statements)
def test_mariadb_answers_what_the_lexer_saw(mariadb_runner: MariadbRunner, statement: Item) -> None:
    for row in mariadb_runner.fetch(statement.tokens[0]):
        assert row == statement.answer


@FEWEST
@given(statement=duckdb_statements)
def test_duckdb_answers_what_the_lexer_saw(
    duckdb_connection: duckdb.DuckDBPyConnection, statement: Item
) -> None:
    compiled = compile_statement(
        statement.tokens[0], dialect=Dialect.DUCKDB, list_names=LISTS
    ).for_values(VALUES)
    types = [TYPES.get(name, ParameterType.STRING) for name in compiled.parameter_names]
    sql = typed_sql(compiled, types, VALUES)

    found = duckdb_connection.execute(sql, [VALUES[name] for name in compiled.parameter_names])

    assert list(found.fetchone() or ()) == statement.answer


@pytest.fixture(scope="module")
def duckdb_connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


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


MARIADB_FRAGMENTS = [*FRAGMENTS, "#", "-- ", "N'", "b'", "\\'", '\\"', ":a", "`", "5.", ";"]
mariadb_scraps = st.lists(st.sampled_from(MARIADB_FRAGMENTS), max_size=12).map(
    lambda parts: f"SELECT {''.join(parts)}"
)
duckdb_scraps = st.lists(st.sampled_from([*FRAGMENTS, "{", "}", ":a", ";"]), max_size=12).map(
    lambda parts: f"SELECT {''.join(parts)}"
)
# A fault of syntax, and an empty text; all others are about what names stand for.
NO_STATEMENT = frozenset({1064, 1065, 1149})


@FEWER
@given(text=mariadb_scraps)
def test_mariadb_sees_the_parameters_that_the_lexer_saw(
    mariadb_runner: MariadbRunner, text: str
) -> None:
    refused = refusal(text, Dialect.MYSQL)
    sent = text
    if not refused:
        sent = split_statement(compile_statement(text, dialect=Dialect.MYSQL)).render_once()
    marks = list(mariadb_runner.count_parameters(sent))

    if refused:
        assert not UNCLOSED.search(refused) or marks == [None, None]
    else:
        expected = len(find_placeholders(text, Dialect.MYSQL))
        assert set(marks) <= {None, -1, expected}


@FEWER
@given(text=duckdb_scraps)
def test_duckdb_sees_the_parameters_that_the_lexer_saw(
    duckdb_connection: duckdb.DuckDBPyConnection, text: str
) -> None:
    refused = refusal(text, Dialect.DUCKDB)
    sent = text if refused else compile_statement(text, dialect=Dialect.DUCKDB).sql
    try:
        found = duckdb_connection.extract_statements(sent)
    except duckdb.Error:
        return

    if refused:
        assert not UNCLOSED.search(refused)
    else:
        assert [statement.named_parameters for statement in found] == [
            {str(number) for number, _ in enumerate(find_parameters(text, Dialect.DUCKDB), 1)}
        ]


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
        timeout_ms=5_000,
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
