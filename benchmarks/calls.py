"""`python -m benchmarks.calls`: what a call costs here and at our peers, written into docs/benchmarks.md."""

import os
import platform
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import FrameType

import psycopg
import uvloop

from benchmarks.cases import Case, read_cases
from benchmarks.clients import LEGACY, MODERN
from benchmarks.fetched import NotFetchedError, say_skipped
from benchmarks.layers import CALLERS as PROFILED_CALLERS
from benchmarks.layers import profile
from benchmarks.peers import OURS, PEERS, TOOLBOX
from benchmarks.report import Figures, render, write_page
from benchmarks.rounds import Series, Subject, run_rounds
from benchmarks.servers import Server
from benchmarks.sizes import Sized, measure_sizes
from benchmarks.stage import PROJECT, Stage
from benchmarks.tools import MEASURED
from core.errors import ConfigurationError

PAGE = PROJECT / "docs" / "benchmarks.md"
SERVERS = frozenset({"ours", *(peer.word for peer in PEERS)})
CASES = frozenset({"row", "thousand", "expression"})
PARTS = frozenset({"calls", "sizes", "profile"})
# Calls of a round by the number of callers.
CALLS = {1: 300, 32: 1_920, 256: 2_048, 1_000: 3_000}
FEW_CALLS = {1: 40, 32: 320}
FEW = 32
PROFILE_S = 6


@dataclass
class Run:
    """What is measured, and what could not be and why."""

    stage: Stage
    only: frozenset[str]
    rounds: int
    calls: dict[int, int]
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def parts(self) -> frozenset[str]:
        """The parts of the page; naming servers or cases alone means their calls."""
        return self.only & PARTS or (PARTS if not self.only else frozenset({"calls"}))

    async def measure(self) -> Figures:
        """All figures."""
        every = read_cases(self.stage.reader_dsn)
        cases = [case for case in every if case.word in (self.only & CASES or CASES)]
        servers = self.start_servers() if self.parts & {"calls", "profile"} else []
        series = await self.warm_up(self.choose_series(servers, cases))
        await run_rounds(series, self.rounds, self.calls, self.stage.database_pid)
        resident_mib = {server.name: server.resident_mib() for server in servers}
        layers = await self.profile(series)
        for server in servers:
            self.stage.stop(server)
        sized = await self.measure_sizes(every[0])
        machine = describe_machine(self.stage.reader_dsn, self.rounds)
        return Figures(machine, series, resident_mib, sized, layers, self.skipped)

    def start_servers(self) -> list[Server]:
        """Ours and the peers that can be had."""
        servers = []
        database = self.stage.make_database(len(MEASURED))
        words = self.only & SERVERS or SERVERS
        if "ours" in words:
            servers.append(self.stage.start_ours(OURS, database))
        for peer in PEERS:
            if peer.word in words:
                say(f"starting {peer.name}")
                try:
                    servers.append(peer.start(self.stage, database))
                except (NotFetchedError, ConfigurationError, RuntimeError) as error:
                    self.skip(peer.name, error)
        return servers

    def choose_series(self, servers: Sequence[Server], cases: Sequence[Case]) -> list[Series]:
        """What every server is asked for; many callers at once are for ours and Toolbox."""
        return [
            Series(case, Subject(server, protocol, self.stage.token), callers)
            for case in cases
            for callers in self.calls
            for server in servers
            for protocol in (MODERN, LEGACY)
            if callers <= FEW or server.name in (OURS, TOOLBOX)
            if "calls" in self.parts or (server.name == OURS and callers == PROFILED_CALLERS)
        ]

    async def warm_up(self, series: Sequence[Series]) -> list[Series]:
        """The series whose server gives right answers."""
        right: dict[str, bool] = {}
        for one in series:
            what = f"{one.subject.label}, {one.case.name}"
            if what not in right:
                try:
                    await one.warm_up(self.calls[1])
                except (OSError, RuntimeError) as error:
                    self.skip(what, error)
                right[what] = what not in self.skipped
        return [one for one in series if right[f"{one.subject.label}, {one.case.name}"]]

    async def profile(self, series: Sequence[Series]) -> dict[str, dict[str, float]]:
        """Microseconds of our calls by layer, or nothing."""
        ours = [
            one
            for one in series
            if one.subject.server.name == OURS and one.callers == PROFILED_CALLERS
        ]
        if "profile" not in self.parts:
            return {}
        try:
            return await profile(ours, self.calls, self.stage.directory, PROFILE_S)
        except NotFetchedError as error:
            self.skip("profile", error)
            return {}

    async def measure_sizes(self, case: Case) -> list[Sized]:
        """Servers of so many tools, or nothing."""
        if "sizes" not in self.parts:
            return []
        compile_modules(self.stage)
        sized, skipped = await measure_sizes(self.stage, case, self.rounds, self.calls[1])
        self.skipped |= skipped
        return sized

    def skip(self, what: str, error: Exception) -> None:
        """Go on without it, and say so."""
        say_skipped(what, error)
        self.skipped[what] = str(error).strip().splitlines()[-1]


def main() -> None:
    """Measure, print, write the page of a whole run, and leave nothing behind, however it ends."""
    options = read_options()
    signal.signal(signal.SIGTERM, end)
    rounds, calls = (1, FEW_CALLS) if options.quick else (options.rounds, CALLS)
    try:
        with Stage() as stage:
            run = Run(stage, options.only, rounds, calls)
            text = render(uvloop.run(run.measure()))
    except KeyboardInterrupt:
        sys.exit(130)
    print(text)
    if not options.quick and not options.only:
        write_page(PAGE, text)
        say(f"written to {PAGE.relative_to(PROJECT)}")


def compile_modules(stage: Stage) -> None:
    """Start a server that is not measured: the first one compiles all that is imported."""
    stage.stop(stage.start_ours("warm-up", stage.application_dsn))


def describe_machine(dsn: str, rounds: int) -> str:
    """When and on what a run was made."""
    with psycopg.connect(dsn) as connection:
        postgres = connection.info.server_version // 10_000
    versions = "; ".join(f"{peer.name}: {peer.versions}" for peer in PEERS)
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {rounds} rounds, {os.cpu_count()} cores"
        f" ({platform.system()}, {platform.machine()}), load {os.getloadavg()[2]:.1f} in the last"
        f" quarter of an hour, Python {platform.python_version()}, PostgreSQL {postgres}; {versions}."
    )


def read_options() -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.calls", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one round of few calls, no page")
    words = ", ".join(sorted(SERVERS | CASES | PARTS))
    parser.add_argument(
        "--only", type=read_words, default=frozenset(), metavar="WORD,...", help=f"of {words}"
    )
    return parser.parse_args()


def read_words(text: str) -> frozenset[str]:
    words = frozenset(text.split(","))
    if unknown := words - SERVERS - CASES - PARTS:
        raise ArgumentTypeError(f"there is no {', '.join(sorted(unknown))}")
    return words


def say(text: str) -> None:
    print(f"... {text}", file=sys.stderr, flush=True)


def end(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
