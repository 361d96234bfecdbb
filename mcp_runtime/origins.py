"""From where calls come: what clients say of themselves, their session, address and trace."""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from starlette.requests import Request

from access.call_arguments import shorten_text
from access.calls import NOWHERE, CallOrigin
from access.proxies import find_client
from core.trace_context import read_traceparent

CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
# Of the names that a client gives itself.
_MAX_CHARACTERS = 100

# Of the call that FastMCP is serving.
ORIGIN: ContextVar[CallOrigin] = ContextVar("origin", default=NOWHERE)


def read_client(info: object) -> tuple[str, str]:
    """Name and version in what a client says of itself, '' for what it does not say."""
    given = info if isinstance(info, Mapping) else {}
    name, version = given.get("name"), given.get("version")
    return _clean(name), _clean(version)


def read_session_client(connection: Connection) -> tuple[str, str]:
    """Name and version of the client at the other end."""
    params = connection.client_params
    return read_client(params.client_info.__dict__ if params else None)


def read_session(session_id: str) -> str:
    """The number in a session's id, see `shared_sessions`; '' in any other text."""
    parts = session_id.split(".")
    return parts[1] if len(parts) == 3 and len(parts[1]) == 32 else ""


def read_origin(ctx: ServerRequestContext[Any, Any]) -> CallOrigin:
    """Of a request that the SDK serves."""
    connection, address = ctx.session._connection, ""
    if isinstance(ctx.request, Request):
        peer = ctx.request.client.host if ctx.request.client else ""
        address = find_client(peer, ctx.request.headers.get("x-forwarded-for", ""))
    return CallOrigin(
        *read_session_client(connection),
        protocol=ctx.protocol_version,
        session=read_session(connection.session_id or ""),
        address=address[:45],
        traceparent=read_traceparent((ctx.meta or {}).get("traceparent")),
        lane="fastmcp",
        rpc_id=ctx.request_id or "",
    )


def _clean(text: object) -> str:
    return shorten_text(text[:_MAX_CHARACTERS]) if isinstance(text, str) else ""
