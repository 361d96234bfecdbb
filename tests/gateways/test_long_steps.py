"""Long work in an event loop, one piece in a step."""

import asyncio
from functools import partial

from gateways.long_steps import LongSteps


async def test_each_step_of_the_loop_has_one_piece_and_what_is_ready_comes_between() -> None:
    loop, steps = asyncio.get_running_loop(), LongSteps()
    seen: list[str | int] = []
    all_are_done = loop.create_future()

    def count(step: int) -> None:
        seen.append(step)
        if step < 4:
            loop.call_soon(count, step + 1)
        else:
            all_are_done.set_result(None)

    loop.call_soon(count, 1)
    for piece in "abc":
        steps.begin(partial(seen.append, piece))
    await all_are_done

    assert seen == ["a", 1, "b", 2, "c", 3, 4]


async def test_work_that_comes_when_all_is_done_begins_at_once() -> None:
    steps, seen = LongSteps(), list[str]()

    for piece in "ab":
        steps.begin(partial(seen.append, piece))
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    assert seen == ["a", "b"]
