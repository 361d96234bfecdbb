"""What clients may hold of a server, with and without a direct application before it."""

from contextlib import suppress
from dataclasses import replace

import pytest

from core.errors import ConfigurationError
from gateways.http_server import protocol
from gateways.http_server.limits import HttpLimits
from gateways.http_server.protocol import HttpProtocol
from tests.gateways.http_server.conftest import PATIENT, Serve, eventually

HALF: dict[str, tuple[HttpLimits, bytes, bytes]] = {
    "nothing": (replace(PATIENT, idle_timeout_s=1), b"", b""),
    "blank lines": (replace(PATIENT, idle_timeout_s=1), b"\r\n\r\n\r\n", b""),
    "request line": (replace(PATIENT, head_timeout_s=1), b"GET /", b"408 "),
    "head": (replace(PATIENT, head_timeout_s=1), b"GET / HTTP/1.1\r\nHost: a\r\nX: ", b"408 "),
    "body": (
        replace(PATIENT, body_timeout_s=1),
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
        b"408 ",
    ),
    "chunked body": (
        replace(PATIENT, body_timeout_s=1),
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        b"408 ",
    ),
}


@pytest.mark.parametrize("case", HALF)
async def test_client_that_stops_half_way_is_closed(serve: Serve, case: str) -> None:
    limits, piece, status = HALF[case]

    async with serve(limits) as stage:
        answer = await stage.ask(piece)

        assert answer.startswith(b"HTTP/1.1 " + status if status else b"")
        assert bool(answer) == bool(status)
        await eventually(lambda: not stage.connections and not stage.server.server_state.tasks)
    assert stage.application.bodies == []


async def test_connection_is_closed_that_was_used_and_idles(serve: Serve) -> None:
    async with serve(replace(PATIENT, idle_timeout_s=1)) as stage:
        answer = await stage.ask(b"GET /used HTTP/1.1\r\nHost: a\r\n\r\n")

    assert answer.endswith(b"5\r\n/used\r\n0\r\n\r\n")


def let_all_times_pass(connection: HttpProtocol) -> None:
    connection._phase_began -= 1_000
    connection.close_if_late()


QUICK = HttpLimits(head_timeout_s=1, body_timeout_s=1, idle_timeout_s=1)


@pytest.mark.parametrize("path", [b"/long", b"/stream"])
@pytest.mark.parametrize(
    "next_one", [b"", b"GET /half HTTP/1.1\r\n"], ids=["alone", "before a half head"]
)
async def test_long_answer_is_never_cut(serve: Serve, path: bytes, next_one: bytes) -> None:
    request = b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path

    async with serve(QUICK) as stage, stage.sent(request, next_one) as (reader, _writer):
        [connection] = stage.connections
        let_all_times_pass(connection)
        stage.application.go_on.set()
        answer = await reader.read()

    assert b"%s\r\n0\r\n\r\n" % path in answer


async def test_second_of_two_requests_at_once_is_answered_however_long_it_takes(
    serve: Serve,
) -> None:
    both = b"GET /first HTTP/1.1\r\nHost: a\r\n\r\nGET /long HTTP/1.1\r\nHost: a\r\n\r\n"

    async with serve(QUICK) as stage, stage.sent(both) as (reader, _writer):
        await reader.readuntil(b"/first")
        [connection] = stage.connections
        let_all_times_pass(connection)
        stage.application.go_on.set()
        answer = await reader.read()

    assert b"/long" in answer


async def test_slow_but_steady_body_is_taken(serve: Serve) -> None:
    limits = replace(PATIENT, head_timeout_s=1, idle_timeout_s=1)
    head = b"POST /slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 300\r\n\r\n"

    async with serve(limits) as stage:
        answer = await stage.ask(head, *[b"x"] * 300)

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert stage.application.bodies == [b"x" * 300]


