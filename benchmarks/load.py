"""`python -m benchmarks.load`: many callers at once on one runtime, and what they do to each other."""

import asyncio
import signal
import sys
import time
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from statistics import quantiles
from types import FrameType

import uvloop

from benchmarks.clients import LEGACY, MODERN, Answer, Client
from benchmarks.report import print_table
from benchmarks.servers import Server
from benchmarks.stage import Stage

KEYS, CALLERS, CALLS_EACH = 8, 256, 4
BURST = 2_000
# So long after a burst, what it took has come back or stays.
SETTLE_S = 8.0
STEPS = (1, 32, 256, 1_000)
STEP_S = 6.0
FAST_CALLERS, GREEDY_CALLERS = 4, 60
BODIES, BODY_KEYS = 8, 590_000
# The beginning of the pool, the descriptions and the code that runs often is no part of it.
WARM_UP_CALLS = 300
PAUSE_S = 0.01
GIVE_UP_S = 300.0


@dataclass(frozen=True, slots=True)
class Ending:
    """How one call ended: `right`, `wrong`, `refused`, an HTTP status, or the name of an exception."""

    what: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Question:
    """A request, and what the body of a right answer has in it."""

    request: bytes
    marks: tuple[bytes, ...]


def ask_stores(client: Client) -> list[Question]:
    """Calls for the row of one store after another."""
    return [
        Question(
            client.prepare_call("store_by_id", {"store_id": store}),
            (b'"rows":[[%d,' % store, b'"row_count":1,', b'"isError":false'),
        )
        for store in range(101, 125)
    ]


def ask_sales(client: Client) -> list[Question]:
    """Calls for 1,000 rows."""
    return [
        Question(client.prepare_call("sales_after", {"first_id": first}), (b'"row_count":1000,',))
        for first in range(101, 125)
    ]


class Caller:
    """Asks one question after the other, beginning with the one of its `number`.

    The requests are made beforehand and the answers compared as bytes: what a caller costs is taken from
    the server, which has the same cores.
    """

    def __init__(
        self, client: Client, number: int, ask: Callable[[Client], list[Question]] = ask_stores
    ) -> None:
        self.client, self._next, self._questions = client, number, ask(client)

    async def call(self) -> Ending:
        """The ending of the next call."""
        self._next += 1
        question = self._questions[self._next % len(self._questions)]
        began = time.perf_counter()
        try:
            answer = await self.client.send(question.request)
        except OSError as error:
            return Ending(type(error).__name__, time.perf_counter() - began)
        seconds = time.perf_counter() - began
        is_right = answer.status == 200 and all(mark in answer.body for mark in question.marks)
        return Ending("right" if is_right else _explain(answer), seconds)


def main() -> None:
    """Measure, print one table, and leave nothing behind, however it ends."""
    options = _options()
    signal.signal(signal.SIGTERM, _end)
    try:
        with Stage() as stage:
            database = stage.make_database(10)
            tokens = [stage.add_key(database, f"load-{number}") for number in range(KEYS)]
            server = stage.start_ours("load", database)
            rows = uvloop.run(_measure(server, tokens, options.only))
            if "f" in options.only:
                rows += _memory_after_bursts(stage, database)
    except KeyboardInterrupt:
        sys.exit(130)
    print_table(["load", "calls", "right", "not right", "p50 ms", "p95 ms", "max ms", "note"], rows)


async def _measure(server: Server, tokens: Sequence[str], only: str) -> list[list[str]]:
    # Every key, or one that is known beforehand would be faster than those that have to be read.
    for token in tokens:
        async with Client(server.port, token) as client:
            first = Caller(client, 0)
            for _ in range(WARM_UP_CALLS):
                await first.call()
    rows: list[list[str]] = []
    loads = (_many_keys, _burst, _large_bodies, _steps, _beside_greedy_key)
    for letter, load in zip("abcde", loads, strict=True):
        if letter in only:
            _say(load.__doc__ or "")
            async with asyncio.timeout(GIVE_UP_S):
                rows += await load(server.port, tokens)
    return rows


