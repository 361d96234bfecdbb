"""Requests to a service: what goes over the wire, and what a hostile one cannot do."""

import asyncio
import gzip
import logging
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from core.errors import (
    DataSourceBusyError,
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
)
from core.http_answers import HttpAnswer
from core.ingest.addresses import AddressRules
from core.ingest.requests import PlainRequest
from gateways.http.service import HttpSource
from gateways.http.settings import HttpSettings
from tests.http_service import LocalService, Received, Reply, answering, running
from tests.waiting import eventually

LOCAL = AddressRules(allowed_hosts=frozenset({"127.0.0.1"}))
LIMIT = 1_000
LONG_MS = 30_000


def settings_for(service: LocalService, **given: Any) -> HttpSettings:
    return HttpSettings(**{"server_url": service.url, "rules": LOCAL, **given})


async def ask(service: LocalService, path: str = "/pets", **given: Any) -> HttpAnswer:
    """The answer to a GET, and the connections closed."""
    timeout_ms = given.pop("timeout_ms", LONG_MS)
    source = HttpSource(settings_for(service, **given))
    try:
        request = PlainRequest("GET", f"{source.server_url}{path}", headers={"X-Trace": "7"})
        return await source.send(request, byte_limit=LIMIT, timeout_ms=timeout_ms)
    finally:
        await source.close()


async def test_request_goes_out_as_it_was_built() -> None:
    async with running(answering(b"{}")) as service:
        source = HttpSource(settings_for(service))
        request = PlainRequest(
            "POST",
            f"{source.server_url}/a%2Fb",
            "q=%20x",
            content_type="application/json",
            body=b'{"n":1}',
        )
        await source.send(request, byte_limit=LIMIT, timeout_ms=LONG_MS)
        await source.close()

    (received,) = service.received
    assert (received.method, received.target) == ("POST", "/v1/a%2Fb?q=%20x")
    assert received.body == b'{"n":1}'
    assert received.headers["content-type"] == "application/json"
    assert received.headers["host"] == f"127.0.0.1:{service.port}"


async def test_secrets_go_out_and_win_over_arguments() -> None:
    async with running(answering(b"{}")) as service:
        await ask(service, headers=(("X-Trace", "secret"),), query=(("key", "a b"),))

    assert service.received[0].headers["x-trace"] == "secret"
    assert service.received[0].target == "/v1/pets?key=a%20b"


async def test_connection_is_kept_and_cookies_are_not() -> None:
    reply = answering(b"{}", headers={"Set-Cookie": "session=1; Path=/"})
    async with running(reply) as service:
        source = HttpSource(settings_for(service))
        for _ in range(2):
            request = PlainRequest("GET", f"{source.server_url}/pets")
            await source.send(request, byte_limit=LIMIT, timeout_ms=LONG_MS)
        await source.close()

    assert service.connections == 1
    assert "cookie" not in service.received[1].headers


async def test_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with running(answering(b"{}")) as service:
        assert (await ask(service)).status == 200


async def test_redirect_is_an_answer_and_is_not_followed() -> None:
    where = {"Location": "http://169.254.169.254/latest/meta-data/"}
    async with running(answering(b"", status="302 Found", headers=where)) as service:
        answer = await ask(service)

    assert answer.status == 302
    assert len(service.received) == 1


@pytest.mark.parametrize(
    "found",
    [
        pytest.param(["127.0.0.1"], id="loopback"),
        pytest.param(["93.184.215.14", "10.0.0.1"], id="outside and inside"),
        pytest.param(["169.254.169.254"], id="metadata"),
        pytest.param(["::ffff:127.0.0.1"], id="mapped loopback"),
    ],
)
async def test_name_that_leads_inside_is_refused(found: list[str]) -> None:
    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return found

    source = HttpSource(HttpSettings(server_url="https://api.example.com"), resolve)
    with pytest.raises(DataSourceError, match="may not call") as error:
        await source.send(
            PlainRequest("GET", source.server_url), byte_limit=LIMIT, timeout_ms=LONG_MS
        )

    assert found[0] not in str(error.value)


async def test_metadata_is_refused_even_for_an_allowed_host() -> None:
    async def resolve(_host: str, _port: int) -> Sequence[str]:
        return ["169.254.169.254"]

    rules = AddressRules(allowed_hosts=frozenset({"inside.example"}))
    source = HttpSource(HttpSettings(server_url="http://inside.example", rules=rules), resolve)
    with pytest.raises(DataSourceError, match="may not call"):
        await source.send(
            PlainRequest("GET", source.server_url), byte_limit=LIMIT, timeout_ms=LONG_MS
        )


async def test_name_is_resolved_once_and_that_address_is_used() -> None:
    """A name that changes its answer between the judgement and the connection wins nothing."""
    asked: list[str] = []

    async def resolve(host: str, _port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"]

    rules = AddressRules(allowed_hosts=frozenset({"pets.invalid"}))
    async with running(answering(b"{}")) as service:
        url = f"http://pets.invalid:{service.port}"
        source = HttpSource(HttpSettings(server_url=url, rules=rules), resolve)
        request = PlainRequest("GET", f"{source.server_url}/pets")
        await source.send(request, byte_limit=LIMIT, timeout_ms=LONG_MS)
        await source.close()

    assert asked == ["pets.invalid"]
    assert service.received[0].headers["host"] == f"pets.invalid:{service.port}"


async def _endless(_request: Received, writer: asyncio.StreamWriter) -> None:
    """100 MB, as far as somebody reads them."""
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000000\r\n\r\n"
    )
    for _ in range(100):
        writer.write(b"x" * 1_000_000)
        await writer.drain()


