"""Reads the chunks of a PostgreSQL answer into rows of JSON values."""

from collections.abc import Sequence

from psycopg.pq.abc import PGresult

from core.results import Row, RowCollector
from gateways.cells import RowReader
from gateways.postgres.describe import Description


class DriftError(Exception):
    """The answer's columns are not those that were described: a table was changed since."""


# Of fewer rows, looking at the texts costs less than making their readers.
_FEW_ROWS = 4


class PostgresRowReader(RowReader):
    """Reads the rows of one answer to a described query."""

    def __init__(self, description: Description, collector: RowCollector) -> None:
        super().__init__((), collector)
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
        if not self._readers and not self._are_short(rows):
            self._readers = [
                (index, reader(self.description.names[index], self.description.cell_limit))
                for index, reader in self.description.changing
            ]
        return self.add(rows)

    def _are_short(self, rows: Sequence[Row]) -> bool:
        """Whether these are few rows of plain values and short texts, in which nothing is to change."""
        texts, limit = self.description.texts, self.description.cell_limit
        if texts is None or len(rows) > _FEW_ROWS:
            return False
        for row in rows:
            for index in texts:
                if row[index] is not None and len(row[index]) > limit:
                    return False
        return True
