"""Script processes: real ones, with a language that allows everything."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
import pytest_asyncio

from core.errors import (
    DeadlineExceededError,
    EvaluationError,
    ScriptsBusyError,
)
from core.script import CompiledScript
from gateways.scripts.sandbox import missing_support
from gateways.scripts.workers import LOST_TEXT, Allowance, ScriptWorkers, ScriptWorkerSettings
from tests.gateways.scripts.processes import is_alive, open_files, resident_bytes
from tests.gateways.scripts.runs import (
    ANY_PYTHON,
    LONG_MS,
    all_processes,
    run,
    script_processes,
    start_endless,
    wait_for_end,
)
from tests.waiting import eventually

pytestmark = pytest.mark.skipif(missing_support() is not None, reason="the sandbox needs Linux")


@pytest_asyncio.fixture
async def workers() -> AsyncIterator[ScriptWorkers]:
    settings = ScriptWorkerSettings(max_wait_ms=LONG_MS)
    async with ScriptWorkers(settings, language=ANY_PYTHON) as workers:
        yield workers


@pytest_asyncio.fixture
async def one_worker() -> AsyncIterator[ScriptWorkers]:
    settings = ScriptWorkerSettings(size=1, max_wait_ms=LONG_MS, recycle_after=50)
    async with ScriptWorkers(settings, language=ANY_PYTHON) as workers:
        yield workers


async def test_result_is_computed_from_the_arguments(workers: ScriptWorkers) -> None:
    assert await run(workers, "result = a * b", a=6, b=7) == 42


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="null"),
        pytest.param(2**70, id="a large integer"),
        pytest.param(0.1, id="a float"),
        pytest.param("한국어 😀 \ud800", id="text with half a character"),
        pytest.param(Decimal("19.90"), id="a decimal"),
        pytest.param(date(2024, 2, 29), id="a date"),
        pytest.param(datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=UTC), id="a datetime"),
        pytest.param([1, "a", Decimal(1), [date(2024, 1, 1)]], id="a list"),
        pytest.param({"date": "x", "object": {"decimal": "y"}}, id="a dictionary"),
    ],
)
async def test_argument_arrives_in_its_type(workers: ScriptWorkers, value: object) -> None:
    # A parameter may have the name of a tag.
    assert await run(workers, "result = repr(date)", date=value) == repr(value)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("result = float('nan')", id="NaN"),
        pytest.param("result = [float('inf')]", id="infinity"),
        pytest.param("result = '\\ud800'", id="half a character"),
        pytest.param("result = {1, 2}", id="a set"),
        pytest.param("result = 10 ** 5000", id="an integer without a text"),
        pytest.param("result = []\nfor _ in range(10**5): result = [result]", id="too deep"),
    ],
)
async def test_result_without_a_form_in_json_is_an_error(workers: ScriptWorkers, text: str) -> None:
    with pytest.raises(EvaluationError, match="no JSON form"):
        await run(workers, text)


async def test_result_over_the_limit_is_an_error(workers: ScriptWorkers) -> None:
    with pytest.raises(EvaluationError, match="too long: 2,000,030 bytes of JSON, at most 1,000,0"):
        await run(workers, "result = 'x' * 2_000_000")

    assert len(await run(workers, "result = 'x' * 999_900")) == 999_900


async def test_large_arguments_arrive_whole(workers: ScriptWorkers) -> None:
    values = ["x" * 100] * 50_000

    assert await run(workers, "result = [len(a), a[-1]]", a=values) == [50_000, "x" * 100]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("import os\nos._exit(3)", id="it exits"),
        pytest.param("import ctypes\nctypes.string_at(0)", id="it reads a null pointer"),
        pytest.param("import os\nos.listdir('/')", id="it reads a directory"),
        pytest.param("import http.server", id="it imports"),
        pytest.param("1 / 0", id="it fails in an unforeseen way"),
        pytest.param(
            "import ctypes\nctypes.CDLL(None).ptrace(16, 1, 0, 0)", id="it debugs another process"
        ),
        pytest.param("import os\nos.write(0, b'\\xff' * 100)", id="it sends a huge frame"),
        pytest.param("import os\nos.write(0, b'\\0\\0\\0\\2{}')", id="it sends a wrong reply"),
        pytest.param(
            'import os\nos.write(0, b\'\\0\\0\\0\\x23{"is_spent":false,"result":"\\\\ud800"}   \')',
            id="it sends half a character",
        ),
        pytest.param(
            'import os\nos.write(0, b\'\\0\\0\\0\\x20{"is_spent":false,"result":1e999}   \')',
            id="it sends an infinite number",
        ),
        pytest.param("import os\nos.write(0, b'\\0\\0\\x27\\x10' + b'[' * 10_000)", id="it nests"),
    ],
)
async def test_process_that_breaks_down_fails_only_its_own_call(
    workers: ScriptWorkers, text: str
) -> None:
    other = asyncio.create_task(run(workers, "for _ in range(10**6): pass\nresult = 'other'"))

    with pytest.raises(EvaluationError, match="needed too much memory or crashed"):
        await run(workers, text)

    assert await other == "other"
    assert await run(workers, "result = 1") == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[0] * 2**27", id="at once"),
        pytest.param("kept = []\nwhile True: kept.append(bytes(10**6))", id="by and by"),
        pytest.param("1 << 2**33", id="one number"),
    ],
)
async def test_memory_over_the_limit_is_an_error(workers: ScriptWorkers, text: str) -> None:
    with pytest.raises(EvaluationError, match=r"more memory than a script may take \(512 MB\)"):
        await run(workers, text)

    assert await run(workers, "result = 1") == 1


async def test_memory_is_given_back(one_worker: ScriptWorkers) -> None:
    await run(one_worker, "result = len(bytes(200_000_000))")
    await run(one_worker, "result = 1")

    assert sum(resident_bytes(pid) for pid in await all_processes(one_worker)) < 50_000_000


async def test_endless_script_is_stopped_at_its_deadline(one_worker: ScriptWorkers) -> None:
    with pytest.raises(DeadlineExceededError, match=r"the script took longer than 0.2 s and was s"):
        await run(one_worker, "while True: pass", timeout_ms=200)

    assert await run(one_worker, "result = 'next'") == "next"
    assert len(script_processes(one_worker)) == 1


async def test_cancelled_call_ends_its_process(one_worker: ScriptWorkers) -> None:
    before = await all_processes(one_worker)
    call = await start_endless(one_worker)

    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call

    assert await run(one_worker, "result = 'next'") == "next"
    wait_for_end(before)


async def test_killed_process_fails_its_call_and_is_replaced(one_worker: ScriptWorkers) -> None:
    (process,) = await all_processes(one_worker)
    call = await start_endless(one_worker)

    os.kill(process, signal.SIGKILL)

    with pytest.raises(EvaluationError) as caught:
        await call
    assert caught.value.message == LOST_TEXT
    assert await run(one_worker, "result = 'next'") == "next"


async def test_process_killed_while_idle_is_replaced_unseen(one_worker: ScriptWorkers) -> None:
    (process,) = await all_processes(one_worker)
    os.kill(process, signal.SIGKILL)
    await eventually(lambda: script_processes(one_worker) not in ([], [process]))

    assert await run(one_worker, "result = 'next'") == "next"


async def test_killed_fork_server_is_started_again(workers: ScriptWorkers) -> None:
    before = await all_processes(workers)
    assert workers.fork_server_pid is not None

    killed = workers.fork_server_pid
    os.kill(killed, signal.SIGKILL)
    await eventually(lambda: workers.fork_server_pid not in {None, killed})

    assert await run(workers, "result = 'next'") == "next"
    wait_for_end(before)


async def test_unasked_message_ends_the_process_and_not_the_next_call(
    one_worker: ScriptWorkers,
) -> None:
    (process,) = await all_processes(one_worker)
    reply = b'{"is_spent":false,"result":"forged"}'
    frame = len(reply).to_bytes(4, "big") + reply
    # This call gets the forged reply, or an error if the true one comes with it; its own fault.
    with suppress(EvaluationError):
        await run(one_worker, f"import os\nos.write(0, {frame!r})")
    await eventually(lambda: not is_alive(process))

    assert await run(one_worker, "result = 'honest'") == "honest"


async def test_many_calls_share_few_processes() -> None:
    settings = ScriptWorkerSettings(size=2, max_wait_ms=LONG_MS, recycle_after=10)
    async with ScriptWorkers(settings, language=ANY_PYTHON) as workers:
        calls = [run(workers, "result = a * a", a=number) for number in range(50)]

        assert await asyncio.gather(*calls) == [number**2 for number in range(50)]


async def test_wait_for_a_process_is_bounded() -> None:
    settings = ScriptWorkerSettings(size=1, max_wait_ms=300)
    async with ScriptWorkers(settings, language=ANY_PYTHON) as workers:
        running = await start_endless(workers)

        with pytest.raises(ScriptsBusyError, match=r"in use for 0\.3 s; retry in a few seconds"):
            await run(workers, "result = 1")
        assert not running.done()
    with pytest.raises(EvaluationError):
        await running


async def test_wait_for_a_process_counts_as_time_of_the_script(one_worker: ScriptWorkers) -> None:
    running = asyncio.create_task(run(one_worker, "while True: pass", timeout_ms=250))
    await asyncio.sleep(0)

    with pytest.raises(DeadlineExceededError, match=r"longer than 4 s .* it waited \d"):
        await run(one_worker, "while True: pass", timeout_ms=4_000)
    with pytest.raises(DeadlineExceededError, match="compute less"):
        await running


async def test_callers_take_turns_for_a_process() -> None:
    settings = ScriptWorkerSettings(size=1, max_wait_ms=30_000)
    order: list[str] = []
    async with ScriptWorkers(settings, language=ANY_PYTHON) as workers:
        script = CompiledScript("result = 1", ())

        async def call(caller: str) -> None:
            await workers.run(script, {}, 30_000, caller)
            order.append(caller)

        await asyncio.gather(*map(call, ["a"] * 5 + ["b"] * 2))

    # The first found the process free; how long its turn was decides what comes between the others'.
    assert order[0] == "a"
    assert order[1:5].count("b") == 2


async def test_endless_scripts_of_a_key_leave_a_process_to_other_keys() -> None:
    settings = ScriptWorkerSettings(size=2, max_wait_ms=LONG_MS)
    async with ScriptWorkers(settings, language=ANY_PYTHON) as workers:
        await asyncio.gather(*(run(workers, "result = 1") for _ in range(2)))
        endless = CompiledScript("while True: pass", ())
        slow = [asyncio.create_task(workers.run(endless, {}, LONG_MS, "slow")) for _ in range(3)]
        await asyncio.sleep(0)

        for _ in range(3):
            assert await workers.run(CompiledScript("result = 1", ()), {}, LONG_MS, "other") == 1

        assert not any(one.done() for one in slow)
        for one in slow:
            one.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        assert not workers._queue._holding


async def test_scripts_that_keep_crashing_leave_room_for_others() -> None:
    settings = ScriptWorkerSettings(max_wait_ms=LONG_MS)
    async with ScriptWorkers(settings, language=ANY_PYTHON) as workers:
        crashing = [run(workers, "import os\nos._exit(1)") for _ in range(25)]
        calls = asyncio.gather(*crashing, return_exceptions=True)
        await asyncio.sleep(0)

        assert await run(workers, "result = 'fine'") == "fine"
        assert {type(error) for error in await calls} == {EvaluationError}


@pytest.mark.parametrize(
    ("spoil", "look"),
    [
        pytest.param("leftover = 1", "result = 'leftover' in globals()", id="names"),
        pytest.param(
            "import decimal\ndecimal.getcontext().prec = 3",
            "import decimal\nresult = decimal.getcontext().prec != 28",
            id="decimal precision",
        ),
    ],
)
async def test_next_call_sees_nothing_of_the_last(
    one_worker: ScriptWorkers, spoil: str, look: str
) -> None:
    await run(one_worker, spoil)

    assert await run(one_worker, look) is False


async def test_process_is_replaced_after_its_number_of_calls(one_worker: ScriptWorkers) -> None:
    pids = {await run(one_worker, "import os\nresult = os.getpid()") for _ in range(120)}

    assert len(pids) == 3


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into these processes")
async def test_process_has_no_file_but_its_channel(one_worker: ScriptWorkers) -> None:
    (process,) = await all_processes(one_worker)

    assert open_files(process) == ["0"]


async def test_process_has_no_environment(one_worker: ScriptWorkers) -> None:
    assert await run(one_worker, "import os\nresult = dict(os.environ)") == {}


async def test_process_has_imported_nothing_of_the_server(one_worker: ScriptWorkers) -> None:
    loaded = await run(one_worker, "import sys\nresult = sorted(sys.modules)")

    assert not {"django", "numpy", "psycopg", "uvicorn", "pydantic", "orjson"}.intersection(loaded)


def test_allowance_lets_a_burst_pass_and_then_holds_the_rate() -> None:
    allowance = Allowance(rate=10, burst=3, clock=lambda: 100.0)

    delays_s = [allowance.next_delay_s() for _ in range(6)]

    assert delays_s == pytest.approx([0, 0, 0, 0.1, 0.2, 0.3])
