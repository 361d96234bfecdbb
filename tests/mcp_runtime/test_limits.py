"""Limits over the wire: what a refused caller reads, on every lane, and many callers on two runtimes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async

from access.models import ApiKey, CallRecord, Outcome, ToolLimit
from config.services.postgres import EmbeddedPostgres
from tests.factories import make_expression, make_token, make_tool
from tests.mcp_runtime.conftest import ERAS, Serve
from tests.mcp_runtime.test_runmcp import Start, is_healthy, starting
from tests.mcp_runtime.test_toolsets import served_twice
from tests.redis_server import Redis
from tests.waiting import LIMIT_S, eventually

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 50
MODERN = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "multiply",
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "multiply", "arguments": {"a": 2, "b": 3}, "_meta": META},
}


@pytest.mark.parametrize("era", ERAS)
async def test_caller_over_its_limit_reads_which_one(
    serve: Serve, settings: Any, redis: Redis, era: str
) -> None:
    settings.REDIS_URL = redis.valkey.url
    await sync_to_async(make_expression)(name="multiply")
    await sync_to_async(make_tool)(name="row")
    for name in ("multiply", "row"):
        await sync_to_async(ToolLimit.objects.create)(
            target_type="ALL", tool_name=name, max_count=2
        )

    async with served_twice(serve, settings) as lanes:
        texts = []
        for served in lanes.values():
            async with served.client(era) as client:
                for name, arguments in (("multiply", {"a": 2, "b": 3}), ("row", {})):
                    results = [
                        await client.call_tool(name, arguments, raise_on_error=False)
                        for _ in range(2)
                    ]
                    texts += [result.content[0].text for result in results if result.is_error]
        first = lanes["direct"].runtime

        def count_refused() -> int:
            return CallRecord.objects.filter(outcome=Outcome.LIMITED).count()

        await first.recorder.flush()
        await eventually(sync_to_async(count_refused))

    assert len(texts) == 4
    for text in texts:
        assert "the limit of all callers together is 2 calls of the tool" in text
        assert "(UTC)" in text


async def test_refused_call_says_when_to_come_again(
    serve: Serve, redis: Redis, settings: Any
) -> None:
    settings.REDIS_URL = redis.valkey.url
    await sync_to_async(make_expression)(name="multiply")
    await sync_to_async(ToolLimit.objects.create)(target_type="TOOL", per_minute=1)

    async with serve() as served, httpx.AsyncClient() as http:
        headers = {**MODERN, "authorization": f"Bearer {served.token}"}
        answer = await http.post(served.url, json=CALL, headers=headers)
        # The minute may turn between two calls.
        while not answer.json()["result"].get("isError"):
            answer = await http.post(served.url, json=CALL, headers=headers)

    assert answer.json()["result"]["isError"] is True
    assert 1 <= int(answer.headers["retry-after"]) <= 61


async def test_limit_of_another_program_holds_without_a_restart(
    serve: Serve, psql: Callable[[str], None]
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served:
        assert not (await served.call("multiply", a=2, b=3)).is_error
        psql("INSERT INTO h_mcp_tool_limit (target_type, max_count) VALUES ('ALL', 0)")
        await eventually(lambda: bool(served.runtime.store.snapshot.limits))
        assert (await served.call("multiply", a=2, b=3)).is_error
        psql("DELETE FROM h_mcp_tool_limit")
        await eventually(lambda: not served.runtime.store.snapshot.limits)

        assert not (await served.call("multiply", a=2, b=3)).is_error


async def test_call_through_call_tool_counts_for_the_tool(
    serve: Serve, redis: Redis, settings: Any
) -> None:
    settings.REDIS_URL = redis.valkey.url
    await sync_to_async(make_expression)(name="multiply")
    await sync_to_async(ToolLimit.objects.create)(
        target_type="ALL", tool_name="multiply", max_count=1
    )

    async with serve() as served:
        arguments = {"name": "multiply", "arguments": {"a": 2, "b": 3}}
        assert not (await served.call("call_tool", **arguments)).is_error
        assert (await served.call("call_tool", **arguments)).is_error
        assert (await served.call("multiply", a=2, b=3)).is_error


@pytest.fixture
def start(
    transactional_db: None,
    embedded_postgres: EmbeddedPostgres,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Start]:
    monkeypatch.setenv("LOG_LEVEL", "error")
    monkeypatch.setenv("REDIS_URL", redis.valkey.url)
    with starting() as run:
        yield run


async def call_until_refused(ports: list[int], token: str, most: int) -> AsyncIterator[int]:
    """How many calls were answered, again and again until every one of the callers was refused."""
    headers = {**MODERN, "authorization": f"Bearer {token}"}
    right = 0

    async def call(number: int) -> None:
        nonlocal right
        url = f"http://127.0.0.1:{ports[number % 2]}/mcp"
        async with httpx.AsyncClient(headers=headers, timeout=LIMIT_S) as http:
            while True:
                result = (await http.post(url, json=CALL)).json()["result"]
                if result["isError"]:
                    assert f"is {most:,} calls of all tools a day" in result["content"][0]["text"]
                    return
                right += 1

    callers = asyncio.gather(*(call(number) for number in range(CALLERS)))
    while not callers.done():
        yield right
        await asyncio.wait({callers}, timeout=0.02)
    await callers
    yield right


@pytest.mark.slow
async def test_fifty_callers_on_two_runtimes_get_exactly_so_many_with_redis_and_when_it_is_killed(
    start: Start, redis: Redis
) -> None:
    most = 1_000
    await sync_to_async(make_expression)(name="multiply")
    tokens = [await sync_to_async(make_token)(name) for name in ("first", "second")]
    async for key in ApiKey.objects.all():
        await sync_to_async(ToolLimit.objects.create)(
            target_type="KEY", target_id=key.key_id, max_count=most
        )
    ports = [start()[1] for _ in range(2)]
    for port in ports:
        await eventually(lambda port=port: is_healthy(port))  # type: ignore[misc]

    with_redis = [right async for right in call_until_refused(ports, tokens[0], most)]
    is_killed, right = False, 0
    async for right in call_until_refused(ports, tokens[1], most):
        if right > most // 4 and not is_killed:
            is_killed = True
            await asyncio.to_thread(redis.kill)

    assert with_redis[-1] == right == most
    assert is_killed
