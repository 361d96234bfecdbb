"""Who may have tools on a data source."""

from collections.abc import Iterable

from django.contrib.auth.models import AnonymousUser, User
from django.db import DEFAULT_DB_ALIAS
from django.db.models import Exists, Q, QuerySet

from access.replica import as_primary_has
from catalog.models import DataSource
from core.errors import DefinitionError
from core.messages import Message, message

_KEPT = "_closed_sources"


def may_use(user: User | AnonymousUser, source: DataSource) -> bool:
    """Whether the user may write, try and serve tools on the source; of an open one every active user."""
    if not user.is_active:
        return False
    if user.is_superuser or not source.is_restricted:
        return True
    return (
        source.allowed_users.filter(pk=user.pk).exists()
        or source.allowed_groups.filter(user=user.pk).exists()
    )


def require_use(user: User | AnonymousUser, source: DataSource | None) -> None:
    """Raise DefinitionError unless the user may use the source; None, the default, is open."""
    if source is not None and not may_use(user, source):
        raise DefinitionError(explain_missing_right(user.get_username(), source.name))


def explain_missing_right(username: str, source_name: str) -> Message:
    """Why a tool of that user is not served, and what would be right."""
    who = message("source.of_nobody", "a tool that names no user")
    if username:
        who = message("source.of_user", "the user {name}", name=repr(username))
    return message(
        "source.no_right",
        "{who} may not use the data source {source}; a superuser can allow it on the data"
        " source's page",
        who=who,
        source=repr(source_name),
    )


def read_users(sources: Iterable[DataSource]) -> dict[str, frozenset[str] | None]:
    """Names of the active users who may use each source, None where all may; three queries at most."""
    listed = list(sources)
    restricted = DataSource.objects.filter(pk__in=[row.pk for row in listed if row.is_restricted])
    allowed: dict[int, set[str]] = {}
    if any(source.is_restricted for source in listed):
        superusers = User.objects.filter(is_active=True, is_superuser=True)
        names = set(superusers.values_list("username", flat=True))
        allowed = {source.pk: set(names) for source in listed}
        for path in ("allowed_users", "allowed_groups__user"):
            named = restricted.filter(**{f"{path}__is_active": True}).order_by()
            for source_id, username in named.values_list("pk", f"{path}__username"):
                allowed[source_id].add(username)
    return {
        source.name: frozenset(allowed[source.pk]) if source.is_restricted else None
        for source in listed
    }


def sources_open_to(username: str) -> "QuerySet[DataSource]":
    """The sources that this user may use, those that all may among them; '' is a caller without a user."""
    users = User.objects.filter(username=username, is_active=True)
    named = (
        Q(allowed_users__in=users)
        | Q(allowed_groups__user__in=users)
        | Q(Exists(users.filter(is_superuser=True)))
    )
    restricted = DataSource.objects.filter(named, is_restricted=True).values("pk")
    return as_primary_has(DataSource.objects.filter(Q(is_restricted=False) | Q(pk__in=restricted)))


def open_sources(user: User) -> "QuerySet[DataSource]":
    """The sources that this person may use; superusers may use all."""
    return DataSource.objects.exclude(pk__in=closed_sources(user))


def on_open_source(user: User, source: str = "source") -> Q:
    """Of what has a data source under that name, None for the default one: on the default, or on an open one."""
    closed = list(closed_sources(user))
    return Q(**{source: None}) | ~Q(**{f"{source}__in": closed}) if closed else Q()


def closed_sources(user: User) -> dict[int, str]:
    """Names by id of the sources that this person may not use: nothing of them, nor of tools on them, is shown to them.

    One query where no source is restricted, else two; kept with the person of a request.
    """
    kept: dict[int, str] | None = getattr(user, _KEPT, None)
    if kept is None:
        kept = {} if user.is_superuser else _find_closed(user.get_username())
        setattr(user, _KEPT, kept)
    return kept


def _find_closed(username: str) -> dict[int, str]:
    rows = DataSource.objects.using(DEFAULT_DB_ALIAS).filter(is_restricted=True).order_by()
    closed = dict(rows.values_list("pk", "name"))
    for pk in sources_open_to(username).order_by().values_list("pk", flat=True) if closed else ():
        closed.pop(pk, None)
    return closed
