"""Opaque access tokens, shown to their issuer, which says what they are (RFC 7662)."""

import asyncio
import hashlib
import json
import logging
import time
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote_plus, urlencode

import httpx

from core.bearer_tokens import INACTIVE, Introspection, Issuer
from core.errors import IssuerUnavailableError, TokenRefusedError
from core.messages import message
from gateways.http.client import AnswerTooLargeError, ServerClient

logger = logging.getLogger(__name__)

# From a request with an unknown token to the word of its issuer.
DEADLINE_S = 3.0
MAX_ANSWER_BYTES = 131_072
# A client that goes on with a dead token does not make us ask again and again.
REFUSED_S = 10.0
MOST_REFUSED = 1_000
# Whoever sends tokens of his own invention cannot make us flood the issuer.
MOST_AT_ONCE = 8

AWAY = message(
    "issuer.introspection_away",
    "the issuer of this token cannot be asked about it; try again in a few seconds",
)
NOT_LET_IN = message(
    "issuer.introspection_refused",
    "the issuer does not take our client id and secret at its introspection endpoint; ask your administrator",
)


class Introspections:
    """Asks issuers about tokens, once for all who wait for the same one. Belongs to one event loop.

    Tokens that are no good are remembered for some seconds, by their SHA-256; good ones are their caller's
    to remember.
    """

    def __init__(self) -> None:
        self._clients: dict[str, ServerClient] = {}
        self._asking: dict[bytes, asyncio.Task[Mapping[str, Any]]] = {}
        # Until when, on the monotonic clock.
        self._refused: dict[bytes, float] = {}
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)

    async def ask(self, issuer: Issuer, token: str) -> Mapping[str, Any]:
        """What the issuer says of an active token.

        Raises TokenRefusedError for another one, IssuerUnavailableError where nobody can say.
        """
        where = issuer.introspection
        assert where is not None  # noqa: S101 - narrows
        digest = hashlib.sha256(f"{where.url} {where.client_id} {token}".encode()).digest()
        if time.monotonic() < self._refused.get(digest, 0.0):
            raise TokenRefusedError(INACTIVE)
        if (asking := self._asking.get(digest)) is None:
            asking = asyncio.create_task(self._ask(where, token))
            self._asking[digest] = asking
            # Nobody may wait for it any more.
            asking.add_done_callback(lambda done: done.cancelled() or done.exception())
            asking.add_done_callback(lambda _done: self._asking.pop(digest, None))
        answer = await asyncio.shield(asking)
        if answer.get("active") is not True:
            if len(self._refused) >= MOST_REFUSED:
                self._refused.pop(next(iter(self._refused)))
            self._refused[digest] = time.monotonic() + REFUSED_S
            raise TokenRefusedError(INACTIVE)
        return answer

    async def close(self) -> None:
        """End what is asked, and the connections."""
        tasks = list(self._asking.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for client in self._clients.values():
            await client.close()

    async def _ask(self, where: Introspection, token: str) -> Mapping[str, Any]:
        client = self._clients.get(where.url)
        if client is None:
            client = self._clients[where.url] = ServerClient(
                where.url, "", connect_timeout_s=DEADLINE_S, max_answer_bytes=MAX_ANSWER_BYTES
            )
        # RFC 6749, 2.3.1: both are encoded as in a form first.
        who = f"{quote_plus(where.client_id)}:{quote_plus(where.secret)}"
        headers = {
            "Authorization": f"Basic {b64encode(who.encode()).decode()}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        body = urlencode({"token": token, "token_type_hint": "access_token"}).encode()
        try:
            async with asyncio.timeout(DEADLINE_S), self._slots:
                answer = await client.request("POST", body=body, headers=headers)
            found = json.loads(answer.body) if answer.status == 200 else None
        except (httpx.RequestError, AnswerTooLargeError, TimeoutError, ValueError, RecursionError):
            logger.warning("an issuer of access tokens cannot be asked about one")
            raise IssuerUnavailableError(AWAY) from None
        if answer.status in {401, 403}:
            logger.warning("an issuer of access tokens does not take our client id and secret")
            raise IssuerUnavailableError(NOT_LET_IN)
        if not isinstance(found, dict):
            logger.warning("an issuer of access tokens answers about one with %s", answer.status)
            raise IssuerUnavailableError(AWAY)
        return found
