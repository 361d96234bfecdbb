"""Processor time of a server per call, in interleaved rounds of random order."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from benchmarks.clients import Client
from benchmarks.servers import Server

# Python specialises code that runs often; the first hundreds of calls cost twice the later ones.
WARM_UP_CALLS = 300
# Call records are written twice a second; what that costs belongs to the calls.
SETTLE_S = 0.6


@dataclass(frozen=True)
class Case:
    """One kind of call; large answers are asked for less often."""

    name: str
    tool: str
    arguments: dict[str, object]
    share_of_calls: float = 1.0


@dataclass
class Series:
    """One server under one kind of call; `cpu_ms` has a figure per call from each round."""

    case: Case
    server: Server
    protocol: str
    client: Client
    cpu_ms: list[float] = field(default_factory=list)

    @property
    def median_ms(self) -> float:
        return median(self.cpu_ms)

    def ask(self, count: int) -> Any:
        """The last of `count` answers, one call after the other."""
        request = self.client.prepare(self.case.tool, self.case.arguments)
        answer: Any = None
        for _ in range(count):
            answer = self.client.send(request)
        return answer

    def calls_of(self, calls: int) -> int:
        """How many calls stand for `calls` ones of the smallest answers."""
        return max(round(calls * self.case.share_of_calls), 1)

    def measure(self, calls: int) -> None:
        """Add the figure of one round."""
        count = self.calls_of(calls)
        before = self.server.cpu_ms()
        self.ask(count)
        time.sleep(SETTLE_S)
        self.cpu_ms.append((self.server.cpu_ms() - before) / count)


def run_rounds(series: Sequence[Series], rounds: int, calls: int) -> None:
    """Measure every series once in each round."""
    for one in series:
        one.ask(one.calls_of(WARM_UP_CALLS))
    time.sleep(SETTLE_S)
    for _ in range(rounds):
        for one in random.sample(series, len(series)):
            one.measure(calls)


def idle_ms_per_s(server: Server, seconds: float = 3.0) -> float:
    """What the server costs when nobody calls."""
    before = server.cpu_ms()
    time.sleep(seconds)
    return (server.cpu_ms() - before) / seconds
