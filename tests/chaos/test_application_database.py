"""The application's own database away, silent or cut off; tools go on and every call is recorded."""

import asyncio

import pytest

from access.keys import new_token
from tests.chaos.calls import Ending
from tests.chaos.checks import scenario
from tests.chaos.edits import Edits
from tests.chaos.stage import Runtime, Stage
from tests.chaos.tools import ALL, in_turn
from tests.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="package")]

AWAY_S = 10.0
# Longer than the ten seconds after which the runtime gives up one use of its database.
SILENT_S = 10.5


async def test_stopped_database(stage: Stage, runtime: Runtime) -> None:
    edits = Edits(stage.application_dsn())
    async with scenario("own database stopped for 10 s", stage, runtime) as run:
        await eventually(lambda: edits.is_known(runtime.url, stage.token))
        async with run.agents.traffic(in_turn(*ALL), callers=2):
            await stage.in_background(stage.application.stop, stage.keeper)
            await asyncio.sleep(AWAY_S)
            health = await runtime.health()
            unknown = await runtime.status(new_token())
            await stage.in_background(stage.application.start, stage.keeper)
        edits.write_next()
        await eventually(lambda: edits.is_served(run.agents))

    assert (health["status"], health["database"]) == ("ok", "away")
    # Not 401: the key may be good.
    assert unknown == 503
    assert run.tally.count(Ending.RIGHT) == run.tally.sent


async def test_silent_database(stage: Stage, runtime: Runtime) -> None:
    """It answers nothing for long, then everything: what was given up must not be done twice."""
    async with (
        scenario(f"own database silent for {SILENT_S:g} s", stage, runtime) as run,
        run.agents.traffic(in_turn(*ALL), callers=2),
    ):
        await eventually(lambda: run.tally.sent >= 20)
        stage.application_proxy.stall()
        await asyncio.sleep(SILENT_S)
        stage.application_proxy.resume()

    assert run.tally.slowest_s() < SILENT_S / 2


async def test_lost_answers_of_the_database(stage: Stage, runtime: Runtime) -> None:
    """It has done what it was told, but its word is lost: that must not be done twice either."""
    async with (
        scenario("answers of the own database lost", stage, runtime) as run,
        run.agents.traffic(in_turn(*ALL), callers=2),
    ):
        for _ in range(2):
            stage.application_proxy.mute()
            await asyncio.sleep(0.8)
            stage.application_proxy.cut()
            stage.application_proxy.resume()
            await asyncio.sleep(0.6)
