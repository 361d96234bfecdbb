"""Where an SQLite data source lies, and the ceilings of every query on it."""

from dataclasses import dataclass
from pathlib import Path

from gateways.fair_queue import DEFAULT_MAX_WAIT_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteSettings:
    """One data source: an existing file, which is only ever read.

    `row_limit`, `byte_limit` and `statement_timeout_ms` bound what a query may ask for; a cell has
    at most `cell_limit` characters. A caller waits at most `max_wait_ms` for a connection, and at
    most `lock_timeout_ms` for a writer that keeps the whole file locked. `value_limit` is the most
    bytes that one value may have inside a query, read or made: it bounds memory, so a query that
    touches a longer one fails (`printf` alone gives NULL).
    """

    path: Path
    pool_size: int = 4
    max_wait_ms: int = DEFAULT_MAX_WAIT_MS
    statement_timeout_ms: int = 10_000
    lock_timeout_ms: int = 2_000
    row_limit: int = 10_000
    byte_limit: int = 10_000_000
    cell_limit: int = 8_192
    value_limit: int = 1_000_000

    @property
    def target(self) -> list[object]:
        """Which file is read."""
        return ["sqlite", str(self.path)]

    def uri(self) -> str:
        """The file as a URI that SQLite opens for reading and never creates."""
        return f"{self.path.absolute().as_uri()}?mode=ro"
