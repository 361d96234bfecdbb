"""The deadline of a run is the tool's limit and a margin, and nothing else that ends a run is taken for it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import NoReturn

import pytest

from core.bindings import NOBODY
from core.errors import DeadlineExceededError
from core.execution import QuerySources
from core.grants import BuiltinGroup
from core.results import Answer, value_answer
from tests.waiting import LIMIT_S, eventually
from tools import running
from tools.builtin.tool import BuiltinSpec, BuiltinTool
from tools.running import run_tool
from tools.sources import Sources

STOPPED = "slow was stopped after its limit of 1 ms"


@pytest.fixture(autouse=True)
def _no_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "DEADLINE_MARGIN_S", 0)


async def run(work: Callable[[], Awaitable[object]]) -> Answer:
    async def execute(_values: Mapping[str, object], _sources: QuerySources) -> Answer:
        await work()
        return value_answer(None)

    tool = BuiltinTool(
        spec=BuiltinSpec(
            name="slow", title="", description="", timeout_ms=1, group=BuiltinGroup.UTILITIES
        ),
        input_schema={},
        output_schema={},
        check=lambda arguments, _facts: arguments,
        execute=execute,
    )
    async with asyncio.timeout(LIMIT_S):
        return await run_tool(tool, {}, NOBODY, Sources(script_workers=1))


async def wait_for_ever() -> NoReturn:
    await asyncio.Event().wait()
    raise AssertionError


async def test_runs_are_stopped_at_their_limit_and_their_task_goes_on() -> None:
    task = asyncio.current_task()
    assert task

    for _ in range(2):
        with pytest.raises(DeadlineExceededError, match=STOPPED):
            await run(wait_for_ever)
        assert task.cancelling() == 0
        # The timer ends where nothing runs, and begins again.
        await eventually(lambda: running._sweeper.loop is None)


async def test_many_runs_at_once_are_stopped() -> None:
    errors = await asyncio.gather(*(run(wait_for_ever) for _ in range(50)), return_exceptions=True)

    assert {str(error) for error in errors} == {STOPPED}


async def test_time_out_of_the_tool_itself_is_told_as_its_limit() -> None:
    async def time_out() -> NoReturn:
        raise TimeoutError

    with pytest.raises(DeadlineExceededError, match=STOPPED):
        await run(time_out)


async def test_run_that_its_caller_cancels_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "DEADLINE_MARGIN_S", 10 * LIMIT_S)
    begun = asyncio.Event()

    async def begin() -> None:
        begun.set()
        await wait_for_ever()

    task = asyncio.create_task(run(begin))
    await begun.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_caller_that_cancels_together_with_the_deadline_wins() -> None:
    async def cancel_too() -> None:
        try:
            await wait_for_ever()
        except asyncio.CancelledError:
            task.cancel()
            raise

    task = asyncio.create_task(run(cancel_too))

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_answer_that_comes_in_spite_of_the_deadline_counts() -> None:
    async def answer() -> None:
        try:
            await wait_for_ever()
        except asyncio.CancelledError:
            return

    task = asyncio.current_task()
    assert task

    assert (await run(answer)).structured == {"result": None}
    assert task.cancelling() == 0
