"""Reads the chunks of a PostgreSQL answer into rows of JSON values."""

from typing import Any

from psycopg.pq.abc import PGresult

from core.results import QueryResult, RowCollector
from gateways.cells import RowReader
from gateways.postgres.columns import PostgresColumnReader
from gateways.postgres.describe import Description


class DriftError(Exception):
    """The answer's columns are not those that were described: a table was changed since."""


class PostgresRowReader(RowReader[PostgresColumnReader]):
    """Reads the rows of one answer into `collector`."""

    def __init__(self, description: Description, collector: RowCollector) -> None:
        # The other columns are as psycopg reads them.
        super().__init__(
            [
                reader(description.names[index], description.cell_limit)
                for index, reader in description.changing
            ]
        )
        self._description = description
        self._collector = collector

    def collect(self, chunk: PGresult) -> bool:
        """Add the rows of a chunk; False when there is no room for the rows to come.

        The chunk is emptied. Raises DriftError.
        """
        description, collector = self._description, self._collector
        indexes = range(chunk.nfields)
        types = zip(map(chunk.ftype, indexes), map(chunk.fmod, indexes), strict=True)
        if tuple(types) != description.wire_types:
            raise DriftError
        transformer = description.transformer
        transformer.set_pgresult(chunk, set_loaders=False)
        rows: list[list[Any]] = transformer.load_rows(0, chunk.ntuples, list)
        transformer.set_pgresult(None, set_loaders=False)
        # It may be as large as the rows made of it, and is needed no more.
        chunk.clear()
        room = collector.row_limit - len(collector.rows)
        # Only one row more than the limit is asked for, so there are none to come behind it.
        shown, left_out = (rows, []) if len(rows) <= room else (rows[:room], rows[room:])
        for (index, _), reader in zip(description.changing, self._readers, strict=True):
            reader.read(shown, index)
        return collector.add_all(shown) and (not left_out or not collector.add(left_out[0]))

    def finish(self, elapsed_ms: float) -> QueryResult:
        """The rows, with notes of what was changed in them."""
        self._collector.truncated |= self.cuts_cells
        return self._collector.finish(self._description.names, elapsed_ms, self.notes())
