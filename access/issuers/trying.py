"""A pasted token tried: what it says, whether it is good, and what the rules make of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from django.views.decorators.debug import sensitive_variables

from core.bearer_tokens import Issuer, VerifiedToken, read_unverified
from core.claim_rules import TokenRights, apply_rules
from core.errors import IssuerUnavailableError, TokenRefusedError
from core.messages import Message
from gateways.issuers import IssuerKeys, verify_bearer_token


@dataclass(frozen=True, kw_only=True)
class TriedToken:
    """The claims, never the signature; `refusal` says why an endpoint would refuse the token.

    `rights` are what the rules would grant; None where its issuer is not known.
    """

    claims: Mapping[str, Any]
    person: str = ""
    refusal: Message | None = None
    issuer: Issuer | None = None
    rights: TokenRights | None = None


@sensitive_variables("token")
def try_token(token: str, issuers: Iterable[Issuer], audiences: frozenset[str]) -> TriedToken:
    """What an endpoint with these audiences would make of the token, which is kept nowhere.

    Raises TokenRefusedError where it is no JWT.
    """
    known = tuple(issuers)
    claims = read_unverified(token).claims
    issuer = next((row for row in known if row.url == claims.get("iss")), None)
    rights = apply_rules(issuer.rules, claims) if issuer else None
    try:
        verified = _verify(token, known, audiences)
    except (TokenRefusedError, IssuerUnavailableError) as error:
        return TriedToken(claims=claims, refusal=error.message, issuer=issuer, rights=rights)
    refusal = verified.refusal
    return TriedToken(
        claims=claims, person=verified.person, refusal=refusal, issuer=issuer, rights=rights
    )


@async_to_sync
@sensitive_variables("token")
async def _verify(
    token: str, issuers: tuple[Issuer, ...], audiences: frozenset[str]
) -> VerifiedToken:
    keys = IssuerKeys()
    try:
        return await verify_bearer_token(token, issuers, keys, audiences)
    finally:
        await keys.close()
