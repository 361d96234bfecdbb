"""Queries for tests, compiled as tools compile theirs."""

from typing import Any

from core.execution import Query
from core.statement import compile_statement
from core.toolspec import Dialect, ParameterType


def make_query(
    sql: str, values: dict[str, Any] | None = None, *, lists: tuple[str, ...] = (), **caps: int
) -> Query:
    statement = compile_statement(sql, dialect=Dialect.MYSQL, list_names=frozenset(lists))
    return Query(
        statement=statement,
        types=(ParameterType.STRING,) * len(statement.parameter_names),
        values=values or {},
        row_limit=caps.get("row_limit", 1_000),
        byte_limit=caps.get("byte_limit", 1_000_000),
        timeout_ms=caps.get("timeout_ms", 10_000),
    )
