"""`manage.py up`: what it refuses, and one whole installation on real processes."""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from config.services.leftovers import start_time
from config.services.options import Options
from config.services.ports import choose_free_port
from config.services.readiness import answers_http
from config.services.up import run_up, stop_running
from core.errors import ConfigurationError
from tests.config.services.conftest import wait_until
from tests.plugin import ENVIRONMENT
from tests.processes import dying_with_us

PROJECT = Path(__file__).parents[3]
START_TIMEOUT_S = 150


@pytest.mark.parametrize("name", ["web", "mcp"])
def test_port_in_use_is_named_before_anything_starts(data_dir: Path, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ports = {"web": choose_free_port(), "mcp": choose_free_port()} | {name: port}
        options = Options(data_dir, "127.0.0.1", ports["web"], ports["mcp"], outside={})

        with pytest.raises(ConfigurationError) as refusal:
            run_up(options, lambda line: None)

    advice = f"choose another with --port-{name}"
    assert str(refusal.value) == f"port {port} ({name}) is already in use; {advice}"
    assert not (data_dir / "postgres").exists()


def test_stored_port_in_use_is_named(data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (data_dir / "ports.json").write_text(json.dumps({"valkey": port}))
        options = Options(data_dir, "127.0.0.1", choose_free_port(), choose_free_port(), outside={})

        with pytest.raises(ConfigurationError, match=rf"port {port} \(valkey\) is already in use"):
            run_up(options, lambda line: None)


def test_stopping_what_does_not_run_is_fine(data_dir: Path) -> None:
    said: list[str] = []

    stop_running(data_dir, said.append)

    assert said == ["nothing is running"]


@dataclass
class Installation:
    """One data folder with its ports; `start` returns when all answer."""

    data_dir: Path
    port_web: int
    port_mcp: int
    process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        folder = ("--data-dir", str(self.data_dir))
        ports = ("--port-web", str(self.port_web), "--port-mcp", str(self.port_mcp))
        return [sys.executable, str(PROJECT / "manage.py"), "up", *folder, *ports]

    def start(self) -> None:
        process = subprocess.Popen(
            dying_with_us(*self.command()), env=plain_environment(), start_new_session=True
        )
        self.process = process
        file = self.data_dir / "endpoints.json"
        wait_until(lambda: file.exists() or process.poll() is not None, START_TIMEOUT_S)
        assert file.exists(), "up did not come up"

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def endpoints(self) -> dict[str, Any]:
        return dict(json.loads((self.data_dir / "endpoints.json").read_text()))

    def pids(self) -> list[int]:
        return list(self.pids_by_name().values())

    def pids_by_name(self) -> dict[str, int]:
        entries = json.loads((self.data_dir / "processes.json").read_text())
        return {name: pid for name, (pid, _) in entries.items()}

    def client(self, era: str = "auto") -> Client[Any]:
        """A client of the MCP server with the first key."""
        endpoints = self.endpoints()
        headers = {"Authorization": f"Bearer {endpoints['api_key']}"}
        transport = StreamableHttpTransport(endpoints["mcp"], headers=headers)
        return Client(transport, mode=era)

    async def call(self, name: str, era: str = "auto", **arguments: Any) -> str:
        """The text of a tool's answer, errors included."""
        async with self.client(era) as client:
            result = await client.call_tool(name, arguments, raise_on_error=False)
        return str(result.content[0].text)


def plain_environment() -> dict[str, str]:
    """Without the variables of this test run, which would switch the embedded services off."""
    return {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}


@pytest.fixture(scope="module")
def installation() -> Iterator[Installation]:
    folder = Path(tempfile.mkdtemp(prefix="toolbuilder-up-"))
    installation = Installation(folder, choose_free_port(), choose_free_port())
    try:
        installation.start()
        yield installation
    finally:
        installation.stop()
        shutil.rmtree(folder, ignore_errors=True)


async def answer_wrongly(installation: Installation) -> list[str]:
    """The built-in tools that do not answer rightly on the demo, each called once."""
    question = "매장별 월간 매출"
    checks: dict[str, tuple[dict[str, Any], Callable[[Any], object]]] = {
        "get_text_embedding": ({"text_list": [question]}, lambda a: len(a["embeddings"][0]) == 384),
        "search_similar_documents": (
            {"query_list": [question, "users e-mail"]},
            lambda a: list(map(len, a["documents"])) == [3, 3],
        ),
        "execute_postgres_query": (
            {"sql_query": "SELECT count(*) AS n FROM stores"},
            lambda a: a["data"]["content"]["records"] == [{"n": 24}],
        ),
        "get_sql_reference_documents": (
            {"user_query": question},
            lambda a: len(a["reference_docs"]) == 15 and "degraded" not in a,
        ),
        "complete_column_extraction": (
            {"extracted_columns": {"items": [{"extracted_column_name": "amount"}]}},
            lambda a: a["status"] == "success",
        ),
        "sanitize_for_csv": (
            {"text": "1\u00a02"},
            lambda a: a["sanitized_text"] == "1 2",
        ),
        "list_table_summaries": (
            {},
            # The table of the demo's file comes with its scan, for which nobody waits.
            lambda a: a["total"] in {9, 10} and all(one["display_name"] for one in a["tables"]),
        ),
        "get_tags": ({}, lambda a: a["tags"]),
        "get_table_details": (
            {"table_names": ["stores"]},
            lambda a: a["tables"][0]["sample_data"]["rows"],
        ),
        "get_connection_info": ({"table_name": "stores"}, lambda a: a["connection_code"]),
        "search_tools": ({"query": question}, lambda a: a["tools"] and not a["degraded"]),
        "call_tool": (
            {"name": "multiply_numbers", "arguments": {"num1": 5, "num2": 3}},
            lambda a: a["result"] == 15,
        ),
    }
    wrong = []
    async with installation.client() as client:
        listed = {tool.name for tool in await client.list_tools()}
        assert checks.keys() <= listed
        for name, (arguments, is_right) in checks.items():
            result = await client.call_tool(name, arguments, raise_on_error=False)
            if result.is_error or not is_right(result.structured_content):
                wrong.append(f"{name}: {result.content}"[:1_000])
    return wrong


@pytest.mark.slow
async def test_every_builtin_tool_answers_rightly_once_it_is_up(installation: Installation) -> None:
    assert await answer_wrongly(installation) == []


@pytest.mark.slow
def test_endpoints_file_has_every_address_and_is_private(installation: Installation) -> None:
    endpoints = installation.endpoints()

    assert list(endpoints) == [
        *("web", "mcp", "api_key", "admin_user", "admin_password", "demo_dsn", "database_url")
    ]
    assert endpoints["mcp"] == f"http://127.0.0.1:{installation.port_mcp}/mcp"
    for name in ("endpoints.json", "environment.json", "secrets.json", "processes.json"):
        assert (installation.data_dir / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_both_sides_answer(installation: Installation) -> None:
    assert answers_http("127.0.0.1", installation.port_web, "/healthz")
    assert answers_http("127.0.0.1", installation.port_mcp, "/healthz")


@pytest.mark.slow
@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_first_tools_answer(installation: Installation, era: str) -> None:
    limit = await installation.call("get_user_daily_limit", era, user_name="hong")
    product = await installation.call("multiply_numbers", era, num1=5, num2=3)

    assert json.loads(limit) == [{"user_nm": "hong", "max_count": 50}]
    assert product == "15"


@pytest.mark.slow
async def test_tools_are_served_while_the_database_is_away_and_after(
    installation: Installation,
) -> None:
    await installation.call("multiply_numbers", num1=1, num2=1)

    os.kill(installation.pids_by_name()["postgres"], signal.SIGKILL)

    assert await installation.call("multiply_numbers", num1=5, num2=3) == "15"
    async with asyncio.timeout(120):
        while "hong" not in await installation.call("get_user_daily_limit", user_name="hong"):
            pass


@pytest.mark.slow
async def test_killed_server_is_started_again(installation: Installation) -> None:
    os.kill(installation.pids_by_name()["mcp"], signal.SIGKILL)

    assert wait_until(lambda: not answers_http("127.0.0.1", installation.port_mcp, "/healthz"))
    assert wait_until(lambda: answers_http("127.0.0.1", installation.port_mcp, "/healthz"))
    assert await installation.call("multiply_numbers", num1=5, num2=3) == "15"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "table"),
    [("demo_dsn", "sales_transactions"), ("database_url", "h_custom_tool")],
    ids=["demo", "application"],
)
def test_both_databases_work_from_outside(installation: Installation, key: str, table: str) -> None:
    with psycopg.connect(installation.endpoints()[key]) as connection:
        found = connection.execute("SELECT to_regclass(%s)", [table]).fetchone()

    assert found == (table,)


@pytest.mark.slow
def test_second_start_is_refused_with_the_process_id(installation: Installation) -> None:
    assert installation.process is not None

    second = subprocess.run(
        installation.command(), env=plain_environment(), capture_output=True, text=True, check=False
    )

    assert second.returncode == 1
    assert f"already running as process {installation.process.pid}" in second.stderr


@pytest.mark.slow
async def test_nothing_is_left_after_a_kill_and_the_next_start_recovers(
    installation: Installation,
) -> None:
    assert installation.process is not None
    with psycopg.connect(installation.endpoints()["database_url"]) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS n")
    pids = installation.pids()

    installation.process.kill()

    assert wait_until(lambda: not any(map(start_time, pids)))
    assert not (installation.data_dir / "endpoints.json").exists()
    installation.process.wait()
    installation.start()
    with psycopg.connect(installation.endpoints()["database_url"]) as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (42,)
    assert await answer_wrongly(installation) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "terminate"])
def test_signal_stops_all(installation: Installation, number: signal.Signals) -> None:
    if installation.process is None or installation.process.poll() is not None:
        installation.start()
    assert installation.process is not None
    pids = installation.pids()

    installation.process.send_signal(number)

    assert installation.process.wait(timeout=120) == 0
    assert not any(map(start_time, pids))
    assert not (installation.data_dir / "endpoints.json").exists()
    assert not (installation.data_dir / "environment.json").exists()
