"""Runs statements as the product does: compiled, checked and run on a data source within a deadline."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.execution import Query, QuerySource
from core.results import QueryResult
from core.statement import CompiledStatement, compile_statement
from core.toolspec import Dialect, ParameterType

TIMEOUT_MS = 2_000
# What a call may take longer than its deadline, on a machine that does other things too.
MARGIN_S = 1.5

Argument = tuple[ParameterType, Any]


@dataclass(frozen=True, slots=True)
class Honest:
    """A statement that has to be served: the rows that it must give for its arguments."""

    sql: str
    rows: list[list[Any]]
    arguments: Mapping[str, Argument] = field(default_factory=dict)


def make_query(
    sql: str,
    arguments: Mapping[str, Argument] | None = None,
    *,
    dialect: Dialect = Dialect.POSTGRESQL,
    timeout_ms: int = TIMEOUT_MS,
) -> Query:
    """The query of one call. Raises StatementError for a text that is never sent."""
    given = arguments or {}
    lists = {name for name, (kind, _) in given.items() if kind.is_list}
    values = {name: value for name, (_, value) in given.items()}
    statement = compile_statement(sql, dialect=dialect, list_names=lists).for_values(values)
    return _query(statement, given, timeout_ms)


def make_unchecked_query(sql: str, *, timeout_ms: int = TIMEOUT_MS) -> Query:
    """The query of a text that our own lexer has not seen."""
    return _query(CompiledStatement(sql, (), ()), {}, timeout_ms)


async def serve(source: QuerySource, query: Query) -> QueryResult:
    """What the source answers; fails the test whose call goes on for longer than its deadline."""
    async with asyncio.timeout(query.timeout_ms / 1_000 + MARGIN_S):
        await source.check(query.statement, query.types)
    async with asyncio.timeout(query.timeout_ms / 1_000 + MARGIN_S):
        return await source.run(query)


def _query(
    statement: CompiledStatement, arguments: Mapping[str, Argument], timeout_ms: int
) -> Query:
    return Query(
        statement=statement,
        types=tuple(arguments[name][0] for name in statement.parameter_names),
        values={name: value for name, (_, value) in arguments.items()},
        row_limit=100,
        byte_limit=1_000_000,
        timeout_ms=timeout_ms,
    )
