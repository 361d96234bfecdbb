"""Reads the chunks of a PostgreSQL answer into rows of JSON values."""

from typing import Any

from psycopg.adapt import Transformer
from psycopg.pq import Format
from psycopg.pq.abc import PGresult

from core.results import RowCollector
from gateways.cells import RowReader
from gateways.postgres.columns import PostgresColumnReader
from gateways.postgres.describe import Description


class DriftError(Exception):
    """The answer's columns are not those that were described: a table was changed since."""


class PostgresRowReader(RowReader[PostgresColumnReader]):
    """Reads the chunks of one answer."""

    def __init__(self, description: Description) -> None:
        super().__init__(
            [
                reader(column.name, description.cell_limit)
                for reader, column in zip(description.readers, description.columns, strict=True)
            ]
        )
        self._wire_oids = description.wire_oids
        self._loader_oids = [reader.loader_oid for reader in description.readers]

    def collect(self, chunk: PGresult, collector: RowCollector) -> bool:
        """Add the rows of a chunk; False when the collector has no room for the rows to come.

        The chunk is emptied. Raises DriftError.
        """
        if tuple(map(chunk.ftype, range(chunk.nfields))) != self._wire_oids:
            raise DriftError
        transformer = Transformer()
        transformer.set_pgresult(chunk, set_loaders=False)
        transformer.set_loader_types(self._loader_oids, Format.TEXT)
        rows: list[list[Any]] = transformer.load_rows(0, chunk.ntuples, list)
        # It may be as large as the rows made of it, and is needed no more.
        chunk.clear()
        room = collector.row_limit - len(collector.rows)
        # Only one row more than the limit is asked for, so there are none to come behind it.
        shown, left_out = rows[:room], rows[room:]
        for index, reader in enumerate(self._readers):
            reader.read(shown, index)
        return collector.add_all(shown) and (not left_out or not collector.add(left_out[0]))
