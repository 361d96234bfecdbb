"""As whom the playground calls tools: with a key whose secret lies sealed in the person's session and is shown to nobody."""

from dataclasses import dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from access.allowed_tools import every_tool
from access.connecting import endpoint_url
from access.encryption import seal, unseal
from access.keys import create_key, find_key, revoke_key
from access.models import ApiKey
from access.tool_names import offered_sources, offered_tools
from access.views.gates import ADD_KEYS, CHANGE_KEYS, user_of
from access.visibility import hidden_tools
from core.errors import ConfigurationError, EditError
from core.grants import DEFAULT_SOURCE
from core.ingest.addresses import AddressRules
from core.messages import message
from gateways.http.settings import HttpSettings
from toolbuilder.visibility import editable_tools

KEY_NAME = "Playground"
KEY_LIFETIME = timedelta(days=1)
# Of a key that is lent for one turn, should nobody end it.
LENT_LIFETIME = timedelta(minutes=30)
# By the id of the key as whose holder the chat calls, '' the person's own: the sealed secret.
_SESSION_KEY = "playground_keys"
# By chat, as whom it calls, where that is not the person.
_CHATS = "playground_chats"


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
def find_access(request: HttpRequest, toolset: str = "", as_key: str = "") -> AgentAccess | None:
    """The key of the person, or the one lent for `as_key`, at the endpoint of all tools or of that toolset.

    None before it is made, and once it has ended.
    """
    sealed = request.session.get(_SESSION_KEY, {}).get(as_key, "")
    try:
        token = unseal(sealed, _identity(request)) if sealed else ""
    except (ConfigurationError, ValueError):
        # The encryption keys were replaced since.
        token = ""
    key = find_key(token) if token else None
    return AgentAccess(endpoint_url(toolset), key.key_id, token) if key else None


@sensitive_variables("issued")
def open_access(request: HttpRequest, toolset: str = "", as_key: str = "") -> AgentAccess:
    """As `find_access`; a new key where there is none, or it has ended.

    Raises EditError for somebody who may call nothing, ConfigurationError if no secret can be kept.
    """
    if found := find_access(request, toolset, as_key):
        return found
    # Before a key is made: without the encryption its secret could not be kept.
    seal("", _identity(request))
    issued = create_key(_copy_key(request, as_key) if as_key else _own_key(user_of(request)))
    kept = request.session.get(_SESSION_KEY, {})
    request.session[_SESSION_KEY] = {**kept, as_key: seal(issued.token, _identity(request))}
    return AgentAccess(endpoint_url(toolset), issued.key.key_id, issued.token)


def close_access(request: HttpRequest, as_key: str = "") -> None:
    """End a key that was lent for a turn; one that the person may make stays theirs for its day."""
    if not as_key and user_of(request).has_perm(ADD_KEYS):
        return
    if found := find_access(request, as_key=as_key):
        revoke_key(ApiKey.objects.get(key_id=found.key_id))
    kept = request.session.get(_SESSION_KEY, {})
    request.session[_SESSION_KEY] = {name: kept[name] for name in kept if name != as_key}


def may_ask(request: HttpRequest) -> bool:
    """Whether there is something that the person may call."""
    user = user_of(request)
    return user.has_perm(ADD_KEYS) or editable_tools(user).active().exists()


def list_lent_keys(user: User) -> "QuerySet[ApiKey]":
    """The valid keys as whose holders the person may chat: administrators as any, others as those of nobody else.

    Who may not see some tools would see them by a key that does.
    """
    keys = ApiKey.objects.exclude(revoked_at__isnull=False).exclude(expires_at__lte=timezone.now())
    keys = keys.exclude(name__startswith=KEY_NAME).order_by("name", "key_id")
    if user.is_superuser:
        return keys.exclude(owner__is_active=False)
    if not user.has_perms((ADD_KEYS, CHANGE_KEYS)) or hidden_tools(user):
        return keys.none()
    return keys.filter(Q(owner=None) | Q(owner=user))


def caller_of(request: HttpRequest, chat_id: int) -> str:
    """The id of the key as whose holder the chat calls, '' the person's own."""
    return str(request.session.get(_CHATS, {}).get(str(chat_id), ""))


def remember_caller(request: HttpRequest, chat_id: int, as_key: str) -> None:
    """Keep as whom the chat calls, in the session as its key is."""
    kept = {
        key: name for key, name in request.session.get(_CHATS, {}).items() if key != str(chat_id)
    }
    request.session[_CHATS] = kept | ({str(chat_id): as_key} if as_key else {})


def _own_key(user: User) -> ApiKey:
    """A key of all that the person may call: for those who may not make keys, what they may try in the editor."""
    if not user.has_perm(ADD_KEYS):
        names = sorted(editable_tools(user).active().values_list("name", flat=True))
        if not names:
            raise EditError(
                message(
                    "playground.no_key",
                    "The playground calls tools that you may change, or all that a key of yours may; you"
                    " have none. Ask an administrator for the right.",
                )
            )
        end = timezone.now() + LENT_LIFETIME
        return ApiKey(
            name=KEY_NAME, owner=user, expires_at=end, allowed_tools=names, free_sql_sources=[]
        )
    sees_all = user.is_superuser or not hidden_tools(user)
    return ApiKey(
        name=KEY_NAME,
        owner=user,
        expires_at=timezone.now() + KEY_LIFETIME,
        allowed_tools=every_tool() if sees_all else sorted(offered_tools(user)),
        free_sql_sources=every_tool() if sees_all else [DEFAULT_SOURCE, *offered_sources(user)],
    )


def _copy_key(request: HttpRequest, as_key: str) -> ApiKey:
    """A key for a turn with the scopes, claims and owner of the one with that id; it works from here."""
    key = list_lent_keys(user_of(request)).filter(key_id=as_key).first()
    if key is None:
        raise EditError(
            message("playground.key_closed", "There is no such key, or you may not call with it.")
        )
    scopes = ("owner", "claims", "allowed_tools", "toolsets", "builtin_groups", "free_sql_sources")
    copied = {name: getattr(key, name) for name in scopes}
    end = timezone.now() + LENT_LIFETIME
    return ApiKey(name=f"{KEY_NAME}: {key.name}"[:100], expires_at=end, **copied)


def _identity(request: HttpRequest) -> str:
    return f"playground:{user_of(request).pk}"


def model_is_set() -> bool:
    """Whether the operator has named a language model."""
    return bool(settings.LLM_BASE_URL and settings.LLM_MODEL)
