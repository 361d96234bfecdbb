"""All data sources at once: their settings, who may use them, and why some cannot be used."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from catalog.models import DataSource, SchemaState
from catalog.rights import explain_missing_right, read_users
from catalog.sources.connections import (
    NO_DEFAULT,
    default_settings,
    fingerprint,
    to_service,
    to_settings,
)
from catalog.sources.environment import sync_environment_sources
from core.errors import ConfigurationError, DefinitionError
from core.identity import NO_IDENTITY
from core.messages import Message, Value, from_json, message
from core.toolspec import Dialect, HttpLogic, Logic, SqlLogic
from gateways.engine import DatabaseSettings
from gateways.engines import ENGINES
from gateways.http.settings import HttpSettings


@dataclass(frozen=True)
class SourceSettings:
    """All data sources by name, None the default.

    `usable` are the settings of those that can be used, `refused` why the others cannot; `dialects`
    and `users_of` hold both kinds. `users_of` gives the active users who may use a source, or None
    where all may. `schema_revisions` count what scans found changed, where they found anything.
    `services` are the HTTP services that can be called; they are in none of `usable`.
    """

    usable: dict[str | None, DatabaseSettings] = field(default_factory=dict)
    refused: dict[str | None, Message] = field(default_factory=dict)
    dialects: dict[str | None, Dialect] = field(default_factory=dict)
    users_of: dict[str | None, frozenset[str] | None] = field(default_factory=dict)
    schema_revisions: dict[str | None, int] = field(default_factory=dict)
    services: dict[str | None, HttpSettings] = field(default_factory=dict)
    # The most that a query may cost by its plan, of the sources that have a ceiling.
    cost_limits: dict[str | None, int] = field(default_factory=dict)

    def takes_callers(self, logic: Logic) -> bool:
        """Whether the answers of such a tool depend on who calls, because its data source is told."""
        found = self.usable.get(logic.data_source) if isinstance(logic, SqlLogic) else None
        return bool(getattr(found, "identity", NO_IDENTITY))

    def states(self) -> dict[str | None, str]:
        """A digest for each source, which changes when tools on it have to be checked again."""
        names = self.dialects.keys() | self.refused.keys() | self.services.keys()
        return {name: self._digest(name) for name in names}

    def state(self) -> str:
        """A digest of all sources."""
        states = self.states()
        return _digest(*(f"{name} {states[name]}" for name in sorted(states, key=str)))

    def _digest(self, name: str | None) -> str:
        found, users = self.usable.get(name), self.users_of.get(name)
        target = fingerprint(found) if found else str(self.refused.get(name, ""))
        if service := self.services.get(name):
            target = f"{service.server_url} {service.rules}"
        who = "everybody" if users is None else " ".join(sorted(users))
        revision = self.schema_revisions.get(name, 0)
        return _digest(target, self.dialects.get(name, ""), who, str(revision))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def read_sources() -> SourceSettings:
    """Every registered data source and the default one, passwords resolved; six queries.

    Rows of new or changed variables are written first.
    """
    read = DataSource.objects.select_related("last_check").prefetch_related("secrets")
    rows = list(read)
    if sync_environment_sources(rows, overwrites=False):
        rows = list(read.all())
    result = SourceSettings(
        dialects={None: Dialect.POSTGRESQL},
        schema_revisions=dict(SchemaState.objects.values_list("source__name", "revision")),
    )
    result.users_of[None] = None
    result.users_of.update(read_users(rows))
    if default := default_settings():
        result.usable[None] = default
        if default.plan_cost_limit is not None:
            result.cost_limits[None] = default.plan_cost_limit
    else:
        result.refused[None] = NO_DEFAULT
    for row in rows:
        try:
            _add_row(result, row)
        except ConfigurationError as error:
            result.refused[row.name] = error.message
    return result


def find_refusal(sources: SourceSettings, name: str | None, username: str) -> Message | None:
    """Why a tool of that user on that source cannot be served, or None if it can."""
    if (reason := sources.refused.get(name)) is not None:
        return reason
    if name not in sources.usable:
        return explain_missing_source(name, sources.usable)
    return _find_missing_right(sources, name, username)


def find_service_refusal(
    sources: SourceSettings, name: str | None, username: str
) -> Message | None:
    """As `find_refusal`, for a tool that calls an HTTP service."""
    if name not in sources.services:
        return explain_missing_service(sources, name)
    return _find_missing_right(sources, name, username)


def require_usable(sources: SourceSettings, logic: Logic, author: str) -> None:
    """Raise DefinitionError when the logic's data source cannot be used, or not by its author."""
    match logic:
        case SqlLogic(data_source=name):
            reason = find_refusal(sources, name, author)
        case HttpLogic(data_source=name):
            reason = find_service_refusal(sources, name, author)
        case _:
            reason = None
    if reason:
        raise DefinitionError(reason)


def explain_missing_service(sources: SourceSettings, name: str | None) -> Message:
    """Why there is no HTTP service of that name to be called."""
    if name is not None and (reason := sources.refused.get(name)) is not None:
        return reason
    return message(
        "source.no_such_service",
        "there is no HTTP service {name}; registered: {known}",
        name=repr(name or ""),
        known=_list_known(sources.services),
    )


def explain_missing_source(name: str | None, known: Iterable[str | None]) -> Message:
    """Why there is no data source of that name among the known ones."""
    return message(
        "source.unknown",
        "there is no data source {name}; registered: {known}",
        name=repr(name),
        known=_list_known(known),
    )


def _list_known(names: Iterable[str | None]) -> Value:
    return ", ".join(sorted(filter(None, names))) or message("source.none_yet", "none yet")


def _find_missing_right(sources: SourceSettings, name: str | None, username: str) -> Message | None:
    users = sources.users_of.get(name)
    if name is None or users is None or username in users:
        return None
    return explain_missing_right(username, name)


def _add_row(result: SourceSettings, row: DataSource) -> None:
    """Add the source to those that can be used, unless its last check refused it as it is now."""
    if row.engine in ENGINES:
        result.dialects[row.name] = ENGINES[row.engine].dialect
    if row.is_service:
        result.services[row.name] = to_service(row)
        return
    found = to_settings(row)
    check = getattr(row, "last_check", None)
    if check and check.refusal and check.target == fingerprint(found):
        result.refused[row.name] = message(
            "source.check_refused",
            "the last check refused this data source: {refusal} Mend it and check again.",
            refusal=from_json(check.refusal_message) or check.refusal,
        )
    else:
        result.usable[row.name] = found
    if row.plan_cost_limit is not None:
        result.cost_limits[row.name] = row.plan_cost_limit