def _memory_after_bursts(stage: Stage, database: str) -> list[list[str]]:
    """A runtime of its own for each protocol, before and after two bursts of 2,000 callers with a session each."""
    rows = []
    for protocol in (MODERN, LEGACY):
        _say(f"memory after bursts of {protocol}")
        server = stage.start_ours(f"memory-{protocol}", database)
        rows += uvloop.run(_burst_twice(server, stage.token, protocol))
        stage.stop(server)
    return rows


async def _burst_twice(server: Server, token: str, protocol: str) -> list[list[str]]:
    endings: list[Ending] = []

    async def work(number: int) -> None:
        async with Client(server.port, token, protocol) as client:
            endings.append(await Caller(client, number).call())

    for number in range(WARM_UP_CALLS):
        await work(number)
    await asyncio.sleep(SETTLE_S)
    before, rows = server.resident_mib(), []
    for burst in (1, 2):
        endings.clear()
        await asyncio.gather(*map(work, range(BURST)))
        await asyncio.sleep(SETTLE_S)
        after = server.resident_mib()
        figures = f"{before:.0f} MiB before, peak {server.peak_mib():.0f}, {after:.0f} after"
        note = f"{figures}: {after / before:.2f}"
        rows.append(_row(f"f: {protocol}, burst {burst}", endings, note))
    return rows


async def _many_keys(port: int, tokens: Sequence[str]) -> list[list[str]]:
    """256 callers at once, 8 keys, 4 connections."""
    by_key: dict[str, list[Ending]] = {token: [] for token in tokens}

    async def work(caller: Caller) -> None:
        for _ in range(CALLS_EACH):
            by_key[caller.client.token].append(await caller.call())

    await _at_once([tokens[number % KEYS] for number in range(CALLERS)], port, work)
    slow = sorted(_percentile(endings, 95) for endings in by_key.values())
    rows = [_row(f"a: key {number + 1}", endings) for number, endings in enumerate(by_key.values())]
    every = [ending for endings in by_key.values() for ending in endings]
    return [*rows, _row("a: 256 callers", every, f"p95 slowest / fastest {slow[-1] / slow[0]:.2f}")]


async def _burst(port: int, tokens: Sequence[str]) -> list[list[str]]:
    """2,000 calls at once with one key."""
    endings: list[Ending] = []

    async def work(caller: Caller) -> None:
        endings.append(await caller.call())

    await _at_once([tokens[0]] * BURST, port, work)
    counts = Counter(ending.what for ending in endings)
    note = f"401: {counts['HTTP 401']}, refused: {counts['refused']}"
    return [_row("b: 2,000 at once", endings, note)]


async def _large_bodies(port: int, tokens: Sequence[str]) -> list[list[str]]:
    """Another caller beside 8 bodies of 6 MB with 590,000 keys."""
    keys = {f"{number:x}": 1 for number in range(BODY_KEYS)}
    body = Client(port, tokens[1]).prepare_call("store_by_id", keys)
    beside: list[Ending] = []
    statuses: Counter[int] = Counter()

    async def send() -> None:
        async with Client(port, tokens[1]) as caller:
            statuses[(await caller.send(body)).status] += 1

    async with Client(port, tokens[0]) as client:
        caller = Caller(client, 0)
        alone = [await caller.call() for _ in range(200)]
        sending = [asyncio.create_task(send()) for _ in range(BODIES)]
        await asyncio.sleep(0)
        while not all(task.done() for task in sending) or len(beside) < 20:
            beside.append(await caller.call())
            await asyncio.sleep(PAUSE_S)
        await asyncio.gather(*sending)
    return [
        _row("c: caller alone", alone),
        _row("c: beside 8 large bodies", beside, f"bodies: {dict(statuses)}"),
    ]


