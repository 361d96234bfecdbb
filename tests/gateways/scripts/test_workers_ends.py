"""Script processes at the start and the end of the server, and where they are not safe."""

import subprocess
import sys

import pytest

from core.errors import (
    DefinitionError,
    ToolboxError,
)
from gateways.scripts.sandbox import missing_support
from gateways.scripts.workers import ScriptWorkers
from tests.gateways.scripts.processes import is_alive
from tests.gateways.scripts.runs import (
    ANY_PYTHON,
    PROJECT,
    all_processes,
    run,
    start_endless,
    wait_for_end,
)

pytestmark = pytest.mark.skipif(missing_support() is not None, reason="the sandbox needs Linux")


async def test_scripts_are_refused_before_the_start() -> None:
    workers = ScriptWorkers()

    with pytest.raises(
        DefinitionError, match="scripts cannot run here: their processes are not st"
    ):
        workers.check()
    with pytest.raises(DefinitionError):
        await run(workers, "result = 1")


async def test_scripts_are_refused_after_the_end_and_no_process_is_left() -> None:
    async with ScriptWorkers(language=ANY_PYTHON) as workers:
        workers.check()
        processes = [workers.fork_server_pid or 0, *await all_processes(workers)]

    assert [pid for pid in processes if is_alive(pid)] == []
    with pytest.raises(DefinitionError, match="were stopped"):
        workers.check()


async def test_closed_pool_can_be_started_again() -> None:
    workers = ScriptWorkers(language=ANY_PYTHON)
    for _ in range(2):
        async with workers:
            assert await run(workers, "result = 1") == 1


async def test_call_that_runs_at_the_end_is_answered() -> None:
    workers = ScriptWorkers(language=ANY_PYTHON)
    await workers.start()
    call = await start_endless(workers)

    await workers.close()

    with pytest.raises(ToolboxError):
        await call


@pytest.mark.parametrize(
    ("language", "reason"),
    [
        pytest.param(
            "tests.gateways.scripts.leaking_python",
            "their sandbox does not hold, a script could read a file",
            id="the sandbox leaks",
        ),
        pytest.param("tests.gateways.no_such_language", "do not start", id="nothing starts"),
    ],
)
async def test_scripts_are_refused_where_they_are_not_safe(language: str, reason: str) -> None:
    async with ScriptWorkers(language=language) as workers:
        with pytest.raises(DefinitionError, match=f"scripts cannot run here: .*{reason}"):
            workers.check()
        with pytest.raises(DefinitionError):
            await run(workers, "result = 1")


def test_nothing_is_left_when_the_server_is_killed() -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    with server:
        assert server.stdout is not None
        pids = [int(pid) for pid in server.stdout.readline().split()]
        server.kill()

    assert len(pids) == 3
    wait_for_end(pids)


# Both script processes are in an endless loop when the server says their numbers.
SERVER = f"""
import asyncio
from core.script import CompiledScript
from gateways.scripts.workers import ScriptWorkers
from tests.gateways.scripts.processes import children, cpu_ticks

async def main():
    async with ScriptWorkers(language={ANY_PYTHON!r}) as workers:
        endless = CompiledScript("while True: pass", ())
        calls = [asyncio.create_task(workers.run(endless, {{}}, 600_000)) for _ in range(2)]
        server = workers.fork_server_pid
        while len(busy := [pid for pid in children(server) if cpu_ticks(pid) > 20]) < 2:
            await asyncio.sleep(0.02)
        print(server, *busy, flush=True)
        await asyncio.gather(*calls)

asyncio.run(main())
"""
