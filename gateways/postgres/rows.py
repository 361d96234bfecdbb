"""Reads the chunks of a PostgreSQL answer into rows of JSON values."""

from psycopg.pq.abc import PGresult

from core.results import RowCollector
from gateways.cells import RowReader
from gateways.postgres.describe import Description


class DriftError(Exception):
    """The answer's columns are not those that were described: a table was changed since."""


class PostgresRowReader(RowReader):
    """Reads the rows of one answer to a described query."""

    def __init__(self, description: Description, collector: RowCollector) -> None:
        super().__init__(
            [
                (index, reader(description.names[index], description.cell_limit))
                for index, reader in description.changing
            ],
            collector,
        )
        self.description = description

    def collect(self, chunk: PGresult) -> bool:
        """As `add`. The chunk is emptied. Raises DriftError."""
        indexes = range(chunk.nfields)
        types = zip(map(chunk.ftype, indexes), map(chunk.fmod, indexes), strict=True)
        if tuple(types) != self.description.wire_types:
            raise DriftError
        transformer = self.description.transformer
        transformer.set_pgresult(chunk, set_loaders=False)
        rows = transformer.load_rows(0, chunk.ntuples, tuple)
        transformer.set_pgresult(None, set_loaders=False)
        # It may be as large as the rows made of it, and is needed no more.
        chunk.clear()
        return self.add(rows)
