"""SQLite files and queries for tests, written as SQL with (type, value) for each parameter."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from core.execution import Query
from core.statement import compile_statement
from core.toolspec import Dialect, ParameterType
from gateways.sqlite.source import SqliteSource

Argument = tuple[ParameterType, Any]

TABLES = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, active BOOLEAN, data BLOB);
INSERT INTO item VALUES
    (1, 'apple', 9.5, 1, x'deadbeef'), (2, 'bread', 12.0, 0, NULL), (3, NULL, NULL, NULL, NULL);
CREATE VIEW priced AS SELECT id, upper(name) AS title FROM item WHERE price IS NOT NULL;
"""


def write(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def make_query(
    sql: str,
    *,
    row_limit: int = 100,
    byte_limit: int = 1_000_000,
    timeout_ms: int = 60_000,
    **arguments: Argument,
) -> Query:
    lists = frozenset(name for name, (declared, _) in arguments.items() if declared.is_list)
    statement = compile_statement(sql, dialect=Dialect.SQLITE, list_names=lists)
    return Query(
        statement=statement,
        types=tuple(arguments[name][0] for name in statement.parameter_names),
        values={name: value for name, (_, value) in arguments.items()},
        row_limit=row_limit,
        byte_limit=byte_limit,
        timeout_ms=timeout_ms,
    )


async def fetch(source: SqliteSource, sql: str, **arguments: Any) -> list[list[Any]]:
    return list(map(list, (await source.run(make_query(sql, **arguments))).rows))


async def fetch_value(source: SqliteSource, sql: str, **arguments: Any) -> Any:
    [[value]] = await fetch(source, sql, **arguments)
    return value


async def describe(source: SqliteSource, sql: str, **arguments: Any) -> Any:
    query = make_query(sql, **arguments)
    return await source.describe(query.statement, query.types)
