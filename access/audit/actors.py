"""Who acts, and where: kept for each request and process, and told to the database before a write."""

import getpass
import json
import re
import socket
import sys
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse

from access.audit.models import AuditPlace
from access.audit.triggers import AUDITED_TABLES
from access.proxies import client_address

_REQUEST: ContextVar[HttpRequest | None] = ContextVar("_REQUEST", default=None)
_WRITES = re.compile(
    rf'\b(?:INTO|UPDATE|FROM|TRUNCATE)\s+"?(?:{"|".join(AUDITED_TABLES)})\b', re.IGNORECASE
)
_TELL = "SELECT set_config('toolbuilder.actor', %s, %s)"
_NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: the name of a user or a job, and where; `address` is a client's, or this machine's name."""

    actor: str
    place: AuditPlace
    address: str = ""


class ActorMiddleware:
    """Lets the trail name the person of the request for all that is written in it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token = _REQUEST.set(request)
        try:
            return self._get_response(request)
        finally:
            _REQUEST.reset(token)


def current_actor() -> Actor:
    """The person of this request, else the job, else the operating system's user of this process."""
    if (request := _REQUEST.get()) is not None:
        is_back_office = request.path.startswith(reverse("admin:index"))
        place = AuditPlace.BACK_OFFICE if is_back_office else AuditPlace.PAGE
        name = request.user.get_username() if request.user.is_authenticated else ""
        return Actor(name, place, client_address(request))
    # Only workers have imported it, and nobody else should.
    task = getattr(sys.modules.get("celery"), "current_task", None)
    if task:
        return Actor(task.name, AuditPlace.WORKER, socket.gethostname())
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        # In a container the number of a user may have no name.
        name = ""
    return Actor(name, AuditPlace.COMMAND, socket.gethostname())


def tell_actor(connection: BaseDatabaseWrapper) -> None:
    """Say who writes from now on: until the transaction ends, or on this connection outside one."""
    given = {name: value[:_NAME_CHARACTERS] for name, value in asdict(current_actor()).items()}
    with connection.wrap_database_errors:
        # On psycopg's connection: it is no query of the request's own.
        connection.connection.execute(_TELL, [json.dumps(given), not connection.get_autocommit()])


def tell_before_writes(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:  # noqa: PLR0917
    """A wrapper of Django's queries: a write that the trail follows is preceded by who writes."""
    if isinstance(sql, str) and not sql.lstrip().startswith("SELECT") and _WRITES.search(sql):
        tell_actor(context["connection"])
    return execute(sql, params, many, context)


def wrap_connection(connection: BaseDatabaseWrapper, **_signal: Any) -> None:
    """Receiver of `connection_created`: its writes tell who writes."""
    if tell_before_writes not in connection.execute_wrappers:
        connection.execute_wrappers.append(tell_before_writes)
