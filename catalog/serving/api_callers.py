"""Who asks the REST API: the owner of an API key, as at the MCP address."""

from dataclasses import dataclass
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest

from access.keys import find_key, note_use
from access.models import ApiKey
from access.proxies import client_address

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP")


@dataclass(frozen=True, slots=True)
class ApiCaller:
    """Who asks; `allowed_tools` None is every tool, `key_id` and `owner` are '' where unknown."""

    key_id: str = ""
    owner: str = ""
    allowed_tools: frozenset[str] | None = None

    def may_call(self, tool_name: str) -> bool:
        """Whether the key has the tool whose answer is asked for."""
        return self.allowed_tools is None or tool_name in self.allowed_tools


def find_caller(request: HttpRequest) -> ApiCaller | None:
    """The caller of a valid `Authorization: Bearer` token, whose use is noted, or None.

    Without a token anybody on this machine is let in where MCP_AUTH is `none`, and nobody else.
    """
    header: str = request.headers.get("Authorization", "")
    if not header:
        return ApiCaller() if settings.MCP_AUTH == "none" and _is_local(request) else None
    scheme, _, token = header.partition(" ")
    key = find_key(token.strip()) if scheme.lower() == "bearer" else None
    if key is None:
        return None
    note_use(key)
    return _to_caller(key)


def _to_caller(key: ApiKey) -> ApiCaller:
    owner = key.owner.get_username() if key.owner else ""
    return ApiCaller(key.key_id, owner, key.tools)


def _is_local(request: HttpRequest) -> bool:
    # A proxy on this machine asks from a loopback address for somebody who may be anywhere.
    if any(name in request.headers for name in _FORWARDED):
        return False
    try:
        return ip_address(client_address(request)).is_loopback
    except ValueError:
        return False
