"""Several gates, as several runtimes have them, on a real Redis that is killed and restarted, and PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Self
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async

from access.database_thread import DatabaseThread
from access.limits import gate as gate_module
from access.limits.counting import Agreement, Tally, switch_to_postgres, write_tallies
from access.limits.gate import LimitGate
from access.limits.models import ToolLimit, read_limits, read_used
from access.models import RuntimeInstance
from core.errors import LimitError
from core.limits import LimitBook
from gateways.counters.redis_counters import RedisCounters
from tests.redis_server import Redis
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 25


@asynccontextmanager
async def runtimes(
    count: int, url: str = "", counters: RedisCounters | None = None
) -> AsyncIterator[list[LimitGate]]:
    """So many gates over the limits that the test has written."""
    book = LimitBook(await sync_to_async(read_limits)())
    async with AsyncExitStack() as stack:
        gates = []
        for number in range(count):
            database = DatabaseThread(f"limits {number}")
            stack.push_async_callback(database.close)
            own = RedisCounters(url, "test:") if url else counters
            gate = LimitGate(lambda: book, database, own, uuid4())
            job = asyncio.create_task(gate.run())

            async def end(job: "asyncio.Task[None]" = job) -> None:
                job.cancel()
                await asyncio.gather(job, return_exceptions=True)

            stack.push_async_callback(end)
            gates.append(gate)
        yield gates


async def call(gate: LimitGate, name: str = "sales", **amounts: int) -> bool:
    """Whether the call was let through."""
    try:
        passage = await gate.enter(gate.concerning("hong", "k1", name))
    except LimitError as error:
        if "cannot be counted" in str(error):
            raise
        return False
    gate.leave(passage, **amounts)
    return True


async def call_until_refused(gates: list[LimitGate]) -> int:
    """How many calls of many callers on each gate were let through, until each had been refused."""
    let_through = 0

    async def make_calls(gate: LimitGate) -> None:
        nonlocal let_through
        while await call(gate):
            let_through += 1
            await asyncio.sleep(0)

    await asyncio.gather(*(make_calls(gate) for gate in gates for _ in range(CALLERS)))
    return let_through


async def places_become(count: int, redis: Redis, gate: LimitGate) -> bool:
    """Whether so many places of the calls at once are taken, sooner or later."""
    [window] = gate._book().windows(gate.concerning("", "", "sales"), datetime.now(UTC))
    counters = RedisCounters(redis.valkey.url, "test:")

    async def is_count() -> bool:
        return await sync_to_async(counters.count_occupied)([window.key]) == [count]

    await eventually(is_count)
    return True


@pytest.mark.parametrize("most", [0, 1, 7, 1_500])
async def test_limit_lets_exactly_so_many_through(redis: Redis, most: int) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", max_count=most)

    async with runtimes(2, redis.valkey.url) as gates:
        assert await call_until_refused(gates) == most


async def test_without_redis_postgres_counts_as_exactly() -> None:
    await sync_to_async(ToolLimit.objects.create)(
        target_type="USER", target_id="hong", max_count=60
    )

    async with runtimes(2) as gates:
        assert await call_until_refused(gates) == 60


@pytest.mark.parametrize("comes_back", ["never", "as it was", "empty"])
async def test_killed_redis_lets_no_call_more_through(redis: Redis, comes_back: str) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="KEY", target_id="k1", max_count=900)

    async with runtimes(2, redis.valkey.url) as gates:
        before = sum([await call(gate) for _ in range(150) for gate in gates])
        redis.kill()
        during = sum([await call(gate) for _ in range(50) for gate in gates])
        assert all(gate.counts_in_postgres for gate in gates)
        if comes_back != "never":
            if comes_back == "empty":
                redis.forget()
            redis.start()
            await eventually(lambda: not any(gate.counts_in_postgres for gate in gates))
        after = await call_until_refused(gates)

    assert before + during + after == 900


async def test_redis_restarted_between_two_calls_is_noticed(redis: Redis) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", max_count=400)

    async with runtimes(2, redis.valkey.url) as gates:
        before = sum([await call(gate) for _ in range(50) for gate in gates])
        redis.kill()
        redis.forget()
        redis.start()
        after = await call_until_refused(gates)

    assert before + after == 400


async def test_counting_stays_until_all_have_written_what_they_took(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", max_count=400)

    async with runtimes(2, redis.valkey.url) as [first, second]:
        assert await call(first)
        assert await call(second)
        monkeypatch.setattr(gate_module, "MOVE_TAKES_S", 3_600.0)
        await sync_to_async(switch_to_postgres)()
        await eventually(lambda: second.counts_in_postgres)
        second._leases.clear()
        waiting = asyncio.create_task(call(second))
        assert second._counters is not None
        await second._return_to_redis(second._counters)

        assert second.counts_in_postgres
        assert not (await asyncio.wait({waiting}, timeout=0.2))[0]
        waiting.cancel()
        monkeypatch.undo()
        await eventually(lambda: not second.counts_in_postgres)
        assert await call(second)


async def test_runtime_gives_back_what_it_has_not_used(redis: Redis) -> None:
    row = await sync_to_async(ToolLimit.objects.create)(target_type="ALL", max_count=5_000)
    async with runtimes(1, redis.valkey.url) as [gate]:
        assert await call(gate)
        key = next(iter(gate._tallies))
        await eventually(lambda: gate._tallies[key].used == 1)

    async with runtimes(1, redis.valkey.url) as gates:
        assert await call(gates[0])
    assert row.pk
    assert (await sync_to_async(read_used)([key]))[key] == 2


async def test_what_was_used_survives_the_end_of_all(redis: Redis) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", max_count=5)
    async with runtimes(1, redis.valkey.url) as [gate]:
        assert [await call(gate) for _ in range(3)] == [True] * 3
    redis.kill()
    redis.forget()
    redis.start()

    async with runtimes(1, redis.valkey.url) as gates:
        assert await call_until_refused(gates) == 2


@pytest.mark.parametrize("has_redis", [True, False], ids=["Redis", "no Redis"])
async def test_so_many_calls_run_at_once(redis: Redis, has_redis: bool) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", at_once=2, max_count=100)

    async with runtimes(1, redis.valkey.url if has_redis else "") as [gate]:
        found = gate.concerning("", "", "sales")
        first, _ = await gate.enter(found), await gate.enter(found)
        with pytest.raises(LimitError, match="2 calls of all tools at once"):
            await gate.enter(found)
        gate.leave(first)

        await eventually(lambda: call(gate))


class SlowCounters(RedisCounters):
    """Counters whose answer of a place comes late, when Redis has given it."""

    def __init__(self, url: str, prefix: str) -> None:
        super().__init__(url, prefix)
        self.given, self.answers = asyncio.Event(), asyncio.Event()

    async def occupy(self, key: str, most: int, place: str, within_ms: int) -> bool:
        is_given = await super().occupy(key, most, place, within_ms)
        self.given.set()
        await self.answers.wait()
        return is_given


async def test_caller_that_goes_away_at_the_gate_leaves_no_place_taken(redis: Redis) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", at_once=1, max_count=100)
    counters = SlowCounters(redis.valkey.url, "test:")

    async with runtimes(1, counters=counters) as [gate]:
        found = gate.concerning("", "", "sales")
        caller = asyncio.create_task(gate.enter(found))
        await counters.given.wait()
        caller.cancel()
        await asyncio.gather(caller, return_exceptions=True)
        counters.answers.set()

        await eventually(lambda: call(gate))


async def test_calls_that_run_are_counted_still_when_redis_comes_back_empty(redis: Redis) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", at_once=2)

    async with runtimes(1, redis.valkey.url) as [gate]:
        found = gate.concerning("", "", "sales")
        first, _ = await gate.enter(found), await gate.enter(found)
        redis.kill()
        redis.forget()
        redis.start()
        for _ in range(10):
            with pytest.raises(LimitError, match="2 calls of all tools at once"):
                await gate.enter(found)
        gate.leave(first)

        assert await gate.enter(found)


async def test_place_of_a_call_that_ends_while_redis_is_away_is_free_again(redis: Redis) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", at_once=2)

    async with runtimes(1, redis.valkey.url) as [gate]:
        passage = await gate.enter(gate.concerning("", "", "sales"))
        assert await places_become(1, redis, gate)
        await sync_to_async(switch_to_postgres)()
        await gate._agree(at_once=True)
        gate.leave(passage)
        await eventually(lambda: not gate.counts_in_postgres)

        assert await places_become(0, redis, gate)


@pytest.mark.parametrize("most", [1, 2, 5])
async def test_without_redis_runtimes_share_every_place_of_calls_at_once(most: int) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", at_once=most)

    async with runtimes(3) as gates:
        for gate in gates:
            await RuntimeInstance.objects.acreate(id=gate._here, host="here", pid=1, version="1")
        let_through = 0
        for gate in gates:
            with suppress(LimitError):
                for _ in range(most + 1):
                    await gate.enter(gate.concerning("", "", "sales"))
                    let_through += 1

    assert let_through == most


@pytest.mark.parametrize(
    ("column", "amount"),
    [("max_rows", {"rows": 30}), ("max_bytes", {"size": 30}), ("max_db_seconds", {"seconds": 30})],
)
async def test_budget_ends_for_every_runtime(
    redis: Redis, column: str, amount: dict[str, Any]
) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="TOOL", **{column: 50})

    async with runtimes(2, redis.valkey.url) as [first, second]:
        assert await call(first, **amount)
        assert await call(first, **amount)
        assert not await call(first, **amount)
        assert await call(second, "another", **amount)

        async def is_refused() -> bool:
            return not await call(second)

        await eventually(is_refused)


async def test_budget_that_is_used_up_is_known_to_the_first_call_of_a_runtime(redis: Redis) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="ALL", max_rows=50)
    async with runtimes(1, redis.valkey.url) as [gate]:
        assert await call(gate, rows=50)

    async with runtimes(1, redis.valkey.url) as [gate]:
        assert not await call(gate)


async def test_budget_of_the_next_caller_is_known_to_its_first_call(redis: Redis) -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="TOOL", max_rows=50)
    async with runtimes(1, redis.valkey.url) as [gate]:
        assert await call(gate, rows=50)

    async with runtimes(1, redis.valkey.url) as [gate]:
        assert await call(gate, "another")
        assert not await call(gate)


async def test_budgets_of_days_that_are_over_are_asked_for_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class InTwoDays(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return super().now(tz) + timedelta(days=2)

    await sync_to_async(ToolLimit.objects.create)(target_type="TOOL", max_rows=50)
    asked: list[list[str]] = []

    def note(runtime_id: UUID, tallies: Sequence[Tally], budgets: list[str]) -> Agreement:
        asked.append(budgets)
        return write_tallies(runtime_id, tallies, budgets)

    monkeypatch.setattr(gate_module, "write_tallies", note)
    async with runtimes(1) as [gate]:
        # Of one something is counted, of the other nothing.
        assert await call(gate, rows=5)
        assert await call(gate, "another")
        await eventually(lambda: len(asked[-1]) == 2)
        monkeypatch.setattr(gate_module, "datetime", InTwoDays)
        assert await call(gate, "third", rows=5)
        await eventually(lambda: len(asked[-1]) == 1)


async def test_what_no_limit_concerns_asks_nobody() -> None:
    await sync_to_async(ToolLimit.objects.create)(target_type="USER", target_id="kim", max_count=1)

    async with runtimes(1, "redis://127.0.0.1:9/0") as [gate]:
        assert gate.concerning("hong", "k1", "sales") == ()


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"target_type": "PLANET", "max_count": 1}, id="unknown target"),
        pytest.param({"target_type": "ALL", "max_count": -1}, id="negative"),
        pytest.param({"target_type": "ALL"}, id="no limit"),
        pytest.param({"target_type": "ALL", "max_count": 1, "is_active": False}, id="switched off"),
    ],
)
@pytest.mark.django_db
def test_row_that_makes_no_sense_limits_nothing(row: dict[str, object]) -> None:
    ToolLimit.objects.create(**row)
    ToolLimit.objects.create(target_type=" all ", max_count=3)

    assert [dict(limit.most) for limit in read_limits()] == [{"max_count": 3}]
