"""`python -m benchmarks.telemetry`: what metrics and traces cost a call, in rounds beside a server without."""

import signal
import sys
from argparse import ArgumentParser
from statistics import median
from types import FrameType

import uvloop

from benchmarks.cases import read_cases
from benchmarks.clients import MODERN
from benchmarks.report import print_table
from benchmarks.rounds import Series, Subject, run_rounds
from benchmarks.stage import Stage
from benchmarks.tools import MEASURED
from config.services.ports import choose_free_port

CALLERS, CALLS = 8, 2_400
OFF = "off"
# A collector that takes everything and keeps nothing.
_SINK = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Sink(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_):
        pass
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Sink).serve_forever()
"""


async def measure(stage: Stage, rounds: int) -> list[Series]:
    """Series of each case with each server."""
    port = choose_free_port()
    stage.start_program("collector", port, (sys.executable, "-c", _SINK, str(port)))
    sent = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}"}
    variables = {
        OFF: {},
        # What differs between two of the same is what these figures are good to.
        "off, again": {},
        "metrics": {"METRICS_TOKEN": stage.token},
        "traces, none sampled": {**sent, "OTEL_TRACES_SAMPLER_ARG": "0"},
        "traces, each sampled": {**sent, "OTEL_TRACES_SAMPLER_ARG": "1"},
    }
    database = stage.make_database(len(MEASURED))
    servers = [stage.start_ours(name, database, **given) for name, given in variables.items()]
    cases = [case for case in read_cases(stage.reader_dsn) if case.word in ("row", "expression")]
    series = [
        Series(case, Subject(server, MODERN, stage.token), CALLERS)
        for case in cases
        for server in servers
    ]
    for one in series:
        await one.warm_up(CALLS)
    await run_rounds(series, rounds, {CALLERS: CALLS}, stage.database_pid)
    return series


def main() -> None:
    """Measure, print one table, and leave nothing behind."""
    parser = ArgumentParser(prog="python -m benchmarks.telemetry", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    signal.signal(signal.SIGTERM, _end)
    try:
        with Stage() as stage:
            series = uvloop.run(measure(stage, rounds))
    except KeyboardInterrupt:
        sys.exit(130)
    off = {one.case.word: one for one in series if one.subject.server.name == OFF}
    rows = []
    for one in series:
        pairs = zip(one.cpu_ms, off[one.case.word].cpu_ms, strict=True)
        ratio = median(mine / other for mine, other in pairs)
        rows.append(
            [
                one.case.name,
                one.subject.server.name,
                f"{min(one.cpu_ms):.3f}",
                f"{one.median_ms:.3f}",
                f"{ratio:.2f}",
                str(one.mistakes.total()),
            ]
        )
    print_table(["call", "server", "least ms", "median ms", "ratio", "mistakes"], rows)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    main()
