"""Reads the tables of a database of MariaDB or MySQL, as its role sees them."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Sequence
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
from core.toolspec import Dialect
from gateways.mysql.questions import fetch
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.source import MysqlSource
from gateways.mysql.wire import MysqlConnection
from gateways.schema_reading import (
    BATCH_SIZE,
    COMMENT_LIMIT,
    SAMPLE_BYTE_LIMIT,
    SAMPLE_CELL_LIMIT,
    STRUCTURE_TIMEOUT_MS,
    TableSampler,
    describing,
)

# Their rows are those of another server or of a file.
OUTSIDE_ENGINES = frozenset({"CONNECT", "FEDERATED", "SPIDER", "S3"})

_NAMES = """
SELECT table_name FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_type IN ('BASE TABLE', 'VIEW', 'SYSTEM VERSIONED')
ORDER BY BINARY table_name"""
_TABLES = """
SELECT table_name, table_type, CAST(coalesce(table_comment, '') AS CHAR), table_rows, engine
FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN ({marks})"""
_COLUMNS = """
SELECT table_name, column_name, CAST(column_type AS CHAR), is_nullable = 'YES', column_key = 'PRI',
    CAST(column_comment AS CHAR)
FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name IN ({marks})
ORDER BY table_name, ordinal_position"""
_KEYS = """
SELECT table_name, constraint_name, column_name, referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage
WHERE table_schema = DATABASE() AND referenced_table_schema = DATABASE() AND table_name IN ({marks})
ORDER BY table_name, constraint_name, ordinal_position"""

_Rows = list[tuple[Any, ...]]
_By = dict[str, _Rows]


class MysqlSchemaReader:
    """A SchemaReader of one database, whose tables have no schema; estimates are the server's own."""

    def __init__(self, settings: MysqlSettings) -> None:
        self._source = MysqlSource(
            replace(
                settings,
                statement_timeout_ms=STRUCTURE_TIMEOUT_MS,
                byte_limit=SAMPLE_BYTE_LIMIT,
                cell_limit=SAMPLE_CELL_LIMIT,
            )
        )
        self._sampler = TableSampler(self._source, Dialect.MYSQL, settings.statement_timeout_ms)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._source.close()

    async def list_tables(self) -> list[TableName]:
        rows = await self._read(lambda connection: fetch(connection, _NAMES))
        return [TableName("", name) for (name,) in rows]

    async def read_tables(self, names: Sequence[TableName]) -> list[TableShape]:
        shapes: list[TableShape] = []
        for start in range(0, len(names), BATCH_SIZE):
            batch = tuple(table.name for table in names[start : start + BATCH_SIZE])
            tables, columns, keys = [
                await self._read_by_table(sql, batch) for sql in (_TABLES, _COLUMNS, _KEYS)
            ]
            shapes += [
                _shape(tables[name][0], columns[name], keys[name]) for name in batch if tables[name]
            ]
        return shapes

    async def read_sample(
        self, table: TableShape, masked: Collection[str], row_limit: int
    ) -> Sample:
        return await self._sampler.read(table, masked, row_limit)

    async def _read_by_table(self, sql: str, names: tuple[str, ...]) -> _By:
        """The rows of each table, whose name comes first in them."""
        question = sql.format(marks=", ".join("?" * len(names)))
        rows = await self._read(lambda connection: fetch(connection, question, names))
        found: _By = defaultdict(list)
        for name, *rest in rows:
            found[name].append((name, *rest))
        return found

    async def _read(self, work: Callable[[MysqlConnection], Awaitable[_Rows]]) -> _Rows:
        return await describing(self._source.ask(work))


def _shape(table: tuple[Any, ...], columns: _Rows, keys: _Rows) -> TableShape:
    name, kind, comment, row_count, engine = table
    is_view = kind == "VIEW"
    is_outside = engine is not None and engine.upper() in OUTSIDE_ENGINES
    stored = TableKind.FOREIGN_TABLE if is_outside else TableKind.TABLE
    references: dict[str, _Rows] = {}
    for key in keys:
        references.setdefault(key[1], []).append(key)
    return TableShape(
        name=TableName("", name),
        kind=TableKind.VIEW if is_view else stored,
        # Of a view the server says this word alone.
        comment="" if is_view else _cut(comment),
        row_estimate=None if is_view or row_count is None else int(row_count),
        columns=tuple(
            ColumnShape(
                name=column,
                type_name=type_name,
                is_nullable=bool(is_nullable),
                is_primary_key=bool(is_key),
                comment=_cut(note),
            )
            for _, column, type_name, is_nullable, is_key, note in columns
        ),
        foreign_keys=tuple(
            ForeignKey(
                constraint_name=constraint,
                columns=tuple(part[2] for part in parts),
                target=TableName("", parts[0][3]),
                target_columns=tuple(part[4] for part in parts),
            )
            for constraint, parts in references.items()
        ),
    )


def _cut(comment: str) -> str:
    return comment if len(comment) <= COMMENT_LIMIT else f"{comment[: COMMENT_LIMIT - 1]}…"
