"""Requests that are answered before the application: which, in which order, and how they end."""

import asyncio
import gc
from contextlib import suppress

import pytest
from httptools import HttpRequestParser

from gateways.http_server.direct import DirectCycle
from gateways.http_server.limits import HttpLimits
from tests.gateways.http_server.conftest import PATIENT, Direct, Stage, eventually, serving


def post(body: bytes, path: bytes = b"/", *, more: bytes = b"", version: bytes = b"1.1") -> bytes:
    length = b"Content-Length: %d\r\n" % len(body)
    return b"POST %b HTTP/%b\r\nHost: a\r\n%b%b\r\n%b" % (path, version, length, more, body)


async def make_known(stage: Stage, direct: Direct, request: bytes) -> None:
    """Send the request twice, each time on a connection of its own: its head is known from then on."""
    for _ in range(2):
        async with stage.sent(request) as (reader, _writer):
            await reader.readuntil(b"direct one")
    await eventually(lambda: not stage.connections)
    direct.offered.clear()
    direct.heads.clear()


async def test_small_post_is_answered_directly_and_the_connection_goes_on() -> None:
    direct = Direct()

    async with serving(PATIENT, direct) as stage, stage.sent(post(b"one")) as (reader, writer):
        first = await reader.readuntil(b"direct one")
        writer.write(post(b"two", b"/other"))
        second = await reader.readuntil(b"/other")
        writer.write(post(b"three"))
        await reader.readuntil(b"direct three")

        assert first.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"content-length: 10\r\n" in first
        assert b"x-way: direct\r\n" in first
        assert b"x-way" not in second
        assert stage.application.bodies == [b"two"]
        assert stage.server.server_state.total_requests == 3


@pytest.mark.parametrize("cut", [0, -3, -2], ids=["whole", "head apart", "body in pieces"])
async def test_head_that_comes_again_is_known_on_every_connection(cut: int) -> None:
    direct, bodies = Direct(), [b"two", b"six"]

    async with serving(PATIENT, direct) as stage:
        await make_known(stage, direct, post(b"one"))
        for body in bodies:
            request = post(body)
            async with stage.sent(request[:cut], request[cut:]) as (reader, writer):
                await reader.readuntil(b"direct " + body)
                writer.write(post(b"other", b"/other"))
                await reader.readuntil(b"/other")

    assert direct.offered == bodies
    assert cut == -2 or len(set(map(id, direct.heads))) == 1
    assert stage.application.bodies == [b"other", b"other"]


async def test_answered_request_leaves_nothing_to_the_collector_of_garbage() -> None:
    direct = Direct(go_on=asyncio.Event())
    assert direct.go_on is not None
    direct.go_on.set()

    async with serving(PATIENT, direct) as stage, stage.sent() as (reader, writer):
        gc.collect()
        gc.disable()
        try:
            for _ in range(9):
                writer.write(post(b"one"))
                await reader.readuntil(b"direct one")
            found = gc.get_objects()
        finally:
            gc.enable()

    # `isinstance` would evaluate lazy objects that other tests have left behind.
    cycles = [each for each in found if type(each) is DirectCycle]
    assert len(cycles) == 1
    assert cycles[0].task is None


async def test_connection_holds_no_parser_between_two_requests() -> None:
    pieces = post(b"two", b"/other")[:9], post(b"two", b"/other")[9:]

    def has_parser() -> bool:
        return any(type(each) is HttpRequestParser for each in gc.get_objects())

    gc.collect()
    async with serving(PATIENT, Direct()) as stage, stage.sent() as (reader, writer):
        for _ in range(4):
            writer.write(post(b"one"))
            await reader.readuntil(b"direct one")
            assert not has_parser()
        writer.write(pieces[0])
        await eventually(has_parser)
        writer.write(pieces[1])
        await reader.readuntil(b"/other")
        assert not has_parser()


async def test_head_that_came_once_is_not_kept() -> None:
    direct = Direct()

    async with serving(PATIENT, direct) as stage:
        for body in (b"one", b"two", b"six", b"ten"):
            async with stage.sent(post(body)) as (reader, _):
                await reader.readuntil(b"direct " + body)

    first, *others = map(id, direct.heads)
    assert first not in others
    assert len(set(others)) == 1


async def test_known_head_is_known_by_all_its_bytes() -> None:
    direct, lines = Direct(), b"X-Who: a\r\n"

    async with serving(PATIENT, direct) as stage:
        await make_known(stage, direct, post(b"one", more=lines))
        async with stage.sent() as (reader, writer):
            for more in (lines, lines.lower(), lines.replace(b"a", b"b"), b""):
                writer.write(post(b"two", more=more))
                await reader.readuntil(b"direct two")

    assert len(set(map(id, direct.heads))) == 4


