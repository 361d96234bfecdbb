"""Runs scripts in processes, and watches these."""

import asyncio
from pathlib import Path

from core.script import CompiledScript
from core.toolspec import JsonValue
from gateways.scripts.workers import ScriptWorkers
from tests.gateways.scripts.processes import children, cpu_ticks, is_alive
from tests.waiting import eventually, wait_until

ANY_PYTHON = "tests.gateways.scripts.any_python"
PROJECT = Path(__file__).parents[3]
LONG_MS = 60_000


async def run(
    workers: ScriptWorkers, text: str, *, timeout_ms: int = LONG_MS, **values: object
) -> JsonValue:
    script = CompiledScript(text, tuple(values))
    return await workers.run(script, values, timeout_ms)


def script_processes(workers: ScriptWorkers) -> list[int]:
    """Their numbers; the fork server is between us and them."""
    return children(workers.fork_server_pid) if workers.fork_server_pid else []


async def all_processes(workers: ScriptWorkers) -> list[int]:
    """Their numbers, once there are as many as there should be."""
    await eventually(lambda: len(script_processes(workers)) == workers.settings.size)
    return script_processes(workers)


async def start_endless(workers: ScriptWorkers) -> "asyncio.Task[JsonValue]":
    """A call that computes for ever, and does so already."""
    before = {pid: cpu_ticks(pid) for pid in await all_processes(workers)}
    call = asyncio.create_task(run(workers, "while True: pass"))
    await eventually(lambda: any(cpu_ticks(pid) > before[pid] + 2 for pid in before))
    return call


def wait_for_end(pids: list[int]) -> None:
    wait_until(lambda: not any(is_alive(pid) for pid in pids))
