"""Issuers of access tokens: what they publish of themselves, their keys, and tokens checked with these."""

import asyncio
import json
import logging
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
from joserfc.errors import JoseError
from joserfc.jwk import Key, KeySet

from core.bearer_tokens import (
    KEY,
    UNKNOWN_ISSUER,
    Issuer,
    UnverifiedToken,
    VerifiedToken,
    accept_claims,
    accept_introspection,
    check_header,
    check_signature,
    choose_introspecting,
    read_unverified,
)
from core.errors import IssuerUnavailableError, TokenRefusedError
from core.messages import message
from gateways.http.client import LOOPBACK, AnswerTooLargeError, ServerClient
from gateways.introspection import Introspections

logger = logging.getLogger(__name__)

FRESH_S = 600.0
# Of one issuer, keys are read so often at most, whatever tokens say of new ones.
READ_INTERVAL_S = 5.0
# So long keys are good while the issuer is away.
KEPT_S = 86_400.0
# So long a request waits while keys are read.
PATIENCE_S = 3.0
CONNECT_TIMEOUT_S = 3.0
# Its metadata may be at one of two addresses, one asked after the other.
READ_TIMEOUT_S = 5.0
MAX_ANSWER_BYTES = 524_288
MOST_KEYS = 100

AWAY = message(
    "issuer.away", "the keys of the issuer of this token cannot be read; try again in a few seconds"
)


def is_issuer_url(url: str) -> bool:
    """Whether an issuer may be at this address: https, or http on this machine; no query, no user."""
    try:
        parts = httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError):
        return False
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.host in LOOPBACK)
    return bool(is_safe and parts.host) and not (parts.query or parts.fragment or parts.userinfo)


async def read_metadata(issuer_url: str) -> Mapping[str, Any]:
    """What the issuer publishes of itself. Raises IssuerUnavailableError.

    At the address of OpenID Connect, or at that of RFC 8414.
    """
    parts = httpx.URL(issuer_url)
    path = parts.path.rstrip("/")
    addresses = (
        f"{issuer_url.rstrip('/')}/.well-known/openid-configuration",
        str(parts.copy_with(path=f"/.well-known/oauth-authorization-server{path}")),
    )
    for address in addresses:
        with suppress(IssuerUnavailableError):
            found = await _read_json(address)
            if found.get("issuer") == issuer_url:
                return found
    raise IssuerUnavailableError(AWAY)


async def _read_json(url: str) -> Mapping[str, Any]:
    """The JSON object at an address. Raises IssuerUnavailableError; follows no redirect."""
    if not is_issuer_url(url):
        raise IssuerUnavailableError(AWAY)
    client = ServerClient(
        url, "", connect_timeout_s=CONNECT_TIMEOUT_S, max_answer_bytes=MAX_ANSWER_BYTES
    )
    try:
        async with asyncio.timeout(READ_TIMEOUT_S):
            answer = await client.request("GET")
        found = json.loads(answer.body)
    except (httpx.RequestError, AnswerTooLargeError, TimeoutError, ValueError, RecursionError):
        raise IssuerUnavailableError(AWAY) from None
    finally:
        await client.close()
    if answer.status != 200 or not isinstance(found, dict):
        raise IssuerUnavailableError(AWAY)
    return found


