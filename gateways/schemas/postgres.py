"""Reads PostgreSQL's tables on the safe path of every query, thousands of them in a handful of queries."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Self

from core.catalogue.entries import (
    ColumnShape,
    ForeignKey,
    Sample,
    TableKind,
    TableName,
    TableShape,
)
from core.errors import DataSourceError
from core.messages import message
from core.statement import CompiledStatement
from core.toolspec import Dialect, JsonValue
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from gateways.schemas.limits import (
    BATCH_SIZE,
    COMMENT_LIMIT,
    SAMPLE_BYTE_LIMIT,
    SAMPLE_CELL_LIMIT,
    SAMPLE_TIMEOUT_MS,
    STRUCTURE_TIMEOUT_MS,
    TABLE_LIMIT,
)
from gateways.schemas.postgres_queries import COLUMNS, FOREIGN_KEYS, TABLE_NAMES, TABLES
from gateways.schemas.postgres_types import short_type_name
from gateways.schemas.queries import (
    STRUCTURE_BYTE_LIMIT,
    STRUCTURE_ROW_LIMIT,
    fetch,
    fetch_sample,
)
from gateways.schemas.samples import sample_statement

_KINDS = {
    "r": TableKind.TABLE,
    "p": TableKind.TABLE,
    "v": TableKind.VIEW,
    "m": TableKind.MATERIALIZED_VIEW,
    "f": TableKind.FOREIGN_TABLE,
}
_Row = list[JsonValue]


class _TooMuchError(Exception):
    """An answer did not fit; fewer tables have to be asked for."""


class PostgresSchemaReader:
    """A SchemaReader of what the search path of the data source shows to its role.

    A table that the role may read in part shows only the columns that it may read. An answer of more
    than `answer_row_limit` columns or keys is asked for again in halves.
    """

    def __init__(
        self, settings: PostgresSettings, *, answer_row_limit: int = STRUCTURE_ROW_LIMIT
    ) -> None:
        # Two sources, as the time that a statement may take is the session's, and cells are cut on the
        # server; a scan asks for one thing after the other, so each needs one connection.
        self._structure = PostgresSource(
            replace(
                settings,
                pool_size=1,
                statement_timeout_ms=STRUCTURE_TIMEOUT_MS,
                row_limit=answer_row_limit,
                byte_limit=STRUCTURE_BYTE_LIMIT,
                cell_limit=COMMENT_LIMIT,
            )
        )
        self._samples = PostgresSource(
            replace(
                settings,
                pool_size=1,
                statement_timeout_ms=min(settings.statement_timeout_ms, SAMPLE_TIMEOUT_MS),
                byte_limit=SAMPLE_BYTE_LIMIT,
                cell_limit=SAMPLE_CELL_LIMIT,
            )
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._structure.close()
        await self._samples.close()

    async def list_tables(self) -> list[TableName]:
        result = await fetch(self._structure, TABLE_NAMES)
        if result.truncated or len(result.rows) > TABLE_LIMIT:
            raise DataSourceError(
                message(
                    "source.too_many_tables",
                    "the database shows more than {limit} tables; name fewer schemas in the"
                    " search path of the data source",
                    limit=TABLE_LIMIT,
                )
            )
        return [TableName(schema, name) for schema, name in result.rows]

    async def read_tables(self, names: Sequence[TableName]) -> list[TableShape]:
        shapes: list[TableShape] = []
        for start in range(0, len(names), BATCH_SIZE):
            shapes += await self._read_batch(names[start : start + BATCH_SIZE])
        return shapes

    async def read_sample(
        self, table: TableShape, masked: Collection[str], row_limit: int
    ) -> Sample:
        statement = sample_statement(table, masked, row_limit, Dialect.POSTGRESQL)
        timeout_ms = self._samples.settings.statement_timeout_ms
        return await fetch_sample(self._samples, statement, timeout_ms)

    async def _read_batch(self, names: Sequence[TableName]) -> list[TableShape]:
        try:
            return await self._read_at_once(names)
        except _TooMuchError as error:
            if len(names) == 1:
                raise DataSourceError(
                    message(
                        "source.description_too_long",
                        "the columns and comments of {table} are more than can be read; shorten its"
                        " comments",
                        table=names[0].name,
                    )
                ) from error
        half = len(names) // 2
        return [*await self._read_batch(names[:half]), *await self._read_batch(names[half:])]

    async def _read_at_once(self, names: Sequence[TableName]) -> list[TableShape]:
        schemas, tables = [name.schema for name in names], [name.name for name in names]
        rows = {
            TableName(row[1], row[2]): row
            for row in await self._fetch(TABLES, schemas=schemas, names=tables)
        }
        oids = [row[0] for row in rows.values()]
        columns = _by_table(await self._fetch(COLUMNS, tables=oids))
        keys = _by_table(await self._fetch(FOREIGN_KEYS, tables=oids))
        return [
            _make_table(rows[name], columns[rows[name][0]], keys[rows[name][0]])
            for name in names
            if name in rows
        ]

    async def _fetch(
        self, statement: CompiledStatement, **values: list[str] | list[int]
    ) -> list[_Row]:
        result = await fetch(self._structure, statement, **values)
        if result.truncated:
            raise _TooMuchError
        return result.rows


def _by_table(rows: list[_Row]) -> defaultdict[int, list[_Row]]:
    """The rows by the OID of their table, their first cell."""
    found: defaultdict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row)
    return found


def _make_table(row: _Row, columns: list[_Row], keys: list[_Row]) -> TableShape:
    _, schema, name, kind, comment, row_estimate = row
    shown = {column[1] for column in columns}
    return TableShape(
        name=TableName(schema, name),
        kind=_KINDS[kind],
        comment=comment,
        row_estimate=row_estimate,
        columns=tuple(map(_make_column, columns)),
        # A key over a column that the role may not read would tell its name.
        foreign_keys=tuple(_make_key(key) for key in keys if shown.issuperset(key[2])),
    )


def _make_column(row: _Row) -> ColumnShape:
    _, name, type_name, is_nullable, is_primary_key, comment = row
    return ColumnShape(
        name=name,
        type_name=short_type_name(type_name),
        is_nullable=is_nullable,
        is_primary_key=is_primary_key,
        comment=comment,
    )


def _make_key(row: _Row) -> ForeignKey:
    _, constraint_name, columns, schema, table, target_columns = row
    return ForeignKey(
        constraint_name=constraint_name,
        columns=tuple(columns),
        target=TableName(schema, table),
        target_columns=tuple(target_columns),
    )
