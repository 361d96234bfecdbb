"""How a PostgreSQL data source is reached, and the ceilings of every query on it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from psycopg.conninfo import conninfo_to_dict

from core.identity import NO_IDENTITY, CallerIdentity
from gateways.fair_queue import DEFAULT_MAX_WAIT_MS

_OWN_KEYWORDS = frozenset({"host", "port", "dbname", "user", "password", "application_name"})
_SCHEMA = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^",\s]+))\s*(?:,|\Z)')


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresSettings:
    """One data source. `extra` holds further libpq keywords, such as `sslmode`.

    `row_limit`, `byte_limit` and `statement_timeout_ms` bound what a query may ask for; a cell has
    at most `cell_limit` characters. A caller waits at most `max_wait_ms` for a connection.
    `prepares_statements` is off for a pooler that gives each transaction another session. Queries
    whose planned cost is over `plan_cost_limit` are refused, before each run if `checks_cost_at_call`.
    `identity` says who each caller is to policies of the database. `server` names the
    one of PRODUCTS that is there, where its version() does not tell. `time_zone` is where days begin
    and moments without an offset are meant.
    """

    host: str
    database: str
    user: str
    password: str = field(default="", repr=False)
    port: int = 5432
    extra: Mapping[str, str] = field(default_factory=dict, repr=False)
    application_name: str = "toolbuilder"
    search_path: str = "public"
    time_zone: str = "UTC"
    pool_size: int = 4
    max_wait_ms: int = DEFAULT_MAX_WAIT_MS
    prepares_statements: bool = True
    connect_timeout_s: float = 3.0
    statement_timeout_ms: int = 10_000
    lock_timeout_ms: int = 2_000
    row_limit: int = 10_000
    byte_limit: int = 10_000_000
    cell_limit: int = 8_192
    plan_cost_limit: int | None = None
    checks_cost_at_call: bool = False
    identity: CallerIdentity = NO_IDENTITY
    server: str = ""

    @classmethod
    def from_dsn(cls, dsn: str, **limits: Any) -> Self:
        """Settings from a URL or a `key=value` string; `limits` are fields of this class.

        Raises psycopg.ProgrammingError when the text is neither.
        """
        parts = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value}
        return cls(
            host=parts.get("host", "127.0.0.1"),
            port=int(parts.get("port", "5432")),
            database=parts.get("dbname", ""),
            user=parts.get("user", ""),
            password=parts.get("password", ""),
            extra={name: value for name, value in parts.items() if name not in _OWN_KEYWORDS},
            **limits,
        )

    @property
    def target(self) -> list[object]:
        """Which database is reached as whom; the password and the limits are no part of it."""
        return [
            *("postgresql", self.host, self.port, self.database, self.user),
            *(sorted(self.extra.items()), self.search_path, self.server),
            # So that what was checked in UTC need not be checked again.
            *([self.time_zone] if self.time_zone != "UTC" else []),
        ]

    @property
    def session(self) -> dict[str, str]:
        """What a session is held to."""
        return {
            "statement_timeout": str(self.statement_timeout_ms),
            "lock_timeout": str(self.lock_timeout_ms),
            "idle_in_transaction_session_timeout": str(self.statement_timeout_ms + 5_000),
            "default_transaction_read_only": "on",
            "search_path": self.search_path,
            # The lexer and the readers of columns rely on these.
            "standard_conforming_strings": "on",
            "TimeZone": self.time_zone,
            "DateStyle": "ISO,YMD",
            "IntervalStyle": "iso_8601",
            "bytea_output": "hex",
            "extra_float_digits": "1",
        }

    def connection_arguments(self) -> dict[str, Any]:
        """Keyword arguments for psycopg's connect; autocommit, since we send BEGIN ourselves.

        With a `server` that is named, the session is set once it is there: some refuse a connection for a
        setting that they do not know.
        """
        escaped = {
            name: value.replace("\\", "\\\\").replace(" ", "\\ ")
            for name, value in self.session.items()
            if not self.server
        }
        return {
            **self.extra,
            "host": self.host,
            "port": self.port,
            "dbname": self.database,
            "user": self.user,
            "password": self.password,
            "application_name": self.application_name,
            "client_encoding": "UTF8",
            "options": " ".join(f"-c {name}={value}" for name, value in escaped.items()),
            "autocommit": True,
            "prepare_threshold": None,
        }


def read_search_path(search_path: str) -> list[str]:
    """The schemas of a search path as they are named in the catalogue; without `$user`."""
    parts: list[tuple[str, str]] = _SCHEMA.findall(search_path)
    names = (quoted.replace('""', '"') or bare.lower() for quoted, bare in parts)
    return [name for name in dict.fromkeys(names) if name and name != "$user"]
