"""What PostgreSQL says about a statement before it runs: parameter types, columns, refusals."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import NamedTuple

from psycopg.pq.abc import PGresult

from core.errors import StatementError
from core.messages import message
from core.statement import CompiledStatement
from core.toolspec import ParameterType
from gateways.postgres.columns import ColumnReader, PostgresType, find_reader
from gateways.postgres.functions import DENIED_SQL, HARMLESS_FUNCTIONS, refuse_denied
from gateways.postgres.inference import infer_shape
from gateways.postgres.parameters import INT8_OID, NUMERIC_OID
from gateways.postgres.wire import ReadOnlyQuery, ServerError, Shape, WireConnection

# How many bytes one chunk of rows may have when every cell is as long as it can be: less than a
# source gives at most, so that one row of many long cells is shown rather than none.
_CHUNK_BYTES = 8_000_000
_MOST_CHUNK_ROWS = 1_000
_SIZED_CELL_BYTES = 64
_LEAST_CELL_LIMIT = 256
_SYNTAX_ERROR, _FEATURE_NOT_SUPPORTED = "42601", "0A000"

_TYPES_SQL = """
SELECT oid::text, typname, format_type(oid, NULL), typcategory FROM pg_catalog.pg_type
WHERE oid = ANY($1::oid[])"""
_ORIGINS_SQL = """
SELECT DISTINCT c.oid::text, a.attnum::text, n.nspname, c.relname, a.attname
FROM unnest($1::oid[], $2::smallint[]) AS asked(number, position)
JOIN pg_catalog.pg_class AS c ON c.oid = asked.number
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = asked.position"""
# How long it may take until functions of a new extension are refused.
_DENIED_LIFETIME_S = 60.0


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the answer; `type_name` as people write it, such as `integer`."""

    name: str
    type_oid: int
    type_name: str


class ColumnOrigin(NamedTuple):
    """The column of a table, or view, that a column of an answer shows unchanged."""

    schema: str
    table: str
    column: str


@dataclass(frozen=True, slots=True)
class Description:
    """Columns and parameter types of a statement, and the query that runs it within the caps.

    `sql` takes one more parameter than the statement: the number of rows to give at most.
    """

    columns: tuple[Column, ...]
    parameter_oids: tuple[int, ...]
    origins: tuple[tuple[int, int] | None, ...]
    sql: bytes = field(repr=False)
    readers: tuple[type[ColumnReader], ...] = field(repr=False)
    wire_oids: tuple[int, ...] = field(repr=False)
    chunk_rows: int = field(repr=False)
    cell_limit: int = field(repr=False)


class StatementDescriber:
    """Asks the server about statements; remembers its types and the functions it must not call."""

    def __init__(self, cell_limit: int) -> None:
        self._cell_limit = cell_limit
        self._types: dict[int, PostgresType] = {}
        self._denied: frozenset[str] | None = None
        self._denied_until = inf

    async def describe(
        self,
        connection: WireConnection,
        statement: CompiledStatement,
        declared: Sequence[ParameterType | None],
        numeric: frozenset[int] = frozenset(),
    ) -> Description:
        """The description; the parameters at the indexes `numeric` are taken as numeric.

        A type that is not declared (None) is the server's to find, and text where it finds none.
        Raises StatementError with the server's own words, ServerError and ConnectionLostError where
        the fault is not the statement's.
        """
        await self._refuse_denied(connection, statement)
        try:
            shape = await infer_shape(connection, statement, declared, numeric)
        except ServerError as error:
            raise _statement_error(error, statement) from error
        if not shape.columns:
            raise StatementError(
                message(
                    "statement.no_rows",
                    "the statement gives no rows; only queries can be served (SELECT ... INTO"
                    " writes a table: leave INTO out)",
                ),
                0,
            )
        return await self._plan(connection, statement, shape)

    async def _plan(
        self, connection: WireConnection, statement: CompiledStatement, shape: Shape
    ) -> Description:
        types = await self._find_types(connection, [oid for _, oid in shape.columns])
        readers = tuple(find_reader(column_type) for column_type in types)
        cell_limit = _limit_cells(readers, self._cell_limit)
        sql = _wrap(statement, readers, cell_limit)
        wrapped = await _describe_query(connection, sql, (*shape.parameter_oids, INT8_OID))
        return Description(
            columns=tuple(
                Column(name, oid, _name_type(column_type, modifier))
                for (name, oid), column_type, modifier in zip(
                    shape.columns, types, shape.modifiers, strict=True
                )
            ),
            parameter_oids=shape.parameter_oids,
            origins=shape.origins,
            sql=sql.encode(),
            readers=readers,
            wire_oids=tuple(oid for _, oid in wrapped.columns),
            chunk_rows=_count_chunk_rows(readers, cell_limit),
            cell_limit=cell_limit,
        )

    async def _refuse_denied(
        self, connection: WireConnection, statement: CompiledStatement
    ) -> None:
        if self._denied is None or self._denied_until < monotonic():
            names = await _fetch(connection, DENIED_SQL)
            self._denied = frozenset(name for (name,) in names) - HARMLESS_FUNCTIONS
            self._denied_until = monotonic() + _DENIED_LIFETIME_S
        refuse_denied(statement, self._denied)

    async def _find_types(
        self, connection: WireConnection, oids: Sequence[int]
    ) -> list[PostgresType]:
        if missing := sorted({oid for oid in oids if oid not in self._types}):
            asked = "{" + ",".join(map(str, missing)) + "}"
            for oid, name, label, category in await _fetch(connection, _TYPES_SQL, asked):
                self._types[int(oid)] = PostgresType(int(oid), name, label, category)
        return [self._types[oid] for oid in oids]


