"""What a call costs its server and how long its caller waits, in interleaved rounds of random order."""

import asyncio
import random
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import cycle, islice
from statistics import median, quantiles

from benchmarks.cases import Case, Question, read_rows
from benchmarks.clients import Answer, Client
from benchmarks.servers import Server, tree_cpu_ms

WARM_UP_CALLERS = 8
# Call records are written twice a second; what that costs belongs to the calls.
SETTLE_S = 0.6
GIVE_UP_S = 120.0
# Sessions are opened so many at a time.
_OPENED_AT_ONCE = 50

Answered = tuple[Question, Answer]


@dataclass(frozen=True)
class Subject:
    """A server as clients of one protocol see it."""

    server: Server
    protocol: str
    token: str

    @property
    def label(self) -> str:
        """The row of a table."""
        return f"{self.server.name}, {self.protocol}"


@dataclass
class Series:
    """So many callers of one subject with one kind of call; a list has a figure from each round.

    `seconds` is of each call, `mistakes` counts calls that were not answered rightly, by reason.
    """

    case: Case
    subject: Subject
    callers: int
    cpu_ms: list[float] = field(default_factory=list)
    database_cpu_ms: list[float] = field(default_factory=list)
    calls_per_s: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    mistakes: Counter[str] = field(default_factory=Counter)

    @property
    def median_ms(self) -> float:
        """The server's processor time per call."""
        return median(self.cpu_ms)

    def percentile_ms(self, percent: int) -> float:
        """What so many per cent of the callers did not wait longer than."""
        return quantiles(self.seconds, n=100)[percent - 1] * 1_000

    def calls_of(self, calls: int) -> int:
        """How many calls stand for `calls` ones of the smallest answers, as many from each caller."""
        return max(round(calls * self.case.share_of_calls / self.callers), 1) * self.callers

    async def warm_up(self, calls: int) -> None:
        """Call often, since code that runs often is made fast; RuntimeError if no answer is right."""
        async with _opened(self.subject, WARM_UP_CALLERS) as clients:
            answered, _ = await _ask(clients, self.case, self.calls_of(calls))
        mistakes = _judge(answered)
        if mistakes.total() == len(answered):
            reason = next(iter(mistakes), "it does not answer")
            raise RuntimeError(f"{self.case.name}: {reason}")

    async def keep_busy(self, calls: int) -> None:
        """As many calls as in a round, with no figure of them."""
        async with _opened(self.subject, self.callers) as clients:
            await _ask(clients, self.case, self.calls_of(calls))

    async def measure(self, calls: int, database_pid: int) -> None:
        """Add the figures of one round."""
        count = self.calls_of(calls)
        async with _opened(self.subject, self.callers) as clients:
            before = self.subject.server.cpu_ms(), tree_cpu_ms(database_pid)
            began = time.perf_counter()
            answered, failures = await _ask(clients, self.case, count)
            seconds = time.perf_counter() - began
            await asyncio.sleep(SETTLE_S)
            after = self.subject.server.cpu_ms(), tree_cpu_ms(database_pid)
        self.cpu_ms.append((after[0] - before[0]) / count)
        self.database_cpu_ms.append((after[1] - before[1]) / count)
        self.calls_per_s.append(len(answered) / seconds)
        self.seconds += [answer.seconds for _, answer in answered]
        self.mistakes += failures + _judge(answered)


async def run_rounds(
    series: Sequence[Series], rounds: int, calls: dict[int, int], database_pid: int
) -> None:
    """Measure every series once in each round; `calls` by the number of callers."""
    for number in range(1, rounds + 1):
        print(f"... round {number} of {rounds}, {len(series)} series", file=sys.stderr, flush=True)
        for one in random.sample(series, len(series)):
            await one.measure(calls[one.callers], database_pid)


@asynccontextmanager
async def _opened(subject: Subject, callers: int) -> AsyncIterator[list[Client]]:
    """Callers with a connection each, and a session each where the protocol has them."""
    clients = [Client(subject.server.port, subject.token, subject.protocol) for _ in range(callers)]
    for first in range(0, callers, _OPENED_AT_ONCE):
        await asyncio.gather(
            *(client.__aenter__() for client in clients[first : first + _OPENED_AT_ONCE])
        )
    try:
        yield clients
    finally:
        await asyncio.gather(*(client.__aexit__(None, None, None) for client in clients))


async def _ask(
    clients: Sequence[Client], case: Case, count: int
) -> tuple[list[Answered], Counter[str]]:
    """Answers with their questions, and how many calls had none, by reason; `count` in all.

    Each caller asks one question after the other, beginning with another one than its neighbour.
    """
    answered: list[Answered] = []
    failures: Counter[str] = Counter()

    async def work(number: int, client: Client) -> None:
        asked = [
            (question, client.prepare_call(case.tool, question.arguments))
            for question in case.questions
        ]
        first = number % len(asked)
        for question, request in islice(cycle(asked), first, first + count // len(clients)):
            try:
                answered.append((question, await client.send(request)))
            except OSError as error:
                failures[type(error).__name__] += 1

    try:
        async with asyncio.timeout(GIVE_UP_S):
            await asyncio.gather(*(work(*each) for each in enumerate(clients)))
    except TimeoutError:
        failures["no answer"] += count - len(answered) - failures.total()
    return answered, failures


def _judge(answered: Sequence[Answered]) -> Counter[str]:
    """How many answers are not right, by reason."""
    mistakes: Counter[str] = Counter()
    for question, answer in answered:
        try:
            if read_rows(answer.content()) != question.rows:
                mistakes["wrong rows"] += 1
        except RuntimeError as error:
            mistakes[str(error)] += 1
    return mistakes
