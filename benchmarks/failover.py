"""A failover of the application's database under load: what agents, people and writers of tools notice of it.

`python -m benchmarks.failover [planned | killed | silent] [--synchronous]`
"""

import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import httpx
import psycopg

from benchmarks.installation import PASSWORD, TOOLS, Cluster, Installation, installing, sign_in
from config.services.ports import choose_free_port
from tests.chaos.calls import Agents, Ending, Tally
from tests.chaos.edits import Edits
from tests.chaos.proxy import FaultyProxy
from tests.chaos.stage import Runtime
from tests.chaos.tools import in_turn
from tests.waiting import eventually

CALLERS = 4
# So long a supervisor of the databases takes to see that the primary is gone.
NOTICED_AFTER_S = 3.0
BEFORE_S, AFTER_S, STEP_S = 5.0, 8.0, 0.1
PAGES = ("/", "/calls/", "/catalogue/")
_LISTENING = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
_RECORDED = "SELECT count(*) FROM h_call_record WHERE (arguments->>'n')::bigint = ANY(ARRAY[{}])"


@dataclass
class Attempts:
    """What somebody does again and again: when it went well, and when it did not."""

    what: str
    good: list[float] = field(default_factory=list)
    bad: list[tuple[float, str]] = field(default_factory=list)

    async def go_on(self, verb: Callable[[], object], is_over: asyncio.Event) -> None:
        """Do it until it is over, in a thread."""
        while not is_over.is_set():
            try:
                await asyncio.to_thread(verb)
                self.good.append(time.monotonic())
            except (psycopg.Error, httpx.HTTPError, AssertionError) as error:
                self.bad.append((time.monotonic(), str(error).splitlines()[0][:100]))
            await asyncio.sleep(STEP_S)

    def describe(self) -> str:
        """How many went well and wrong, and the longest time between two that went well."""
        gaps = [late - early for early, late in zip(self.good, self.good[1:], strict=False)]
        words = sorted({text for _at, text in self.bad})
        return (
            f"{self.what}: {len(self.good)} good, {len(self.bad)} failed,"
            f" longest time without a good one {max(gaps, default=0):.1f} s {words[:3]}"
        )


@dataclass
class Failover:
    """The two databases, and the way to the first of them, which can be silenced."""

    installation: Installation
    mode: str
    primary: Cluster
    replica: Cluster
    way: FaultyProxy
    ended_at: float = 0.0

    async def happen(self) -> None:
        """The primary goes, and the replica takes its place."""
        self.ended_at = time.monotonic()
        match self.mode:
            case "planned":
                await asyncio.to_thread(self.primary.stop)
            case "killed":
                await asyncio.to_thread(self.primary.kill)
            case "silent":
                self.way.stall()
        if self.mode != "planned":
            await asyncio.sleep(NOTICED_AFTER_S)
        # Nobody may reach the old one any more; a supervisor sees to that.
        await self.way.refuse()
        self.way.cut()
        await asyncio.to_thread(self.replica.promote)
        say(f"promoted {time.monotonic() - self.ended_at:.1f} s after the primary's end")

    async def hears(self, runtimes: list[Runtime]) -> None:
        """Say when all runtimes listen at the new primary."""
        await eventually(lambda: self.replica.ask(_LISTENING) == [(len(runtimes),)])
        say(f"LISTEN is back {time.monotonic() - self.ended_at:.1f} s after the primary's end")


async def prepare(installation: Installation, mode: str, *, synchronous: bool) -> Failover:
    """Both databases, filled; the address has both, and libpq takes the one that takes writes."""
    primary = Cluster(installation.folder / "first", installation.keeper)
    primary.make()
    replica = Cluster(installation.folder / "second", installation.keeper)
    replica.follow(primary)
    if synchronous:
        primary.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.ask("SELECT pg_reload_conf()")
    way = FaultyProxy(primary.port, choose_free_port())
    await way.__aenter__()
    installation.database_url = (
        f"postgresql://toolbuilder:{PASSWORD}@127.0.0.1:{way.port},127.0.0.1:{replica.port}"
        "/toolbuilder?target_session_attrs=read-write"
    )
    await asyncio.to_thread(installation.make_databases, primary)
    await asyncio.to_thread(installation.fill)
    return Failover(installation, mode, primary, replica, way)


async def trial(installation: Installation, mode: str, *, synchronous: bool) -> bool:
    """Run it and print what happened; whether nothing was wrong or lost."""
    failover = await prepare(installation, mode, synchronous=synchronous)
    say("the databases are there, the second follows the first")
    runtimes = [await installation.start_runtime() for _ in range(2)]
    replica_url = failover.replica.dsn("toolbuilder", "toolbuilder")
    edits = await asyncio.to_thread(Edits, installation.database_url)
    tallies = [Tally(f"runtime {number}") for number in (1, 2)]
    writes, reads, is_over = Attempts("edits of a tool"), Attempts("pages"), asyncio.Event()
    async with AsyncExitStack() as stack:
        stack.push_async_exit(failover.way)
        pages = installation.serving_pages(DATABASE_REPLICA_URL=replica_url)
        url = await asyncio.to_thread(stack.enter_context, pages)
        browser = await asyncio.to_thread(sign_in, url, PASSWORD)

        def read_pages() -> None:
            for page in PAGES:
                status = browser.get(page).status_code
                assert status == 200, f"{page}: {status}"

        for runtime, tally in zip(runtimes, tallies, strict=True):
            agents = Agents(runtime.url, installation.token, tally)
            await stack.enter_async_context(agents)
            await stack.enter_async_context(
                agents.traffic(in_turn(*TOOLS), callers=CALLERS, at_least=0)
            )
        tasks = [
            asyncio.create_task(writes.go_on(edits.write_next, is_over)),
            asyncio.create_task(reads.go_on(read_pages, is_over)),
        ]
        await asyncio.sleep(BEFORE_S)
        await failover.happen()
        await failover.hears(runtimes)
        await asyncio.sleep(AFTER_S)
        is_over.set()
        await asyncio.gather(*tasks)
        for runtime in runtimes:
            await eventually(lambda: edits.is_known(runtime.url, installation.token))  # noqa: B023
        say("both runtimes serve the last edit")
    return await judge(failover, tallies, [writes, reads])


async def judge(failover: Failover, tallies: list[Tally], attempts: list[Attempts]) -> bool:
    """Print the figures; whether no call was wrong or lost."""
    right = [call.number for tally in tallies for call in tally.of(Ending.RIGHT)]
    statement = _RECORDED.format(",".join(map(str, right)))
    counts: list[int] = []

    def has_settled() -> bool:
        [(count,)] = failover.replica.ask(statement, "toolbuilder")
        counts.append(int(str(count)))
        return counts[-1] == len(right) or counts[-40:].count(counts[-1]) == 40

    await eventually(has_settled)
    for tally in tallies:
        ends = ", ".join(f"{tally.count(ending)} {ending}" for ending in Ending)
        say(f"{tally.scenario}: {tally.sent} calls: {ends}; slowest {tally.slowest_s():.2f} s")
    say(f"{counts[-1]} of {len(right)} answered calls are recorded")
    for one in attempts:
        say(one.describe())
    return all(tally.count(Ending.RIGHT) == tally.sent for tally in tallies)


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Run it; exit status 1 if a call was not right."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    mode, synchronous = (words or ["killed"])[0], "--synchronous" in sys.argv
    with installing() as installation:
        is_good = asyncio.run(trial(installation, mode, synchronous=synchronous))
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
