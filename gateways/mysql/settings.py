"""How a data source of MariaDB or MySQL is reached, and the ceilings of every query on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from gateways.fair_queue import DEFAULT_MAX_WAIT_MS

DEFAULT_PORT = 3306
CONNECT_S = 3.0
INSPECTION_S = 12.0
TLS_OPTIONS = frozenset({"sslmode", "sslrootcert", "sslcert", "sslkey"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MysqlSettings:
    """One data source. `extra` holds libpq's keywords of TLS, such as `sslmode`, which mean the same here.

    `row_limit`, `byte_limit` and `statement_timeout_ms` bound what a query may ask for; a cell has
    at most `cell_limit` characters. A caller waits at most `max_wait_ms` for a connection. `time_zone`
    is where days begin and moments without an offset are meant.
    """

    host: str
    database: str
    user: str
    password: str = field(default="", repr=False)
    port: int = DEFAULT_PORT
    extra: Mapping[str, str] = field(default_factory=dict, repr=False)
    time_zone: str = "UTC"
    pool_size: int = 4
    max_wait_ms: int = DEFAULT_MAX_WAIT_MS
    connect_timeout_s: float = CONNECT_S
    statement_timeout_ms: int = 10_000
    lock_timeout_ms: int = 2_000
    row_limit: int = 10_000
    byte_limit: int = 10_000_000
    cell_limit: int = 8_192

    @property
    def target(self) -> list[object]:
        """Which database is reached as whom; the password and the limits are no part of it."""
        return [
            *("mysql", self.host, self.port, self.database, self.user),
            sorted(self.extra.items()),
            # So that what was checked in UTC need not be checked again.
            *([self.time_zone] if self.time_zone != "UTC" else []),
        ]

    @property
    def zone(self) -> ZoneInfo | None:
        """The time zone; None for UTC."""
        return None if self.time_zone == "UTC" else ZoneInfo(self.time_zone)
