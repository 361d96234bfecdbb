"""Reads PostgreSQL's tables on the safe path of every query, thousands of them in a handful of queries."""

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Self

from core.catalogue.entries import ColumnShape, ForeignKey, Sample, TableKind, TableName, TableShape
from core.errors import DataSourceError
from core.execution import Query
from core.identity import NO_IDENTITY
from core.messages import message
from core.results import QueryResult
from core.statement import CompiledStatement
from core.toolspec import Dialect, JsonValue, ParameterType
from gateways.postgres.products import Feature
from gateways.postgres.schema_queries import (
    COLUMNS,
    FOREIGN_KEYS,
    PLAIN_COLUMNS,
    PLAIN_TABLE_NAMES,
    TABLE_NAMES,
    TABLES,
)
from gateways.postgres.settings import PostgresSettings, read_search_path
from gateways.postgres.source import PostgresSource
from gateways.postgres.wire import WireConnection
from gateways.schema_reading import (
    BATCH_SIZE,
    COMMENT_LIMIT,
    SAMPLE_BYTE_LIMIT,
    SAMPLE_CELL_LIMIT,
    SAMPLE_TIMEOUT_MS,
    STRUCTURE_TIMEOUT_MS,
    TABLE_LIMIT,
    TableSampler,
    describing,
)

STRUCTURE_ROW_LIMIT, STRUCTURE_BYTE_LIMIT = 200_000, 100_000_000

_KINDS = {
    "r": TableKind.TABLE,
    "p": TableKind.TABLE,
    "v": TableKind.VIEW,
    "m": TableKind.MATERIALIZED_VIEW,
    "f": TableKind.FOREIGN_TABLE,
}
# What format_type writes out, and the shorter name for it. Types of users that are named so come quoted.
_SHORT_NAMES = {
    "character varying": "varchar",
    "character": "char",
    "numeric": "decimal",
    "bit varying": "varbit",
    "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp",
    "time with time zone": "timetz",
    "time without time zone": "time",
}
_FORMATTED = re.compile(
    r"(?P<word>[a-z]+(?: varying)?)(?P<size>\([-0-9,]+\))?(?P<zone> with(?:out)? time zone)?"
    r"(?P<array>(?:\[\])*)"
)
_Row = tuple[JsonValue, ...]


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
        # A scan is nobody's call: it sees what policies show to the role itself.
        settings = replace(settings, identity=NO_IDENTITY)
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
        if await self._is_plain():
            schemas = read_search_path(self._structure.settings.search_path)
            result = await self._ask(PLAIN_TABLE_NAMES, schemas=schemas)
        else:
            result = await self._ask(TABLE_NAMES)
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
        timeout_ms = self._samples.settings.statement_timeout_ms
        sampler = TableSampler(self._samples, Dialect.POSTGRESQL, timeout_ms)
        return await sampler.read(table, masked, row_limit)

    async def _read_batch(self, names: Sequence[TableName]) -> list[TableShape]:
        try:
            schemas, tables = [name.schema for name in names], [name.name for name in names]
            if await self._is_plain():
                cells = await self._fetch(PLAIN_COLUMNS, schemas=schemas, names=tables)
                return _make_plain_tables(cells, names)
            rows = {
                TableName(row[1], row[2]): row
                for row in await self._fetch(TABLES, schemas=schemas, names=tables)
            }
            oids = [row[0] for row in rows.values()]
            columns = _group_by_table(await self._fetch(COLUMNS, tables=oids))
            keys = _group_by_table(await self._fetch(FOREIGN_KEYS, tables=oids))
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
        found = [rows[name] for name in names if name in rows]
        return [_make_table(row, columns[row[0]], keys[row[0]]) for row in found]

    async def _is_plain(self) -> bool:
        """Whether the server tells no more than the SQL standard has every server tell."""

        async def read(connection: WireConnection) -> bool:
            return Feature.CATALOGUE in connection.product.lacks

        return await self._structure.ask(read)

    async def _fetch(
        self, statement: CompiledStatement, **values: list[str] | list[int]
    ) -> list[_Row]:
        result = await self._ask(statement, **values)
        if result.truncated:
            raise _TooMuchError
        return result.rows

    async def _ask(
        self, statement: CompiledStatement, **values: list[str] | list[int]
    ) -> QueryResult:
        """The rows of a query of our own; each parameter is a list. Raises DataSourceError."""
        query = Query(
            statement=statement,
            types=tuple(
                ParameterType.INTEGER_LIST
                if values[name] and isinstance(values[name][0], int)
                else ParameterType.STRING_LIST
                for name in statement.parameter_names
            ),
            values=values,
            row_limit=STRUCTURE_ROW_LIMIT,
            byte_limit=STRUCTURE_BYTE_LIMIT,
            timeout_ms=STRUCTURE_TIMEOUT_MS,
        )
        return await describing(self._structure.run(query))


def _group_by_table(rows: list[_Row]) -> defaultdict[int, list[_Row]]:
    """The rows by the OID of their table, their first cell."""
    groups: defaultdict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[row[0]].append(row)
    return groups


def _make_plain_tables(cells: list[_Row], names: Sequence[TableName]) -> list[TableShape]:
    kinds: dict[TableName, TableKind] = {}
    columns: defaultdict[TableName, list[ColumnShape]] = defaultdict(list)
    for schema, table, kind, name, type_name, is_nullable in cells:
        of_table = TableName(schema, table)
        kinds[of_table] = TableKind.VIEW if kind == "VIEW" else TableKind.TABLE
        columns[of_table].append(
            ColumnShape(
                name=name,
                type_name=shorten_type_name(type_name),
                is_nullable=is_nullable != "NO",
            )
        )
    return [
        TableShape(name=name, kind=kinds[name], columns=tuple(columns[name]))
        for name in names
        if name in kinds
    ]


def _make_table(row: _Row, columns: list[_Row], keys: list[_Row]) -> TableShape:
    _, schema, name, kind, comment, row_estimate = row
    shown = {column[1] for column in columns}
    return TableShape(
        name=TableName(schema, name),
        kind=_KINDS[kind],
        comment=comment,
        row_estimate=row_estimate,
        columns=tuple(
            ColumnShape(
                name=column_name,
                type_name=shorten_type_name(type_name),
                is_nullable=is_nullable,
                is_primary_key=is_primary_key,
                comment=column_comment,
            )
            for _, column_name, type_name, is_nullable, is_primary_key, column_comment in columns
        ),
        foreign_keys=tuple(
            ForeignKey(
                constraint_name=constraint_name,
                columns=tuple(key_columns),
                target=TableName(target_schema, target),
                target_columns=tuple(target_columns),
            )
            for _, constraint_name, key_columns, target_schema, target, target_columns in keys
            # A key over a column that the role may not read would tell its name.
            if shown.issuperset(key_columns)
        ),
    )


def shorten_type_name(formatted: str) -> str:
    """`varchar(255)[]` for `character varying(255)[]`; a name that has no shorter one stays."""
    match = _FORMATTED.fullmatch(formatted)
    if match is None:
        return formatted
    short_name = _SHORT_NAMES.get(match["word"] + (match["zone"] or ""))
    return f"{short_name}{match['size'] or ''}{match['array']}" if short_name else formatted
