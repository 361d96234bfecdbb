"""The tools of the runs: each answers with a value that only its own argument can give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import psycopg

# Hours of work, and no function that a data source refuses.
SLOW = (
    "SELECT :n * 7 + count(*) AS value"
    " FROM generate_series(1, 100000) AS slow_of_chaos, generate_series(1, 100000)"
)
# Some ten milliseconds, so that faults meet queries that run.
BRIEF = "SELECT :n * 7 + {} + 0 * count(*) AS value FROM generate_series(1, 30000)"
SCRIPT = "total = 5\nfor step in range(7):\n    total += n\nresult = total"


@dataclass(frozen=True)
class Echo:
    """One tool; `value` gives what it must answer, from its argument n: rows, or a result."""

    name: str
    definition: str
    value: Callable[[int], Any]
    data_source: str | None = None
    tool_type: str = "SQL"
    timeout_ms: int = 10_000

    def matches(self, n: int, content: Mapping[str, Any]) -> bool:
        """Whether this is the answer to `n`, whole and of nothing else."""
        key = "rows" if self.tool_type == "SQL" else "result"
        return not content.get("truncated") and content.get(key) == self.value(n)


def _row(shift: int) -> Callable[[int], Any]:
    return lambda n: [[n * 7 + shift]]


ECHOES = {
    echo.name: echo
    for echo in (
        Echo("near", BRIEF.format(1), _row(1)),
        Echo("distant", BRIEF.format(2), _row(2), "distant"),
        Echo(
            "distant_rows",
            "SELECT :n * 7 + step AS value FROM generate_series(1, 3000) AS step",
            lambda n: [[n * 7 + step] for step in range(1, 3001)],
            "distant",
        ),
        # Where a source says nothing, its calls end at their deadline.
        Echo("impatient", BRIEF.format(8), _row(8), "distant", timeout_ms=3_000),
        Echo("narrow", BRIEF.format(3), _row(3), "narrow"),
        Echo("lite", "SELECT :n * 7 + 4 AS value", _row(4), "lite"),
        Echo("script", SCRIPT, lambda n: n * 7 + 5, tool_type="PYTHON"),
        Echo("expression", "n * 7 + 6", lambda n: n * 7 + 6, tool_type="PYTHON"),
        Echo("slow", SLOW, lambda _n: None, timeout_ms=25_000),
        Echo("slow_narrow", SLOW, lambda _n: None, "narrow", timeout_ms=25_000),
    )
}
# Of other sources, or of none.
INDEPENDENT = ("lite", "script", "expression")
ALL = ("near", "distant", "distant_rows", "impatient", "narrow", *INDEPENDENT)


def in_turn(*names: str) -> Callable[[], Echo]:
    """One tool after another, again and again."""
    turns = cycle([ECHOES[name] for name in names])
    return lambda: next(turns)


def write_tools(dsn: str) -> None:
    """Replace the tools of a database by those of the runs; their data sources exist."""
    with psycopg.connect(dsn) as connection:
        connection.execute("DELETE FROM h_custom_tool")
        for echo in ECHOES.values():
            insert_tool(connection, echo)


def insert_tool(connection: psycopg.Connection, echo: Echo) -> None:
    """One tool with its parameter n, committed by the caller."""
    connection.execute(
        "WITH tool AS ("
        " INSERT INTO h_custom_tool"
        " (name, description_agent, tool_type, definition, timeout_ms, row_limit, data_source_id)"
        " VALUES (%s, 'Echo.', %s, %s, %s, 5000, (SELECT id FROM h_data_source WHERE name = %s))"
        " RETURNING id)"
        " INSERT INTO h_custom_tool_param (tool_id, param_name, param_type)"
        " SELECT id, 'n', 'INTEGER' FROM tool",
        [echo.name, echo.tool_type, echo.definition, echo.timeout_ms, echo.data_source],
    )
