"""Endpoints: `/mcp` serves every tool that a caller sees, `/mcp/<toolset>` those of a toolset."""

from collections.abc import Callable
from contextvars import ContextVar

from django.conf import settings
from fastmcp.server.dependencies import get_access_token, get_http_request
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from access.proxies import find_client
from core.languages import read_accepted_language
from mcp_runtime.caller import ANONYMOUS, Caller
from mcp_runtime.snapshot import Snapshot

# The address of the client of the request that is being served, '' if unknown.
CLIENT_ADDRESS: ContextVar[str] = ContextVar("client_address", default="")
# The toolset of the endpoint that is asked, '' at that of all tools.
TOOLSET: ContextVar[str] = ContextVar("toolset", default="")
# The language in which the agent of the call that is being served reads tools, '' the default texts.
LANGUAGE: ContextVar[str] = ContextVar("language", default="")
_TOOLSET = "toolbuilder.toolset"


class Endpoints:
    """ASGI, to be put before everything: leads the address of each toolset to the one endpoint.

    Notes, too, from which address the request came, and to which endpoint.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app, self._path = app, path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            peer = scope["client"][0] if scope.get("client") else ""
            CLIENT_ADDRESS.set(find_client(peer, Headers(scope=scope).get("x-forwarded-for", "")))
            above, _, toolset = scope["path"].rpartition("/")
            if toolset and above == self._path:
                path, raw = self._path, self._path.encode()
                scope = {**scope, "path": path, "raw_path": raw, _TOOLSET: toolset}
            TOOLSET.set(toolset_of(scope))
        await self._app(scope, receive, send)


class OnlyWithTools:
    """ASGI, to be put after authentication: 404 at the endpoint of a toolset of which the caller sees nothing.

    So a toolset that there is not cannot be told from one that is not granted.
    """

    def __init__(self, app: ASGIApp, snapshot: Callable[[], Snapshot]) -> None:
        self._app, self._snapshot = app, snapshot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        toolset = toolset_of(scope)
        # Who is not known is refused further inside.
        caller = caller_of(scope) if toolset else None
        if caller is not None and not self._snapshot().names_for(caller.facts):
            text = f"There is no toolset at this address for you: {toolset[:64]!r}"
            await JSONResponse({"error": text}, status_code=404)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def toolset_of(scope: Scope) -> str:
    """The toolset of the endpoint that is asked, '' at that of all tools."""
    toolset: str = scope.get(_TOOLSET, "")
    return toolset


def caller_of(scope: Scope) -> Caller | None:
    """Who makes the request, at its endpoint; None for a client that is not known."""
    if "user" not in scope:
        return ANONYMOUS.at(toolset_of(scope))
    token = getattr(scope["user"], "access_token", None)
    caller = getattr(token, "claims", {}).get("caller")
    return caller.at(toolset_of(scope)) if isinstance(caller, Caller) else None


def choose_language(accepted: str) -> str:
    """The language that AGENT_LANGUAGE says, or that a client with this Accept-Language wants."""
    chosen: str = settings.AGENT_LANGUAGE
    return read_accepted_language(accepted) if chosen == "client" else chosen


def wanted_language() -> str:
    """As `choose_language`, of the HTTP request that is being served."""
    try:
        return choose_language(get_http_request().headers.get("accept-language", ""))
    except RuntimeError:
        return choose_language("")


def current_caller() -> Caller:
    """Who makes the request that is being served; ANONYMOUS where authentication is off."""
    token = get_access_token()
    caller = getattr(token, "claims", {}).get("caller")
    try:
        toolset = toolset_of(get_http_request().scope)
    except RuntimeError:
        # Not over HTTP.
        toolset = ""
    return (caller if isinstance(caller, Caller) else ANONYMOUS).at(toolset)
