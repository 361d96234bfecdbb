"""A pasted token tried: what it says, whether it is good, and what the rules make of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from asgiref.sync import async_to_sync
from django.views.decorators.debug import sensitive_variables

from core.bearer_tokens import Issuer
from core.claim_rules import TokenRights, apply_rules
from core.errors import IssuerUnavailableError, TokenRefusedError
from core.messages import Message
from gateways.issuers import BearerTokens


@dataclass(frozen=True, kw_only=True)
class TriedToken:
    """The claims, never the signature; `refusal` says why an endpoint would refuse the token.

    `rights` are what the rules would grant; None where its issuer is not known. Of an opaque token the
    claims are what its issuer says.
    """

    claims: Mapping[str, Any]
    is_opaque: bool = False
    person: str = ""
    refusal: Message | None = None
    issuer: Issuer | None = None
    rights: TokenRights | None = None


@async_to_sync
@sensitive_variables("token")
async def try_token(token: str, issuers: Iterable[Issuer], audiences: frozenset[str]) -> TriedToken:
    """What an endpoint with these audiences would make of the token, which is kept nowhere.

    Raises TokenRefusedError where it is no JWT and no issuer knows it, IssuerUnavailableError where one
    that does not answer might.
    """
    tokens = BearerTokens()
    try:
        opened = await tokens.open(token, tuple(issuers))
        issuer = opened.issuer
        tried = TriedToken(
            claims=opened.claims,
            is_opaque=opened.jwt is None,
            issuer=issuer,
            rights=apply_rules(issuer.rules, opened.claims) if issuer else None,
        )
        try:
            verified = await tokens.judge(opened, audiences)
        except (TokenRefusedError, IssuerUnavailableError) as error:
            return replace(tried, refusal=error.message)
        return replace(tried, person=verified.person, refusal=verified.refusal)
    finally:
        await tokens.close()
