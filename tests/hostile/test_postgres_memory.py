"""No answer is too large for the client: it never holds much more than it gives."""

# ruff: noqa: S608 - SQL is what this module is about; nothing in it comes from outside.

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from config.services.postgres import EmbeddedPostgres
from tests.hostile.conftest import Observer, dsn_of
from tests.hostile.running import LONG_MS
from tests.hostile.schema import READER

ROOT = Path(__file__).parents[2]
GROWTH_LIMIT_KB = 60_000
ENDED_AFTER_MS = 2_000
LARGE: dict[str, tuple[str, str]] = {
    "five cells of 150 MB": (
        "SELECT " + ", ".join(["repeat(repeat('x', 1000), 150000)"] * 5),
        "1 rows, truncated: True|took longer than 2 s",
    ),
    "two million rows": (
        "SELECT n, repeat('x', 1000) FROM generate_series(1, 2000000) AS n",
        r"\d{4,5} rows, truncated: True",
    ),
    "a thousand wide columns": (
        "SELECT " + ", ".join(["repeat('x', 9000)"] * 1_000) + " FROM generate_series(1, 100)",
        r"\d rows, truncated: True",
    ),
    "a thousand wide columns of three bytes a character": (
        "SELECT " + ", ".join(["repeat('가', 9000)"] * 1_000) + " FROM generate_series(1, 100)",
        r"\d rows, truncated: True",
    ),
    "large arrays and documents": (
        "SELECT array_agg(n), json_agg(n), string_agg(n::text, ',')::bytea"
        " FROM generate_series(1, 500000) AS n",
        "1 rows, truncated: True",
    ),
    "doubling recursion": (
        "WITH RECURSIVE r(x) AS (SELECT repeat('x', 64) UNION ALL SELECT x || x FROM r) TABLE r",
        "took longer than 2 s|rows, truncated: True|memory|too large",
    ),
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(("sql", "outcome"), LARGE.values(), ids=LARGE)
def test_large_answer_costs_little_memory(
    embedded_postgres: EmbeddedPostgres, observer: Observer, sql: str, outcome: str
) -> None:
    # What has no end on the server must not get the time to fill its memory.
    timeout_ms = ENDED_AFTER_MS if "took longer" in outcome else LONG_MS

    measured = probe(dsn_of(embedded_postgres, READER), sql, timeout_ms)

    assert re.search(outcome, str(measured["outcome"]))
    assert measured["grown_kb"] < GROWTH_LIMIT_KB


def probe(dsn: str, sql: str, timeout_ms: int) -> dict[str, Any]:
    """What a fresh process says about the query."""
    command = [sys.executable, "-m", "tests.hostile.memory_probe"]
    given = json.dumps([dsn, sql, timeout_ms])
    result = subprocess.run(
        command, cwd=ROOT, input=given, capture_output=True, text=True, timeout=150, check=True
    )
    measured: dict[str, Any] = json.loads(result.stdout)
    return measured
