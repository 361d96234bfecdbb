"""Queries for tests, written as SQL with (type, value) for each parameter."""

import asyncio
from typing import Any

import psycopg

from core.execution import Query
from core.statement import compile_statement
from core.toolspec import ParameterType
from gateways.postgres.source import PostgresSource

Argument = tuple[ParameterType, Any]


def make_query(
    sql: str,
    *,
    row_limit: int = 100,
    byte_limit: int = 1_000_000,
    timeout_ms: int = 60_000,
    **arguments: Argument,
) -> Query:
    statement = compile_statement(sql)
    return Query(
        statement=statement,
        types=tuple(arguments[name][0] for name in statement.parameter_names),
        values={name: value for name, (_, value) in arguments.items()},
        row_limit=row_limit,
        byte_limit=byte_limit,
        timeout_ms=timeout_ms,
    )


async def fetch(source: PostgresSource, sql: str, **arguments: Any) -> list[list[Any]]:
    return list(map(list, (await source.run(make_query(sql, **arguments))).rows))


async def fetch_value(source: PostgresSource, sql: str, **arguments: Any) -> Any:
    [[value]] = await fetch(source, sql, **arguments)
    return value


async def wait_for_rows(
    observer: "psycopg.Connection[Any]", sql: str, count: int
) -> list[tuple[Any, ...]]:
    """The rows as soon as there are `count`; those after half a minute if there never are."""
    rows = observer.execute(sql).fetchall()
    for _ in range(1_500):
        if len(rows) == count:
            break
        await asyncio.sleep(0.02)
        rows = observer.execute(sql).fetchall()
    return rows
