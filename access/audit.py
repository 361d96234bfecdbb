"""The audit trail: who changed what of those who may call, when and from where."""

import getpass
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from access.models import ApiKey, AuditAction, AuditEvent, AuditPlace
from access.proxies import client_address
from core.toolspec import JsonValue

API_KEY = "api_key"
_NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: the name of a user, and where; `address` is a client's, or this machine's name."""

    name: str
    place: AuditPlace
    address: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """What is acted upon: its kind, what it is found by, and its name at that time."""

    kind: str
    id: str
    name: str


def actor_of(request: HttpRequest, place: AuditPlace = AuditPlace.PAGE) -> Actor:
    """The signed-in person of a request."""
    return Actor(request.user.get_username(), place, client_address(request))


def command_actor() -> Actor:
    """The user of the operating system who runs this process."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        # In a container the number of a user may have no name.
        name = ""
    return Actor(name, AuditPlace.COMMAND, socket.gethostname())


def record_event(
    actor: Actor, action: AuditAction, target: Target, detail: Mapping[str, Any] | None = None
) -> None:
    """Add one event to the trail, in the transaction of the change; never with a secret in it."""
    AuditEvent.objects.create(
        actor=actor.name[:_NAME_CHARACTERS],
        place=actor.place,
        address=actor.address[:_NAME_CHARACTERS],
        action=action,
        target_kind=target.kind,
        target_id=target.id,
        target_name=target.name,
        detail=dict(detail or {}),
    )


def key_target(key: ApiKey) -> Target:
    """The key as the target of an event."""
    return Target(API_KEY, key.key_id, key.name)


def describe_key(key: ApiKey) -> dict[str, JsonValue]:
    """What of a key the trail keeps: never its token, nor what is stored of it."""
    return {
        "name": key.name,
        "owner": key.owner.get_username() if key.owner else "",
        "allowed_tools": key.allowed_tools,
        "toolsets": key.toolsets,
        "builtin_groups": key.builtin_groups,
        "free_sql_sources": key.free_sql_sources,
        "allowed_networks": key.allowed_networks,
        "claims": key.claims,
        "expires_at": key.expires_at.isoformat() if key.expires_at else None,
    }


def describe_changes(before: ApiKey, after: ApiKey) -> dict[str, JsonValue]:
    """What differs, each as [before, after]."""
    old, new = describe_key(before), describe_key(after)
    return {name: [old[name], new[name]] for name in old if old[name] != new[name]}
