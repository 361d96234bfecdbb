"""Tries the wheel as a newcomer does: installs it into an empty environment, starts it, calls tools, stops it."""

import asyncio
import json
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from config.services.ports import choose_free_port
from config.services.processes import plain_environment
from release.building import ReleaseError

START_LIMIT_S = 300
STOP_LIMIT_S = 30
NO_DRIVER = "DATA_SOURCE_WAREHOUSE_URL"


@dataclass(frozen=True)
class Newcomer:
    """An environment with the wheel, a home and an empty folder to start in, all below `root`."""

    root: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.root / "environment/bin/python"

    @property
    def data(self) -> Path:
        """Where the installed program keeps its state."""
        return self.root / "home/.local/share/toolbuilder"

    def variables(self) -> dict[str, str]:
        """The environment of a fresh sign-in, with a data source of an engine that is not installed."""
        path = f"{self.python.parent}:/usr/local/bin:/usr/bin:/bin"
        mysql = {NO_DRIVER: "mysql://reader:secret@127.0.0.1:3306/warehouse"}
        return plain_environment() | {"HOME": str(self.root / "home"), "PATH": path} | mysql

    def install(self, wheel: Path, extras: str = "") -> None:
        """The wheel and what it needs, from the package index."""
        uv = str(Path(sys.executable).parent / "uv")
        if not self.python.exists():
            for folder in ("home", "empty"):
                (self.root / folder).mkdir(parents=True)
            run(uv, "venv", "--quiet", "--python", sys.executable, str(self.root / "environment"))
        run(uv, "pip", "install", "--quiet", "--python", str(self.python), f"{wheel}{extras}")

    def command(self, *arguments: str) -> str:
        """What `toolbuilder` with these arguments writes, whatever its exit code."""
        program = str(self.python.parent / "toolbuilder")
        finished = subprocess.run(
            (program, *arguments),
            cwd=self.root / "empty",
            env=self.variables(),
            check=False,
            capture_output=True,
            text=True,
        )
        return finished.stdout.strip() or finished.stderr.strip()


def run(*command: str) -> None:
    """Run it; what it writes is shown."""
    subprocess.run(command, check=True)


def try_wheel(newcomer: Newcomer, version: str) -> dict[str, float]:
    """Start, right answers, Ctrl-C, nothing left; the seconds of each. Raises ReleaseError."""
    said = newcomer.command("--version")
    require(said == f"toolbuilder {version}", f"--version says {said!r}")
    ports = ("--port-web", str(choose_free_port()), "--port-mcp", str(choose_free_port()))
    began = time.monotonic()
    up = subprocess.Popen(
        (str(newcomer.python.parent / "toolbuilder"), "up", *ports),
        cwd=newcomer.root / "empty",
        env=newcomer.variables(),
    )
    try:
        file = newcomer.data / "endpoints.json"
        while not file.exists():
            require(up.poll() is None, "`toolbuilder up` has ended")
            require(time.monotonic() - began < START_LIMIT_S, "`toolbuilder up` does not come up")
            time.sleep(0.1)
        seconds = {"first start": time.monotonic() - began}
        processes = json.loads((newcomer.data / "processes.json").read_text())
        asyncio.run(call_tools(json.loads(file.read_text())))
        listed = newcomer.command("tools", "list")
        require("multiply_numbers" in listed, "`toolbuilder tools list` lists no tools")
        found = newcomer.command("check_sources")
        require("pip install 'toolbuilder[mysql]'" in found, f"check_sources says:\n{found}")
    finally:
        began = time.monotonic()
        up.send_signal(signal.SIGINT)
        up.wait(STOP_LIMIT_S)
    seconds["stop"] = time.monotonic() - began
    require(not list((newcomer.root / "empty").iterdir()), "it wrote into the folder it ran in")
    left = find_left(newcomer.root, [pid for pid, _ in processes.values()])
    require(not left, f"processes are left: {left}")
    return seconds


async def call_tools(endpoints: dict[str, Any]) -> None:
    """A tool that computes, and one that asks the demo's database; raises ReleaseError for a wrong answer."""
    headers = {"Authorization": f"Bearer {endpoints['api_key']}"}
    async with Client(StreamableHttpTransport(endpoints["mcp"], headers=headers)) as client:
        product = await client.call_tool("multiply_numbers", {"num1": 5, "num2": 3})
        require(product.data == 15, f"5 times 3 is {product.data}")
        limit = await client.call_tool("get_user_daily_limit", {"user_name": "hong"})
        rows = (limit.structured_content or {}).get("rows")
        require(rows == [["hong", 50]], f"the limit of hong is {rows}")


def find_left(root: Path, pids: list[int]) -> list[str]:
    """Command lines of processes that are of these numbers, or that name the folder."""
    left = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if words and (int(folder.name) in pids or str(root) in words):
            left.append(words.strip())
    return left


def require(is_so: bool, text: str) -> None:
    """Raise ReleaseError with the text unless it is so."""
    if not is_so:
        raise ReleaseError(text)
