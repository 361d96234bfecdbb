"""Many tools, some of them broken, and edits that several runtimes take up while agents call."""

import random
import time
from functools import partial
from statistics import median

import psycopg
import pytest

from tests.chaos.calls import Agents, Ending
from tests.chaos.checks import scenario
from tests.chaos.edits import Edits
from tests.chaos.stage import Runtime, Stage
from tests.chaos.tools import Echo
from tests.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="package")]

EDITS = 50
TOOLS = 10_000
# Of every hundred tools one is broken: in turn its table, its syntax and its parameters.
_FILL = """
INSERT INTO h_custom_tool (name, description_agent, tool_type, definition)
SELECT 'echo_' || n, 'Echo.', CASE WHEN n %% 2 = 0 THEN 'PYTHON' ELSE 'SQL' END,
    CASE n %% 400
        WHEN 99 THEN 'SELECT :n * 7 FROM no_such_table'
        WHEN 199 THEN 'SELEC :n'
        WHEN 299 THEN 'SELECT :undeclared'
        WHEN 399 THEN 'SELECT :n; SELECT 1'
        ELSE CASE WHEN n %% 2 = 0 THEN 'n * 7 + ' || n ELSE 'SELECT :n * 7 + ' || n || ' AS value' END
    END
FROM generate_series(1, %s) AS n"""
_FILL_PARAMETERS = """
INSERT INTO h_custom_tool_param (tool_id, param_name, param_type)
SELECT id, 'n', 'INTEGER' FROM h_custom_tool WHERE name LIKE 'echo\\_%'"""


async def test_edits_are_seen_by_all_runtimes_and_never_by_halves(
    stage: Stage, runtime: Runtime
) -> None:
    edits = Edits(stage.application_dsn())
    other = await stage.start_runtime()
    seen_after: list[float] = []
    async with scenario(f"{EDITS} edits, two runtimes", stage, runtime, other) as run:
        async with Agents(other.url, stage.token, run.tally) as others:
            for served in (runtime, other):
                is_known = partial(edits.is_known, served.url, stage.token)
                await eventually(is_known)
            async with (
                run.agents.traffic(edits.tool, callers=1, at_least=0),
                others.traffic(edits.tool, callers=1, at_least=0),
            ):
                for _ in range(EDITS):
                    edits.write_next()
                    began = time.monotonic()
                    for agents in (run.agents, others):
                        is_served = partial(edits.is_served, agents)
                        await eventually(is_served)
                    edits.confirmed = edits.written
                    seen_after.append(time.monotonic() - began)
        assert run.tally.count(Ending.RIGHT) == run.tally.sent
    await other.stop()

    run.tally.note = f"seen after {median(seen_after):.2f} s, at most {max(seen_after):.2f} s"


@pytest.mark.timeout(900)
async def test_many_tools_of_which_some_are_broken(stage: Stage) -> None:
    stage.copy_application("chaos_many")
    with psycopg.connect(stage.application_dsn("chaos_many")) as connection:
        connection.execute(_FILL, [TOOLS])
        connection.execute(_FILL_PARAMETERS.encode())
    began = time.monotonic()
    runtime = await stage.start_runtime("chaos_many")
    name = f"{TOOLS:,} tools, 1 % broken"
    async with scenario(name, stage, runtime, database="chaos_many") as run:
        numbers = random.Random(3)  # noqa: S311 - no secret

        def choose() -> Echo:
            number = numbers.choice([n for n in range(1, 301) if n % 100 != 99])
            return _echo(numbers.randrange(0, TOOLS, 400) + number)

        ready_s = time.monotonic() - began
        async with run.agents.traffic(choose):
            await eventually(lambda: _has_quarantined(runtime, TOOLS // 100))
        run.tally.note = (
            f"ready after {ready_s:.1f} s, judged after {time.monotonic() - began:.1f} s"
        )
        run.agents.refusals = "Unknown tool"
        for number in (99, 199, 299, 399):
            assert (await run.agents.call(_echo(number))).ending is Ending.REFUSED
    await runtime.stop()


def _echo(number: int) -> Echo:
    if number % 2 == 0:
        return Echo(f"echo_{number}", "", lambda n: n * 7 + number, tool_type="PYTHON")
    return Echo(f"echo_{number}", "", lambda n: [[n * 7 + number]])


async def _has_quarantined(runtime: Runtime, count: int) -> bool:
    return bool((await runtime.health())["quarantined"] == count)
