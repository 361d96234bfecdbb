"""Access tokens of issuers to callers, beside the keys; both lanes ask here."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastmcp.server.auth import AccessToken, TokenVerifier

from access.connecting import endpoint_audiences, endpoint_url
from access.keys import token_key_id
from core.bearer_tokens import Issuer, VerifiedToken, accepted_audiences
from core.bindings import CallerFacts
from core.errors import TokenRefusedError, TokenRightsError
from gateways.issuers import BearerTokens
from mcp_runtime.auth import KeyVerifier
from mcp_runtime.caller import Caller, Holder
from mcp_runtime.endpoints import TOOLSET
from mcp_runtime.snapshot import Snapshot

# So long a checked token is good without another look: one that its issuer has revoked or whose key it
# has withdrawn, too.
TOKEN_CACHE_SECONDS = 30.0
TOKEN_CACHE_SIZE = 1_000


def metadata_url(toolset: str = "") -> str:
    """Where clients read of the endpoint which issuers it trusts (RFC 9728)."""
    parts = urlsplit(endpoint_url(toolset))
    return f"{parts.scheme}://{parts.netloc}/.well-known/oauth-protected-resource{parts.path}"


@dataclass(slots=True)
class _Entry:
    token: VerifiedToken
    caller: Caller
    # As they were when it was checked.
    issuers: tuple[Issuer, ...]
    # In seconds since 1970.
    good_until: float


class BearerVerifier(TokenVerifier):
    """Accepts the keys of the database and the access tokens of registered issuers.

    Belongs to one event loop. A checked token is remembered by its SHA-256.
    """

    def __init__(self, keys: KeyVerifier, snapshot: Callable[[], Snapshot]) -> None:
        super().__init__()
        self.keys = keys
        self._snapshot = snapshot
        self._tokens = BearerTokens()
        self._entries: dict[bytes, _Entry] = {}

    def issuers(self) -> tuple[Issuer, ...]:
        """Those whose tokens are taken now."""
        return self._snapshot().issuers

    async def verify_token(self, token: str) -> AccessToken | None:
        """As `check`, and notes what is refused."""
        if not self.issuers() or token_key_id(token) is not None:
            return await self.keys.verify_token(token)
        try:
            return await self.check(token)
        except TokenRefusedError:
            self.keys.on_refusal(token)
            raise

    async def check(self, token: str) -> AccessToken | None:
        """Who has the token, at the endpoint that is asked; None for an unknown key.

        Raises as KeyVerifier for keys, TokenRefusedError and IssuerUnavailableError for other tokens.
        """
        issuers = self.issuers()
        if not issuers or token_key_id(token) is not None:
            return await self.keys.check(token)
        caller = self._find_checked(token, TOOLSET.get()) or await self._check(token, issuers)
        holder = caller.holder
        assert holder is not None  # noqa: S101 - narrows
        return AccessToken(
            # Nothing can pass it on to a data source, a service or another server.
            token="",
            client_id=holder.client_id,
            scopes=[],
            subject=holder.subject,
            claims={"iss": holder.issuer, "caller": caller},
        )

    def find(
        self,
        token: str,
        peer: str = "",
        forwarded: str = "",
        toolset: str = "",
        *,
        has_waited: bool = False,
    ) -> Caller | None:
        """The caller of a key or token that is fresh in memory; None where `verify_token` has to judge.

        `has_waited` is that of KeyVerifier.
        """
        known = self.keys.find(token, peer, forwarded, has_waited=has_waited)
        return known or (self._find_checked(token, toolset) if self._entries else None)

    async def close(self) -> None:
        """End what is read of issuers."""
        await self._tokens.close()

    def _find_checked(self, token: str, toolset: str) -> Caller | None:
        entry, issuers = self._entries.get(_digest(token)), self.issuers()
        if entry is None or time.time() >= entry.good_until:
            return None
        if entry.issuers is not issuers:
            # The rows were read again; that costs those that are equal nothing.
            if entry.issuers != issuers:
                return None
            entry.issuers = issuers
        accepted = accepted_audiences(entry.token.issuer, endpoint_audiences(toolset))
        return None if entry.token.audiences.isdisjoint(accepted) else entry.caller

    async def _check(self, token: str, issuers: tuple[Issuer, ...]) -> Caller:
        audiences = endpoint_audiences(TOOLSET.get())
        verified = await self._tokens.judge(await self._tokens.open(token, issuers), audiences)
        if verified.refusal is not None:
            scope = verified.issuer.scope if verified.missing_scope else ""
            raise TokenRightsError(verified.refusal, scope)
        caller = _caller_of(verified)
        if len(self._entries) >= TOKEN_CACHE_SIZE:
            self._entries.pop(next(iter(self._entries)))
        good_until = min(time.time() + TOKEN_CACHE_SECONDS, verified.expires_at)
        self._entries[_digest(token)] = _Entry(verified, caller, issuers, good_until)
        return caller


def _caller_of(token: VerifiedToken) -> Caller:
    facts = CallerFacts(
        name=token.person,
        owner=token.person,
        claims=token.rights.facts,
        grant=token.rights.grant,
        issuer=token.issuer.name,
    )
    holder = Holder(token.client_id, token.issuer.url, token.subject)
    return Caller(key_id="", name=token.person, facts=facts, holder=holder)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