async def test_head_of_requests_sent_at_once_is_not_taken_for_another() -> None:
    direct = Direct()
    first, second = post(b"one"), post(b"two", more=b"X: 2\r\n")
    pairs = [(first, second), (first, second), (second, first)]

    async with serving(PATIENT, direct) as stage, stage.sent() as (reader, writer):
        for pair in pairs:
            writer.write(b"".join(pair))
            await reader.readuntil(b"direct one" if pair[1] is first else b"direct two")

    assert [b"x" in head.headers for head in direct.heads] == [
        request is second for pair in pairs for request in pair
    ]


async def test_known_head_that_is_declined_is_for_the_application() -> None:
    direct = Direct()

    async with serving(PATIENT, direct) as stage:
        await make_known(stage, direct, post(b"one"))
        direct.answers = False
        async with stage.sent(post(b"two")):
            await eventually(lambda: stage.application.bodies == [b"two"])


@pytest.mark.parametrize("answers", [True, False], ids=["taken", "declined again"])
@pytest.mark.parametrize("more", [b"", b"X-New: 1\r\n"], ids=["known head", "new head"])
async def test_request_may_wait_and_is_offered_once_more(answers: bool, more: bytes) -> None:
    direct = Direct()

    async with serving(PATIENT, direct) as stage:
        await make_known(stage, direct, post(b"one"))
        direct.answers, direct.waits = False, asyncio.get_running_loop().create_future()
        async with stage.sent(post(b"two", more=more)) as (reader, writer):
            await eventually(lambda: direct.offered == [b"two"])
            writer.write(post(b"three", b"/other"))
            await asyncio.sleep(0.05)
            assert stage.application.bodies == []

            direct.answers = answers
            direct.waits.set_result(None)
            if answers:
                await reader.readuntil(b"direct two")
            await eventually(lambda: b"three" in stage.application.bodies)

    # A known one that is declined is parsed, and is offered as if its head were new.
    assert direct.offered == [b"two"] * (2 if answers or more else 3)
    assert stage.application.bodies == ([] if answers else [b"two"]) + [b"three"]


async def test_client_that_leaves_while_its_request_waits_is_forgotten() -> None:
    direct = Direct()

    async with serving(PATIENT, direct) as stage:
        await make_known(stage, direct, post(b"one"))
        direct.answers, direct.waits = False, asyncio.get_running_loop().create_future()
        async with stage.sent(post(b"two")):
            await eventually(lambda: direct.offered == [b"two"])
            stage.connections[0].transport.abort()
            await eventually(lambda: not stage.connections)

        direct.waits.set_result(None)
        await asyncio.sleep(0.05)

    assert direct.offered == [b"two"]


async def test_client_that_keeps_the_body_of_a_known_head_back_is_closed() -> None:
    direct, limits = Direct(), HttpLimits(body_timeout_s=1)

    async with serving(limits, direct) as stage:
        await make_known(stage, direct, post(b"one"))
        late = await stage.ask(post(b"one")[:-3])

    assert late.startswith(b"HTTP/1.1 408 ")


async def test_body_in_pieces_is_collected() -> None:
    direct, request = Direct(), post(b"in pieces")

    async with serving(PATIENT, direct) as stage:
        pieces = request[:-5], request[-5:-2], request[-2:]
        async with stage.sent(*pieces) as (reader, _):
            await reader.readuntil(b"direct in pieces")

    assert direct.offered == [b"in pieces"]


@pytest.mark.parametrize("more", [b"", b"Content-Length: 0\r\n"], ids=["bare", "of 0 bytes"])
async def test_bare_delete_is_offered(more: bytes) -> None:
    direct, request = Direct(), b"DELETE / HTTP/1.1\r\nHost: a\r\n%b\r\n" % more

    async with serving(PATIENT, direct) as stage, stage.sent() as (reader, writer):
        for _ in range(4):
            writer.write(request)
            await reader.readuntil(b"direct ")
        writer.write(request + post(b"next"))
        await reader.readuntil(b"direct next")

    assert direct.offered == [b""] * 5 + [b"next"]
    assert [head.method for head in direct.heads] == [b"DELETE"] * 5 + [b"POST"]


