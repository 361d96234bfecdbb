"""Server processes that are measured: started, asked for processor time and memory, stopped."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from config.services.processes import Command, Keeper, start, stop

START_TIMEOUT_S = 180.0
_MIB = 1024


@dataclass(frozen=True)
class Server:
    """A running server; `name` is what tables call it, `start_s` the time to the first open port."""

    name: str
    port: int
    process: subprocess.Popen[bytes]
    start_s: float = 0.0

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self.port}"

    def cpu_ms(self) -> float:
        """User and system time of the process and its living descendants since their start."""
        return tree_cpu_ms(self.process.pid)

    def resident_mib(self) -> float:
        """Resident memory of the same processes now."""
        return sum(_status_kib(pid, "VmRSS") for pid in _tree(self.process.pid)) / _MIB

    def peak_mib(self) -> float:
        """The most that each of the same processes ever had, added up."""
        return sum(_status_kib(pid, "VmHWM") for pid in _tree(self.process.pid)) / _MIB

    def worker_pids(self) -> list[int]:
        """The processes that serve, where there are several: they have most of the memory."""
        sizes = {pid: _status_kib(pid, "VmRSS") for pid in _tree(self.process.pid)}
        del sizes[self.process.pid]
        return [pid for pid, size in sizes.items() if size > max(sizes.values()) / 2]

    def stop(self, keeper: Keeper) -> None:
        """End it, by force if it does not go."""
        stop(self.process, signal.SIGTERM, 10)
        keeper.forget(self.process.pid)


def start_server(name: str, port: int, command: Command, keeper: Keeper) -> Server:
    """The server once it listens; RuntimeError with its last words if it ends before."""
    began = time.perf_counter()
    process = start(command, keeper)
    while not _listens(port):
        waited = time.perf_counter() - began
        if process.poll() is not None or waited > START_TIMEOUT_S:
            raise RuntimeError(f"{name} did not start:\n{_last_words(command.log)}")
        time.sleep(0.01)
    return Server(name, port, process, time.perf_counter() - began)


def tree_cpu_ms(pid: int) -> float:
    """User and system time of a process and its living descendants since their start."""
    spent = 0.0
    for member in _tree(pid):
        # A descendant may have ended since it was listed.
        with suppress(OSError):
            spent += _cpu_ms(member)
    return spent


def _listens(port: int) -> bool:
    """Whether a connection is taken; uvicorn listens when the server's lifespan has begun."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def _tree(pid: int) -> Iterator[int]:
    yield pid
    # A thread may have ended since it was listed, and so may the process.
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                for child in (task / "children").read_text().split():
                    yield from _tree(int(child))


def _cpu_ms(pid: int) -> float:
    # The clock of another process, as clock_getcpuclockid(3) names it: what /proc/PID/stat tells in
    # steps of 10 ms, in nanoseconds.
    return time.clock_gettime(~pid << 3 | 2) * 1_000


def _status_kib(pid: int, name: str) -> int:
    """What the kernel says of a process; 0 of one that has ended since it was listed."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return 0


def _last_words(log: Path | None) -> str:
    if log is None or not log.exists():
        return "(no output)"
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:])


def base_environment() -> dict[str, str]:
    """The caller's environment without what could change a measurement."""
    dropped = (
        "PG",
        "PYTHON",
        "DJANGO_",
        "FASTMCP_",
        "MCP_",
        "CALL_LOG_",
        "DATA_SOURCE_",
        "OTEL_",
        "METRICS_",
    )
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
