"""Access tokens of issuers: what one has to be so that it is good here. Its text is in no answer and no log."""

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import Key
from joserfc.jws import JWSRegistry

from core.claim_rules import ClaimRule, Claims, TokenRights, apply_rules, find_claim
from core.errors import TokenRefusedError
from core.grants import NOTHING
from core.messages import Message, message

# Only those whose check needs a public key: with HS256 whoever has that key could sign.
ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512"),
)
MAX_TOKEN_CHARACTERS = 32_768
# Of our API keys, which are no tokens of an issuer.
KEY_PREFIX = "mcp_"
MAX_NAME_CHARACTERS = 150
LEEWAY_S = 30
_TYPES = {"jwt", "at+jwt", "application/at+jwt"}
# What issuers say of an opaque token that is one for access; some say nothing but the first.
_OF_ACCESS_TOKENS = {
    "token_type": {"bearer"},
    "token_use": {"", "access", "access_token"},
    "typ": {"", "bearer", *_TYPES},
}
# RFC 6750, 2.1.
_BEARER = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_registry = JWSRegistry(algorithms=list(ALGORITHMS), strict_check_header=False)

NO_TOKEN = message("token.unreadable", "this is no token that can be read here")
OPAQUE = message(
    "token.opaque",
    "this is neither an API key nor a JWT; ask the issuer for a JWT, naming this server as the resource",
)
UNKNOWN_ISSUER = message("token.issuer", "the token is from an issuer that is not registered here")
ALGORITHM = message(
    "token.algorithm", "the token is signed with an algorithm that is not allowed here"
)
TYPE = message("token.type", "this is no access token")
KEY = message("token.key", "the token is signed with a key that the issuer does not publish")
SIGNATURE = message("token.signature", "the signature of the token is wrong")
NO_EXPIRY = message("token.no_expiry", "the token does not say when it expires")
EXPIRED = message("token.expired", "the token is expired")
NOT_YET = message("token.not_yet", "the token is not valid yet")
AUDIENCE = message("token.audience", "the token was issued for another audience")
ID_TOKEN = message(
    "token.id_token", "this is an ID token, which is for the client; send the access token"
)
BOUND = message(
    "token.bound",
    "the token is bound to a key of its client, and here nobody proves to have it; ask the issuer"
    " for a bearer token",
)
NO_SUBJECT = message("token.no_subject", "the token does not say whose it is")
INACTIVE = message(
    "token.inactive",
    "the issuer does not know this token: it is expired, revoked or not one of its own",
)

