"""Waiting for a state, never for a time: the limit is there to end a test that hangs."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

LIMIT_S = 120.0
STEP_S, LONGEST_STEP_S = 0.02, 0.25


def wait_until(check: Callable[[], object], within_s: float = LIMIT_S) -> None:
    """Return as soon as `check()` is true; AssertionError where it never is."""
    began = time.monotonic()
    while not check():
        time.sleep(choose_step(began, within_s))


async def eventually(check: Callable[[], Any], within_s: float = LIMIT_S) -> None:
    """As wait_until, in a loop; `check` may be a coroutine function."""
    began = time.monotonic()
    while True:
        result = check()
        if await result if asyncio.iscoroutine(result) else result:
            return
        await asyncio.sleep(choose_step(began, within_s))


def choose_step(began: float, within_s: float) -> float:
    """How long to wait for the next look: a twentieth of the time so far, so that looking costs little.

    AssertionError when the time is over.
    """
    waited = time.monotonic() - began
    assert waited < within_s, f"not true within {within_s:g} s"
    return min(max(STEP_S, waited / 20), LONGEST_STEP_S)
