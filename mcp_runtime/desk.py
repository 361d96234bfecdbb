"""The desk before authentication: whom to ask for a token, and what refusals say."""

import re
from collections.abc import Mapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from access.connecting import endpoint_url
from core.bearer_tokens import Issuer
from core.errors import IssuerUnavailableError, TokenRefusedError, TokenRightsError
from mcp_runtime.auth import KeysUnavailableError, RefusedAddressError
from mcp_runtime.endpoints import toolset_of
from mcp_runtime.tokens import BearerVerifier, metadata_url

WELL_KNOWN = "/.well-known/oauth-protected-resource"
# In headers stands no text of a client but a name of this form.
_TOOLSET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_AWAY = {"retry-after": "5"}


class Desk:
    """ASGI: serves the metadata of RFC 9728, names it in every 401, and answers refusals of tokens.

    Where nobody can say whether a token is good it answers 503: 401 would tell the client to throw a
    good one away. Without issuers it has nothing to say of OAuth.
    """

    def __init__(self, app: ASGIApp, path: str, verifier: BearerVerifier) -> None:
        self._app, self._path, self._verifier = app, path, verifier

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_issuers = bool(self._verifier.issuers())
        if has_issuers and (toolset := self._find_metadata(scope["path"])) is not None:
            await self._metadata(toolset)(scope, receive, send)
            return
        toolset = toolset_of(scope)

        async def send_with_challenge(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401:
                headers = MutableHeaders(scope=message)
                given = headers.get("www-authenticate", "Bearer")
                joint = " " if given == "Bearer" else ", "
                headers["www-authenticate"] = f"{given}{joint}{self._where(toolset)}"
            await send(message)

        try:
            await self._app(scope, receive, send_with_challenge if has_issuers else send)
        except KeysUnavailableError:
            text = "API keys cannot be checked at the moment; try again in a few seconds"
            answer = PlainTextResponse(text, 503, {"retry-after": "2"})
            await answer(scope, receive, send)
        except RefusedAddressError:
            text = "this API key may not be used from your network; ask your administrator"
            await PlainTextResponse(text, 403)(scope, receive, send)
        except IssuerUnavailableError as error:
            body = {"error": "temporarily_unavailable", "error_description": str(error)}
            await JSONResponse(body, 503, _AWAY)(scope, receive, send)
        except TokenRefusedError as error:
            await self._refuse(error, toolset)(scope, receive, send)

    def _find_metadata(self, path: str) -> str | None:
        """The toolset of which the metadata is asked, '' for that of all tools; None for another path."""
        if not path.startswith(WELL_KNOWN):
            return None
        rest = path.removeprefix(WELL_KNOWN).rstrip("/")
        own = metadata_url().partition(WELL_KNOWN)[2]
        if rest in ("", self._path, own):
            return ""
        above, _, toolset = rest.rpartition("/")
        is_ours = above in (self._path, own) and _TOOLSET.fullmatch(toolset)
        return toolset if is_ours else None

    def _metadata(self, toolset: str) -> JSONResponse:
        issuers = self._offered()
        scopes = sorted({word for issuer in issuers for word in issuer.scope.split()})
        body: dict[str, Any] = {
            "resource": endpoint_url(toolset),
            "resource_name": "Toolbuilder",
            "authorization_servers": [issuer.url for issuer in issuers],
            "bearer_methods_supported": ["header"],
        }
        if scopes:
            body["scopes_supported"] = scopes
        # Clients in a browser read it too.
        return JSONResponse(body, headers={"access-control-allow-origin": "*"})

    def _offered(self) -> tuple[Issuer, ...]:
        """The issuers at which a client can get a token that is good here; all while no rule grants anything.

        A client may take the first one, which must not be there for the people of the pages alone.
        """
        issuers = self._verifier.issuers()
        return tuple(issuer for issuer in issuers if issuer.grants_tools) or issuers

    def _where(self, toolset: str, scope: str | None = None) -> str:
        """What a challenge says of where to get a token, and of the scope if one is enough anywhere."""
        if scope is None:
            scopes = {issuer.scope for issuer in self._offered()}
            scope = scopes.pop() if len(scopes) == 1 else ""
        place = toolset if _TOOLSET.fullmatch(toolset) else ""
        words = f'scope="{scope}", ' if scope else ""
        return f'{words}resource_metadata="{metadata_url(place)}"'

    def _refuse(self, error: TokenRefusedError, toolset: str) -> JSONResponse:
        """401, or 403 for a good token that is not enough; the text is one of ours."""
        status, kind, scope = 401, "invalid_token", None
        if isinstance(error, TokenRightsError):
            status, scope = 403, error.scope
            kind = "insufficient_scope" if scope else "access_denied"
        body: Mapping[str, str] = {"error": kind, "error_description": str(error)}
        headers = {}
        if kind != "access_denied":
            about = f'error="{kind}", error_description="{error}"'
            headers["www-authenticate"] = f"Bearer {about}, {self._where(toolset, scope)}"
        return JSONResponse(body, status, headers)
