"""As whom the playground calls tools: with a key of the person's own, whose secret lies sealed in their session."""

from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from access.allowed_tools import every_tool
from access.connecting import endpoint_url
from access.encryption import seal, unseal
from access.keys import create_key, find_key
from access.models import ApiKey
from access.tool_names import offered_sources, offered_tools
from access.views.gates import ADD_KEYS, user_of
from access.visibility import hidden_tools
from core.errors import ConfigurationError, EditError
from core.grants import DEFAULT_SOURCE
from core.ingest.addresses import AddressRules
from core.messages import message
from gateways.http.settings import HttpSettings

KEY_NAME = "Playground"
KEY_LIFETIME = timedelta(days=1)
_SESSION_KEY = "playground_key"


@dataclass(frozen=True, slots=True)
class AgentAccess:
    """The endpoint that a chat calls, and the key with which it does."""

    url: str
    key_id: str
    token: str = field(repr=False)

    def to_settings(self) -> HttpSettings:
        """For the channel: the operator's own address is trusted, wherever it leads to."""
        return HttpSettings(
            server_url=self.url,
            rules=AddressRules(frozenset({(urlsplit(self.url).hostname or "").lower()})),
            headers=(("Authorization", f"Bearer {self.token}"),),
            secrets=(self.token,),
        )


@sensitive_variables("token")
def find_access(request: HttpRequest, toolset: str = "") -> AgentAccess | None:
    """The person's key at the endpoint of all tools, or of that toolset; None before it is made."""
    token = _read_token(request)
    key = find_key(token) if token else None
    if key is None or key.owner_id != user_of(request).pk:
        return None
    return AgentAccess(endpoint_url(toolset), key.key_id, token)


def open_access(request: HttpRequest, toolset: str = "") -> AgentAccess:
    """As `find_access`; a new key where there is none, or it has ended.

    Raises EditError for somebody who may not make keys, ConfigurationError if no secret can be kept.
    """
    return find_access(request, toolset) or _issue(request, toolset)


def may_ask(request: HttpRequest) -> bool:
    """Whether the person may make the key that a chat needs."""
    return user_of(request).has_perm(ADD_KEYS)


@sensitive_variables("token")
def _read_token(request: HttpRequest) -> str:
    sealed = request.session.get(_SESSION_KEY, "")
    try:
        return unseal(sealed, _identity(request)) if sealed else ""
    except (ConfigurationError, ValueError):
        # The encryption keys were replaced since.
        return ""


@sensitive_variables("issued")
def _issue(request: HttpRequest, toolset: str) -> AgentAccess:
    user = user_of(request)
    if not may_ask(request):
        raise EditError(
            message(
                "playground.no_key",
                "The playground calls tools with a key of your own, and you may not make keys. Ask an"
                " administrator for the right.",
            )
        )
    # Before a key is made: without the encryption its secret could not be kept.
    seal("", _identity(request))
    sees_all = user.is_superuser or not hidden_tools(user)
    sources = every_tool() if sees_all else [DEFAULT_SOURCE, *offered_sources(user)]
    key = ApiKey(
        name=KEY_NAME,
        owner=user,
        expires_at=timezone.now() + KEY_LIFETIME,
        allowed_tools=every_tool() if sees_all else sorted(offered_tools(user)),
        free_sql_sources=sources,
    )
    issued = create_key(key)
    request.session[_SESSION_KEY] = seal(issued.token, _identity(request))
    return AgentAccess(endpoint_url(toolset), issued.key.key_id, issued.token)


def _identity(request: HttpRequest) -> str:
    return f"playground:{user_of(request).pk}"


def model_is_set() -> bool:
    """Whether the operator has named a language model."""
    return bool(settings.LLM_BASE_URL and settings.LLM_MODEL)
