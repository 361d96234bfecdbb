"""`python -m benchmarks.calls`: what a call costs here, beside a hand-coded FastMCP server."""

import signal
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from benchmarks.clients import LegacyClient, ModernClient, PlainClient
from benchmarks.report import print_report, write_report
from benchmarks.rounds import Case, Series, idle_ms_per_s, run_rounds
from benchmarks.servers import Server
from benchmarks.sizes import Sized, compile_modules, start_sized
from benchmarks.stage import Stage

SIZES = (10, 1_000, 10_000)
EXPRESSION = Case("expression", "multiply_numbers", {"num1": 5, "num2": 3})
ROW = Case("one row", "store_by_id", {"store_id": 107})
THOUSAND = Case("1,000 rows x 5", "sales_after", {"first_id": 5_000}, share_of_calls=0.25)


def main() -> None:
    """Measure, print, and leave nothing behind, however it ends."""
    options = _options()
    signal.signal(signal.SIGTERM, _end)
    try:
        with Stage() as stage:
            _run(stage, options)
    except KeyboardInterrupt:
        sys.exit(130)


def _run(stage: Stage, options: Namespace) -> None:
    few = options.quick
    sized = []
    _say("compiling")
    compile_modules(stage)
    for size in SIZES:
        _say(f"starting with {size:,} tools")
        sized.append(start_sized(stage, size, starts=1 if few else 3))
    peers = (
        stage.start_peer("hand-coded FastMCP", "benchmarks.static_server"),
        stage.start_peer("bare Starlette", "benchmarks.floor_server"),
    )
    series = list(_series(stage, sized, *peers))
    rounds, calls = (2, 100) if few else (options.rounds, options.calls)
    _say(f"{rounds} rounds of {calls} calls, {len(series)} series")
    run_rounds(series, rounds, calls)
    _say("lists and reloads")
    for one in sized:
        one.measure_lists(stage, 1 if few else 3)
        one.measure_reloads(stage, 2 if few else 5)
    idle = {server.name: idle_ms_per_s(server) for server in (sized[0].server, *peers)}
    print_report(series, sized, idle)
    if options.json:
        write_report(options.json, series, sized, idle)


def _series(stage: Stage, sized: list[Sized], static: Server, floor: Server) -> Iterator[Series]:
    """Calls of all three servers, then the same calls with more tools."""
    smallest, *larger = [one.server for one in sized]
    for case in (EXPRESSION, ROW, THOUSAND):
        for server in (smallest, static):
            modern = ModernClient(server.url, stage.token)
            yield Series(case, server, "2026-07-28", modern)
            legacy = LegacyClient(server.url, stage.token).open()
            yield Series(case, server, "2025-11-25", legacy)
        yield Series(case, floor, "plain HTTP", PlainClient(floor.url))
    for server in larger:
        modern = ModernClient(server.url, stage.token)
        yield Series(EXPRESSION, server, "2026-07-28", modern)
        yield Series(ROW, server, "2026-07-28", modern)


def _options() -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks.calls", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--calls", type=int, default=400, help="calls of each series in a round")
    parser.add_argument("--quick", action="store_true", help="2 rounds of 100 calls, one start")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    return parser.parse_args()


def _say(text: str) -> None:
    print(f"... {text}", file=sys.stderr, flush=True)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
