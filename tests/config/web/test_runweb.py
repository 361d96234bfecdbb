"""`manage.py runweb` as a process of its own: it serves, and closes what is sent by halves."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from config.services.ports import choose_free_port
from config.services.readiness import answers_http
from config.web.serving import main
from tests.processes import dying_with_us
from tests.waiting import eventually

PROJECT = Path(__file__).parents[3]
Start = Callable[..., tuple[subprocess.Popen[bytes], int]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts `runweb` without a database; gives the process and its port."""
    processes: list[subprocess.Popen[bytes]] = []

    def run(*options: str, **variables: str) -> tuple[subprocess.Popen[bytes], int]:
        port = choose_free_port()
        command = dying_with_us(
            sys.executable, "manage.py", "runweb", "--port", str(port), *options
        )
        environment = os.environ | {"DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none"}
        process = subprocess.Popen(
            command, cwd=PROJECT, env=environment | variables, start_new_session=True
        )
        processes.append(process)
        return process, port

    yield run
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


async def serves(port: int) -> bool:
    return await asyncio.to_thread(answers_http, "127.0.0.1", port, "/static/web/app.css")


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
async def test_half_request_is_closed_and_others_are_served(start: Start, workers: str) -> None:
    process, port = start("--workers", workers, HTTP_HEAD_TIMEOUT_S="1", HTTP_BODY_TIMEOUT_S="1")
    await eventually(lambda: serves(port))
    half_head = b"GET / HTTP/1.1\r\nHost: a"
    half_body = b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf"

    for half in (half_head, half_body):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(half)
        async with asyncio.timeout(60):
            answer = await reader.read()
        writer.close()
        assert answer.startswith(b"HTTP/1.1 408 ")

    await eventually(lambda: serves(port))
    process.terminate()
    assert await asyncio.to_thread(process.wait, 60) in {0, -signal.SIGTERM}


def test_limit_that_is_none_is_said_in_one_line(
    settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.HTTP_MAX_CONNECTIONS = 0

    assert main(["--port", "1"]) == 1
    assert capsys.readouterr().err == "error: HTTP_MAX_CONNECTIONS must be above 0\n"


def test_no_workers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--workers", "0"])

    assert "--workers must be 1 or more" in capsys.readouterr().err