async def test_connection_beyond_the_limit_is_refused_and_the_others_serve_on(
    serve: Serve,
) -> None:
    async with serve(replace(PATIENT, max_connections=2)) as stage:
        async with stage.sent() as (reader, writer), stage.sent():
            refused = await stage.ask()
            writer.write(b"GET /kept HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            kept = await reader.read()
        await eventually(lambda: len(stage.connections) < 2)
        again = await stage.ask(b"GET /again HTTP/1.0\r\n\r\n")

    assert refused.startswith(b"HTTP/1.1 503 ")
    assert b"/kept" in kept
    assert b"/again" in again


REFUSED: dict[str, tuple[bytes, bytes]] = {
    "no host": (b"GET / HTTP/1.1\r\n\r\n", b"400 "),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", b"400 "),
    "two lengths": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        b"400 ",
    ),
    "length and chunks": (
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"400 ",
    ),
    "folded header": (b"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n", b"400 "),
    "bare line feeds": (b"GET / HTTP/1.1\nHost: a\n\n", b"400 "),
    "tunnel": (b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", b"400 "),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01", b"400 "),
    "long header": (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", b"431 "),
    "many headers": (
        b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 40_000 + b"\r\n",
        b"431 ",
    ),
    "long target": (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", b"431 "),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_wrong_request_is_refused_before_the_application(serve: Serve, case: str) -> None:
    message, status = REFUSED[case]

    async with (
        serve(PATIENT) as stage,
        stage.sent(message[:60], message[60:]) as (reader, _writer),
    ):
        answer = await reader.readline()

    assert answer.startswith(b"HTTP/1.1 " + status)
    assert stage.application.scopes == []


async def test_header_without_an_end_is_cut_off(serve: Serve) -> None:
    async with serve(PATIENT) as stage, stage.sent(b"GET / HTTP/1.1\r\nX: ") as (_reader, writer):
        # Reset where the client still sends.
        with suppress(ConnectionError):
            while stage.connections:
                writer.write(b"x" * 10_000)
                await writer.drain()

    assert stage.application.scopes == []


@pytest.mark.parametrize(
    "head",
    [b"Content-Length: 2000\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n7d0\r\n"],
    ids=["length", "chunked"],
)
async def test_body_beyond_the_limit_is_refused(serve: Serve, head: bytes) -> None:
    request = b"POST / HTTP/1.1\r\nHost: a\r\n" + head

    async with serve(replace(PATIENT, max_body_bytes=1_000)) as stage:
        answer = await stage.ask(request, b"x" * 900, b"x" * 101)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert answer.endswith(b"1000 bytes.")
    assert stage.application.bodies == []


async def test_blanks_around_values_are_no_part_of_them(serve: Serve) -> None:
    async with serve(PATIENT) as stage:
        await stage.ask(b"GET / HTTP/1.0\r\nMcp-Name: \t some name \t \r\nEmpty:\r\n\r\n")

    assert stage.application.scopes[0]["headers"] == [(b"mcp-name", b"some name"), (b"empty", b"")]


async def test_what_follows_a_body_is_no_header(serve: Serve) -> None:
    chunked = (
        b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    )

    async with serve(PATIENT) as stage:
        answer = await stage.ask(chunked, b"1\r\nx\r\n0\r\nAuthorization: Bearer x\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 200 ")
    names = {name for name, _ in stage.application.scopes[0]["headers"]}
    assert names == {b"host", b"connection", b"transfer-encoding"}


async def test_wish_to_upgrade_is_ignored(serve: Serve) -> None:
    wish = b"Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    first = b"POST /one HTTP/1.1\r\n" + wish + b"Content-Length: 3\r\n\r\nabc"
    second = b"GET /two HTTP/1.1\r\n" + wish + b"\r\n"

    async with serve(PATIENT) as stage:
        answer = await stage.ask(first + second + b"GET /three HTTP/1.0\r\n\r\n")

    assert [scope["path"] for scope in stage.application.scopes] == ["/one", "/two", "/three"]
    assert answer.count(b" 200 ") == 3
    assert stage.application.bodies == [b"abc", b"", b""]


@pytest.mark.parametrize("name", ["head_timeout_s", "max_connections"])
def test_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"HTTP_{name.upper()} must be above 0"):
        HttpLimits(**{name: 0})


async def test_server_that_ends_answers_what_comes_within_a_moment(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "PARTING_S", 600)
    request = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none"

    async with serve(PATIENT) as stage, stage.sent(request) as (reader, writer):
        [connection] = stage.connections
        await eventually(lambda: bool(connection.cycle and connection.cycle.response_complete))
        stage.server.should_exit = True
        await eventually(lambda: connection._is_parting)
        writer.write(request)
        first, second = (await reader.read()).split(b"HTTP/1.1 200 ")[1:]

    assert b"connection: close\r\n" not in first
    assert b"connection: close\r\n" in second


async def test_server_that_ends_closes_what_is_quiet(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "PARTING_S", 0)

    async with serve(PATIENT) as stage, stage.sent(b"GET / HTTP/1.1\r\nHo") as (reader, _writer):
        stage.server.should_exit = True
        assert await reader.read() == b""
        await eventually(lambda: not stage.connections)
