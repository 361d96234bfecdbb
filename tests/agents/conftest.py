"""One whole installation, started by `manage.py up`, for all tests that need a server."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
# As in tests/plugin.py: clients of httpx are made in 1 ms then, and not in 50.
os.environ["SSL_CERT_FILE"] = str(PROJECT / "tests" / "one_authority.pem")
# The server's own environment: the agent's knows nothing of Django.
SERVER_PYTHON = PROJECT / ".venv" / "bin" / "python"
START_TIMEOUT_S = 300
STOP_TIMEOUT_S = 60
# Names the endpoints.json of an installation that runs already; then none is started.
RUNNING = "TOOLBUILDER_ENDPOINTS"
# What a developer's shell may hold; tests say all of it themselves.
AGENT_VARIABLES = ("MCP_", "LLM_", "AGENT_", "ADK_")


@dataclass(frozen=True)
class Installation:
    """Where the parts of a running installation are."""

    web: str
    mcp: str
    api_key: str
    demo_dsn: str
    database_url: str


@pytest.fixture(scope="session")
def installation() -> Iterator[Installation]:
    """The installation of this run, or the one that runs already."""
    outside = os.environ.get(RUNNING)
    if outside:
        yield read_endpoints(Path(outside))
        return
    with serve_installation() as started:
        yield started


@contextmanager
def serve_installation() -> Iterator[Installation]:
    """Demo data, scanned and indexed, served on free ports; nothing of it is left behind."""
    folder = Path(tempfile.mkdtemp(prefix="toolbuilder-agent-"))
    process = start_up(folder)
    pids: list[int] = []
    try:
        wait_until(lambda: (folder / "endpoints.json").exists() or process.poll() is not None)
        pids = read_pids(folder)
        yield read_endpoints(folder / "endpoints.json")
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(STOP_TIMEOUT_S)
        shutil.rmtree(folder, ignore_errors=True)
    left = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert not left, f"`manage.py up` left processes behind: {left}"


def start_up(folder: Path) -> subprocess.Popen[bytes]:
    """Start `manage.py up` on free ports, without this shell's settings."""
    web, mcp = free_ports(2)
    ports = ("--port-web", str(web), "--port-mcp", str(mcp))
    command = [str(SERVER_PYTHON), "manage.py", "up", "--data-dir", str(folder), *ports]
    kept = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "USER"}
    environment = {name: value for name, value in os.environ.items() if name in kept}
    with (folder / "up.log").open("wb") as log:
        return subprocess.Popen(
            command, cwd=PROJECT, env=environment, stdout=log, stderr=log, start_new_session=True
        )


def read_endpoints(path: Path) -> Installation:
    """The addresses; the end of the log where it did not come up."""
    if not path.exists():
        log = (path.parent / "up.log").read_text(errors="replace")
        pytest.fail(f"`manage.py up` did not come up:\n{log[-2000:]}", pytrace=False)
    found = json.loads(path.read_text())
    return Installation(
        *(found[name] for name in ("web", "mcp", "api_key", "demo_dsn", "database_url"))
    )


def read_pids(folder: Path) -> list[int]:
    """Every process that `up` has started; none if it did not come so far."""
    path = folder / "processes.json"
    entries = json.loads(path.read_text()) if path.exists() else {}
    return [pid for pid, _ in entries.values()]


def free_ports(count: int) -> list[int]:
    """Different ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait_until(is_true: Callable[[], object], timeout_s: float = START_TIMEOUT_S) -> None:
    """Return when it is true, or when the time is over."""
    deadline = time.monotonic() + timeout_s
    while not is_true() and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def _own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what the developer's shell says of models and servers."""
    for name in os.environ:
        if name.startswith(AGENT_VARIABLES):
            monkeypatch.delenv(name)
