"""Who is served next, and what becomes of those who leave."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import uvloop

from core.errors import DataSourceBusyError
from core.messages import foreign
from gateways import fair_queue
from gateways.fair_queue import MOST_WAITING, FairQueue, FairSlots

LONG_S = 60.0


def make_queue(take_back: Callable[[int], None] = lambda _: None, size: int = 1) -> FairQueue[int]:
    return FairQueue(
        foreign("seat"),
        size=size,
        max_wait_s=LONG_S,
        refuse=DataSourceBusyError,
        take_back=take_back,
    )


def deadline() -> float:
    return asyncio.get_running_loop().time() + LONG_S


async def seat(queue: FairQueue[int], keys: list[str]) -> list["asyncio.Task[int]"]:
    """A waiting caller of each key, in this order."""
    tasks = [asyncio.create_task(queue.wait(key, deadline())) for key in keys]
    await asyncio.sleep(0)
    assert len(queue) == len(keys)
    return tasks


async def served_keys(keys: list[str]) -> str:
    """In which order callers of these keys are served."""
    queue = make_queue()
    tasks = await seat(queue, keys)
    for number in range(len(keys)):
        assert queue.offer(number)
    numbers = await asyncio.gather(*tasks)
    return "".join(key for _, key in sorted(zip(numbers, keys, strict=True)))


@pytest.mark.parametrize(
    ("keys", "order"),
    [("aaabb", "ababa"), ("aaa", "aaa"), ("abc", "abc"), ("aabcc", "abcac"), ("abbbba", "ababbb")],
)
async def test_keys_take_turns(keys: str, order: str) -> None:
    assert await served_keys(list(keys)) == order


async def test_key_with_200_callers_delays_one_with_two_by_its_turns_alone() -> None:
    assert (await served_keys(["greedy"] * 200 + ["small"] * 2)).startswith(
        "greedysmallgreedysmallgreedygreedy"
    )


async def test_key_with_long_turns_has_fewer_of_them() -> None:
    queue, keys = make_queue(), ["slow"] * 80 + ["fast"] * 80
    tasks = await seat(queue, keys)

    for number in range(80):
        queue.drop("slow", 0.01)
        queue.drop("fast", 0.002)
        queue.offer(number)
    await asyncio.sleep(0)

    numbers = [task.result() for task in tasks[:80] if task.done()]
    # One of six, once their lengths are known.
    assert 9 <= len([number for number in numbers if number >= 20]) <= 11
    queue.refuse_all(foreign("closed"))
    await asyncio.gather(*tasks, return_exceptions=True)


def be_quick(queue: FairQueue[int], key: str, turns: int = 20, turn_s: float = 0.05) -> None:
    for _ in range(turns):
        queue.hold(key)
        queue.drop(key, turn_s)


async def test_last_one_is_for_a_key_that_holds_none_or_is_quick() -> None:
    queue = make_queue(size=4)
    be_quick(queue, "quick")
    tasks = await seat(queue, ["slow", "slow", "quick", "quick"])

    assert queue.offer(1, free=2)
    assert queue.offer(2)
    # Each of them holds one now.
    assert queue.offer(3)
    assert not queue.offer(4)
    await asyncio.sleep(0)
    assert [task.done() for task in tasks] == [True, False, True, True]

    queue.drop("slow", 1.0)
    assert queue.offer(4)
    assert await tasks[1] == 4


async def test_key_is_quick_while_its_last_20_turns_were() -> None:
    queue = make_queue(size=4)
    queue.hold("a")

    be_quick(queue, "a", turns=19)
    assert not queue.may_take("a", 1)
    be_quick(queue, "a", turns=1)
    assert queue.may_take("a", 1)

    queue.hold("a")
    queue.drop("a", 0.06)
    assert not queue.may_take("a", 1)
    queue.drop("a")
    # It holds none.
    assert queue.may_take("a", 1)


async def test_key_is_not_quick_beside_one_that_is_twice_as_quick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    queue = make_queue(size=4)
    be_quick(queue, "many rows", turn_s=0.01)
    queue.hold("many rows")
    assert queue.may_take("many rows", 1)

    be_quick(queue, "one row", turn_s=0.006)
    assert queue.may_take("many rows", 1)
    be_quick(queue, "one row", turn_s=0.003)
    queue.hold("one row")
    assert queue.may_take("one row", 1)
    assert queue.may_take("many rows", 2)
    assert not queue.may_take("many rows", 1)

    # The other one has gone.
    monkeypatch.setattr(fair_queue, "RECENT_S", 0.0)
    assert queue.may_take("many rows", 1)


async def test_turns_of_very_many_keys_are_not_kept() -> None:
    queue = make_queue()
    for number in range(25_000):
        be_quick(queue, str(number), turns=1)

    assert len(queue._paces) <= 10_000
    assert not queue._holding


async def test_turn_of_any_length_lets_the_key_come_again() -> None:
    queue, keys = make_queue(), ["slow"] * 10 + ["fast"] * 600
    tasks = await seat(queue, keys)

    for number in range(200):
        queue.drop("slow", 3_600)
        queue.drop("fast", 0.001)
        queue.offer(number)

    await asyncio.sleep(0)
    assert 3 <= [task.done() for task in tasks[:10]].count(True) <= 5
    queue.refuse_all(foreign("closed"))
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_key_that_comes_late_has_saved_no_turns() -> None:
    queue = make_queue()
    busy = await seat(queue, ["busy"] * 60)

    def serve(count: int) -> None:
        for number in range(count):
            queue.drop("busy", 0.01)
            queue.drop("late", 0.01)
            queue.offer(number)

    serve(30)
    late = [asyncio.create_task(queue.wait("late", deadline())) for _ in range(20)]
    await asyncio.sleep(0)
    serve(20)
    await asyncio.sleep(0)

    assert 8 <= [task.done() for task in late].count(True) <= 12
    queue.refuse_all(foreign("closed"))
    await asyncio.gather(*busy, *late, return_exceptions=True)


async def test_callers_of_a_key_are_served_as_they_came() -> None:
    queue = make_queue()
    tasks = await seat(queue, ["a"] * 50)

    for number in range(50):
        queue.offer(number)

    assert await asyncio.gather(*tasks) == list(range(50))


async def test_nobody_takes_what_nobody_waits_for() -> None:
    queue = make_queue()

    assert not queue.offer(1)


async def test_caller_that_left_is_passed_over() -> None:
    queue = make_queue()
    first, second = await seat(queue, ["a", "b"])

    first.cancel()

    assert queue.offer(7)
    assert await second == 7
    assert not queue.offer(8)


async def test_what_came_as_its_receiver_left_is_taken_back() -> None:
    back: list[int] = []
    queue = make_queue(back.append)
    [task] = await seat(queue, ["a"])

    queue.offer(7)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert back == [7]


@pytest.mark.parametrize(
    ("max_wait_s", "within_s"), [(0.05, LONG_S), (LONG_S, 0.05)], ids=["queue", "caller"]
)
async def test_wait_ends_by_the_queue_or_by_the_caller(max_wait_s: float, within_s: float) -> None:
    queue = FairQueue[int](
        foreign("seat"),
        size=1,
        max_wait_s=max_wait_s,
        refuse=DataSourceBusyError,
        take_back=lambda _: None,
    )
    until = asyncio.get_running_loop().time() + within_s

    with pytest.raises(
        DataSourceBusyError, match=r"^every seat was in use for 0\.05 s; retry in a few seconds$"
    ):
        await queue.wait("a", until)

    assert len(queue) == 0


async def test_caller_that_is_held_off_is_told_why() -> None:
    slots = FairSlots(2, foreign("seat"), max_wait_s=0.05, refuse=DataSourceBusyError)

    async with slots.hold("a", deadline()):
        with pytest.raises(
            DataSourceBusyError, match=r"^every seat but the one kept for other keys was in use for"
        ):
            async with slots.hold("a", deadline()):
                pass
        async with slots.hold("b", deadline()):
            with pytest.raises(DataSourceBusyError, match=r"^every seat was in use for"):
                async with slots.hold("a", deadline()):
                    pass


async def test_memory_is_guarded() -> None:
    queue = make_queue()
    tasks = await seat(queue, ["a"] * MOST_WAITING)

    with pytest.raises(DataSourceBusyError, match="2,000 calls wait for a seat; retry"):
        await queue.wait("b", deadline())

    queue.refuse_all(foreign("closed"))
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert {str(result) for result in results} == {"closed"}
    assert len(queue) == 0


async def test_no_more_have_a_slot_than_there_are() -> None:
    slots = FairSlots(3, foreign("seat"), max_wait_s=LONG_S, refuse=DataSourceBusyError)
    inside: list[str] = []
    most = 0

    async def use(key: str) -> None:
        nonlocal most
        async with slots.hold(key, deadline()):
            inside.append(key)
            most = max(most, len(inside))
            try:
                await asyncio.sleep(0)
            finally:
                inside.remove(key)

    calls: list[Any] = [asyncio.create_task(use("ab"[number % 2])) for number in range(40)]
    await asyncio.sleep(0)
    for call in calls[::7]:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)

    assert (most, inside) == (3, [])
    assert not slots._queue._holding
    async with AsyncExitStack() as stack, asyncio.timeout(LONG_S):
        for key in "abc":
            await stack.enter_async_context(slots.hold(key, deadline()))


def test_caller_without_time_and_one_with_time_wait_on_the_loop_of_the_server() -> None:
    async def wait_both() -> None:
        queue = make_queue()
        over = asyncio.create_task(queue.wait("a", asyncio.get_running_loop().time() - 1))
        waiting = asyncio.create_task(queue.wait("b", deadline()))
        await asyncio.sleep(0)
        earlier = asyncio.create_task(queue.wait("c", deadline() - 1))

        with pytest.raises(DataSourceBusyError):
            await over
        assert queue.offer(1)
        assert queue.offer(2)
        assert await waiting + await earlier == 3
        assert not len(queue)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(wait_both())
