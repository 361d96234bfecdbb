"""Reads the tables of an SQLite file, which has no comments and rarely knows how many rows there are."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Self

from core.catalogue.entries import Sample, TableKind, TableName, TableShape
from core.catalogue.sql_names import quote_exactly
from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
)
from core.execution import Query
from core.statement import compile_statement
from core.toolspec import Dialect
from gateways.schema_reading import (
    BATCH_SIZE,
    SAMPLE_BYTE_LIMIT,
    SAMPLE_CELL_LIMIT,
    STRUCTURE_TIMEOUT_MS,
    TableSampler,
    describing,
)
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from gateways.sqlite.structure import list_tables, read_tables

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
        # Alone, the name of a column that is gone is a text to SQLite.
        self._sampler = TableSampler(
            self._source, Dialect.SQLITE, settings.statement_timeout_ms, is_qualified=True
        )
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
        return await self._sampler.read(table, masked, row_limit)

    async def _with_estimate(self, shape: TableShape) -> TableShape:
        is_uncounted = shape.row_estimate is None and shape.kind is TableKind.TABLE
        if not is_uncounted or self._counts_s <= 0:
            return shape
        name = quote_exactly(shape.name.name, Dialect.SQLITE)
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {name} LIMIT {COUNT_LIMIT})"  # noqa: S608 - quoted
        started = monotonic()
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
            count = None
        self._counts_s -= monotonic() - started
        return replace(shape, row_estimate=count)
