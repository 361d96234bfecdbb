"""A row of another MCP server as the settings of its requests, and what is known of its health."""

from collections.abc import Iterable
from copy import copy

from django.db.models import Q
from django.db.models.functions import Coalesce, Now
from django.views.decorators.debug import sensitive_variables

from access.encryption import unseal
from access.reader_language import to_columns
from catalog.models import Authentication, McpServer, ServerState
from catalog.sources.connections import (
    MIN_SECRET_CHARACTERS,
    address_rules,
    check_row,
    place_secret,
)
from catalog.sources.credentials import resolve_credential
from core.errors import ConfigurationError
from core.messages import Message, message
from gateways.http.settings import ClientCredentials, HttpSettings

_MAX_TROUBLE_CHARACTERS = 500
# What a call carries twice, as text and as structured content, and the messages around it.
_WIRE_FACTOR, _WIRE_MARGIN = 3, 200_000


@sensitive_variables()
def to_mcp_settings(server: McpServer) -> HttpSettings:
    """How the server is called, its token resolved. Raises ConfigurationError, which holds none."""
    row = copy(server)
    check_row(row)
    if row.token:
        token = unseal(row.token, row.token_identity())
    else:
        token = resolve_credential(row.token_reference)
        if row.token_reference and not token:
            raise ConfigurationError(
                message("mcp_server.token_empty", "the token behind the reference is empty")
            )
    headers: tuple[tuple[str, str], ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    client = None
    if row.authentication == Authentication.CLIENT_CREDENTIALS:
        client = ClientCredentials(
            token_url=row.token_url, client_id=row.client_id, secret=token, scope=row.token_scope
        )
    elif token:
        headers, query = place_secret(row.authentication, row.authentication_name, token)
    found = HttpSettings(
        server_url=row.server_url,
        rules=address_rules(),
        headers=headers,
        query=query,
        secrets=(token,) if len(token) >= MIN_SECRET_CHARACTERS else (),
        client=client,
        pool_size=row.max_calls,
        byte_limit=_WIRE_FACTOR * row.byte_limit + _WIRE_MARGIN,
        timeout_ms=row.timeout_ms,
    )
    found.check()
    return found


def note_reachable(name: str) -> bool:
    """The server answered; whether that is news."""
    rows = McpServer.objects.filter(name=name)
    is_news = rows.exclude(state=ServerState.REACHABLE).exists()
    rows.update(
        **to_columns("trouble", None),
        state=ServerState.REACHABLE,
        unreachable_since=None,
        checked_at=Now(),
    )
    return is_news


def note_unreachable(name: str, trouble: Message) -> None:
    """The server did not answer; since when stays what it was."""
    McpServer.objects.filter(name=name).update(
        state=ServerState.UNREACHABLE,
        **to_columns("trouble", trouble.shortened(_MAX_TROUBLE_CHARACTERS)),
        unreachable_since=Coalesce("unreachable_since", Now()),
        checked_at=Now(),
    )


def due_servers(names: Iterable[str] = ()) -> list[McpServer]:
    """Active servers, or those of these names, by name."""
    chosen = Q(name__in=list(names)) if names else Q(is_active=True)
    return list(McpServer.objects.filter(chosen))
