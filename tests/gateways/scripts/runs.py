"""Runs scripts in processes, and watches these."""

import asyncio
import time
from pathlib import Path

from core.script import CompiledScript
from core.toolspec import JsonValue
from gateways.scripts.workers import ScriptWorkers
from tests.gateways.scripts.processes import children, is_alive

ANY_PYTHON = "tests.gateways.scripts.any_python"
PROJECT = Path(__file__).parents[3]
LONG_MS = 20_000


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
    async with asyncio.timeout(10):
        while len(found := script_processes(workers)) < workers.settings.size:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return found


def wait_for_end(pids: list[int]) -> None:
    deadline = time.monotonic() + 5
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a process is still there"
        time.sleep(0.01)
