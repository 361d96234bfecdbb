"""The lexers of MariaDB and DuckDB agree with the servers, under whatever modes a server has."""

import asyncio
from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.execution import Query
from core.statement import compile_statement, find_parameters, find_placeholders
from core.toolspec import Dialect, ParameterType
from gateways.duckdb.values import typed_sql
from gateways.mysql.source import MysqlSource
from gateways.mysql.sql import split_statement
from gateways.mysql.wire import MysqlConnection, MysqlServerError
from tests.gateways.test_statement_agreement import (
    FEWER,
    FRAGMENTS,
    LISTS,
    POSTGRESQL_GAPS,
    UNCLOSED,
    VALUES,
    Item,
    contents,
    dollars,
    escapes,
    fixed,
    literal,
    parameter,
    refusal,
    statements,
    texts,
    with_optional,
)
from tests.mariadb_server import MariadbServer

TYPES = {"ids": ParameterType.INTEGER_LIST}
# Each of these is a call, on two servers or of a slow parser.
FEWEST = settings(max_examples=100, deadline=None)

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
    ("[[1,2],[3,4]] [2] [1]", 3),
    ("[[ :a , 'b]]'],[ 'c' ]] [1] [1]", "one"),
    ("[[[ 7 ]]]", [[[7]]]),
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
            timeout_ms=60_000,
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
