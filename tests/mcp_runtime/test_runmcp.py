"""`manage.py runmcp` as a process of its own: options, several workers, stop."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.core.management import CommandError, call_command
from django.db import connection
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from tests.factories import ENDLESS_SQL, make_expression, make_token, make_tool
from tests.mcp_runtime.conftest import NO_AUTHORITIES
from tests.plugin import POSTGRES
from tests.processes import dying_with_us
from tests.waiting import LIMIT_S, eventually

PROJECT = Path(__file__).parents[2]
Start = Callable[..., tuple[subprocess.Popen[str], int]]


@contextmanager
def starting() -> Iterator[Start]:
    """Starts `runmcp` on the test's database; gives the process and its port."""
    processes: list[subprocess.Popen[str]] = []

    def run(*options: str, port: int | None = None) -> tuple[subprocess.Popen[str], int]:
        port = port or choose_free_port()
        command = (sys.executable, "manage.py", "runmcp", "--port", str(port), *options)
        environment = os.environ | {"DATABASE_URL": database_url()}
        process = subprocess.Popen(
            dying_with_us(*command),
            cwd=PROJECT,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        processes.append(process)
        return process, port

    try:
        yield run
    finally:
        for process in processes:
            # The group: whatever a test does, no worker stays.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.fixture
def start(transactional_db: None, embedded_postgres: EmbeddedPostgres) -> Iterator[Start]:
    with starting() as run:
        yield run


def database_url() -> str:
    parameters = connection.settings_dict
    user, password = quote(parameters["USER"]), quote(parameters["PASSWORD"])
    return f"postgresql://{user}:{password}@{parameters['HOST']}:{parameters['PORT']}/{parameters['NAME']}"


async def is_healthy(port: int) -> bool:
    async with httpx.AsyncClient() as http:
        try:
            return (await http.get(f"http://127.0.0.1:{port}/healthz")).status_code == 200
        except httpx.TransportError:
            return False


async def is_slow_query_running() -> bool:
    return await sync_to_async(count_slow_queries)() > 0


async def negate(claim: Awaitable[bool]) -> bool:
    return not await claim


def count_slow_queries() -> int:
    with psycopg.connect(POSTGRES.dsn("demo", "demo_reader")) as other:
        row = other.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE state = 'active' AND query LIKE '%generate_series%' AND pid <> pg_backend_pid()"
        ).fetchone()
    return row[0] if row else 0


def client(port: int, token: str, era: str, **options: Any) -> Client[Any]:
    headers = {"Authorization": f"Bearer {token}"}
    url = f"http://127.0.0.1:{port}/mcp"
    transport = StreamableHttpTransport(url, headers=headers, verify=NO_AUTHORITIES)
    return Client(transport, mode=era, **options)


@pytest.mark.slow
async def test_runtime_that_drains_serves_on_and_says_so_until_ctrl_c(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(make_expression)(name="multiply")
    token = await sync_to_async(make_token)()
    monkeypatch.setenv("MCP_DRAIN_S", "600")
    process, port = start()
    await eventually(lambda: is_healthy(port))
    process.send_signal(signal.SIGTERM)
    await eventually(lambda: negate(is_healthy(port)))

    async with httpx.AsyncClient() as http:
        answer = await http.get(f"http://127.0.0.1:{port}/healthz")
    # As systemd sends it to all processes of a unit, and the first one to its workers.
    process.send_signal(signal.SIGTERM)
    async with client(port, token, "2026-07-28") as opened:
        called = await opened.call_tool("multiply", {"a": 6, "b": 7})
    process.send_signal(signal.SIGINT)
    await asyncio.to_thread(process.wait, LIMIT_S)

    assert (answer.status_code, answer.json()) == (503, {"status": "stopping"})
    assert called.data == 42


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["terminate", "ctrl-c"])
async def test_signal_ends_it_in_time_with_a_call_under_way(start: Start, number: int) -> None:
    await sync_to_async(make_tool)(ENDLESS_SQL, name="slow", timeout_ms=600_000)
    token = await sync_to_async(make_token)()
    process, port = start()
    await eventually(lambda: is_healthy(port))

    async def call() -> None:
        async with client(port, token, "2026-07-28") as opened:
            await opened.call_tool("slow")

    calling = asyncio.create_task(call())
    await eventually(is_slow_query_running)
    process.send_signal(number)
    await asyncio.to_thread(process.wait, LIMIT_S)

    await asyncio.gather(calling, return_exceptions=True)
    await eventually(lambda: negate(is_slow_query_running()))


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
async def test_half_request_is_closed_and_others_are_served(
    start: Start, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.setenv("HTTP_HEAD_TIMEOUT_S", "1")
    monkeypatch.setenv("HTTP_BODY_TIMEOUT_S", "1")
    token = await sync_to_async(make_token)()
    _, port = start("--workers", workers)
    await eventually(lambda: is_healthy(port))
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
    halves = ["POST /mcp", head, f"{head}Content-Length: 9\r\n\r\nhalf"]

    for half in halves:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(half.encode())
        async with asyncio.timeout(60):
            answer = await reader.read()
        writer.close()
        assert answer.startswith(b"HTTP/1.1 408 ")

    assert await is_healthy(port)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_wrong_setting_is_said_in_one_line(
    monkeypatch: pytest.MonkeyPatch, start: Start, workers: str
) -> None:
    monkeypatch.setenv("MCP_BUILTIN_TOOLS", "nothing")

    process, _ = start("--workers", workers)
    _, said = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 1
    assert said.count("MCP_BUILTIN_TOOLS") == 1
    assert "Traceback" not in said


@pytest.mark.parametrize("workers", ["1", "2"])
def test_wrong_limit_is_refused(settings: Any, workers: str) -> None:
    settings.HTTP_MAX_CONNECTIONS = 0

    with pytest.raises(CommandError, match="HTTP_MAX_CONNECTIONS must be above 0"):
        call_command("runmcp", "--port", str(choose_free_port()), "--workers", workers)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_port_in_use_is_named(workers: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(CommandError, match=f"port {port} is already in use"):
            call_command("runmcp", "--port", str(port), "--workers", workers)


def test_no_authentication_is_refused_beyond_loopback(settings: Any) -> None:
    settings.MCP_AUTH = "none"

    with pytest.raises(CommandError, match="loopback address only"):
        call_command("runmcp", "--host", "192.0.2.1")


def test_no_workers_are_refused() -> None:
    with pytest.raises(CommandError, match="--workers must be 1 or more"):
        call_command("runmcp", "--workers", "0")


def test_served_side_starts_without_what_only_pages_workers_and_other_servers_need() -> None:
    program = (
        "import os, sys, django, manage; os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'config.settings');"
        "django.setup(); import mcp_runtime.server;"
        "assert mcp_runtime.server.open_counters() is None; print(*sys.modules)"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=PROJECT,
        env={**os.environ, "REDIS_URL": ""},
        capture_output=True,
        check=True,
        text=True,
    )

    loaded = set(ran.stdout.split())
    needless = {
        *("celery", "fastmcp.client", "redis"),
        *("catalog.browsing.views", "toolbuilder.admin", "config.services.up"),
    }
    assert not needless & loaded
    # Nor what only traces and metrics need, which nobody asked for.
    told = (
        "opentelemetry.sdk",
        "opentelemetry.exporter",
        "prometheus_client",
        "mcp_runtime.telemetry",
    )
    assert [name for name in loaded if name.startswith(told)] == []
