"""A data source that restarts, loses sessions, stalls or is down; other sources go on."""

import asyncio
import random
from statistics import median

import pytest

from tests.chaos.calls import Ending
from tests.chaos.checks import BUSY, DEADLINE, UNAVAILABLE, describe, scenario
from tests.chaos.stage import POOL_SIZES, Runtime, Stage
from tests.chaos.tools import ALL, ECHOES, INDEPENDENT, in_turn
from tests.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="package")]

_SESSIONS = "FROM pg_stat_activity WHERE application_name = 'toolbuilder'"
_SLOW = f"SELECT pid {_SESSIONS} AND query LIKE '%slow_of_chaos%' AND state = 'active'"


async def test_restart_during_calls(stage: Stage, runtime: Runtime) -> None:
    name = "data source restarted during the calls"
    async with (
        scenario(name, stage, runtime, refusals=UNAVAILABLE) as run,
        run.agents.traffic(in_turn(*ALL)),
    ):
        await eventually(lambda: run.tally.sent >= 50)
        await stage.in_background(stage.source.stop, stage.keeper)
        await eventually(lambda: run.tally.count(Ending.REFUSED) > 0)
        await stage.in_background(stage.source.start, stage.keeper)

    assert (
        describe(call for call in run.tally.named(*INDEPENDENT) if call.ending != Ending.RIGHT)
        == []
    )


async def test_killed_backends_during_calls(stage: Stage, runtime: Runtime) -> None:
    name = "backends killed 25 times"
    async with (
        scenario(name, stage, runtime, refusals=UNAVAILABLE) as run,
        run.agents.traffic(in_turn("near", "distant", "distant_rows", "narrow")),
    ):
        for _ in range(25):
            stage.ask_source(f"SELECT pg_terminate_backend(pid) {_SESSIONS} AND random() < 0.4")
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("answer_bytes", [None, 5_000], ids=["at once", "5 kB"])
async def test_connections_cut_during_calls(
    stage: Stage, runtime: Runtime, answer_bytes: int | None
) -> None:
    place = f"after {answer_bytes} bytes" if answer_bytes else "at any moment"
    name = f"connections cut {place}"
    async with scenario(name, stage, runtime, refusals=UNAVAILABLE) as run:
        stage.source_proxy.answer_bytes = answer_bytes
        async with run.agents.traffic(in_turn("distant", "distant_rows", "near"), at_least=120):
            for _ in range(15):
                if answer_bytes is None:
                    stage.source_proxy.cut()
                await asyncio.sleep(0.05)


async def test_half_closed_connections(stage: Stage, runtime: Runtime) -> None:
    name = "connections half-closed by the source"
    async with (
        scenario(name, stage, runtime, refusals=UNAVAILABLE) as run,
        run.agents.traffic(in_turn("distant", "distant_rows"), at_least=100),
    ):
        for _ in range(10):
            stage.source_proxy.half_close()
            await asyncio.sleep(0.1)


async def test_slow_network(stage: Stage, runtime: Runtime) -> None:
    async with scenario("50 ms on each way", stage, runtime) as run:
        stage.source_proxy.delay_s = 0.05
        async with run.agents.traffic(in_turn("distant", "distant_rows", "near"), at_least=60):
            pass


async def test_stalled_network(stage: Stage, runtime: Runtime) -> None:
    name = "network stalls for 5 s"
    refusals = f"{UNAVAILABLE}|{DEADLINE}|{BUSY}"
    async with (
        scenario(name, stage, runtime, refusals=refusals) as run,
        run.agents.traffic(in_turn("impatient", "distant_rows", *INDEPENDENT)),
    ):
        await eventually(lambda: run.tally.sent >= 20)
        stage.source_proxy.stall()
        await asyncio.sleep(5)
        stage.source_proxy.resume()

    assert (
        describe(call for call in run.tally.named(*INDEPENDENT) if call.ending != Ending.RIGHT)
        == []
    )


async def test_forgotten_connections(stage: Stage, runtime: Runtime) -> None:
    name = "open connections forgotten without a word"
    refusals = f"{UNAVAILABLE}|{DEADLINE}|{BUSY}"
    async with (
        scenario(name, stage, runtime, refusals=refusals) as run,
        run.agents.traffic(in_turn("impatient"), callers=4, at_least=20),
    ):
        await eventually(lambda: stage.source_proxy.open_count > 1)
        stage.source_proxy.forget()

    # Each connection may fail one call, and hold up another while it is found to be dead.
    assert run.tally.count(Ending.REFUSED) <= 2 * POOL_SIZES["distant"]


async def test_source_that_is_down_hurts_no_other(stage: Stage, runtime: Runtime) -> None:
    name = "one source silent, others in use"
    refusals = f"{UNAVAILABLE}|{DEADLINE}|{BUSY}"
    others = ("near", "narrow", *INDEPENDENT)
    async with scenario(name, stage, runtime, refusals=refusals) as run:
        stage.source_proxy.stall()
        stage.source_proxy.cut()
        await run.agents.call(ECHOES["impatient"])
        tried_before = stage.source_proxy.accepted_count
        async with run.agents.traffic(in_turn(*others), callers=2, at_least=100):
            downed = [await run.agents.call(ECHOES["impatient"]) for _ in range(100)]
        tries = stage.source_proxy.accepted_count - tried_before

    assert {call.ending for call in downed} == {Ending.REFUSED}
    # Most are told what one of them found out.
    assert tries < len(downed) / 2
    assert describe(call for call in run.tally.named(*others) if call.ending != Ending.RIGHT) == []
    run.tally.note = f"downed: {1_000 * median(call.seconds for call in downed):.0f} ms (median)"


async def test_exhausted_pool_hurts_no_other(stage: Stage, runtime: Runtime) -> None:
    name = "pool exhausted by slow queries"
    async with scenario(name, stage, runtime, refusals=BUSY) as run:
        room = POOL_SIZES["narrow"]
        slow = [
            asyncio.create_task(run.agents.call(ECHOES["slow_narrow"], leave_after_s=15))
            for _ in range(room)
        ]
        await eventually(lambda: len(stage.ask_source(_SLOW)) == room)
        busy = await asyncio.gather(*(run.agents.call(ECHOES["narrow"]) for _ in range(10)))
        async with run.agents.traffic(in_turn("near", "distant", *INDEPENDENT), at_least=100):
            pass
        await asyncio.gather(*slow)

    assert {call.ending for call in busy} == {Ending.REFUSED}
    fast = run.tally.named("near", "distant", *INDEPENDENT)
    assert describe(call for call in fast if call.ending != Ending.RIGHT) == []


async def test_clients_that_leave_take_their_queries_along(stage: Stage, runtime: Runtime) -> None:
    name = "100 clients leave during slow calls"
    moments = random.Random(7)  # noqa: S311 - no secret
    async with scenario(name, stage, runtime, refusals=BUSY) as run:
        gate = asyncio.Semaphore(20)

        async def call_and_leave(tool: str) -> None:
            async with gate:
                await run.agents.call(ECHOES[tool], leave_after_s=moments.uniform(0.005, 0.6))

        await asyncio.gather(*(call_and_leave("slow") for _ in range(100)))
        await eventually(lambda: not stage.ask_source(_SLOW))

    assert run.tally.count(Ending.RIGHT) == 0
