"""What the number of served tools costs: start, list, memory, and the taking up of a change."""

import time
from dataclasses import dataclass, field
from statistics import median

from benchmarks.clients import ModernClient
from benchmarks.servers import Server
from benchmarks.stage import Stage
from benchmarks.tools import MEASURED, redefine

RELOAD_TIMEOUT_S = 60.0
_POLL_S = 0.005


@dataclass
class Sized:
    """A server of so many tools and what was measured on it; times in seconds are wall clock."""

    tool_count: int
    database: str
    server: Server
    start_s: list[float] = field(default_factory=list)
    listed_s: list[float] = field(default_factory=list)
    list_cpu_ms: list[float] = field(default_factory=list)
    reload_s: list[float] = field(default_factory=list)
    resident_mib: float = 0.0
    listed_mib: float = 0.0
    peak_mib: float = 0.0

    def measure_lists(self, stage: Stage, count: int) -> None:
        """Processor time of `tools/list` with every tool in it."""
        client = ModernClient(self.server.url, stage.token)
        for _ in range(count):
            before = self.server.cpu_ms()
            client.list_tools()
            self.list_cpu_ms.append(self.server.cpu_ms() - before)
        self.peak_mib = self.server.peak_mib()

    def measure_reloads(self, stage: Stage, count: int) -> None:
        """Seconds from an UPDATE of one tool to the first call that uses it."""
        definition = MEASURED["multiply_numbers"][1]
        for number in range(1, count + 1):
            began = time.perf_counter()
            redefine(self.database, "multiply_numbers", f"{definition} + {number}")
            self._wait_for(stage, 15 + number)
            self.reload_s.append(time.perf_counter() - began)
        redefine(self.database, "multiply_numbers", definition)
        self._wait_for(stage, 15)

    def _wait_for(self, stage: Stage, result: int) -> None:
        client = ModernClient(self.server.url, stage.token)
        request = client.prepare("multiply_numbers", {"num1": 5, "num2": 3})
        deadline = time.monotonic() + RELOAD_TIMEOUT_S
        while client.send(request) != {"result": result}:
            if time.monotonic() > deadline:
                raise RuntimeError(f"the change was not served within {RELOAD_TIMEOUT_S:g} s")
            time.sleep(_POLL_S)


def compile_modules(stage: Stage) -> None:
    """Start a server that is not measured: the first one compiles all that is imported."""
    stage.stop(stage.start_ours("warm-up", stage.make_database(len(MEASURED))))


def start_sized(stage: Stage, tool_count: int, starts: int) -> Sized:
    """A server of a new database, started so many times; the last one goes on running."""
    database = stage.make_database(tool_count)
    sized = _start(stage, tool_count, database)
    for _ in range(starts - 1):
        stage.stop(sized.server)
        again = _start(stage, tool_count, database)
        again.start_s += sized.start_s
        again.listed_s += sized.listed_s
        sized = again
    return sized


def median_or_zero(figures: list[float]) -> float:
    """The median, 0 where nothing was measured."""
    return median(figures) if figures else 0.0


def _start(stage: Stage, tool_count: int, database: str) -> Sized:
    began = time.perf_counter()
    server = stage.start_ours(f"Toolbuilder, {tool_count:,} tools", database)
    sized = Sized(tool_count, database, server)
    sized.start_s.append(server.start_s)
    sized.resident_mib = server.resident_mib()
    listed = ModernClient(server.url, stage.token).list_tools()
    sized.listed_s.append(time.perf_counter() - began)
    sized.listed_mib = server.resident_mib()
    if listed != tool_count:
        raise RuntimeError(f"{listed} of {tool_count} tools are listed")
    return sized
