"""ADK's pages of the agent: served by `adk web`, looked at in a real browser."""

import os
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.agents.conftest import (
    PROJECT,
    SERVER_PYTHON,
    START_TIMEOUT_S,
    STOP_TIMEOUT_S,
    Installation,
    free_ports,
    wait_until,
)

ADK = Path(sys.executable).with_name("adk")
BROWSER_TIMEOUT_S = 400
MEMORY = ("--session_service_uri", "memory://", "--artifact_service_uri", "memory://")


@contextmanager
def serve_pages(installation: Installation, folder: Path) -> Iterator[str]:
    """`adk web agents` on a free port, without a language model; gives its address."""
    [port] = free_ports(1)
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "MCP_URL": installation.mcp,
        "MCP_API_KEY": installation.api_key,
    }
    command = [str(ADK), "web", "--port", str(port), *MEMORY, "agents"]
    with (folder / "web.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=PROJECT, env=variables, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until(lambda: answers(url) or process.poll() is not None, START_TIMEOUT_S)
        yield url
    finally:
        process.terminate()
        process.wait(STOP_TIMEOUT_S)


def answers(url: str) -> bool:
    """True once the pages are there."""
    try:
        with urllib.request.urlopen(f"{url}/list-apps", timeout=60) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def browse(url: str, question: str, expected: str, picture: Path | None = None) -> str:
    """The answer's table as the page shows it; CalledProcessError where it does not come."""
    words = [question, expected, *([str(picture)] if picture else [])]
    done = subprocess.run(
        [str(SERVER_PYTHON), "-m", "tests.agents.e2e.browse", url, *words],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=BROWSER_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise AssertionError(done.stderr[-2_000:])
    return done.stdout
