"""What no statement can do to an SQLite file, or to the machine beside it."""
# ruff: noqa: ASYNC240, S608

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from core.errors import StatementError, ToolboxError
from core.execution import Query
from core.statement import CompiledStatement
from gateways.sqlite.guard import ALLOWED_FUNCTIONS
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tests.gateways.sqlite.queries import TABLES, describe, fetch, fetch_value, write

ATTACKS = {
    "insert": ("INSERT INTO item (id) VALUES (9)", "INSERT is not allowed"),
    "insert behind with": (
        "WITH a AS (SELECT 9 AS v) INSERT INTO item (id) SELECT v FROM a",
        "INSERT is not allowed; only queries are served",
    ),
    "update": ("UPDATE item SET name = 'x'", "UPDATE is not allowed"),
    "delete": ("DELETE FROM item", "DELETE is not allowed"),
    "replace": ("REPLACE INTO item (id) VALUES (1)", "INSERT is not allowed"),
    "returning": ("DELETE FROM item RETURNING id", "DELETE is not allowed"),
    "create": ("CREATE TABLE other (a)", "INSERT is not allowed"),
    "temporary table": ("CREATE TEMP TABLE other AS SELECT 1 AS a", "INSERT is not allowed"),
    "drop": ("DROP TABLE item", "DELETE is not allowed"),
    "attach": ("ATTACH '{folder}/other.db' AS other", "ATTACH is not allowed"),
    "detach": ("DETACH main", "DETACH is not allowed"),
    "vacuum into": ("VACUUM INTO '{folder}/other.db'", 'near "INTO"'),
    "pragma": ("PRAGMA query_only = OFF", "PRAGMA is not allowed"),
    "schema pragma": ("PRAGMA writable_schema = ON", "PRAGMA is not allowed"),
    "begin": ("BEGIN IMMEDIATE", "TRANSACTION is not allowed"),
    "savepoint": ("SAVEPOINT a", "SAVEPOINT is not allowed"),
    "analyze": ("ANALYZE", "is not allowed"),
    "reindex": ("REINDEX", "only queries that change nothing can be served"),
    "explain": ("EXPLAIN SELECT 1", 'near "EXPLAIN"'),
    "query plan": ("QUERY PLAN SELECT 1", "only queries that change nothing can be served"),
    "two statements": ("SELECT 1; DELETE FROM item", "one statement"),
    "two queries": ("SELECT 1;\nSELECT 2", "one statement"),
    "escape": ("SELECT 1) UNION SELECT name FROM item --", 'near "\\)"'),
    "escape to a limit": ("SELECT 1) LIMIT -1 --", 'near "\\)"'),
    "open comment": ("SELECT 1 /* ", "only queries|incomplete|never closed"),
    "pragma table": ("SELECT * FROM pragma_table_info('item')", "table pragma_table_info"),
    "pragma writer": ("SELECT * FROM pragma_query_only(0)", "pragma_query_only|no such table"),
    "statements of others": ("SELECT sql FROM sqlite_stmt", "table sqlite_stmt is not allowed"),
    "pages": ("SELECT * FROM dbstat", "table dbstat is not allowed"),
    "extension": ("SELECT load_extension('x.so')", "function load_extension is not allowed"),
    "tokenizer": ("SELECT fts3_tokenizer('simple')", "function fts3_tokenizer is not allowed"),
    "read a file": ("SELECT readfile('/etc/passwd')", "no such function: readfile"),
    "write a file": ("SELECT writefile('{folder}/other.db', 'x')", "no such function: writefile"),
    "log": ("SELECT sqlite_log(1, 'x')", "function sqlite_log is not allowed"),
}


def statement_of(sql: str) -> CompiledStatement:
    """As nothing compiles it: what the gateway would do without the lexer before it."""
    return CompiledStatement(sql, (), ())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    write(path, TABLES)
    return path


@pytest_asyncio.fixture
async def source(path: Path) -> AsyncIterator[SqliteSource]:
    async with SqliteSource(SqliteSettings(path=path)) as source:
        yield source


@pytest.mark.parametrize(("sql", "message"), ATTACKS.values(), ids=ATTACKS.keys())
async def test_attack_is_refused_and_changes_nothing(
    source: SqliteSource, path: Path, sql: str, message: str
) -> None:
    statement = statement_of(sql.format(folder=path.parent))
    before = path.read_bytes()

    with pytest.raises(StatementError, match=message):
        await source.check(statement, ())
    with pytest.raises(ToolboxError, match=message):
        await source.run(run_of(statement))

    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def run_of(statement: CompiledStatement) -> Query:
    return Query(
        statement=statement, types=(), values={}, row_limit=10, byte_limit=10_000, timeout_ms=60_000
    )


