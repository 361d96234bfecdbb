"""What SQLite says of a statement before it runs."""
# ruff: noqa: S608

import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest
import pytest_asyncio

from core.errors import DataSourceError, StatementError
from core.execution import QuerySource
from core.statement import CompiledStatement
from core.toolspec import ParameterType
from gateways.sqlite.expansion import check_expansion
from gateways.sqlite.session import SqliteColumn, SqliteDescription
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tests.gateways.sqlite.queries import TABLES, describe, fetch, make_query, write

T = ParameterType


@pytest_asyncio.fixture
async def source(tmp_path: Path) -> AsyncIterator[SqliteSource]:
    path = tmp_path / "shop.db"
    write(path, TABLES)
    async with SqliteSource(SqliteSettings(path=path)) as source:
        yield source


async def test_columns_and_parameters_are_counted(source: SqliteSource) -> None:
    description = await describe(
        source, "SELECT id, name AS title FROM item WHERE id = :id", id=(T.INTEGER, 1)
    )

    assert description == SqliteDescription(
        (SqliteColumn("id", "any"), SqliteColumn("title", "any")), 1
    )


@pytest.mark.parametrize(
    ("sql", "message", "place"),
    [
        ("SELECT id, nam FROM item WHERE id = :long_name", "no such column: nam", "nam "),
        ("SELECT i.nme FROM item AS i WHERE id = :long_name", "no such column: i.nme", "i.nme"),
        ("SELECT * FROM nosuch WHERE id = :long_name", "no such table: nosuch", "nosuch"),
        ("SELECT nosuch(:long_name)", "no such function: nosuch", "nosuch"),
        (
            "SELECT upper(:long_name, 2)",
            r"wrong number of arguments to function upper\(\)",
            "upper",
        ),
        ("SELECT :long_name FROM item LIMT 2", 'near "2": syntax error', "2"),
        ("SELECT * FROM :long_name", 'near ":long_name": syntax error', ":long_name"),
        ("SELECT :long_name +", "incomplete input", None),
    ],
    ids=["column", "alias", "table", "function", "arguments", "syntax", "parameter", "end"],
)
async def test_fault_is_told_in_sqlites_words_at_its_place(
    source: SqliteSource, sql: str, message: str, place: str | None
) -> None:
    with pytest.raises(StatementError, match=message) as caught:
        await describe(source, sql, long_name=(T.INTEGER, 1))

    assert caught.value.position == (sql.index(place) if place else len(sql))


async def test_place_that_is_not_sure_is_not_told(source: SqliteSource) -> None:
    with pytest.raises(StatementError, match="no such column: nam") as caught:
        await describe(source, "SELECT nam FROM item ORDER BY nam")

    assert caught.value.position is None


async def test_cast_of_postgresql_is_explained(source: SqliteSource) -> None:
    statement = CompiledStatement("SELECT $1::text", ("name",), ())

    with pytest.raises(StatementError, match=r":name::text as one name; .*CAST\(value AS type\)"):
        await source.check(statement, (T.STRING,))


async def test_running_a_faulty_statement_names_the_fault(source: SqliteSource) -> None:
    with pytest.raises(DataSourceError, match="does not fit the data source: no such column: nam"):
        await fetch(source, "SELECT nam FROM item")


async def test_fault_of_a_value_is_told_while_running(source: SqliteSource) -> None:
    with pytest.raises(DataSourceError, match="malformed JSON"):
        await fetch(source, "SELECT name -> '$.a' FROM item")


async def test_source_satisfies_the_protocol(source: SqliteSource) -> None:
    served: QuerySource = source
    query = make_query("SELECT 1")

    await served.check(query.statement, query.types)

    assert (await served.run(query)).rows == [(1,)]


async def test_version_is_told(source: SqliteSource) -> None:
    assert (await source.server_version()).startswith("3.")


def doubling(depth: int, name: str = "c{}") -> str:
    names = [name.format(index) for index in range(depth)]
    tables = [f"{names[0]} AS (SELECT 1 AS v)"]
    for before, after in pairwise(names):
        tables.append(f"{after} (v) AS NOT MATERIALIZED (SELECT a.v FROM {before} a, {before} b)")
    return f"WITH {', '.join(tables)} SELECT v FROM {names[-1]}"


REVERSED = "WITH " + ", ".join(
    [f"c{n} AS (SELECT a.v FROM c{n - 1} a, c{n - 1} b)" for n in range(20, 0, -1)]
    + ["c0 AS (SELECT 1 AS v)"]
)
NESTED = "SELECT 1 AS v"
for _ in range(20):
    NESTED = f"WITH c AS ({NESTED}) SELECT a.v FROM c a, c b"


@pytest.mark.parametrize(
    "sql",
    [
        doubling(20),
        doubling(20, '"c {}"'),
        doubling(20, "`c{}`"),
        doubling(20, "'c{}'"),
        doubling(20, "[C{}]"),
        f"{REVERSED} SELECT v FROM c20",
        NESTED,
        f"SELECT * FROM ({doubling(20)})",
        doubling(20).replace("SELECT 1 AS v", "SELECT 1 AS v, 2 AS c5, 3 AS c19"),
    ],
    ids=[
        "plain",
        "quoted",
        "backticks",
        "texts",
        "brackets",
        "reversed",
        "same name",
        "inside",
        "columns of that name",
    ],
)
def test_tables_that_double_are_refused_in_any_writing(sql: str) -> None:
    started = time.process_time()

    with pytest.raises(StatementError, match="SQLite copies a common table"):
        check_expansion(sql)

    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "WITH a AS (SELECT 1 AS v) SELECT v FROM a x, a y, a z",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "WITH a AS (SELECT 1 AS b), b AS (SELECT b AS a FROM a) SELECT a FROM b",
        doubling(8),
        "WITH "
        + ", ".join(
            ["c0 AS (SELECT 1 AS v)", *(f"c{n} AS (SELECT v FROM c{n - 1})" for n in range(1, 100))]
        )
        + " SELECT v FROM c99",
        "SELECT sum(v) OVER w FROM (SELECT 1 AS v) WINDOW w AS (PARTITION BY v)",
        "SELECT CAST('with' AS TEXT) AS x",
        f"SELECT {'(' * 90}1{')' * 90}, {', '.join(['(1)'] * 1_000)}, '{'(' * 500}'",
    ],
    ids=["none", "thrice", "recursive", "columns", "few", "chain", "window", "text", "brackets"],
)
def test_usual_tables_are_served(sql: str) -> None:
    check_expansion(sql)


def test_very_deep_tables_are_refused() -> None:
    tables = ", ".join(
        f"c{n} AS (SELECT a.v FROM c{n - 1} a, c{n - 1} b)" for n in range(999, 0, -1)
    )

    with pytest.raises(StatementError, match="more than 200 deep"):
        check_expansion(f"WITH c0 AS (SELECT 1 AS v), {tables} SELECT v FROM c999")
