"""What stands around a call, each part alone in one process; `benchmarks.execution` measures it.

Imported when Django is set up.
"""

import logging
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from uuid import uuid4

from access.calls import CallRecorder, CallWriter
from access.database_thread import DatabaseThread
from access.limits.gate import LimitGate
from core.bindings import CallerFacts
from core.execution import CompiledTool, QuerySources
from core.grants import BuiltinGroup
from core.limits import LimitBook
from core.results import Answer, value_answer
from core.toolspec import ExpressionLogic, ParameterSpec, ParameterType, ToolSpec
from mcp_runtime.auth import KeyVerifier
from mcp_runtime.breakers import Breakers
from mcp_runtime.caller import Caller, TakesCalls, ToolCaller, WatchesCalls
from mcp_runtime.kept_arguments import ArgumentsKeeper, MaskedNames
from mcp_runtime.search.records import write_calls
from mcp_runtime.snapshot import Snapshot
from mcp_runtime.telemetry.metrics import CallMetrics
from tools.builtin.tool import BuiltinSpec, BuiltinTool
from tools.sources import Sources

CALLS = 5_000
# What a busy runtime writes in one statement, and what one client alone makes of half a second.
BATCHES = (500, 100)
ARGUMENTS: dict[str, object] = {"num1": 5, "num2": 3}
CLIENT = Caller("12345678", "agent", CallerFacts(key_id="12345678", name="agent"))


@dataclass
class Part:
    """One part of a call; `cpu_us` has a figure per call from each round, of all threads."""

    name: str
    run: Callable[[int], Awaitable[object]]
    cpu_us: list[float] = field(default_factory=list)

    async def measure(self) -> None:
        """Add the figure of one round."""
        before = time.process_time_ns()
        await self.run(CALLS)
        self.cpu_us.append((time.process_time_ns() - before) / CALLS / 1_000)


class Nowhere:
    """Takes calls and keeps none."""

    def add(self, _call: object) -> None:
        pass


async def measure_parts(token: str, rounds: int) -> None:
    """Measure and print; the token is that of a key in Django's database."""
    database = DatabaseThread("benchmark")
    verifier = KeyVerifier(database)
    writer = CallWriter(uuid4())
    recorder = CallRecorder(lambda calls: database.call(write_calls, writer, calls))

    async def verify(calls: int) -> None:
        for _ in range(calls):
            await verifier.verify_token(token)

    parts = [Part("a known key", verify), *_caller_parts(recorder, database)]
    for part in parts:
        await Part(part.name, part.run).measure()
    for _ in range(rounds):
        for part in random.sample(parts, len(parts)):
            await part.measure()
    await database.close()
    print("\n| part of a call | CPU µs |\n|---|---|")
    for part in parts:
        spread = f"{min(part.cpu_us):.1f}-{max(part.cpu_us):.1f}"
        print(f"| {part.name} | {median(part.cpu_us):.1f} ({spread}) |")


def _caller_parts(recorder: CallRecorder, database: DatabaseThread) -> Iterator[Part]:
    """Calls of a tool that does nothing, unrecorded and recorded, and of an expression."""
    snapshot = _snapshot()

    def make(takes: TakesCalls, watch: WatchesCalls | None = None) -> ToolCaller:
        return ToolCaller(
            snapshot=lambda: snapshot,
            sources=Sources(script_workers=1),
            recorder=takes,
            keeper=ArgumentsKeeper("full", MaskedNames()),
            gate=LimitGate(LimitBook, database, None, uuid4()),
            breakers=Breakers(database, uuid4()),
            watch=watch,
        )

    async def call(
        calls: int,
        *,
        caller: ToolCaller,
        name: str = "nothing",
        batch: int = BATCHES[0],
        level: int = logging.WARNING,
    ) -> None:
        logging.getLogger("mcp_runtime.caller").setLevel(level)
        for number in range(1, calls + 1):
            await caller.call(CLIENT, name, ARGUMENTS)
            if number % batch == 0:
                await recorder.flush()

    unrecorded, recorded = make(Nowhere()), make(recorder)
    yield Part("ToolCaller around nothing", partial(call, caller=unrecorded))
    for batch in BATCHES:
        name = f"the same, written in batches of {batch}"
        yield Part(name, partial(call, caller=recorded, batch=batch))
    logged = partial(call, caller=unrecorded, level=logging.INFO)
    yield Part("the same, not written but with its line in the log", logged)
    yield Part("an expression, written", partial(call, caller=recorded, name="multiply"))
    measured = partial(call, caller=make(recorder, CallMetrics()), name="multiply")
    yield Part("an expression, written and counted for Prometheus", measured)


def _snapshot() -> Snapshot:
    nothing = value_answer(None)

    async def do_nothing(_values: Mapping[str, object], _sources: QuerySources) -> Answer:
        return nothing

    builtin = BuiltinTool(
        spec=BuiltinSpec(name="nothing", title="", description="", group=BuiltinGroup.UTILITIES),
        input_schema={},
        output_schema={},
        check=lambda arguments, _facts: arguments,
        execute=do_nothing,
    )
    numbers = tuple(ParameterSpec(name=name, type=ParameterType.NUMBER) for name in ARGUMENTS)
    logic = ExpressionLogic("num1 * num2")
    multiply = ToolSpec(id=1, name="multiply", logic=logic, parameters=numbers)
    return Snapshot(1, {"multiply": CompiledTool(multiply)}, {}, {"nothing": builtin})