async def test_nothing_of_a_call_is_left_for_the_next(source: SqliteSource) -> None:
    for sql, _ in ATTACKS.values():
        with pytest.raises(ToolboxError):
            await source.run(run_of(statement_of(sql)))

    assert await fetch_value(source, "SELECT count(*) FROM sqlite_temp_master") == 0
    assert await fetch_value(source, "SELECT count(*) FROM item") == 3


@pytest.mark.parametrize("call", ["no_such(1)", "load_extension('x')"])
async def test_refusal_names_its_place(source: SqliteSource, call: str) -> None:
    sql = f"SELECT id, {call} FROM item"

    with pytest.raises(StatementError) as caught:
        await describe(source, sql)

    assert caught.value.position == sql.index(call)


async def test_structure_of_the_file_may_be_read(source: SqliteSource) -> None:
    rows = await fetch(source, "SELECT name FROM sqlite_master ORDER BY name")

    assert rows == [["item"], ["priced"]]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT title FROM priced ORDER BY id DESC", [["BREAD"], ["APPLE"]]),
        ("SELECT value FROM json_each('[1, 2]')", [[1], [2]]),
        ("SELECT count(*) FROM json_tree('[1, [2]]')", [[4]]),
        ("VALUES (1, 2), (3, 4)", [[1, 2], [3, 4]]),
        ("WITH a AS (SELECT 1 AS v) SELECT v FROM a -- end", [[1]]),
        ("SELECT id FROM item ORDER BY id DESC", [[3], [2], [1]]),
        ("SELECT name || ')' FROM item WHERE id = 1", [["apple)"]]),
        ("SELECT 'apple' -> '$' IS NULL, name LIKE 'A%' FROM item LIMIT 0", []),
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)"
            " SELECT i, sum(i) OVER (ORDER BY i) FROM n",
            [[1, 1], [2, 3], [3, 6]],
        ),
    ],
    ids=[
        "view",
        "json",
        "tree",
        "values",
        "comment",
        "order",
        "bracket in text",
        "operators",
        "recursion",
    ],
)
async def test_query_runs(source: SqliteSource, sql: str, rows: list[list[object]]) -> None:
    assert await fetch(source, sql) == rows


@pytest.mark.parametrize(
    ("table", "sql"),
    [
        ("USING fts5(text)", "SELECT text, bm25(words) < 1 FROM words('hello')"),
        ("USING fts4(text)", "SELECT snippet(words), 1 FROM words WHERE words MATCH 'hello'"),
        ("USING rtree(id, low, high)", "SELECT id, high FROM words WHERE low < 5"),
    ],
    ids=["fts5", "fts4", "rtree"],
)
async def test_virtual_table_of_the_file_can_be_searched(
    source: SqliteSource, path: Path, table: str, sql: str
) -> None:
    values = "1, 0, 9" if "rtree" in table else "'hello world'"
    write(path, f"CREATE VIRTUAL TABLE words {table}; INSERT INTO words VALUES ({values})")

    [[_, second]] = await fetch(source, sql)

    assert second in (1, 9.0)


async def test_table_behind_a_virtual_one_cannot_be_written(
    source: SqliteSource, path: Path
) -> None:
    write(path, "CREATE VIRTUAL TABLE words USING rtree(id, low, high)")
    before = path.read_bytes()

    # SQLite itself says so since 3.46.
    refusal = "only queries that change nothing can be served|table words_node may not be modified"
    with pytest.raises(StatementError, match=refusal):
        await source.check(statement_of("DELETE FROM words_node"), ())

    assert path.read_bytes() == before


def test_every_function_of_this_build_was_judged() -> None:
    refused = {"load_extension", "fts3_tokenizer", "fts5", "fts5_source_id", "optimize"}
    inner = {
        "changes",
        "last_insert_rowid",
        "total_changes",
        "rtreecheck",
        "rtreedepth",
        "rtreenode",
    }
    told = {
        "sqlite_compileoption_get",
        "sqlite_compileoption_used",
        "sqlite_log",
        "sqlite_source_id",
    }
    with sqlite3.connect(":memory:") as connection:
        rows = connection.execute("SELECT DISTINCT name FROM pragma_function_list").fetchall()
    connection.close()

    if sqlite3.sqlite_version_info < (3, 46):
        assert {name for (name,) in rows} - ALLOWED_FUNCTIONS <= refused | inner | told


@pytest.mark.parametrize("depth", [15, 25], ids=["many copies", "endless copies"])
async def test_tables_that_double_each_other_are_refused(source: SqliteSource, depth: int) -> None:
    tables = ", ".join(f"c{i} AS (SELECT a.v FROM c{i - 1} a, c{i - 1} b)" for i in range(1, depth))

    with pytest.raises(StatementError, match="copies a common table"):
        await describe(source, f"WITH c0 AS (SELECT 1 AS v), {tables} SELECT v FROM c{depth - 1}")
