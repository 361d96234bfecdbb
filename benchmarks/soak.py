"""A soak: two workers, callers of both eras, edits, and the end of each dependency; nothing may be wrong or grow.

In turns the database is restarted, and the counters of limits and a worker are killed.

`python -m benchmarks.soak [minutes]`
"""

import asyncio
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import cycle

import psycopg

from benchmarks.clients import LEGACY, MODERN, Client
from benchmarks.servers import Server
from benchmarks.stage import Stage
from benchmarks.tools import ROW_SQL, redefine
from config.services.ports import choose_free_port
from config.services.processes import start, stop
from config.services.valkey import EmbeddedValkey

TOOL_COUNT = 1_000
CALLERS = 8
WORKERS = "2"
# Bounds what the soak leaves in the database, however fast the machine is.
CALLS_PER_S = 200
EDIT_INTERVAL_S = 2.0
RESTART_INTERVAL_S = 40.0
# Before it the server still opens connections and fills its caches.
SETTLING_S = 20.0
# Every call is counted, and none is refused.
LIMIT_SQL = "INSERT INTO h_mcp_tool_limit (target_type, per_minute) VALUES ('ALL', 1000000)"
# So long after a restart a tool may say that its database is away; then it has to answer.
BACK_WITHIN_S = 15.0
_AWAY = (
    *("unavailable", "not available", "lost", "cannot be reached", "in use", "shutting down"),
    # A worker that has just begun knows no key.
    "cannot be checked",
)


class Counters:
    """The server in which calls are counted, which loses nothing when it is killed."""

    def __init__(self, stage: Stage) -> None:
        self.valkey = EmbeddedValkey(stage.directory / "valkey", choose_free_port(), "secret")
        self._keeper = stage.keeper
        self._process = start(self.valkey.command(), self._keeper)

    def restart(self) -> None:
        """Kill it and start it again."""
        stop(self._process, signal.SIGKILL, 10)
        self._keeper.forget(self._process.pid)
        self._process = start(self.valkey.command(), self._keeper)


class Soak:
    """What is counted: right answers, refusals while the database is away, and wrong or lost ones."""

    def __init__(self, stage: Stage, server: Server, database: str, counters: "Counters") -> None:
        self.outcomes: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.resident_mib: list[float] = []
        self._stage, self._server, self._database = stage, server, database
        self._restarts = cycle((stage.restart_database, counters.restart, self._kill_worker))
        self._until = 0.0
        self._away_until = 0.0

    async def run(self, minutes: float) -> None:
        """Call, edit and restart for that time."""
        self._until = time.monotonic() + minutes * 60
        callers = (self._call(MODERN if number % 2 else LEGACY) for number in range(CALLERS))
        await asyncio.gather(
            *callers,
            self._repeat(EDIT_INTERVAL_S, self._edit),
            self._repeat(RESTART_INTERVAL_S, self._restart),
            self._repeat(SETTLING_S, self._measure),
        )

    async def _repeat(self, interval_s: float, verb: Callable[[], Awaitable[None]]) -> None:
        while (left := self._until - time.monotonic()) > 0:
            await asyncio.sleep(min(interval_s, left))
            await verb()

    async def _call(self, era: str) -> None:
        while time.monotonic() < self._until:
            try:
                async with Client(self._server.port, self._stage.token, era) as client:
                    while time.monotonic() < self._until:
                        await asyncio.sleep(CALLERS / CALLS_PER_S)
                        content = await client.call("store_by_id", {"store_id": 107})
                        is_right = abs(content["rows"][0][0]) == 107
                        self.outcomes["right" if is_right else "wrong"] += 1
            except (OSError, RuntimeError, LookupError) as error:
                is_away = time.monotonic() < self._away_until
                # A worker that is killed ends its connections.
                is_told = isinstance(error, OSError) or any(word in str(error) for word in _AWAY)
                kind = "away" if is_away and is_told else "lost"
                self.outcomes[kind] += 1
                self.faults[f"{kind}: {error}"[:200]] += 1

    async def _edit(self) -> None:
        sign = "-" if self.outcomes["edited"] % 2 else ""
        statement = ROW_SQL.replace("SELECT id", f"SELECT {sign}id")
        try:
            await asyncio.to_thread(redefine, self._database, "store_by_id", statement)
            self.outcomes["edited"] += 1
        except psycopg.Error:
            self.outcomes["edit not taken"] += 1

    async def _restart(self) -> None:
        if self._until - time.monotonic() < BACK_WITHIN_S:
            return
        self._away_until = float("inf")
        await asyncio.to_thread(next(self._restarts))
        self._away_until = time.monotonic() + BACK_WITHIN_S
        self.outcomes["restarted"] += 1

    def _kill_worker(self) -> None:
        os.kill(self._server.worker_pids()[0], signal.SIGKILL)

    async def _measure(self) -> None:
        self.resident_mib.append(self._server.resident_mib())


def main() -> None:
    """Run it and print what was counted; exit status 1 if an answer was wrong or lost."""
    minutes = float(sys.argv[1]) if sys.argv[1:] else 5.0
    with Stage() as stage:
        database, counters = stage.make_database(TOOL_COUNT), Counters(stage)
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute(LIMIT_SQL)
        variables = {"MCP_BUILTIN_TOOLS": "all", "LOG_LEVEL": "error"}
        variables["REDIS_URL"] = counters.valkey.url
        server = stage.start_ours("soak", database, "--workers", WORKERS, **variables)
        soak = Soak(stage, server, database, counters)
        asyncio.run(soak.run(minutes))
        print(dict(soak.outcomes))
        print("resident MiB", [round(mib) for mib in soak.resident_mib])
        for fault, count in soak.faults.most_common(10):
            print(f"{count} x {fault}")
    sys.exit(bool(soak.outcomes["wrong"] or soak.outcomes["lost"]))


if __name__ == "__main__":
    main()
