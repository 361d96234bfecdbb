"""All data sources at once: their settings, who may use them, and why some cannot be used."""

import hashlib
from dataclasses import dataclass, field

from django.conf import settings

from catalog.connections import fingerprint, to_settings
from catalog.environment import sync_environment_sources
from catalog.models import DataSource, SchemaState
from catalog.rights import explain_missing_right, read_users
from core.errors import ConfigurationError
from core.toolspec import DEFAULT_TIMEOUT_MS, Dialect
from gateways.postgres.settings import PostgresSettings
from gateways.sources import DatabaseSettings


@dataclass(frozen=True)
class SourceSettings:
    """All data sources by name, None the default.

    `usable` are the settings of those that can be used, `refused` why the others cannot; `dialects`
    and `users_of` hold both kinds. `users_of` gives the active users who may use a source, or None
    where all may. `schema_revisions` count what scans found changed, where they found anything.
    """

    usable: dict[str | None, DatabaseSettings] = field(default_factory=dict)
    refused: dict[str | None, str] = field(default_factory=dict)
    dialects: dict[str | None, Dialect] = field(default_factory=dict)
    users_of: dict[str | None, frozenset[str] | None] = field(default_factory=dict)
    schema_revisions: dict[str | None, int] = field(default_factory=dict)

    def states(self) -> dict[str | None, str]:
        """A digest for each source, which changes when tools on it have to be judged anew."""
        return {name: self._digest(name) for name in self.dialects.keys() | self.refused.keys()}

    def state(self) -> str:
        """A digest of all sources."""
        states = self.states()
        return _digest(*(f"{name} {states[name]}" for name in sorted(states, key=str)))

    def _digest(self, name: str | None) -> str:
        found, users = self.usable.get(name), self.users_of.get(name)
        target = fingerprint(found) if found else self.refused.get(name, "")
        who = "everybody" if users is None else " ".join(sorted(users))
        revision = self.schema_revisions.get(name, 0)
        return _digest(target, self.dialects.get(name, ""), who, str(revision))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read_sources() -> SourceSettings:
    """Every registered data source and the default one, passwords resolved; five queries.

    Rows of new or changed variables are written first.
    """
    rows = _read_rows()
    if sync_environment_sources(rows, overwrites=False):
        rows = _read_rows()
    result = SourceSettings()
    _add_default(result)
    result.users_of.update(read_users(rows))
    result.schema_revisions.update(SchemaState.objects.values_list("source__name", "revision"))
    for row in rows:
        _add_row(result, row)
    return result


def find_refusal(sources: SourceSettings, name: str | None, username: str) -> str | None:
    """Why a tool of that user on that source cannot be served, or None if it can."""
    if (reason := sources.refused.get(name)) is not None:
        return reason
    if name not in sources.usable:
        known = ", ".join(sorted(key for key in sources.usable if key)) or "none yet"
        return f"there is no data source {name!r}; registered: {known}"
    users = sources.users_of.get(name)
    if name is None or users is None or username in users:
        return None
    return explain_missing_right(username, name)


def _read_rows() -> list[DataSource]:
    return list(DataSource.objects.select_related("last_check"))


def _add_row(result: SourceSettings, row: DataSource) -> None:
    if row.engine in list(Dialect):
        result.dialects[row.name] = Dialect(row.engine)
    try:
        found = to_settings(row)
    except ConfigurationError as error:
        result.refused[row.name] = str(error)
        return
    if reason := _find_stored_refusal(row, found):
        result.refused[row.name] = reason
    else:
        result.usable[row.name] = found


def _find_stored_refusal(row: DataSource, found: DatabaseSettings) -> str:
    """What the last check said against the source, '' if nothing or if it checked something else."""
    check = getattr(row, "last_check", None)
    if check is None or not check.refusal or check.target != fingerprint(found):
        return ""
    return f"the last check refused this data source: {check.refusal} Mend it and check again."


def _add_default(result: SourceSettings) -> None:
    result.dialects[None] = Dialect.POSTGRESQL
    result.users_of[None] = None
    if found := default_settings():
        result.usable[None] = found
    else:
        result.refused[None] = "no default database is set; set the POSTGRESQL_DB_* variables"


def default_settings() -> PostgresSettings | None:
    """How the database of the POSTGRESQL_DB_* variables is reached; None where they name none."""
    if not settings.POSTGRESQL_DB_HOST:
        return None
    return PostgresSettings(
        host=settings.POSTGRESQL_DB_HOST,
        port=settings.POSTGRESQL_DB_PORT,
        database=settings.POSTGRESQL_DB_NAME,
        user=settings.POSTGRESQL_DB_USER,
        password=settings.POSTGRESQL_DB_PASS,
        pool_size=settings.DATA_SOURCE_POOL_SIZE,
        max_waiting=settings.DATA_SOURCE_MAX_WAITING,
        statement_timeout_ms=3 * DEFAULT_TIMEOUT_MS,
    )
