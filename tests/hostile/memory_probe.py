"""A program: runs the query given on its standard input, and says what it cost in memory."""

import asyncio
import json
import re
import sys
from pathlib import Path

from msgspec.structs import replace

from core.errors import ToolboxError
from core.execution import Query
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.hostile.running import make_query


async def probe(dsn: str, sql: str, timeout_ms: int) -> dict[str, object]:
    """`grown_kb` is the growth of the peak of resident memory over one small query."""
    async with PostgresSource(PostgresSettings.from_dsn(dsn)) as source:
        await source.run(make_query("SELECT repeat('x', 100), 1"))
        before = _peak_kb()
        try:
            result = await source.run(unlimited(sql, timeout_ms))
            outcome = f"{len(result.rows)} rows, truncated: {result.truncated}"
        except ToolboxError as error:
            outcome = str(error)
    return {"grown_kb": _peak_kb() - before, "outcome": outcome}


def unlimited(sql: str, timeout_ms: int) -> Query:
    """A query that leaves all limits but the time to the source."""
    query = make_query(sql, timeout_ms=timeout_ms)
    return replace(query, row_limit=10_000_000, byte_limit=1_000_000_000)


def _peak_kb() -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1])


if __name__ == "__main__":
    dsn, sql, timeout_ms = json.load(sys.stdin)
    sys.stdout.write(json.dumps(asyncio.run(probe(dsn, sql, timeout_ms))))
