"""What PostgreSQL says about a statement before it runs: parameter types, columns, refusals."""

from collections import OrderedDict
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from math import inf
from time import monotonic

from psycopg import abc
from psycopg.adapt import Transformer
from psycopg.postgres import types as known_types
from psycopg.pq import Format

from core.errors import StatementError
from core.messages import message
from core.statement import CompiledStatement
from core.toolspec import ParameterType
from gateways.postgres.columns import (
    PostgresColumnReader,
    PostgresType,
    TextReader,
    find_reader,
)
from gateways.postgres.exchange import ReadOnlyQuery, ServerError, Shape
from gateways.postgres.functions import (
    DENIED_SQL,
    HARMLESS_FUNCTIONS,
    refuse_denied,
    refuse_unusual,
)
from gateways.postgres.inference import infer_shape
from gateways.postgres.parameters import INT8_OID
from gateways.postgres.products import Feature
from gateways.postgres.wire import WireConnection

# How many bytes one chunk of rows may have when every cell is as long as it can be: less than a
# source gives at most, so that one row of many long cells is shown rather than none.
_CHUNK_BYTES = 8_000_000
_MOST_CHUNK_ROWS = 1_000
_SIZED_CELL_BYTES = 64
_LEAST_CELL_LIMIT = 256
_SYNTAX_ERROR, _FEATURE_NOT_SUPPORTED = "42601", "0A000"

_TYPES_SQL = b"""
SELECT oid::text, typname, format_type(oid, NULL), typcategory FROM pg_catalog.pg_type
WHERE oid = ANY($1::oid[])"""
# How long it may take until functions of a new extension are refused.
_DENIED_LIFETIME_S = 60.0
# `SELECT *` may have got another column meanwhile, which no error would tell.
LIFETIME_S = 60.0
COUNT_LIMIT = 1_000

