"""`runmcp --workers 2`: sessions and streams on both workers, their replacement, and their end."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from fastmcp import Client
from mcp.client.subscriptions import listen

from access.models import CallRecord
from config.services.postgres import EmbeddedPostgres
from tests.factories import make_expression, make_token
from tests.mcp_runtime.test_cancellation import HEADERS, call_body, open_session
from tests.mcp_runtime.test_changes import ChangeListener
from tests.mcp_runtime.test_runmcp import Start, client, is_healthy, starting
from tests.waiting import LIMIT_S, STEP_S, eventually

pytestmark = pytest.mark.slow


@pytest.fixture
def start(
    transactional_db: None, embedded_postgres: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    # Nobody reads what they write, and a pipe that is full holds them up.
    monkeypatch.setenv("LOG_LEVEL", "warning")
    with starting() as run:
        yield run


def children(pid: int) -> list[int]:
    """Process ids of all descendants; threads and processes may end while they are looked at."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                for child in map(int, (task / "children").read_text().split()):
                    found += [child, *children(child)]
    return found


def workers(pid: int) -> list[int]:
    """Process ids of the workers."""
    found: list[int] = []
    for child in children(pid):
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                found.append(child)
    return found


def are_gone(pids: list[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


async def end_with_open_streams(
    process: "subprocess.Popen[str]", port: int, token: str, number: int
) -> None:
    """End it by this signal while clients of both eras listen; nothing of it may be left.

    Each of these tests ends its runtime so, each by another signal: a start is three processes.
    """
    async with AsyncExitStack() as stack:
        for _ in range(3):
            await stack.enter_async_context(client(port, token, "legacy"))
            modern = await stack.enter_async_context(client(port, token, "2026-07-28"))
            await stack.enter_async_context(listen(modern.session, tools_list_changed=True))
        everything = children(process.pid)
        process.send_signal(number)
        await asyncio.to_thread(process.wait, LIMIT_S)

        await eventually(lambda: are_gone(everything))
    assert process.returncode == (0 if number != signal.SIGKILL else -signal.SIGKILL)


async def count_serving() -> int:
    """How many processes have answered calls."""
    rows = CallRecord.objects.order_by().values_list("runtime_id", flat=True).distinct()
    return await sync_to_async(len)(rows)


async def test_clients_of_both_eras_are_served_and_told_by_both_until_it_is_terminated(
    start: Start, psql: Callable[[str], None]
) -> None:
    await sync_to_async(make_expression)(name="multiply")
    token = await sync_to_async(make_token)()
    process, port = start("--workers", "2")
    await eventually(lambda: is_healthy(port))
    clients: list[Client[Any]] = []
    heard: list[asyncio.Event] = []

    async with AsyncExitStack() as stack:

        async def hear(opened: Client[Any], event: asyncio.Event) -> None:
            async with listen(opened.session, tools_list_changed=True) as events:
                await anext(aiter(events))
                event.set()

        async def are_both_in_use() -> bool:
            listener, modern_heard = ChangeListener(), asyncio.Event()
            legacy = client(port, token, "legacy", message_handler=listener)
            modern = client(port, token, "2026-07-28")
            pair = [await stack.enter_async_context(each) for each in (legacy, modern)]
            clients.extend(pair)
            heard.extend([listener.heard, modern_heard])
            stack.callback(asyncio.create_task(hear(modern, modern_heard)).cancel)
            for opened in pair:
                assert (await opened.call_tool("multiply", {"a": 3, "b": 2})).data == 6
            return await count_serving() == 2

        await eventually(are_both_in_use)

        async def are_told() -> bool:
            # A stream may not be open yet; the next edit is one more to be told of.
            psql("UPDATE h_custom_tool SET name = 'product_of', definition = definition || ' * 1'")
            await asyncio.wait([asyncio.ensure_future(each.wait()) for each in heard], timeout=2)
            return all(each.is_set() for each in heard)

        await eventually(are_told)
        for opened in clients:

            async def is_seen(opened: Client[Any] = opened) -> bool:
                return "product_of" in [tool.name for tool in await opened.list_tools()]

            await eventually(is_seen)
            assert (await opened.call_tool("product_of", {"a": 3, "b": 2})).data == 6

    await end_with_open_streams(process, port, token, signal.SIGTERM)


async def test_killed_worker_is_replaced_and_the_session_goes_on_until_all_is_killed(
    start: Start,
) -> None:
    await sync_to_async(make_expression)(name="multiply")
    token = await sync_to_async(make_token)()
    process, port = start("--workers", "2")
    await eventually(lambda: is_healthy(port))
    await eventually(lambda: len(workers(process.pid)) == 2)
    before = workers(process.pid)
    url = f"http://127.0.0.1:{port}/mcp"
    session = await open_session(url, HEADERS | {"Authorization": f"Bearer {token}"})

    async def call() -> int:
        async with httpx.AsyncClient(headers=session, timeout=LIMIT_S) as http:
            answer = await http.post(url, content=call_body("multiply"))
        return answer.status_code

    for victim in before:
        os.kill(victim, signal.SIGKILL)
        await eventually(lambda gone=victim: gone not in workers(process.pid))  # type: ignore[misc]
        # Before its successor serves, too.
        assert [await call() for _ in range(10)] == [200] * 10
        await eventually(lambda: len(workers(process.pid)) == 2)

    assert not set(before) & set(workers(process.pid))
    assert process.poll() is None
    await end_with_open_streams(process, port, token, signal.SIGKILL)


async def test_signal_replaces_all_workers_while_a_session_goes_on_until_it_is_interrupted(
    start: Start,
) -> None:
    token = await sync_to_async(make_token)()
    process, port = start("--workers", "2")
    await eventually(lambda: is_healthy(port))
    await eventually(lambda: len(workers(process.pid)) == 2)
    before, answers = set(workers(process.pid)), []
    url = f"http://127.0.0.1:{port}/mcp"
    session = await open_session(url, HEADERS | {"Authorization": f"Bearer {token}"})

    process.send_signal(signal.SIGHUP)
    while before & set(workers(process.pid)):
        # A worker that stops closes connections on which nothing has come yet.
        with suppress(httpx.TransportError):
            async with httpx.AsyncClient(headers=session, timeout=LIMIT_S) as http:
                answers.append(await http.post(url, content=call_body("some")))
        # As fast as they can be answered, calls would take the processor from the new workers.
        await asyncio.sleep(STEP_S)

    assert {answer.status_code for answer in answers} == {200}
    assert len(workers(process.pid)) == 2
    await end_with_open_streams(process, port, token, signal.SIGINT)
