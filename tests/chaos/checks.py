"""What must be so after every fault: no wrong or lost call, nothing left behind, all records there."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

from tests.chaos.calls import Agents, Ending, Sent, Tally
from tests.chaos.report import add_tally
from tests.chaos.stage import POOL_SIZES, Runtime, Stage
from tests.chaos.tools import ALL, in_turn
from tests.waiting import eventually

# The registry and the records, the keys, the search for tools, and the one that listens.
APPLICATION_CONNECTIONS = 4
# Records are written twice a second, later on a busy machine; what a killed runtime had not written yet is lost.
UNWRITTEN_S = 10.0
# Sockets of clients that are being closed just now.
SPARE_DESCRIPTORS = 12
UNAVAILABLE = (
    r"cannot be reached; try again later|was lost twice; try again later"
    r"|was made in time; try again later"
)
DEADLINE = r"took longer than [\d.]+ s and was stopped"
BUSY = r"was in use for [\d.]+ s; retry in a few seconds"
_ERRORS = {"unknown_tool", "tool_error", "timeout", "busy", "unavailable"}
_ACTIVE = """
SELECT pid, state, query FROM pg_stat_activity
WHERE application_name = 'toolbuilder' AND state <> 'idle'"""
_SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'toolbuilder'"
_APPLICATION_SESSIONS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = 'toolbuilder' AND pid <> pg_backend_pid() AND backend_type = 'client backend'"""
_RECORDS = """
SELECT (arguments->>'n')::bigint, outcome FROM h_call_record
WHERE (arguments->>'n')::bigint = ANY(%s)"""


@dataclass(kw_only=True)
class Scenario:
    """One fault and the calls around it, and what is checked when it is over."""

    stage: Stage
    runtimes: Sequence[Runtime]
    agents: Agents
    killed_at: list[float] = field(default_factory=list)
    database: str = "toolbuilder"
    probes: tuple[str, ...] = ALL

    @property
    def tally(self) -> Tally:
        return self.agents.tally

    def note_kill(self) -> None:
        """A runtime is killed now: what it has not recorded yet is allowed to be lost."""
        self.killed_at.append(time.monotonic())

    async def check(self, descriptors: Sequence[int]) -> None:
        """Raise AssertionError for whatever the fault has left behind."""
        bad = describe(self.tally.of(Ending.WRONG, Ending.LOST))
        assert not bad, bad
        await eventually(self._answers_again)
        await self._check_next_calls()
        await eventually(lambda: not self.stage.ask_source(_ACTIVE))
        await eventually(self._has_few_sessions)
        await eventually(lambda: self._find_unrecorded() == [])
        self._check_outcomes()
        for runtime, before in zip(self.runtimes, descriptors, strict=True):
            has_few = partial(_has_few_descriptors, runtime, before + SPARE_DESCRIPTORS)
            await eventually(has_few)

    async def _answers_again(self) -> bool:
        return all([await self._is_right(name) for name in self.probes])

    async def _is_right(self, name: str) -> bool:
        """Whether it works again; such calls are recorded, but not counted."""
        async with self._other_agents() as agents:
            return (await agents.call(in_turn(name)())).ending is Ending.RIGHT

    async def _check_next_calls(self) -> None:
        choose = in_turn(*self.probes)
        async with self._other_agents() as agents:
            calls = [await agents.call(choose()) for _ in range(20)]
        bad = describe(call for call in calls if call.ending is not Ending.RIGHT)
        assert not bad, bad

    def _other_agents(self) -> Agents:
        return Agents(self.agents.url, self.agents.token, Tally(self.tally.scenario))

    def _has_few_sessions(self) -> bool:
        """Whether no runtime holds more connections than its pools allow."""
        [(of_pools,)] = self.stage.ask_source(_SESSIONS)
        [(of_rows,)] = self.stage.ask_application(_APPLICATION_SESSIONS)
        runtimes = self.stage.living_count
        return bool(
            of_pools <= sum(POOL_SIZES.values()) * runtimes
            and of_rows <= APPLICATION_CONNECTIONS * runtimes
        )

    def _read_records(self) -> list[tuple[int, str]]:
        numbers = [call.number for call in self.tally.calls]
        rows = self.stage.ask_application(_RECORDS, [numbers], self.database)
        return [(number, outcome) for number, outcome in rows]

    def _find_unrecorded(self) -> list[int]:
        recorded = {number for number, _ in self._read_records()}
        # Of a call of no tool only the names of its arguments are kept.
        is_of_none = self.agents.refusals == "Unknown tool"
        answered = self.tally.of(Ending.RIGHT, *([] if is_of_none else [Ending.REFUSED]))
        return [
            call.number
            for call in answered
            if call.number not in recorded and not self._was_unwritten(call)
        ]

    def _was_unwritten(self, call: Sent) -> bool:
        return any(abs(call.ended_at - at) < UNWRITTEN_S for at in self.killed_at)

    def _check_outcomes(self) -> None:
        records = self._read_records()
        self.tally.recorded = len(records)
        outcomes = dict(records)
        twice = Counter(number for number, _ in records) - Counter(outcomes.keys())
        assert not twice, f"recorded more than once: {sorted(twice)}"
        right = {outcomes.get(call.number, "ok") for call in self.tally.of(Ending.RIGHT)}
        refused = {outcomes.get(call.number, "busy") for call in self.tally.of(Ending.REFUSED)}
        assert right <= {"ok"}, right
        assert refused <= _ERRORS, refused


def _has_few_descriptors(runtime: Runtime, limit: int) -> bool:
    return runtime.descriptor_count() <= limit


def describe(calls: Iterable[Sent]) -> list[tuple[str, str]]:
    """The tools of these calls with what was said, each once."""
    return sorted({(call.tool, call.detail) for call in calls})


@asynccontextmanager
async def scenario(
    name: str,
    stage: Stage,
    *runtimes: Runtime,
    refusals: str = r"(?!)",
    may_cut: bool = False,
    database: str = "toolbuilder",
) -> AsyncIterator[Scenario]:
    """The scenario on the first of `runtimes`; checked at the end, its figures kept for the summary."""
    tally = Tally(name)
    add_tally(tally)
    descriptors = [runtime.descriptor_count() for runtime in runtimes]
    agents = Agents(runtimes[0].url, stage.token, tally, refusals, may_cut)
    async with agents:
        current = Scenario(stage=stage, runtimes=runtimes, agents=agents, database=database)
        try:
            yield current
        finally:
            for proxy in (stage.source_proxy, stage.application_proxy):
                proxy.calm()
        await current.check(descriptors)
