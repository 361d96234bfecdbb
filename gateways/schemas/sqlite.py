"""Reads the tables of an SQLite file, which has no comments and rarely knows how many rows there are."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Self

from core.catalogue.entries import Sample, TableKind, TableName, TableShape
from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
)
from core.execution import Query
from core.statement import compile_statement
from core.toolspec import Dialect
from gateways.schemas.limits import (
    BATCH_SIZE,
    SAMPLE_BYTE_LIMIT,
    SAMPLE_CELL_LIMIT,
    STRUCTURE_TIMEOUT_MS,
)
from gateways.schemas.queries import describing, fetch_sample
from gateways.schemas.samples import quote, sample_statement
from gateways.schemas.sqlite_structure import list_tables, read_tables
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource

# Counting reads the whole table: not beyond so many rows, nor for longer than this, for one table
# and for all tables of a reader.
COUNT_LIMIT = 1_000_000
COUNT_TIMEOUT_MS = 250
COUNTS_S = 30.0


class SqliteSchemaReader:
    """A SchemaReader of one file.

    A row estimate is that of ANALYZE, else a count, at most COUNT_LIMIT; None where that takes too
    long. A view that fails has no columns.
    """

    def __init__(self, settings: SqliteSettings) -> None:
        self._source = SqliteSource(
            replace(
                settings,
                statement_timeout_ms=STRUCTURE_TIMEOUT_MS,
                byte_limit=SAMPLE_BYTE_LIMIT,
                cell_limit=SAMPLE_CELL_LIMIT,
            )
        )
        self._sample_timeout_ms = settings.statement_timeout_ms
        self._counts_s = COUNTS_S

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._source.close()

    async def list_tables(self) -> list[TableName]:
        return await describing(self._source.read_structure(list_tables))

    async def read_tables(self, names: Sequence[TableName]) -> list[TableShape]:
        shapes: list[TableShape] = []
        for start in range(0, len(names), BATCH_SIZE):
            batch = names[start : start + BATCH_SIZE]
            found = await describing(self._source.read_structure(partial(read_tables, names=batch)))
            shapes += [await self._with_estimate(shape) for shape in found]
        return shapes

    async def read_sample(
        self, table: TableShape, masked: Collection[str], row_limit: int
    ) -> Sample:
        statement = sample_statement(table, masked, row_limit, Dialect.SQLITE)
        return await fetch_sample(self._source, statement, self._sample_timeout_ms)

    async def _with_estimate(self, shape: TableShape) -> TableShape:
        is_uncounted = shape.row_estimate is None and shape.kind is TableKind.TABLE
        if not is_uncounted or self._counts_s <= 0:
            return shape
        started = monotonic()
        count = await self._count(shape.name.name)
        self._counts_s -= monotonic() - started
        return replace(shape, row_estimate=count)

    async def _count(self, table: str) -> int | None:
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {quote(table)} LIMIT {COUNT_LIMIT})"  # noqa: S608 - quoted
        try:
            query = Query(
                statement=compile_statement(sql, dialect=Dialect.SQLITE),
                types=(),
                values={},
                row_limit=1,
                byte_limit=SAMPLE_BYTE_LIMIT,
                timeout_ms=COUNT_TIMEOUT_MS,
            )
            [[count]] = (await self._source.run(query)).rows
        except DataSourceUnavailableError:
            raise
        except (DataSourceError, DeadlineExceededError, StatementError):
            return None
        return int(count)
