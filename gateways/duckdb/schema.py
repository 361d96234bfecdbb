"""Reads the tables of a DuckDB database, or of a folder's files."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Self

from core.catalogue.entries import (
    ColumnShape,
    ForeignKey,
    Sample,
    TableKind,
    TableName,
    TableShape,
)
from core.catalogue.short_texts import cut_text
from core.toolspec import Dialect
from gateways.duckdb.settings import DuckdbSettings, FilesSettings
from gateways.duckdb.source import DuckdbSource
from gateways.schema_reading import (
    COMMENT_LIMIT,
    SAMPLE_BYTE_LIMIT,
    SAMPLE_CELL_LIMIT,
    STRUCTURE_TIMEOUT_MS,
    TABLE_LIMIT,
    TableSampler,
    describing,
)


class DuckdbSchemaReader:
    """A SchemaReader of one database file or folder; files are views without a count of rows."""

    def __init__(self, settings: DuckdbSettings | FilesSettings) -> None:
        self._source = DuckdbSource(
            replace(
                settings,
                pool_size=1,
                statement_timeout_ms=STRUCTURE_TIMEOUT_MS,
                byte_limit=SAMPLE_BYTE_LIMIT,
                cell_limit=SAMPLE_CELL_LIMIT,
            )
        )
        self._are_files = isinstance(settings, FilesSettings)
        self._sampler = TableSampler(
            self._source, Dialect.DUCKDB, settings.statement_timeout_ms, is_qualified=True
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._source.close()

    async def list_tables(self) -> list[TableName]:
        return [shape.name for shape in await self._read_all()]

    async def read_tables(self, names: Sequence[TableName]) -> list[TableShape]:
        shapes = {shape.name: shape for shape in await self._read_all()}
        return [shapes[name] for name in names if name in shapes]

    async def read_sample(
        self, table: TableShape, masked: Collection[str], row_limit: int
    ) -> Sample:
        return await self._sampler.read(table, masked, row_limit)

    async def _read_all(self) -> list[TableShape]:
        found = await describing(self._source.read_structure())
        return [self._shape(table) for table in found[:TABLE_LIMIT]]

    def _shape(self, table: dict[str, Any]) -> TableShape:
        key = set(table["primary_key"])
        is_view = bool(table["is_view"]) and not self._are_files
        return TableShape(
            name=TableName(table["schema"], table["name"]),
            kind=TableKind.VIEW if is_view else TableKind.TABLE,
            comment=cut_text(table["comment"], COMMENT_LIMIT),
            row_estimate=table["row_estimate"],
            columns=tuple(
                ColumnShape(
                    name=name,
                    type_name=type_name.lower(),
                    is_nullable=is_nullable,
                    comment=cut_text(comment, COMMENT_LIMIT),
                    is_primary_key=name in key,
                )
                for name, type_name, is_nullable, comment in table["columns"]
            ),
            foreign_keys=tuple(
                ForeignKey(
                    constraint_name=name or "_".join((table["name"], *columns, "fkey")),
                    columns=tuple(columns),
                    target=TableName(table["schema"], target),
                    target_columns=tuple(targets),
                )
                for name, columns, target, targets in table["foreign_keys"]
            ),
        )