@pytest.mark.parametrize(
    "request_bytes",
    [
        post(b"x", more=b"Expect: 100-continue\r\nX: 1\r\n"),
        post(b"x", b"/?a=1"),
        post(b"x" * 65_537),
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
        post(b"x").replace(b"POST", b"DELETE"),
        b"DELETE / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ids=["expects", "query", "large", "chunks", "GET", "PUT", "DELETE of x", "DELETE in chunks"],
)
async def test_other_requests_are_not_offered(request_bytes: bytes) -> None:
    direct = Direct()

    async with serving(PATIENT, direct) as stage, stage.sent(request_bytes):
        await eventually(lambda: bool(stage.application.bodies))

    assert direct.offered == []


@pytest.mark.parametrize(
    "last", [post(b"x", more=b"Connection: close\r\n"), post(b"x", version=b"1.0")]
)
async def test_connection_of_a_client_that_asks_no_more_is_closed(last: bytes) -> None:
    direct = Direct()

    async with serving(PATIENT, direct) as stage:
        answers = [
            await stage.ask(last),
            await stage.ask(last),
            await stage.ask(last + post(b"more")),
        ]

    assert direct.offered == [b"x", b"x", b"x"]
    for answer in answers:
        assert answer.count(b"HTTP/1.1 ") == answer.count(b"connection: close\r\n") == 1
        assert answer.endswith(b"direct x")


@pytest.mark.parametrize("is_known", [True, False], ids=["known head", "new head"])
async def test_last_request_that_would_have_to_wait_is_for_the_application(is_known: bool) -> None:
    direct, last = Direct(), post(b"one", more=b"Connection: close\r\n")

    async with serving(PATIENT, direct) as stage:
        if is_known:
            await make_known(stage, direct, last)
        direct.answers, direct.waits = False, asyncio.get_running_loop().create_future()
        assert b"connection: close\r\n" in await stage.ask(last)

    assert stage.application.bodies == [b"one"]


@pytest.mark.parametrize("path", [b"/", b"/long"])
async def test_what_follows_the_last_request_costs_it_no_answer(path: bytes) -> None:
    direct = Direct(go_on=asyncio.Event())
    last = post(b"x", path, more=b"Connection: close\r\n")

    async with (
        serving(PATIENT, direct) as stage,
        stage.sent(last + post(b"more")) as (reader, _),
    ):
        await eventually(lambda: bool(direct.offered or stage.application.bodies))
        assert direct.go_on is not None
        direct.go_on.set()
        stage.application.go_on.set()
        answer = await reader.read()

    assert direct.offered + stage.application.bodies == [b"x"]
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"direct x" in answer or path in answer


async def test_header_that_comes_twice_is_for_the_application() -> None:
    direct = Direct()

    twice = post(b"x", more=b"X: 1\r\nX: 1\r\n")

    async with serving(PATIENT, direct) as stage, stage.sent(twice):
        await eventually(lambda: stage.application.bodies == [b"x"])

    assert direct.offered == []


async def test_requests_at_once_are_answered_in_their_order() -> None:
    direct = Direct(go_on=asyncio.Event())
    both = post(b"1") + post(b"2", b"/two") + post(b"3") + b"GET /last HTTP/1.0\r\n\r\n"

    async with serving(PATIENT, direct) as stage, stage.sent(both) as (reader, _):
        await eventually(lambda: direct.offered == [b"1"])
        assert direct.go_on is not None
        direct.go_on.set()
        answer = await reader.read()

    places = [answer.index(text) for text in (b"direct 1", b"/two", b"/last")]
    assert places == sorted(places)


async def test_client_that_leaves_ends_its_request() -> None:
    direct = Direct(go_on=asyncio.Event())

    async with serving(PATIENT, direct) as stage:
        async with stage.sent(post(b"1")):
            await eventually(lambda: bool(direct.offered))
        await eventually(lambda: direct.cut == 1 and not stage.server.server_state.tasks)


async def test_stop_lets_a_running_request_end() -> None:
    direct = Direct(go_on=asyncio.Event())

    async with serving(PATIENT, direct) as stage, stage.sent(post(b"1")) as (reader, _):
        await eventually(lambda: bool(direct.offered))
        stage.server.should_exit = True
        [connection] = stage.connections
        await eventually(lambda: not connection.cycle.keep_alive)
        assert direct.go_on is not None
        direct.go_on.set()
        answer = await reader.read()

    assert b"connection: close\r\n" in answer
    assert answer.endswith(b"direct 1")


async def test_fault_before_an_answer_leaves_the_request_to_the_application() -> None:
    async with serving(PATIENT, Direct()) as stage, stage.sent(post(b"bad")):
        await eventually(lambda: stage.application.bodies == [b"bad"])


async def test_fault_of_an_answer_closes_the_connection() -> None:
    direct = Direct(go_on=asyncio.Event())
    assert direct.go_on is not None
    direct.go_on.set()

    async with serving(PATIENT, direct) as stage:
        assert await stage.ask(post(b"worse")) == b""


async def test_client_that_does_not_read_is_not_answered_without_end() -> None:
    direct, large = Direct(), b"x" * 60_000

    async with serving(PATIENT, direct) as stage, stage.sent() as (_, writer):
        with suppress(TimeoutError):
            for _number in range(1_000):
                writer.write(post(large))
                await asyncio.wait_for(writer.drain(), 0.2)
        [connection] = stage.connections
        held = connection.transport.get_write_buffer_size()
        writer.transport.abort()
        await eventually(lambda: not stage.server.server_state.tasks)

    assert len(direct.offered) < 1_000
    assert held < 1_000_000
