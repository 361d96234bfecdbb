"""Requests to one HTTP service: to the address that was judged, within their limits, and nowhere else."""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from http import HTTPStatus
from typing import cast
from urllib.parse import quote

import httpx

from core.errors import (
    DataSourceBusyError,
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    EditError,
)
from core.http_answers import HttpAnswer
from core.http_checks import explain_missing_secret
from core.ingest.addresses import IpAddress, WebAddress, choose_ip
from core.ingest.operations import SECRET
from core.ingest.requests import PlainRequest
from core.messages import message
from core.trace_context import TRACEPARENT
from gateways.circuit import Circuit
from gateways.fair_queue import FairSlots, PoolState
from gateways.http.bodies import read_body, redact
from gateways.http.settings import CONNECT_TIMEOUT_S, HttpSettings
from gateways.http.tokens import ClientTokens
from gateways.kept_connections import close_where_more_came
from gateways.query_deadline import advise

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

_TEXTS = ("text/", "application/json", "application/xml", "application/yaml", "application/x-yaml")
_MORE_TEXTS = ("+json", "+xml", "/javascript", "/x-ndjson", "/x-www-form-urlencoded")


async def resolve_host(host: str, port: int) -> list[str]:
    """All addresses of the host. Raises OSError."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


_ASK_FOR_LESS = message("advice.ask_for_less", "ask for less, or retry later")


class HttpSource:
    """One service, as its settings say. Belongs to one event loop; connects when first used."""

    def __init__(self, settings: HttpSettings, resolve: Resolve = resolve_host) -> None:
        self.settings = settings
        self._address = settings.address
        self._resolve = resolve
        self._circuit = Circuit(DataSourceUnavailableError)
        self._slots = FairSlots(
            settings.pool_size,
            message("http.connection", "connection to the service"),
            max_wait_s=settings.max_wait_ms / 1_000,
            refuse=DataSourceBusyError,
        )
        self._transport: httpx.AsyncHTTPTransport | None = None
        self._token_source: HttpSource | None = None
        self._tokens: ClientTokens | None = None
        if settings.client is not None and (of_tokens := settings.of_tokens) is not None:
            self._token_source = HttpSource(of_tokens, resolve)
            self._tokens = ClientTokens(settings.client, self._token_source.send)

    @property
    def pool_state(self) -> PoolState:
        """How its connections are used now."""
        return self._slots.state

    @property
    def server_url(self) -> str:
        """Where operations are sent, without a slash at its end."""
        return str(self._address).rstrip("/")

    async def send(
        self, request: PlainRequest, *, byte_limit: int, timeout_ms: int, caller: str = ""
    ) -> HttpAnswer:
        """What the service says, with any status; a redirect is an answer like others.

        Callers wait in turns for a connection, within their time. Raises DataSourceBusyError,
        DataSourceUnavailableError, DataSourceError and DeadlineExceededError. A caller that goes away
        ends its connection with it.
        """
        loop, limit_s = (
            asyncio.get_running_loop(),
            min(timeout_ms, self.settings.timeout_ms) / 1_000,
        )
        began = loop.time()
        until = began + limit_s
        async with self._slots.hold(caller, until):
            waited_s = loop.time() - began
            try:
                async with self._circuit.passage(until - loop.time()), asyncio.timeout_at(until):
                    return await self._exchange(request, byte_limit)
            except TimeoutError as error:
                raise DeadlineExceededError(
                    message(
                        "http.no_answer",
                        "the service did not answer within {seconds} s; {advice}",
                        seconds=f"{round(limit_s, 1) or limit_s:g}",
                        advice=advise(_ASK_FOR_LESS, waited_s),
                    )
                ) from error

    @property
    def _secrets(self) -> tuple[str, ...]:
        """What must never stand in an answer."""
        return (*self.settings.secrets, *(self._tokens.known if self._tokens else ()))

    async def close(self) -> None:
        """Close the connections."""
        if self._token_source is not None:
            await self._token_source.close()
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()

    async def _exchange(self, request: PlainRequest, byte_limit: int) -> HttpAnswer:
        ip = await self._find_ip()
        try:
            response = await self._begin(request, ip)
            try:
                return await self._read(response, min(byte_limit, self.settings.byte_limit))
            finally:
                await response.aclose()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise DataSourceUnavailableError(
                message("http.unreachable", "the service cannot be reached; retry later")
            ) from error
        except (httpx.TransportError, httpx.StreamError) as error:
            raise DataSourceError(
                message("http.connection_broke", "the connection to the service broke; retry later")
            ) from error

    async def _find_ip(self) -> IpAddress:
        """The one address to connect to; a second look-up could give another."""
        literal, host = self._address.literal_ip, self._address.host
        try:
            found = [str(literal)] if literal else await self._resolve(host, self._address.port)
        except OSError as error:
            raise DataSourceUnavailableError(
                message(
                    "http.unresolved", "the name of the service cannot be resolved; retry later"
                )
            ) from error
        try:
            return choose_ip(self._address, found, self.settings.rules)
        except EditError as error:
            raise DataSourceError(
                message(
                    "http.address_refused",
                    "the service's name leads to an address that tools may not call; an"
                    " administrator has to correct it or allow its host",
                )
            ) from error

    async def _begin(self, request: PlainRequest, ip: IpAddress) -> httpx.Response:
        """The answer up to its body, which is to be closed. Raises httpx.TransportError.

        Where it refuses the token, that to a second request with a new one.
        """
        transport, tokens = await self._open(), self._tokens
        token = await tokens.get() if tokens else ""
        response = await transport.handle_async_request(self._prepare(request, ip, token))
        is_refused = response.status_code == HTTPStatus.UNAUTHORIZED
        if tokens and is_refused and tokens.refuse(token):
            await response.aclose()
            request_again = self._prepare(request, ip, await tokens.get())
            response = await transport.handle_async_request(request_again)
        await close_where_more_came(response)
        return response

    async def _open(self) -> httpx.AsyncHTTPTransport:
        if self._transport is not None:
            return self._transport
        # Reading the certificates takes tens of milliseconds.
        verify: ssl.SSLContext | bool = False
        if self._address.scheme == "https":
            verify = await asyncio.to_thread(httpx.create_ssl_context, trust_env=True)
        if self._transport is None:
            size = self.settings.pool_size
            # Not a client: it would keep cookies, follow variables of proxies and log addresses.
            self._transport = httpx.AsyncHTTPTransport(
                verify=verify,
                trust_env=False,
                limits=httpx.Limits(max_connections=size, max_keepalive_connections=size),
            )
        return self._transport

    def _prepare(self, request: PlainRequest, ip: IpAddress, token: str) -> httpx.Request:
        target = request.url.removeprefix(_origin(self._address)) or "/"
        own = {quote(k, safe=""): quote(v, safe="") for k, v in self.settings.query}
        # A link to the next page repeats the service's own parameters, without their secrets.
        pairs = [pair for pair in request.query.split("&") if pair.partition("=")[0] not in own]
        query = "&".join([*filter(None, pairs), *(f"{k}={v}" for k, v in own.items())])
        url = httpx.URL(
            scheme=self._address.scheme,
            host=str(ip),
            port=self._address.port,
            raw_path=(f"{target}?{query}" if query else target).encode("ascii"),
        )
        named = {name: self._fill(text) for name, text in request.secret_headers.items()}
        # By names in small letters, so that none is sent twice; the settings' own come last.
        headers = {
            "accept": "application/json, text/*;q=0.8, */*;q=0.1",
            "accept-encoding": "gzip",
            "user-agent": "Toolbuilder",
            **{name.lower(): value for name, value in {**request.headers, **named}.items()},
            "host": _origin(self._address).partition("://")[2],
        }
        if traceparent := TRACEPARENT.get():
            headers["traceparent"] = traceparent
        if request.content_type:
            headers["content-type"] = request.content_type
        headers |= {name.lower(): value for name, value in self.settings.headers}
        if token:
            headers["authorization"] = f"Bearer {token}"
        timeout = httpx.Timeout(None, connect=CONNECT_TIMEOUT_S)
        extensions = {"timeout": timeout.as_dict(), "sni_hostname": self._address.host}
        return httpx.Request(
            request.method,
            url,
            headers=headers,
            content=request.body or None,
            extensions=extensions,
        )

    def _fill(self, text: str) -> str:
        """The text with the secrets that it names. Raises DataSourceError for one that there is not."""
        secrets = self.settings.named_secrets
        if missing := [name for name in SECRET.findall(text) if name not in secrets]:
            raise DataSourceError(explain_missing_secret(missing[0]))
        return SECRET.sub(lambda found: secrets[found[1]], text)

    async def _read(self, response: httpx.Response, byte_limit: int) -> HttpAnswer:
        content_type = response.headers.get("content-type", "")
        retry_after = response.headers.get("retry-after", "")
        kind = content_type.partition(";")[0].strip()
        lowered = kind.lower()
        if kind and not lowered.startswith(_TEXTS) and not lowered.endswith(_MORE_TEXTS):
            if response.status_code < 300 and response.status_code != 204:
                is_shown = kind[:60].isascii() and kind[:60].isprintable()
                shown = kind[:60] if is_shown else message("http.other_kind", "something else")
                raise DataSourceError(
                    message(
                        "http.answer_kind",
                        "the service answered with {kind}; tools take JSON and text",
                        kind=shown,
                    )
                )
            return HttpAnswer(response.status_code, content_type, b"", retry_after=retry_after)

        async def read_chunks() -> AsyncGenerator[bytes]:
            async for chunk in cast(httpx.AsyncByteStream, response.stream):
                yield chunk

        async with aclosing(read_chunks()) as chunks:
            encoding = response.headers.get("content-encoding", "")
            body = await read_body(chunks, encoding, byte_limit)
        content = redact(body.content, self._secrets)
        if body.is_cut:
            # The end may hold the beginning of a secret.
            content = content[: len(content) - max(map(len, self._secrets), default=0)]
        link = redact(response.headers.get("link", "").encode(), self._secrets).decode()
        return HttpAnswer(
            response.status_code, content_type, content, body.is_cut, link, retry_after
        )


def _origin(address: WebAddress) -> str:
    return str(WebAddress(address.scheme, address.host, address.port, ""))
