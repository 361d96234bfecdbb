"""Requests to a server of this installation: kept connections, whole answers within a limit of bytes.

Unlike `HttpSource` it trusts the address, which comes from the variables of the process.
"""

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from gateways.kept_connections import close_where_more_came

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class AnswerTooLargeError(Exception):
    """An answer of more bytes than were allowed."""


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """A whole answer, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ServerClient:
    """Speaks JSON with the server at `url`; belongs to one event loop. Connects when first used.

    Connecting takes at most `connect_timeout_s`; the deadline of a request is its caller's.
    """

    def __init__(
        self, url: str, token: str, *, connect_timeout_s: float, max_answer_bytes: int
    ) -> None:
        self._url = url
        self._token = token
        self._connect_timeout_s = connect_timeout_s
        self._max_answer_bytes = max_answer_bytes
        self._client: httpx.AsyncClient | None = None

    async def request(
        self,
        method: str,
        path: str = "",
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ServerAnswer:
        """The answer at an address below the server's; a body is JSON unless `headers` say otherwise.

        Raises httpx.RequestError, AnswerTooLargeError.
        """
        client = self._client or await self._open()
        headers = ({"Content-Type": "application/json"} if body else {}) | dict(headers or {})
        async with client.stream(
            method, f"{self._url}{path}", params=query, content=body, headers=headers
        ) as response:
            content = bytearray()
            async for chunk in response.aiter_bytes():
                content += chunk
                if len(content) > self._max_answer_bytes:
                    raise AnswerTooLargeError
            return ServerAnswer(response.status_code, response.headers, bytes(content))

    async def close(self) -> None:
        """Close the connections; a later request would open them again."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _open(self) -> httpx.AsyncClient:
        url = httpx.URL(self._url)
        if url.scheme == "https":
            # Reading the system's authorities takes a tenth of a second.
            context = await asyncio.to_thread(httpx.create_ssl_context)
        else:
            # Trusts nobody, and costs nothing.
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self._client is None:
            authorization = {"Authorization": f"Bearer {self._token}"} if self._token else {}
            self._client = httpx.AsyncClient(
                headers={"Accept": "application/json", **authorization},
                verify=context,
                # The caller's deadline bounds the rest.
                timeout=httpx.Timeout(None, connect=self._connect_timeout_s),
                limits=httpx.Limits(max_connections=16, max_keepalive_connections=8),
                # A proxy in the environment cannot lead to this machine.
                trust_env=url.host not in LOOPBACK,
                event_hooks={"response": [close_where_more_came]},
            )
        return self._client


def is_untrusted(error: httpx.RequestError) -> bool:
    """Whether no connection was made because the server's certificate is not trusted here."""
    return "CERTIFICATE_VERIFY_FAILED" in str(error)
