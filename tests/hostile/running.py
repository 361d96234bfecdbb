"""Runs statements as the product does: compiled, checked and run on a data source within a deadline."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.execution import Query, QuerySource
from core.results import QueryResult
from core.statement import CompiledStatement, compile_statement
from core.toolspec import Dialect, ParameterType
from tests.waiting import LIMIT_S

# Beyond what any honest statement takes, on a machine that does other things too.
LONG_MS = 30_000
# Of statements without end.
SHORT_MS = 300
STOPPED = "took longer than 0.3 s and was stopped"

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
    timeout_ms: int = LONG_MS,
) -> Query:
    """The query of one call. Raises StatementError for a text that is never sent."""
    given = arguments or {}
    lists = frozenset(name for name, (kind, _) in given.items() if kind.is_list)
    values = {name: value for name, (_, value) in given.items()}
    statement = compile_statement(sql, dialect=dialect, list_names=lists).for_values(values)
    return _query(statement, given, timeout_ms)


def make_unchecked_query(sql: str, *, timeout_ms: int = LONG_MS) -> Query:
    """The query of a text that our own lexer has not seen."""
    return _query(CompiledStatement(sql, (), ()), {}, timeout_ms)


async def serve(source: QuerySource, query: Query) -> QueryResult:
    """What the source answers; fails the test whose call goes on although its deadline is over."""
    async with asyncio.timeout(2 * LIMIT_S):
        await source.check(query.statement, query.types)
        return await source.run(query)


def limit_for(text: str) -> int:
    """The deadline, in ms, of a statement whose answer has to say `text`."""
    return SHORT_MS if "took longer" in text else LONG_MS


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
