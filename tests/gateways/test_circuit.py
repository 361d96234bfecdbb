"""When callers are told that a server is down, and what our own slowness means."""

import asyncio
import time

import pytest

from core.errors import DataSourceError, DataSourceUnavailableError
from gateways.circuit import Circuit
from gateways.patience import patient_timeout

LONG_S = 60.0


class DownError(DataSourceUnavailableError):
    """A failure that the next caller would meet too."""


async def fail(circuit: Circuit, error: BaseException) -> None:
    async with circuit.passage(LONG_S):
        raise error


async def open_circuit(monkeypatch: pytest.MonkeyPatch, down_s: float) -> Circuit:
    monkeypatch.setattr("gateways.circuit.DOWN_S", down_s)
    circuit = Circuit(DownError)
    with pytest.raises(DownError):
        await fail(circuit, DownError("away"))
    return circuit


async def test_after_a_failure_callers_are_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = await open_circuit(monkeypatch, LONG_S)

    with pytest.raises(DownError, match="away"):
        async with circuit.passage(LONG_S):
            pytest.fail("it was let through")


async def test_callers_wait_for_the_one_that_finds_out(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = await open_circuit(monkeypatch, 0)
    answered = asyncio.Event()

    async def call() -> str:
        async with circuit.passage(LONG_S):
            await answered.wait()
            return "answer"

    calls = [asyncio.create_task(call()) for _ in range(5)]
    await asyncio.sleep(0.01)
    assert not any(call.done() for call in calls)
    answered.set()

    assert await asyncio.gather(*calls) == ["answer"] * 5


async def test_callers_that_waited_are_told_what_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    circuit = await open_circuit(monkeypatch, 0)
    monkeypatch.setattr("gateways.circuit.DOWN_S", LONG_S)
    answered = asyncio.Event()
    tries = 0

    async def call() -> None:
        nonlocal tries
        async with circuit.passage(LONG_S):
            tries += 1
            await answered.wait()
            raise DownError("still away")

    calls = [asyncio.create_task(call()) for _ in range(5)]
    await asyncio.sleep(0.01)
    answered.set()
    results = await asyncio.gather(*calls, return_exceptions=True)

    assert {str(result) for result in results} == {"still away"}
    assert tries == 1


async def test_another_finds_out_where_the_first_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = await open_circuit(monkeypatch, 0)
    forever = asyncio.Event()

    async def call(event: asyncio.Event) -> str:
        async with circuit.passage(LONG_S):
            await event.wait()
            return "answer"

    first = asyncio.create_task(call(forever))
    await asyncio.sleep(0.01)
    done = asyncio.Event()
    done.set()
    second = asyncio.create_task(call(done))
    await asyncio.sleep(0.01)
    assert not second.done()

    first.cancel()

    assert await second == "answer"


async def test_wait_for_the_finding_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = await open_circuit(monkeypatch, 0)
    forever = asyncio.Event()

    async def call() -> None:
        async with circuit.passage(LONG_S):
            await forever.wait()

    first = asyncio.create_task(call())
    await asyncio.sleep(0.01)

    with pytest.raises(DownError, match="away"):
        async with circuit.passage(0.05):
            pytest.fail("it was let through")
    first.cancel()


@pytest.mark.parametrize(
    "error", [TimeoutError(), asyncio.CancelledError()], ids=["deadline", "left"]
)
async def test_caller_whose_time_is_over_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    circuit = await open_circuit(monkeypatch, 0)
    with pytest.raises(type(error)):
        await fail(circuit, error)
    monkeypatch.setattr("gateways.circuit.DOWN_S", LONG_S)

    with pytest.raises(DownError):
        await fail(circuit, DownError("away"))
    with pytest.raises(DownError):
        await fail(circuit, DataSourceError("it would be let through"))


async def test_failure_while_our_own_loop_is_held_up_says_nothing_of_the_server() -> None:
    circuit = Circuit(DownError)

    async def call() -> None:
        async with circuit.passage(LONG_S):
            await asyncio.sleep(0)
            time.sleep(0.3)  # noqa: ASYNC251 - what holds up the loop is the subject
            raise DownError("no answer within 0.2 s")

    with pytest.raises(DownError):
        await call()

    async with circuit.passage(LONG_S):
        pass


async def test_answer_that_came_while_the_loop_was_held_up_is_read() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(100):
            writer.write(piece)
        writer.close()

    async with await asyncio.start_server(echo, "127.0.0.1", 0) as server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        async with patient_timeout(0.5):
            for piece in (b"x", b"y", b"z"):
                writer.write(piece)
                await asyncio.sleep(0)
                time.sleep(0.6)  # noqa: ASYNC251
                assert await reader.read(1) == piece
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 0.01, 0.25])
async def test_silence_ends_in_time(seconds: float) -> None:
    async with asyncio.timeout(LONG_S):
        with pytest.raises(TimeoutError):
            async with patient_timeout(seconds):
                await asyncio.Event().wait()
