"""Reading what a database says of its tables, and a few of their rows: what all engines share."""

from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from core.catalogue.entries import Sample, TableKind, TableName, TableShape
from core.catalogue.masking import MASK
from core.catalogue.sql_names import quote_exactly
from core.errors import DataSourceError, DeadlineExceededError, StatementError
from core.execution import Query, QuerySource
from core.messages import message
from core.statement import compile_statement
from core.toolspec import Dialect

# PostgreSQL lets a comment be a gigabyte; people read the first lines.
COMMENT_LIMIT = 10_000
TABLE_LIMIT = 100_000
# So many tables are asked for at once.
BATCH_SIZE = 500
STRUCTURE_TIMEOUT_MS = 30_000
# The way to a database on another continent counts: 150 ms a packet, and a first query takes 3 s.
SAMPLE_TIMEOUT_MS = 4_000
SAMPLE_CELL_LIMIT = 200
SAMPLE_BYTE_LIMIT = 200_000
SAMPLE_COLUMN_LIMIT = 100

_SAMPLED = "toolbuilder_sampled"
_STORED = frozenset({TableKind.TABLE, TableKind.MATERIALIZED_VIEW})
_T = TypeVar("_T")


class SchemaReader(Protocol):
    """Reads tables as the data source's own role sees them; close it, or use `async with`.

    Every method raises DataSourceUnavailableError when the database cannot be reached, and
    DataSourceError with the database's words when it refuses.
    """

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def close(self) -> None:
        """Close the connections."""

    async def list_tables(self) -> list[TableName]:
        """Tables and views that can be read, by schema and name."""

    async def read_tables(self, names: Sequence[TableName]) -> list[TableShape]:
        """The shapes in the order of `names`, without the tables that are gone by now.

        A comment has at most COMMENT_LIMIT characters; a longer one ends in an ellipsis.
        """

    async def read_sample(
        self, table: TableShape, masked: Collection[str], row_limit: int
    ) -> Sample:
        """At most `row_limit` rows, in the order of the primary key where that is one column.

        Values of `masked` columns never leave the database: MASK replaces each that is not NULL.
        A wide table shows its first SAMPLE_COLUMN_LIMIT columns, a cell at most SAMPLE_CELL_LIMIT
        characters. Raises DataSourceError, as for a view that fails or takes too long.
        """


async def describing(answer: Awaitable[_T]) -> _T:
    """The answer; raises DataSourceError when the database was too slow to describe its tables."""
    try:
        return await answer
    except DeadlineExceededError as error:
        raise DataSourceError(
            message(
                "source.description_too_slow",
                "the database did not describe its tables within {seconds} s; try again later",
                seconds=str(STRUCTURE_TIMEOUT_MS // 1_000),
            )
        ) from error


@dataclass(frozen=True, slots=True)
class TableSampler:
    """Reads first rows, each time within `timeout_ms` and SAMPLE_TIMEOUT_MS.

    `is_qualified` puts the table before the names of columns.
    """

    source: QuerySource
    dialect: Dialect
    timeout_ms: int
    is_qualified: bool = False

    async def read(self, table: TableShape, masked: Collection[str], row_limit: int) -> Sample:
        """As `SchemaReader.read_sample`."""
        columns = tuple(column.name for column in table.columns[:SAMPLE_COLUMN_LIMIT])
        sql = f"{self._select(table, columns, masked)} LIMIT {row_limit:d}"
        try:
            query = Query(
                statement=compile_statement(sql, dialect=self.dialect),
                types=(),
                values={},
                row_limit=row_limit,
                byte_limit=SAMPLE_BYTE_LIMIT,
                timeout_ms=min(self.timeout_ms, SAMPLE_TIMEOUT_MS),
            )
            result = await self.source.run(query)
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
        return Sample(columns=columns, rows=tuple(map(tuple, result.rows)) if columns else ())

    def _select(self, table: TableShape, columns: Sequence[str], masked: Collection[str]) -> str:
        prefix = f"{_SAMPLED}." if self.is_qualified else ""
        cells = [
            f"CASE WHEN {prefix}{self._quote(column)} IS NOT NULL THEN '{MASK}' END AS {self._quote(column)}"
            if column in masked
            else f"{prefix}{self._quote(column)}"
            for column in columns
        ]
        name = ".".join(self._quote(part) for part in (table.name.schema, table.name.name) if part)
        # By the primary key where an index surely gives that order at once: the columns of a longer
        # key may be indexed in another order than the table has them, and masked values have none.
        keys = [column.name for column in table.columns if column.is_primary_key]
        is_ordered = table.kind in _STORED and len(keys) == 1 and keys[0] not in masked
        order = f" ORDER BY {prefix}{self._quote(keys[0])}" if is_ordered else ""
        # The names are quoted, so nothing in them is read as SQL; a table may be without columns.
        return f"SELECT {', '.join(cells) or '1'} FROM {name} AS {_SAMPLED}{order}"  # noqa: S608

    def _quote(self, name: str) -> str:
        return quote_exactly(name, self.dialect)