async def _describe_query(connection: WireConnection, sql: str, oids: Sequence[int]) -> Shape:
    """Only a query can stand where the statement is put; a command is an error of syntax there."""
    try:
        return await connection.describe(sql, oids)
    except ServerError as error:
        if error.sqlstate in {_SYNTAX_ERROR, _FEATURE_NOT_SUPPORTED}:
            text = message(
                "statement.changes_something",
                "only queries that change nothing can be served: {reason}",
                reason=str(error),
            )
            raise StatementError(text, 0) from error
        raise StatementError(str(error)) from error


def _name_type(column_type: PostgresType, modifier: int) -> str:
    """The type's label; a numeric with its digits, which its modifier holds above a header of 4."""
    if column_type.oid != NUMERIC_OID or modifier < 4:
        return column_type.label
    precision, scale = divmod(modifier - 4, 1 << 16)
    return f"{column_type.label}({precision},{scale})" if scale <= precision else column_type.label


async def find_origins(
    connection: WireConnection, description: Description
) -> tuple[ColumnOrigin | None, ...]:
    """Where each column of the answer comes from; None for what is computed, or gone by now."""
    known = [origin for origin in description.origins if origin]
    tables = "{" + ",".join(str(table) for table, _ in known) + "}"
    numbers = "{" + ",".join(str(number) for _, number in known) + "}"
    rows = await _fetch(connection, _ORIGINS_SQL, tables, numbers) if known else []
    found = {(int(table), int(number)): ColumnOrigin(*names) for table, number, *names in rows}
    return tuple(found.get(origin) if origin else None for origin in description.origins)


async def read_plan(
    connection: WireConnection, description: Description, values: Sequence[bytes | None]
) -> str:
    """The plan of a described query, a line for each step; the query is not run.

    `values` are those of the statement and the number of rows.
    """
    lines: list[str] = []

    def receive(result: PGresult) -> bool:
        lines.extend((result.get_value(row, 0) or b"").decode() for row in range(result.ntuples))
        return True

    sql = b"EXPLAIN (FORMAT TEXT) " + description.sql
    oids = (*description.parameter_oids, INT8_OID)
    await connection.select(ReadOnlyQuery(sql, values, oids, _MOST_CHUNK_ROWS), receive)
    return "\n".join(lines)


def _wrap(
    statement: CompiledStatement, readers: Sequence[type[ColumnReader]], cell_limit: int
) -> str:
    """The statement as a subquery; numbered columns keep equal names legal.

    The line breaks keep a comment at the statement's end from hiding what follows.
    """
    names = [f"c{index}" for index in range(len(readers))]
    cells = [
        reader.expression(name, cell_limit) for reader, name in zip(readers, names, strict=True)
    ]
    limit = len(statement.parameter_names) + 1
    subquery = f"(\n{statement.sql}\n) AS t({', '.join(names)})"
    # The statement is the author's own SQL; what it may be is for the server to say.
    return f"SELECT {', '.join(cells)} FROM {subquery} LIMIT ${limit}"  # noqa: S608


def _limit_cells(readers: Sequence[type[ColumnReader]], cell_limit: int) -> int:
    """So many characters a cell that one row of nothing but long cells fits a chunk."""
    long_bytes = sum(reader.character_bytes for reader in readers)
    return min(cell_limit, max(_CHUNK_BYTES // max(long_bytes, 1), _LEAST_CELL_LIMIT))


def _count_chunk_rows(readers: Sequence[type[ColumnReader]], cell_limit: int) -> int:
    row_bytes = sum(
        reader.character_bytes * (cell_limit + 1) or _SIZED_CELL_BYTES for reader in readers
    )
    return min(max(_CHUNK_BYTES // row_bytes, 1), _MOST_CHUNK_ROWS)


def _statement_error(error: ServerError, statement: CompiledStatement) -> StatementError:
    position = statement.source_position(error.position) if error.position else None
    text = statement.with_names(str(error))
    return StatementError(text, position, code=error.sqlstate, hint=error.hint)


async def _fetch(connection: WireConnection, sql: str, *values: str) -> list[list[str]]:
    """All rows of a query of our own, as text."""
    rows: list[list[str]] = []

    def receive(result: PGresult) -> bool:
        rows.extend(
            [(result.get_value(row, column) or b"").decode() for column in range(result.nfields)]
            for row in range(result.ntuples)
        )
        return True

    encoded = [value.encode() for value in values]
    query = ReadOnlyQuery(sql.encode(), encoded, [0] * len(values), _MOST_CHUNK_ROWS)
    await connection.select(query, receive)
    return rows