_Types = tuple[ParameterType, ...]
_Key = tuple[str, _Types, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the answer; `type_name` as people write it, such as `integer`."""

    name: str
    type_oid: int
    type_name: str


@dataclass(frozen=True, slots=True)
class Description:
    """Columns and parameter types of a statement, and the query that runs it within the caps.

    `query` takes one more parameter than the statement: the number of rows to give at most. `changing`
    are the readers of the columns whose cells `transformer` cannot make alone, by index; `texts` are the
    indexes of texts, which only have to be cut where they are long, None where other columns change too.
    """

    columns: tuple[Column, ...]
    names: tuple[str, ...]
    parameter_oids: tuple[int, ...]
    query: ReadOnlyQuery = field(repr=False)
    changing: tuple[tuple[int, type[PostgresColumnReader]], ...] = field(repr=False)
    texts: tuple[int, ...] | None = field(repr=False)
    transformer: abc.Transformer = field(repr=False)
    wire_types: tuple[tuple[int, int], ...] = field(repr=False)
    cell_limit: int = field(repr=False)


class DescriptionCache:
    """Descriptions by SQL, declared types and the indexes of what is sent as numeric.

    Those used last are remembered, for a minute.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, tuple[Description, float]] = OrderedDict()
        self._keys: dict[str, set[_Key]] = {}

    def find(
        self,
        statement: CompiledStatement,
        types: _Types,
        numeric: frozenset[int] = frozenset(),
    ) -> Description | None:
        """The description, unless it is unknown or too old."""
        key = (statement.sql, types, numeric)
        description, until = self._kept.get(key, (None, 0.0))
        if description is None or until < monotonic():
            return None
        self._kept.move_to_end(key)
        return description

    def keep(
        self,
        statement: CompiledStatement,
        types: _Types,
        numeric: frozenset[int],
        description: Description,
    ) -> None:
        """Remember a description, and forget the one that was not used for longest."""
        key = (statement.sql, types, numeric)
        self._kept[key] = (description, monotonic() + LIFETIME_S)
        self._keys.setdefault(statement.sql, set()).add(key)
        if len(self._kept) > COUNT_LIMIT:
            oldest, _ = self._kept.popitem(last=False)
            self._keys[oldest[0]].discard(oldest)
            if not self._keys[oldest[0]]:
                del self._keys[oldest[0]]

    def forget(self, statement: CompiledStatement) -> None:
        """Forget all that is known of a statement; thousands are judged after a start."""
        for key in self._keys.pop(statement.sql, ()):
            del self._kept[key]


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
        if Feature.CATALOGUE in connection.product.lacks:
            refuse_unusual(statement)
            self._denied = frozenset()
        elif self._denied is None or self._denied_until < monotonic():
            names = await connection.fetch(ReadOnlyQuery(DENIED_SQL.encode()))
            self._denied = frozenset(name for (name,) in names) - HARMLESS_FUNCTIONS
            self._denied_until = monotonic() + _DENIED_LIFETIME_S
        refuse_denied(statement, self._denied)
        try:
            shape = await infer_shape(connection, statement, declared, numeric)
        except ServerError as error:
            position = statement.source_position(error.position) if error.position else None
            text = statement.with_names(str(error))
            raise StatementError(text, position, code=error.sqlstate, hint=error.hint) from error
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
        unknown = {oid for _, oid in shape.columns if oid not in self._types}
        self._types |= await fetch_types(connection, unknown)
        types = [self._types[oid] for _, oid in shape.columns]
        readers = list(map(find_reader, types, shape.modifiers))
        # So many characters a cell that one row of nothing but long cells fits a chunk.
        long_bytes = max(sum(reader.character_bytes for reader in readers), 1)
        cell_limit = min(self._cell_limit, max(_CHUNK_BYTES // long_bytes, _LEAST_CELL_LIMIT))
        row_bytes = sum(
            reader.character_bytes * (cell_limit + 1) or _SIZED_CELL_BYTES for reader in readers
        )
        sql, sent_oids = _wrap(statement, readers, cell_limit), (*shape.parameter_oids, INT8_OID)
        changing = tuple(
            each for each in enumerate(readers) if each[1].read is not PostgresColumnReader.read
        )
        only_texts = all(reader is TextReader for _, reader in changing)
        transformer = Transformer()
        transformer.set_loader_types([reader.loader_oid for reader in readers], Format.TEXT)
        return Description(
            columns=tuple(
                Column(name, oid, column_type.declared(modifier))
                for (name, oid), column_type, modifier in zip(
                    shape.columns, types, shape.modifiers, strict=True
                )
            ),
            names=tuple(name for name, _ in shape.columns),
            parameter_oids=shape.parameter_oids,
            query=ReadOnlyQuery(
                sql.encode(),
                sent_oids,
                chunk_rows=min(max(_CHUNK_BYTES // row_bytes, 1), _MOST_CHUNK_ROWS),
                is_prepared=True,
            ),
            changing=changing,
            texts=tuple(index for index, _ in changing) if only_texts else None,
            transformer=transformer,
            wire_types=await _find_wire_types(connection, sql, sent_oids),
            cell_limit=cell_limit,
        )


def find_known_type(oid: int) -> PostgresType:
    """What is known of a type of PostgreSQL's own without asking a server; any other one is a text."""
    found = known_types.get(oid)
    if found is None:
        return PostgresType(oid, "", "unknown", "")
    is_array = oid == found.array_oid
    label = f"{found.regtype}[]" if is_array else found.regtype
    return PostgresType(oid, found.name, label, "A" if is_array else "")


async def fetch_types(connection: WireConnection, oids: Set[int]) -> dict[int, PostgresType]:
    """The types by OID, as the server names them where it has a catalogue."""
    if not oids or Feature.CATALOGUE in connection.product.lacks:
        return {oid: find_known_type(oid) for oid in oids}
    listed = "{" + ",".join(map(str, sorted(oids))) + "}"
    rows = await connection.fetch(ReadOnlyQuery(_TYPES_SQL), [listed.encode()])
    return {int(number): PostgresType(int(number), *names) for number, *names in rows}


def _wrap(
    statement: CompiledStatement, readers: Sequence[type[PostgresColumnReader]], cell_limit: int
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


async def _find_wire_types(
    connection: WireConnection, sql: str, oids: Sequence[int]
) -> tuple[tuple[int, int], ...]:
    """OID and modifier of each column. Only a query fits where the statement is put; a command is an error of syntax there."""
    try:
        shape = await connection.describe(sql, oids)
    except ServerError as error:
        if error.sqlstate not in {_SYNTAX_ERROR, _FEATURE_NOT_SUPPORTED}:
            raise StatementError(str(error)) from error
        text = message(
            "statement.changes_something",
            "only queries that change nothing can be served: {reason}",
            reason=str(error),
        )
        raise StatementError(text, 0) from error
    return tuple(zip((oid for _, oid in shape.columns), shape.modifiers, strict=True))