async def read_published_keys(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """The key set that the issuer with this metadata publishes. Raises IssuerUnavailableError."""
    return await _read_json(str(metadata.get("jwks_uri", "")))


async def _read_keys(issuer_url: str) -> dict[str, Key]:
    """The keys for signatures that the issuer publishes, by their ids."""
    published = (await read_published_keys(await read_metadata(issuer_url))).get("keys")
    keys: dict[str, Key] = {}
    for entry in published[:MOST_KEYS] if isinstance(published, list) else ():
        # A key of a kind that is not known here is not ours to judge.
        with suppress(JoseError, ValueError, TypeError, KeyError, AttributeError):
            key = KeySet.import_key_set({"keys": [entry]}).keys[0]
            if entry.get("use", "sig") == "sig" and isinstance(entry.get("kid"), str):
                keys[entry["kid"]] = key
    return keys


@dataclass(slots=True)
class _Published:
    keys: Mapping[str, Key] = field(default_factory=dict)
    # On the monotonic clock.
    read_at: float = float("-inf")
    tried_at: float = float("-inf")
    reading: asyncio.Task[None] | None = None


class IssuerKeys:
    """Published keys in memory, read again when they are old or a token names one that is not there.

    Belongs to one event loop.
    """

    def __init__(self) -> None:
        self._published: dict[str, _Published] = {}

    async def find(self, issuer_url: str, key_id: str) -> Key:
        """The key. Raises TokenRefusedError if there is none, IssuerUnavailableError if nobody knows."""
        published = self._published.setdefault(issuer_url, _Published())
        age = time.monotonic() - published.read_at
        if key_id not in published.keys or age > FRESH_S:
            self._begin_reading(issuer_url, published)
            if published.reading is not None:
                with suppress(TimeoutError):
                    async with asyncio.timeout(PATIENCE_S):
                        await asyncio.shield(published.reading)
            age = time.monotonic() - published.read_at
        if age < KEPT_S and (key := published.keys.get(key_id)) is not None:
            return key
        # The last word of an issuer that is away now says nothing of new keys.
        is_known = (
            age < FRESH_S and published.reading is None and published.tried_at <= published.read_at
        )
        if is_known:
            raise TokenRefusedError(KEY)
        raise IssuerUnavailableError(AWAY)

    async def close(self) -> None:
        """End what is read."""
        tasks = [row.reading for row in self._published.values() if row.reading is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin_reading(self, issuer_url: str, published: _Published) -> None:
        """One look for all who wait, unless the last one has only just begun."""

        async def read() -> None:
            try:
                published.keys = await _read_keys(issuer_url)
                published.read_at = time.monotonic()
            except IssuerUnavailableError:
                logger.warning("the keys of an issuer of access tokens cannot be read")
            finally:
                published.reading = None

        now = time.monotonic()
        if published.reading is None and now - published.tried_at >= READ_INTERVAL_S:
            published.tried_at = now
            published.reading = asyncio.create_task(read())


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedToken:
    """What a JWT says before anybody knows who wrote it, or what its issuer says of an opaque token.

    `jwt` is None of an opaque one, `issuer` None where the JWT names nobody who is registered.
    """

    text: str = field(repr=False)
    claims: Mapping[str, Any]
    issuer: Issuer | None
    jwt: UnverifiedToken | None = None


class BearerTokens:
    """Checks tokens: JWTs by the keys of their issuers, opaque ones by asking these. Belongs to one event loop."""

    def __init__(self) -> None:
        self._keys = IssuerKeys()
        self._introspections = Introspections()

    async def open(self, token: str, issuers: Collection[Issuer]) -> OpenedToken:
        """What is to be judged.

        Raises TokenRefusedError for what is no JWT and no active token of an issuer that can be asked,
        IssuerUnavailableError where it does not answer; nothing of the token is in their texts.
        """
        try:
            jwt = read_unverified(token)
        except TokenRefusedError:
            asked = choose_introspecting(issuers, token)
            if asked is None:
                raise
            claims = await self._introspections.ask(asked, token)
            return OpenedToken(text=token, claims=claims, issuer=asked)
        issuer = next((row for row in issuers if row.url == jwt.claims.get("iss")), None)
        return OpenedToken(text=token, claims=jwt.claims, issuer=issuer, jwt=jwt)

    async def judge(self, token: OpenedToken, audiences: Collection[str]) -> VerifiedToken:
        """The token, if it is good at endpoints with these audiences. Raises as `open`."""
        if token.issuer is None:
            raise TokenRefusedError(UNKNOWN_ISSUER)
        if token.jwt is None:
            return accept_introspection(token.issuer, token.claims, audiences, time.time())
        check_header(token.issuer, token.jwt)
        key = await self._keys.find(token.issuer.url, token.jwt.header["kid"])
        check_signature(token.issuer, token.text, key)
        return accept_claims(token.issuer, token.claims, audiences, time.time())

    async def close(self) -> None:
        """End what is read and asked."""
        await self._keys.close()
        await self._introspections.close()
