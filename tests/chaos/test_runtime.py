"""Processes of our own that are killed: the runtime itself, and those in which scripts run."""

import asyncio
import os
import signal
from contextlib import suppress

import pytest

from tests.chaos.calls import Ending
from tests.chaos.checks import BUSY, describe, scenario
from tests.chaos.stage import POOL_SIZES, Runtime, Stage
from tests.chaos.tools import ALL, ECHOES, in_turn
from tests.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="package")]

_SLOW = (
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'toolbuilder'"
    " AND query LIKE '%slow_of_chaos%' AND state = 'active'"
)
CRASHED = r"needed too much memory or crashed|scripts cannot run here"


async def test_killed_runtime_is_served_again_by_the_next(stage: Stage, runtime: Runtime) -> None:
    async with (
        scenario("runtime killed during calls (-9)", stage, runtime, may_cut=True) as run,
        run.agents.traffic(in_turn(*ALL)),
    ):
        # More than the runtime keeps in memory before it records them.
        await eventually(lambda: run.tally.count(Ending.RIGHT) >= 250)
        runtime.kill()
        run.note_kill()
        await runtime.start()


async def test_killed_runtime_leaves_no_query(stage: Stage, runtime: Runtime) -> None:
    async with scenario("runtime killed during slow calls", stage, runtime, may_cut=True) as run:
        calls = [asyncio.create_task(run.agents.call(ECHOES["slow"])) for _ in range(4)]
        # The last connection is for other keys, or for one whose calls were quick so far.
        await eventually(lambda: len(stage.ask_source(_SLOW)) >= POOL_SIZES["near"] - 1)
        runtime.kill()
        run.note_kill()
        await asyncio.gather(*calls)

        await eventually(lambda: not stage.ask_source(_SLOW))
        await runtime.start()


async def test_killed_script_processes_are_replaced(stage: Stage, runtime: Runtime) -> None:
    name = "script processes killed 8 times (-9)"
    async with (
        scenario(name, stage, runtime, refusals=f"{CRASHED}|{BUSY}") as run,
        run.agents.traffic(in_turn("script", "near", "script", "expression")),
    ):
        for turn in range(8):
            await eventually(runtime.children)
            # The nearest is the server that forks the others; it goes too, half of the times.
            for process in runtime.children()[turn % 2 :]:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            await asyncio.sleep(0.3)

    others = run.tally.named("near", "expression")
    assert describe(call for call in others if call.ending != Ending.RIGHT) == []


async def test_redis_is_not_needed(stage: Stage, runtime: Runtime) -> None:
    async with (
        scenario("Redis absent", stage, runtime) as run,
        run.agents.traffic(in_turn(*ALL), at_least=30),
    ):
        pass

    assert run.tally.count(Ending.RIGHT) == run.tally.sent
