"""Queries of the readers on the safe path, and the errors that they may end in."""

from collections.abc import Awaitable
from typing import TypeVar

from core.catalogue.entries import Sample
from core.errors import DataSourceError, DeadlineExceededError, StatementError
from core.execution import Query, QuerySource
from core.messages import message
from core.results import QueryResult
from core.statement import CompiledStatement, compile_statement
from core.toolspec import ParameterType
from gateways.schemas.limits import SAMPLE_BYTE_LIMIT, SAMPLE_TIMEOUT_MS, STRUCTURE_TIMEOUT_MS
from gateways.schemas.samples import SampleStatement

STRUCTURE_ROW_LIMIT, STRUCTURE_BYTE_LIMIT = 200_000, 100_000_000

_T = TypeVar("_T")


async def fetch(
    source: QuerySource, statement: CompiledStatement, **values: list[str] | list[int]
) -> QueryResult:
    """The rows of a query of our own; each parameter is a list. Raises DataSourceError."""
    query = Query(
        statement=statement,
        types=tuple(_list_type(values[name]) for name in statement.parameter_names),
        values=values,
        row_limit=STRUCTURE_ROW_LIMIT,
        byte_limit=STRUCTURE_BYTE_LIMIT,
        timeout_ms=STRUCTURE_TIMEOUT_MS,
    )
    return await describing(source.run(query))


async def describing(answer: Awaitable[_T]) -> _T:
    """The answer; raises DataSourceError when the database was too slow to describe its tables."""
    try:
        return await answer
    except DeadlineExceededError as error:
        seconds = STRUCTURE_TIMEOUT_MS // 1_000
        raise DataSourceError(
            message(
                "source.description_too_slow",
                "the database did not describe its tables within {seconds} s; try again later",
                seconds=str(seconds),
            )
        ) from error


async def fetch_sample(source: QuerySource, sample: SampleStatement, timeout_ms: int) -> Sample:
    """The rows of one table, within `timeout_ms` and SAMPLE_TIMEOUT_MS. Raises DataSourceError."""
    try:
        query = Query(
            statement=compile_statement(sample.sql, dialect=sample.dialect),
            types=(),
            values={},
            row_limit=sample.row_limit,
            byte_limit=SAMPLE_BYTE_LIMIT,
            timeout_ms=min(timeout_ms, SAMPLE_TIMEOUT_MS),
        )
        result = await source.run(query)
    except DeadlineExceededError as error:
        raise DataSourceError(str(error)) from error
    except StatementError as error:
        raise DataSourceError(
            message(
                "source.rows_unreadable",
                "its rows cannot be asked for: {reason}",
                reason=error.message,
            )
        ) from error
    # The result's names are changed where SQLite numbers equal ones.
    rows = tuple(map(tuple, result.rows)) if sample.columns else ()
    return Sample(columns=sample.columns, rows=rows)


def _list_type(values: list[str] | list[int]) -> ParameterType:
    is_integer = bool(values) and isinstance(values[0], int)
    return ParameterType.INTEGER_LIST if is_integer else ParameterType.STRING_LIST