async def _steps(port: int, tokens: Sequence[str]) -> list[list[str]]:
    """1, 32, 256 and 1,000 callers, one call after the other."""
    rows = []
    for callers in STEPS:
        endings = await _keep_asking([tokens[number % KEYS] for number in range(callers)], port)
        per_s = len(endings) / STEP_S
        note = f"{per_s:,.0f} calls/s, p99 {_percentile(endings, 99):.0f} ms"
        rows.append(_row(f"d: {callers:,} callers", endings, note))
    return rows


async def _beside_greedy_key(port: int, tokens: Sequence[str]) -> list[list[str]]:
    """Four callers of a fast tool, alone and beside 60 callers of another key's slow one."""
    fast = [tokens[0]] * FAST_CALLERS
    alone = await _keep_asking(fast, port)
    loop = asyncio.get_running_loop()
    # In one process, callers would wait for each other on their own side.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as other:
        await loop.run_in_executor(other, int)
        asking = loop.run_in_executor(other, _keep_asking_for_sales, tokens[1], port)
        beside, greedy = await asyncio.gather(_keep_asking(fast, port), asking)
    times = _percentile(beside, 99) / _percentile(alone, 99)
    return [
        _row("e: fast tool alone", alone, f"p99 {_percentile(alone, 99):.1f} ms"),
        _row("e: beside a greedy key", beside, f"p99 {times:.1f} times that of alone"),
        _row("e: the greedy key", greedy),
    ]


def _keep_asking_for_sales(token: str, port: int) -> list[Ending]:
    return uvloop.run(_keep_asking([token] * GREEDY_CALLERS, port, ask_sales))


async def _keep_asking(
    tokens: Sequence[str],
    port: int,
    ask: Callable[[Client], list[Question]] = ask_stores,
) -> list[Ending]:
    """What a caller for each token is told within STEP_S, counted from when all are connected."""
    endings: list[Ending] = []
    connected = asyncio.Barrier(len(tokens))

    async def work(caller: Caller) -> None:
        # It connects with its first call.
        await caller.call()
        await connected.wait()
        until = time.perf_counter() + STEP_S
        while time.perf_counter() < until:
            endings.append(await caller.call())

    await _at_once(tokens, port, work, ask)
    return endings


async def _at_once(
    tokens: Sequence[str],
    port: int,
    work: Callable[[Caller], Awaitable[None]],
    ask: Callable[[Client], list[Question]] = ask_stores,
) -> None:
    """Do the work with a caller for each token, all at once."""

    async def run(number: int, token: str) -> None:
        async with Client(port, token) as client:
            await work(Caller(client, number, ask))

    await asyncio.gather(*(run(number, token) for number, token in enumerate(tokens)))


def _explain(answer: Answer) -> str:
    if answer.status != 200:
        return f"HTTP {answer.status}"
    result = answer.message().get("result", {})
    if not result.get("isError"):
        return "wrong"
    text = result["content"][0]["text"]
    return "refused" if "retry" in text or "try again" in text else f"error: {text[:60]}"


def _row(name: str, endings: Sequence[Ending], note: str = "") -> list[str]:
    counts = Counter(ending.what for ending in endings)
    right = counts.pop("right", 0)
    bad = ", ".join(f"{count} {what}" for what, count in counts.most_common(4)) or "0"
    figures = (_percentile(endings, 50), _percentile(endings, 95))
    longest = max(ending.seconds for ending in endings) * 1_000
    texts = [f"{figure:.0f}" for figure in (*figures, longest)]
    return [name, f"{len(endings):,}", f"{right:,}", bad, *texts, note]


def _percentile(endings: Sequence[Ending], percent: int) -> float:
    return quantiles([ending.seconds * 1_000 for ending in endings], n=100)[percent - 1]


def _options() -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--only", default="abcdef", help="which loads, as in ab")
    return parser.parse_args()


def _say(text: str) -> None:
    print(f"... {text}", file=sys.stderr, flush=True)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