def _chunked(body: bytes, encoding: str) -> Reply:
    return answering(body, "text/plain", headers={"Content-Encoding": encoding})


async def test_long_answer_is_read_no_further_than_its_limit() -> None:
    async with running(_endless) as service:
        answer = await ask(service)

    assert answer.is_cut
    assert len(answer.body) == LIMIT


@pytest.mark.parametrize(
    ("compress", "encoding"),
    [
        pytest.param(gzip.compress, "gzip", id="gzip"),
        pytest.param(zlib.compress, "deflate", id="deflate"),
    ],
)
async def test_compressed_bomb_is_cut_at_the_limit(
    compress: Callable[[bytes], bytes], encoding: str
) -> None:
    async with running(_chunked(compress(b"0" * 50_000_000), encoding)) as service:
        answer = await ask(service)

    assert answer.is_cut
    assert len(answer.body) == LIMIT


async def test_compressed_answer_is_read() -> None:
    async with running(_chunked(gzip.compress(b"hello"), "gzip")) as service:
        assert (await ask(service)).body == b"hello"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        pytest.param("br", "encoding that was not asked for", id="unknown"),
        pytest.param("gzip", "not compressed as it says", id="wrong"),
    ],
)
async def test_wrong_encoding_is_refused(encoding: str, text: str) -> None:
    async with running(_chunked(b"plain", encoding)) as service:
        with pytest.raises(DataSourceError, match=text):
            await ask(service)


async def test_binary_answer_is_refused() -> None:
    async with running(answering(b"\x89PNG", "image/png")) as service:
        with pytest.raises(DataSourceError, match="image/png; tools take JSON and text"):
            await ask(service)


async def _dripping(_request: Received, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def test_endless_slow_answer_ends_at_its_deadline_and_connection() -> None:
    async with running(_dripping) as service:
        with pytest.raises(DeadlineExceededError, match=r"within 0\.2 s"):
            await ask(service, timeout_ms=200)
        await eventually(lambda: service.lost == 1)


async def test_caller_that_goes_away_ends_the_connection() -> None:
    async with running(_dripping) as service:
        call = asyncio.create_task(ask(service))
        await eventually(lambda: len(service.received) == 1)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

        await eventually(lambda: service.lost == 1)


async def test_wait_for_a_connection_is_bounded() -> None:
    async with running(_dripping) as service:
        source = HttpSource(settings_for(service, pool_size=1, max_wait_ms=100))
        request = PlainRequest("GET", f"{source.server_url}/pets")
        first = asyncio.create_task(source.send(request, byte_limit=LIMIT, timeout_ms=LONG_MS))
        await eventually(lambda: len(service.received) == 1)
        with pytest.raises(DataSourceBusyError, match=r"in use for 0\.1 s; retry in a few seconds"):
            await source.send(request, byte_limit=LIMIT, timeout_ms=LONG_MS)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await source.close()


async def test_when_to_ask_again_is_read() -> None:
    reply = answering(b"", status="429 Too Many Requests", headers={"Retry-After": "17"})
    async with running(reply) as service:
        answer = await ask(service)

    assert (answer.status, answer.retry_after) == (429, "17")


async def test_service_that_is_away_is_told_without_its_address() -> None:
    async with running(answering(b"{}")) as service:
        pass
    with pytest.raises(DataSourceUnavailableError) as error:
        await ask(service)

    assert str(error.value) == "the service cannot be reached; retry later"


async def test_secret_that_a_service_repeats_is_hidden(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def echo(request: Received, writer: asyncio.StreamWriter) -> None:
        reply = answering(request.headers["authorization"].encode(), "text/plain")
        await reply(request, writer)

    async with running(echo) as service:
        answer = await ask(
            service,
            headers=(("Authorization", "Bearer hunter2hunter2"),),
            secrets=("hunter2hunter2",),
        )

    assert answer.body == b"Bearer ***"
    assert "hunter2" not in caplog.text
    assert "hunter2" not in repr(settings_for(service, secrets=("hunter2hunter2",)))


async def test_header_with_a_line_end_is_never_sent() -> None:
    async with running(answering(b"{}")) as service:
        source = HttpSource(settings_for(service))
        request = PlainRequest("GET", f"{source.server_url}/x", headers={"X-A": "1\r\nX-B: 2"})
        with pytest.raises(DataSourceError):
            await source.send(request, byte_limit=LIMIT, timeout_ms=LONG_MS)
        await source.close()

    assert service.received == []


async def test_named_secret_is_put_in_and_hidden_in_the_answer() -> None:
    async with running(answering(b'{"echo":"s3cr3t-tenant"}')) as service:
        source = HttpSource(
            settings_for(
                service, named_secrets={"tenant": "s3cr3t-tenant"}, secrets=("s3cr3t-tenant",)
            )
        )
        headers = {"X-Tenant": "Key {secret:tenant}"}
        request = PlainRequest("GET", source.server_url, secret_headers=headers)
        answer = await source.send(request, byte_limit=LIMIT, timeout_ms=LONG_MS)
        await source.close()

    (received,) = service.received
    assert received.headers["x-tenant"] == "Key s3cr3t-tenant"
    assert answer.body == b'{"echo":"***"}'


async def test_secret_that_the_service_lacks_is_named_and_nothing_is_sent() -> None:
    async with running(answering(b"{}")) as service:
        source = HttpSource(settings_for(service))
        request = PlainRequest("GET", source.server_url, secret_headers={"X": "{secret:tenant}"})
        with pytest.raises(DataSourceError, match="no secret tenant"):
            await source.send(request, byte_limit=LIMIT, timeout_ms=LONG_MS)
        await source.close()

    assert service.received == []