SWITCHED_OFF = message(
    "token.switched_off", "the account of this person is switched off here; ask your administrator"
)
NOTHING_GRANTED = message(
    "token.nothing",
    "the token is good, and no rule here grants anything to it; ask your administrator",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Introspection:
    """Where an issuer says what its opaque tokens are (RFC 7662), and who we are to it.

    Its tokens begin with `prefix`; '' takes all that no other issuer takes.
    """

    url: str
    client_id: str
    secret: str = field(repr=False)
    prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """A registered issuer: `url` is the `iss` of its tokens, compared letter by letter.

    `audience` '' is the address of the endpoint that is called. `scope` has the words that a token
    needs. People are called by the claim `name_claim`, '' for `sub`. Without `introspection` it has no
    opaque tokens. `switched_off` are the subjects of people who were switched off here.
    """

    id: int
    name: str
    url: str
    audience: str = ""
    algorithms: tuple[str, ...] = ("RS256",)
    leeway_s: int = LEEWAY_S
    scope: str = ""
    name_claim: str = ""
    rules: tuple[ClaimRule, ...] = ()
    introspection: Introspection | None = None
    switched_off: frozenset[str] = frozenset()

    @property
    def grants_tools(self) -> bool:
        """Whether a token of it can be good for anything; people may sign in to the pages by one that is not."""
        return any(rule.grant != NOTHING for rule in self.rules)


@dataclass(frozen=True, slots=True)
class UnverifiedToken:
    """What a token says before anybody knows who wrote it."""

    header: Mapping[str, Any]
    claims: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedToken:
    """A good token: its claims, and what the issuer's rules make of them."""

    issuer: Issuer
    claims: Claims
    rights: TokenRights
    audiences: frozenset[str]
    # In seconds since 1970, with the leeway.
    expires_at: float

    @property
    def subject(self) -> str:
        """Who it is at the issuer."""
        return _text(self.claims, "sub") or self.client_id

    @property
    def client_id(self) -> str:
        """The client to which it was given, '' if unknown."""
        return _text(self.claims, "client_id") or _text(self.claims, "azp")

    @property
    def person(self) -> str:
        """The name in records and limits: that of the issuer, a colon, and the person's or program's."""
        name = self.issuer.name_claim
        own = _text(self.claims, name) if name else ""
        return f"{self.issuer.name}:{own or self.subject}"

    @property
    def refusal(self) -> Message | None:
        """Why it is not enough, although it is good; None for one that is."""
        if self.subject in self.issuer.switched_off:
            return SWITCHED_OFF
        if missing := self.missing_scope:
            return message("token.scope", "the token lacks the scope {scope}", scope=missing)
        return NOTHING_GRANTED if self.rights.grant == NOTHING else None

    @property
    def missing_scope(self) -> str:
        """The words of the issuer's scope that the token lacks."""
        granted: set[str] = set()
        for claim in ("scope", "scp"):
            value = self.claims.get(claim)
            for words in value if isinstance(value, list) else [value]:
                granted.update(words.split() if isinstance(words, str) else ())
        return " ".join(word for word in self.issuer.scope.split() if word not in granted)


def read_unverified(token: str) -> UnverifiedToken:
    """What the token says. Raises TokenRefusedError where it is no JWT."""
    if token.count(".") != 2:
        raise TokenRefusedError(OPAQUE)
    if len(token) > MAX_TOKEN_CHARACTERS:
        raise TokenRefusedError(NO_TOKEN)
    try:
        opened = jws.extract_compact(token.encode(), registry=_registry)
        claims = json.loads(opened.payload)
        header = opened.headers()
    except (JoseError, ValueError, TypeError, RecursionError):
        raise TokenRefusedError(NO_TOKEN) from None
    if not isinstance(claims, dict) or not isinstance(header, dict):
        raise TokenRefusedError(NO_TOKEN)
    return UnverifiedToken(header, claims)


def check_header(issuer: Issuer, token: UnverifiedToken) -> None:
    """Raise TokenRefusedError unless the header of the token is as this issuer's are."""
    if token.header.get("alg") not in issuer.algorithms:
        raise TokenRefusedError(ALGORITHM)
    kind = token.header.get("typ", "JWT")
    if not isinstance(kind, str) or kind.lower() not in _TYPES:
        raise TokenRefusedError(TYPE)
    if not isinstance(token.header.get("kid"), str):
        raise TokenRefusedError(KEY)


def choose_introspecting(issuers: Iterable[Issuer], token: str) -> Issuer | None:
    """The one issuer to which an opaque token is shown, None if it is shown to nobody.

    The longest fitting prefix wins: a token is never shown to two issuers, as each could use it here.
    What looks like an API key of ours is shown to none.
    """
    is_readable = len(token) <= MAX_TOKEN_CHARACTERS and _BEARER.fullmatch(token)
    if not is_readable or token.startswith(KEY_PREFIX):
        return None
    fitting = [
        (len(issuer.introspection.prefix), issuer)
        for issuer in issuers
        if issuer.introspection and token.startswith(issuer.introspection.prefix)
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def accept_introspection(
    issuer: Issuer, answer: Claims, audiences: Collection[str], now: float
) -> VerifiedToken:
    """The opaque token of which the issuer says this, judged as a JWT with these claims would be.

    Raises TokenRefusedError. It has to be said to be a bearer token: a refresh token is active too.
    """
    if answer.get("active") is not True:
        raise TokenRefusedError(INACTIVE)
    if answer.get("iss", issuer.url) != issuer.url:
        raise TokenRefusedError(UNKNOWN_ISSUER)
    said = {name: str(answer.get(name) or "").lower() for name in _OF_ACCESS_TOKENS}
    if any(word not in _OF_ACCESS_TOKENS[name] for name, word in said.items()):
        raise TokenRefusedError(TYPE)
    token = accept_claims(issuer, answer, audiences, now)
    # The issuer judged by its own clock, so that no leeway is needed.
    return replace(token, expires_at=token.expires_at - issuer.leeway_s)


def check_signature(issuer: Issuer, token: str, key: Key) -> None:
    """Raise TokenRefusedError unless the key has signed the token."""
    try:
        jws.deserialize_compact(token, key, algorithms=list(issuer.algorithms), registry=_registry)
    except (JoseError, ValueError, TypeError):
        raise TokenRefusedError(SIGNATURE) from None


def accept_claims(
    issuer: Issuer, claims: Claims, audiences: Collection[str], now: float
) -> VerifiedToken:
    """The token with these claims, whose signature is good, at endpoints with these `audiences`.

    Raises TokenRefusedError; `now` is in seconds since 1970.
    """
    end = _moment(claims, "exp")
    if end is None:
        raise TokenRefusedError(NO_EXPIRY)
    if end + issuer.leeway_s <= now:
        raise TokenRefusedError(EXPIRED)
    for name in ("nbf", "iat"):
        if name in claims:
            start = _moment(claims, name)
            if start is None or start - issuer.leeway_s > now:
                raise TokenRefusedError(NOT_YET)
    found = claims.get("aud")
    named = {
        name.rstrip("/")
        for name in (found if isinstance(found, list) else [found])
        if isinstance(name, str)
    }
    if named.isdisjoint(accepted_audiences(issuer, audiences)):
        raise TokenRefusedError(AUDIENCE)
    if "nonce" in claims or "at_hash" in claims:
        raise TokenRefusedError(ID_TOKEN)
    # RFC 7800: as a bearer token it would be worth more to a thief than its issuer meant it to be.
    if "cnf" in claims:
        raise TokenRefusedError(BOUND)
    token = VerifiedToken(
        issuer=issuer,
        claims=claims,
        rights=apply_rules(issuer.rules, claims),
        audiences=frozenset(named),
        expires_at=end + issuer.leeway_s,
    )
    if not token.subject:
        raise TokenRefusedError(NO_SUBJECT)
    return token


def accepted_audiences(issuer: Issuer, audiences: Iterable[str]) -> frozenset[str]:
    """Of which audiences a token of the issuer has to name one."""
    chosen = (issuer.audience,) if issuer.audience else audiences
    return frozenset(name.rstrip("/") for name in chosen)


def _moment(claims: Claims, name: str) -> float | None:
    value = claims.get(name)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def _text(claims: Claims, name: str) -> str:
    value = find_claim(claims, name)
    is_good = isinstance(value, str) and len(value) <= MAX_NAME_CHARACTERS and value.isprintable()
    return str(value) if is_good else ""
