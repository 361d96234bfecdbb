"""The access token of a service, by OAuth 2.0 client credentials (RFC 6749, section 4.4)."""

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from http import HTTPStatus
from math import isnan
from typing import Any, Protocol
from urllib.parse import parse_qsl, quote_plus, urlencode

from core.errors import DataSourceError, DataSourceUnavailableError
from core.http_answers import HttpAnswer
from core.ingest.requests import PlainRequest
from core.messages import Message, message
from gateways.http.settings import HEADER_VALUE, ClientCredentials

# A token is not used any more when so little of its time is left, at most a tenth of it.
LEEWAY_S = 30.0
# So long one is used whose end is not said.
UNSAID_LIFE_S = 300.0
LONGEST_LIFE_S = 86_400.0
# A service that refuses every token costs its server one in so long.
BETWEEN_REFUSALS_S = 10.0
MAX_ANSWER_BYTES = 100_000
ANSWER_WITHIN_MS = 15_000
_SECONDS = re.compile(r"[0-9]{1,9}")
_ERROR_CODE = re.compile(r"[a-z_]{3,40}")


class Send(Protocol):
    """Sends a request to the server of tokens, within a time."""

    async def __call__(
        self, request: PlainRequest, /, *, byte_limit: int, timeout_ms: int
    ) -> HttpAnswer: ...


class ServiceTokenError(DataSourceError):
    """No token was given; the text holds no secret."""


class ClientTokens:
    """The token of one service: asked for when it is needed, and kept until shortly before its end."""

    def __init__(self, credentials: ClientCredentials, send: Send) -> None:
        self._credentials = credentials
        self._send = send
        # The last tokens, the one in use first: an answer may come when there is another one already.
        self.known: tuple[str, ...] = ()
        self._good_until, self._refused_at = 0.0, -BETWEEN_REFUSALS_S
        self._lock = asyncio.Lock()
        # Servers must take Basic (section 2.3.1); those that do not are asked with fields of the form from then on.
        self._is_basic = True

    async def get(self) -> str:
        """A token that is good; callers wait for the same answer.

        Raises ServiceTokenError, DataSourceUnavailableError, DataSourceBusyError, DeadlineExceededError.
        """
        async with self._lock:
            if asyncio.get_running_loop().time() >= self._good_until:
                await self._renew()
            return self.known[0]

    def refuse(self, token: str) -> bool:
        """The service takes this token no more; whether another may do.

        One that came meanwhile may. Where the last but one was refused a moment ago, it is not the token.
        """
        now = asyncio.get_running_loop().time()
        # Of callers who were refused together the first has put an end to it.
        if token in self.known[:1] and now < self._good_until:
            if now < self._refused_at + BETWEEN_REFUSALS_S:
                return False
            self._good_until, self._refused_at = 0.0, now
        return True

    async def _renew(self) -> None:
        said = _read(answer := await self._ask())
        if self._is_basic and answer.status in {400, 401}:
            self._is_basic = False
            said = _read(answer := await self._ask())
            self._is_basic = answer.status != HTTPStatus.OK
        token, life_s = said.get("access_token"), said.get("expires_in")
        if (
            answer.status != HTTPStatus.OK
            or not isinstance(token, str)
            or not HEADER_VALUE.fullmatch(token)
        ):
            raise ServiceTokenError(_explain(answer.status, said))
        if str(said.get("token_type", "bearer")).lower() != "bearer":
            raise ServiceTokenError(
                message(
                    "http.token_type",
                    "the token URL gives a token of another type than Bearer; tools cannot send it",
                )
            )
        if isinstance(life_s, str) and _SECONDS.fullmatch(life_s):
            life_s = int(life_s)
        if isinstance(life_s, bool) or not isinstance(life_s, int | float) or isnan(life_s):
            life_s = UNSAID_LIFE_S
        life_s = min(max(life_s, 0.0), LONGEST_LIFE_S)
        self.known = (token, *self.known[:1])
        self._good_until = asyncio.get_running_loop().time() + life_s - min(LEEWAY_S, life_s / 10)

    async def _ask(self) -> HttpAnswer:
        known = self._credentials
        url, _, query = known.token_url.partition("?")
        form = {"grant_type": "client_credentials", **dict(parse_qsl(query))}
        if known.scope:
            form["scope"] = known.scope
        headers = {}
        if self._is_basic:
            pair = f"{quote_plus(known.client_id)}:{quote_plus(known.secret)}"
            headers["authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
        else:
            form |= {"client_id": known.client_id, "client_secret": known.secret}
        request = PlainRequest(
            "POST",
            url,
            headers=headers,
            content_type="application/x-www-form-urlencoded",
            body=urlencode(form).encode(),
        )
        try:
            return await self._send(
                request, byte_limit=MAX_ANSWER_BYTES, timeout_ms=ANSWER_WITHIN_MS
            )
        except DataSourceUnavailableError as error:
            raise DataSourceUnavailableError(
                message(
                    "http.token_unreachable",
                    "the token URL of the service cannot be reached; retry later",
                )
            ) from error


def _read(answer: HttpAnswer) -> Mapping[str, Any]:
    try:
        said = json.loads(answer.body)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _explain(status: int, said: Mapping[str, Any]) -> Message:
    code = said.get("error")
    if isinstance(code, str) and _ERROR_CODE.fullmatch(code):
        return message(
            "http.token_refused",
            "the token URL of the service says {code}; an administrator has to correct the client, its"
            " secret or the scope",
            code=code,
        )
    return message(
        "http.no_token",
        "the token URL of the service answered {status} without a token; retry later, or have an"
        " administrator look at the address and the client",
        status=str(status),
    )
