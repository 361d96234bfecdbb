"""What the number of served tools costs: start, list, memory, calls, and the taking up of a change."""

import asyncio
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from benchmarks.cases import Case
from benchmarks.clients import MODERN, Client
from benchmarks.peers import OURS, TOOLBOX, start_toolbox
from benchmarks.rounds import Series, Subject, run_rounds
from benchmarks.servers import Server
from benchmarks.stage import Stage
from benchmarks.tools import ROW_SQL, redefine

SIZES = (1, 1_000, 10_000)
# One that takes longer is started once.
SHORT_START_S = 15.0
WARM_UP_CALLS = 200
RELOAD_TIMEOUT_S = 60.0
_POLL_S = 0.005
_START: dict[str, Callable[[Stage, str], Server]] = {
    OURS: lambda stage, database: stage.start_ours(OURS, database),
    TOOLBOX: start_toolbox,
}


@dataclass
class Sized:
    """A server of so many tools and what was measured on it; times in seconds are wall clock.

    `start_s` ends with the first right answer of a call.
    """

    tool_count: int
    server: Server
    start_s: list[float] = field(default_factory=list)
    resident_mib: float = 0.0
    list_s: float = 0.0
    list_cpu_ms: float = 0.0
    peak_mib: float = 0.0
    reload_s: list[float] = field(default_factory=list)
    series: Series | None = None


async def measure_sizes(
    stage: Stage, case: Case, rounds: int, calls: int
) -> tuple[list[Sized], dict[str, str]]:
    """Our server and Toolbox at each size, and which of them could not be measured and why.

    Calls are compared in rounds while all of the servers run.
    """
    found: list[Sized] = []
    skipped: dict[str, str] = {}
    for size in SIZES:
        database = stage.make_database(size)
        for name in _START:
            print(f"... {name} with {size:,} tools", file=sys.stderr, flush=True)
            try:
                sized = await _start(
                    stage, case, name=name, size=size, database=database, starts=rounds
                )
                await _list(stage, sized)
                if name == OURS:
                    await _reload(stage, sized, database, rounds)
            except Exception as error:  # noqa: BLE001 - a peer's failure is a line of the page
                skipped[f"{name} with {size:,} tools"] = str(error).strip()
            else:
                found.append(sized)
    measured = [one.series for one in found if one.series]
    await run_rounds(measured, rounds, {1: calls}, stage.database_pid)
    for one in found:
        one.peak_mib = one.server.peak_mib()
        stage.stop(one.server)
    return found, skipped


async def _start(
    stage: Stage, case: Case, *, name: str, size: int, database: str, starts: int
) -> Sized:
    """A running server that was started up to `starts` times."""
    question, start_s = case.questions[0], []
    while True:
        began = time.perf_counter()
        server = _START[name](stage, database)
        async with Client(server.port, stage.token) as client:
            await client.call(case.tool, question.arguments)
        start_s.append(time.perf_counter() - began)
        if len(start_s) == starts or start_s[0] > SHORT_START_S:
            break
        stage.stop(server)
    series = Series(case, Subject(server, MODERN, stage.token), callers=1)
    sized = Sized(size, server, start_s, server.resident_mib(), series=series)
    await series.warm_up(WARM_UP_CALLS)
    return sized


async def _list(stage: Stage, sized: Sized) -> None:
    """Measure the first `tools/list` with every tool in it."""
    async with Client(sized.server.port, stage.token) as client:
        before, began = sized.server.cpu_ms(), time.perf_counter()
        listed = await client.list_tools()
        sized.list_s = time.perf_counter() - began
        sized.list_cpu_ms = sized.server.cpu_ms() - before
    if listed != sized.tool_count:
        raise RuntimeError(f"{listed} of {sized.tool_count} tools are listed")


async def _reload(stage: Stage, sized: Sized, database: str, count: int) -> None:
    """Measure from an UPDATE of one tool to the first call that uses it."""
    async with Client(sized.server.port, stage.token) as client:
        for sign in ("-", "") * count:
            began = time.perf_counter()
            redefine(database, "store_by_id", ROW_SQL.replace("SELECT id", f"SELECT {sign}id"))
            await _wait_for(client, is_negative=bool(sign))
            sized.reload_s.append(time.perf_counter() - began)


async def _wait_for(client: Client, *, is_negative: bool) -> None:
    deadline = time.monotonic() + RELOAD_TIMEOUT_S
    while True:
        content = await client.call("store_by_id", {"store_id": 107})
        if (content["rows"][0][0] < 0) == is_negative:
            return
        if time.monotonic() > deadline:
            raise RuntimeError(f"the change was not served within {RELOAD_TIMEOUT_S:g} s")
        await asyncio.sleep(_POLL_S)


def median_or_zero(figures: list[float]) -> float:
    """The median, 0 where nothing was measured."""
    return median(figures) if figures else 0.0
