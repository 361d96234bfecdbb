"""What every reader of a database's tables can do, whatever the engine."""

from collections.abc import Collection, Sequence
from typing import Protocol, Self

from core.catalogue.entries import Sample, TableName, TableShape


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

        Values of `masked` columns never leave the database: MASK stands for each that is not NULL.
        A wide table shows its first SAMPLE_COLUMN_LIMIT columns, a cell at most SAMPLE_CELL_LIMIT
        characters. Raises DataSourceError, as for a view that fails or takes too long.
        """
