"""Waiting for a state, never for a time: the limit is there to end a test that hangs."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

LIMIT_S = 120.0
STEP_S = 0.02


def wait_until(check: Callable[[], object], within_s: float = LIMIT_S) -> None:
    """Return as soon as `check()` is true; AssertionError where it never is."""
    deadline = time.monotonic() + within_s
    while not check():
        assert time.monotonic() < deadline, f"not true within {within_s:g} s"
        time.sleep(STEP_S)


async def eventually(check: Callable[[], Any], within_s: float = LIMIT_S) -> None:
    """As wait_until, in a loop; `check` may be a coroutine function."""
    deadline = time.monotonic() + within_s
    while True:
        result = check()
        if await result if asyncio.iscoroutine(result) else result:
            return
        assert time.monotonic() < deadline, f"not true within {within_s:g} s"
        await asyncio.sleep(STEP_S)
