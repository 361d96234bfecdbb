"""An upgrade under load: the version before serves on while the new one migrates and takes its place.

`python -m benchmarks.upgrade COMMIT`, the commit of the version before. Two runtimes are behind HAProxy.
"""

import asyncio
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import httpx

from benchmarks.failover import Attempts, say
from benchmarks.installation import (
    PASSWORD,
    PROJECT,
    TOOLS,
    Cluster,
    Installation,
    installing,
    sign_in,
)
from tests.chaos.balancer import SessionAgents, balancing
from tests.chaos.calls import Agents, Ending, Tally
from tests.chaos.checks import describe
from tests.chaos.edits import Edits
from tests.chaos.tools import in_turn
from tests.waiting import eventually

CALLERS = 4
CALLS_IN_EACH_STEP = 300
PAGES = ("/", "/tools/", "/calls/", "/catalogue/", "/sources/", "/keys/")
NEW_TOOL = """toolbuilder: 1
kind: tool
name: written_by_{name}
description_agent: Doubles a number.
tool_type: PYTHON
definition: n * 2
parameters:
- param_name: n
  param_type: INTEGER
"""
_RECORDED = "SELECT count(*) FROM h_call_record WHERE (arguments->>'n')::bigint = ANY(ARRAY[{}])"


def export(commit: str, folder: Path) -> Path:
    """The files of the commit, whose migrations must be a beginning of today's."""
    folder.mkdir()
    archive = subprocess.run(
        ("git", "archive", commit), cwd=PROJECT, check=True, capture_output=True
    )
    subprocess.run(("tar", "-x"), cwd=folder, check=True, input=archive.stdout)
    known = {path.relative_to(folder) for path in folder.glob("*/migrations/0*.py")}
    if gone := [str(path) for path in known if not (PROJECT / path).exists()]:
        sys.exit(f"{commit} has migrations that are no longer here: {', '.join(sorted(gone)[:3])}")
    return folder


def publish(installation: Installation, checkout: Path, name: str) -> None:
    """Let that program publish a tool from a file."""
    folder = installation.folder / f"files-{name}"
    (folder / "tools").mkdir(parents=True)
    (folder / f"tools/written_by_{name}.yaml").write_text(NEW_TOOL.format(name=name))
    installation.manage("tools", "apply", str(folder), checkout=checkout)


async def prepare(installation: Installation, before: Path) -> Cluster:
    """The database as the version before has made it."""
    database = Cluster(installation.folder / "database", installation.keeper)
    database.make()
    installation.make_databases(database)
    installation.fill(before)
    return database


class Upgrade:
    """The steps, each under load."""

    def __init__(self, installation: Installation, before: Path, tallies: list[Tally]) -> None:
        self._installation, self._before, self._tallies = installation, before, tallies

    async def note(self, step: str) -> None:
        """Let each kind of agent get so many answers more; then the step is told."""
        sent = [tally.sent for tally in self._tallies]
        await eventually(
            lambda: all(
                tally.sent >= count + CALLS_IN_EACH_STEP
                for tally, count in zip(self._tallies, sent, strict=True)
            )
        )
        say(f"{step}: {[tally.sent for tally in self._tallies]} calls so far")

    async def migrate(self) -> None:
        """By the new program, while the old one serves and publishes."""
        began = time.monotonic()
        await asyncio.to_thread(self._installation.manage, "migrate")
        say(f"migrated in {time.monotonic() - began:.1f} s")
        await asyncio.to_thread(publish, self._installation, self._before, "old")
        await self.note("the old program on the new tables")

    async def replace(self, checkout: Path, step: str) -> None:
        """One runtime after the other by that of another checkout, at its port."""
        for runtime in self._installation.runtimes:
            await runtime.stop()
            runtime.command = self._installation.runtime_command(runtime.port, checkout)
            began = time.monotonic()
            await runtime.start()
            say(f"    replaced: serves after {time.monotonic() - began:.1f} s")
            # The balancer looks once a second.
            await self.note(step)


async def trial(installation: Installation, commit: str) -> bool:
    """Run it and print what happened; whether no call was anything but right."""
    before = export(commit, installation.folder / "before")
    database = await prepare(installation, before)
    for _ in range(2):
        await installation.start_runtime(before)
    tallies, is_over = [Tally("2026-07-28"), Tally("sessions of 2025-11-25")], asyncio.Event()
    edits, writes = Edits(installation.database_url), Attempts("edits of a tool")
    reads = Attempts("pages of the old web side")
    upgrade = Upgrade(installation, before, tallies)
    async with AsyncExitStack() as stack:
        pages = installation.serving_pages(before)
        browser = sign_in(await asyncio.to_thread(stack.enter_context, pages), PASSWORD)
        url = await stack.enter_async_context(
            balancing(installation.folder, installation.keeper, installation.runtimes)
        )
        token = installation.token
        modern = await stack.enter_async_context(Agents(url, token, tallies[0]))
        legacy = await stack.enter_async_context(SessionAgents(url, token, tallies[1]))
        await legacy.begin()
        for agents in (modern, legacy):
            await stack.enter_async_context(agents.traffic(in_turn(*TOOLS), callers=CALLERS))
        tasks = [
            asyncio.create_task(writes.go_on(edits.write_next, is_over)),
            asyncio.create_task(reads.go_on(partial(read_pages, browser), is_over)),
        ]
        await upgrade.note("the old program on the old tables")
        await upgrade.migrate()
        await upgrade.replace(PROJECT, "the new program beside the old one, then alone")
        await asyncio.to_thread(publish, installation, PROJECT, "new")
        await upgrade.replace(before, "back to the old program")
        is_over.set()
        await asyncio.gather(*tasks)
        for runtime in installation.runtimes:
            await eventually(lambda: edits.is_known(runtime.url, token))  # noqa: B023 - awaited
    served = [row[0] for row in database.ask("SELECT name FROM h_custom_tool", "toolbuilder")]
    assert {"written_by_old", "written_by_new"} <= set(served), served
    return await judge(database, tallies, [writes, reads])


def read_pages(browser: httpx.Client) -> None:
    """AssertionError for a page that is not as it should be."""
    for page in PAGES:
        status = browser.get(page).status_code
        assert status == 200, f"{page}: {status}"


async def judge(database: Cluster, tallies: list[Tally], attempts: list[Attempts]) -> bool:
    """Print the figures; whether every call was right and is recorded."""
    right = [call.number for tally in tallies for call in tally.of(Ending.RIGHT)]
    statement = _RECORDED.format(",".join(map(str, right)))
    await eventually(lambda: database.ask(statement, "toolbuilder") == [(len(right),)])
    for tally in tallies:
        ends = ", ".join(f"{tally.count(ending)} {ending}" for ending in Ending)
        say(f"{tally.scenario}: {tally.sent} calls: {ends}; slowest {tally.slowest_s():.2f} s")
        say(f"    {describe(tally.of(*set(Ending) - {Ending.RIGHT}))}")
    say(f"all {len(right)} answered calls are recorded, each once")
    for one in attempts:
        say(one.describe())
    return len(right) == sum(tally.sent for tally in tallies) and not any(
        one.bad for one in attempts
    )


def main() -> None:
    """Run it; exit status 1 if a call, a page or an edit went wrong."""
    with installing() as installation:
        is_good = asyncio.run(trial(installation, sys.argv[1]))
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
