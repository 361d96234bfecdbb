"""`manage.py runmcp` as a process of its own: options, several workers, stop."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
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
from tests.factories import make_expression, make_token, make_tool
from tests.mcp_runtime.conftest import eventually
from tests.plugin import POSTGRES

PROJECT = Path(__file__).parents[2]
Start = Callable[..., tuple[subprocess.Popen[str], int]]


@pytest.fixture
def start(transactional_db: None, embedded_postgres: EmbeddedPostgres) -> Iterator[Start]:
    """Starts `runmcp` on the test's database; gives the process and its port."""
    processes: list[subprocess.Popen[str]] = []

    def run(*options: str, port: int | None = None) -> tuple[subprocess.Popen[str], int]:
        port = port or choose_free_port()
        command = [sys.executable, "manage.py", "runmcp", "--port", str(port), *options]
        environment = os.environ | {"DATABASE_URL": database_url()}
        process = subprocess.Popen(
            command,
            cwd=PROJECT,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        processes.append(process)
        return process, port

    yield run
    for process in processes:
        # The group: several workers are children that a killed parent would leave behind.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


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


def client(port: int, token: str, era: str) -> Client[Any]:
    headers = {"Authorization": f"Bearer {token}"}
    return Client(
        StreamableHttpTransport(f"http://127.0.0.1:{port}/mcp", headers=headers), mode=era
    )


@pytest.mark.slow
async def test_two_workers_serve_clients_of_both_eras(
    start: Start, subtests: pytest.Subtests
) -> None:
    await sync_to_async(make_expression)(name="multiply")
    token = await sync_to_async(make_token)()
    _, port = start("--workers", "2")
    await eventually(lambda: is_healthy(port), within_s=30)

    for era in ("legacy", "2026-07-28"):
        with subtests.test(era):
            async with client(port, token, era) as opened:
                found = [await opened.call_tool("multiply", {"a": n, "b": 2}) for n in range(6)]

            assert [each.data for each in found] == [0, 2, 4, 6, 8, 10]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["terminate", "ctrl-c"])
async def test_signal_ends_it_in_time_with_a_call_under_way(start: Start, number: int) -> None:
    slow = "SELECT count(*) AS n FROM generate_series(1, 100000000) a, generate_series(1, 1000) b"
    await sync_to_async(make_tool)(slow, name="slow", timeout_ms=60_000)
    token = await sync_to_async(make_token)()
    process, port = start()
    await eventually(lambda: is_healthy(port), within_s=30)

    async def call() -> None:
        async with client(port, token, "2026-07-28") as opened:
            await opened.call_tool("slow")

    calling = asyncio.create_task(call())
    await eventually(is_slow_query_running)
    began = time.monotonic()
    process.send_signal(number)
    await asyncio.to_thread(process.wait, 10)

    assert time.monotonic() - began < 8
    await asyncio.gather(calling, return_exceptions=True)
    await eventually(lambda: negate(is_slow_query_running()), within_s=5)


@pytest.mark.slow
def test_port_in_use_is_said_in_one_line(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process, port = start(port=taken.getsockname()[1])
        _, said = process.communicate(timeout=60)

    assert process.returncode == 1
    assert f"port {port} is already in use" in said
    assert "Traceback" not in said


def test_no_authentication_is_refused_beyond_loopback(settings: Any) -> None:
    settings.MCP_AUTH = "none"

    with pytest.raises(CommandError, match="loopback address only"):
        call_command("runmcp", "--host", "192.0.2.1")


def test_no_workers_are_refused() -> None:
    with pytest.raises(CommandError, match="--workers must be 1 or more"):
        call_command("runmcp", "--workers", "0")
