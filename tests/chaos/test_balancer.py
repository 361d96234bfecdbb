"""Two runtimes behind HAProxy, one of which is killed under load."""

import time
from collections.abc import Sequence

import pytest

from tests.chaos.balancer import SessionAgents, balancing
from tests.chaos.calls import Agents, Ending, Sent, Tally
from tests.chaos.checks import describe
from tests.chaos.report import add_tally
from tests.chaos.stage import Stage
from tests.chaos.tools import in_turn
from tests.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="package")]

CALLERS = 6
# The kill and the look at the clock are two steps.
TICK_S = 0.05


def was_in_flight(call: Sent, killed_at: Sequence[float]) -> bool:
    """Whether the call had begun, and not ended, when a runtime was killed."""
    began = call.ended_at - call.seconds
    return any(began - TICK_S <= moment <= call.ended_at for moment in killed_at)


def rights(tallies: Sequence[Tally]) -> int:
    return min(tally.count(Ending.RIGHT) for tally in tallies)


async def test_killed_runtime_cuts_its_calls_and_nothing_else(stage: Stage) -> None:
    runtimes = [await stage.start_runtime() for _ in range(2)]
    tallies = [Tally("one of two runtimes killed, 2026"), Tally("one of two killed, sessions")]
    for tally in tallies:
        add_tally(tally)
    killed_at: list[float] = []
    choose = in_turn("near", "distant", "expression", "near", "lite")

    async with (
        balancing(stage.directory, stage.keeper, runtimes) as url,
        Agents(url, stage.token, tallies[0], "^HTTP 502", may_cut=True) as modern,
        SessionAgents(url, stage.token, tallies[1], "^HTTP 502", may_cut=True) as legacy,
    ):
        await legacy.begin()
        async with (
            modern.traffic(choose, callers=CALLERS),
            legacy.traffic(choose, callers=CALLERS),
        ):
            for number, runtime in enumerate(runtimes, 1):
                await eventually(lambda: rights(tallies) >= 150 * number)  # noqa: B023 - awaited
                killed_at.append(time.monotonic())
                runtime.kill()
                await eventually(lambda: rights(tallies) >= 150 * number + 100)  # noqa: B023
                await runtime.start()

    for tally in tallies:
        assert describe(tally.of(Ending.WRONG, Ending.LOST)) == []
        cut = tally.of(Ending.CUT, Ending.REFUSED)
        assert len(cut) <= CALLERS * len(runtimes)
        assert [call for call in cut if not was_in_flight(call, killed_at)] == []
    for runtime in runtimes:
        await runtime.stop()
