"""A program: runs the query given on its standard input, and says what it cost in memory."""

import asyncio
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

from core.errors import ToolboxError
from core.execution import Query
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.hostile.running import make_query

TIMEOUT_MS = 2_000


async def probe(dsn: str, sql: str) -> dict[str, object]:
    """`grown_kb` is the growth of the peak of resident memory over one small query."""
    async with PostgresSource(PostgresSettings.from_dsn(dsn)) as source:
        await source.run(make_query("SELECT repeat('x', 100), 1"))
        before = _peak_kb()
        started = asyncio.get_running_loop().time()
        try:
            result = await source.run(unlimited(sql))
            outcome = f"{len(result.rows)} rows, truncated: {result.truncated}"
        except ToolboxError as error:
            outcome = str(error)
        elapsed_s = asyncio.get_running_loop().time() - started
    return {"grown_kb": _peak_kb() - before, "elapsed_s": elapsed_s, "outcome": outcome}


def unlimited(sql: str) -> Query:
    """A query that leaves all limits but the time to the source."""
    query = make_query(sql, timeout_ms=TIMEOUT_MS)
    return replace(query, row_limit=10_000_000, byte_limit=1_000_000_000)


def _peak_kb() -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1])


if __name__ == "__main__":
    dsn, sql = json.load(sys.stdin)
    sys.stdout.write(json.dumps(asyncio.run(probe(dsn, sql))))
