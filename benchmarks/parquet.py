"""`python -m benchmarks.parquet`: a tool that adds up a Parquet file of ten million rows."""

import asyncio
import resource
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

import duckdb

from core.execution import CompiledTool
from core.toolspec import Dialect, ParameterSpec, ParameterType, SqlLogic, ToolSpec
from gateways.duckdb.settings import FilesSettings
from gateways.duckdb.source import DuckdbSource

_ROWS = """
SELECT range AS id, hash(range) % 1000 AS store_id, 'customer ' || hash(range, 1) % 50000 AS customer,
    (hash(range, 2) % 100000 / 100)::DECIMAL(12, 2) AS amount, DATE '2026-01-01' + (range % 365)::INTEGER AS day
FROM range(10000000)"""
_STATEMENTS = {
    "by 1,000 stores": "SELECT store_id, count(*) AS n, sum(amount) AS total FROM sales"
    " WHERE day >= :since GROUP BY store_id ORDER BY total DESC LIMIT 20",
    "by 50,000 customers": "SELECT customer, sum(amount) AS total FROM sales"
    " WHERE day >= :since GROUP BY customer ORDER BY total DESC LIMIT 20",
    "distinct ids": "SELECT count(DISTINCT id) AS n FROM sales WHERE day >= :since",
}
_SINCE = ParameterSpec(name="since", type=ParameterType.DATE)


class _Files:
    """The one source of the tools."""

    def __init__(self, source: DuckdbSource) -> None:
        self._source = source

    def get(self, _name: str | None) -> DuckdbSource:
        return self._source


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.parquet", description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sales.parquet")
        with duckdb.connect() as connection:
            connection.sql(_ROWS).write_parquet(str(path), compression="zstd")
        print(f"{path.stat().st_size / 1e6:,.0f} MB\n")
        asyncio.run(_measure(Path(folder), rounds))


async def _measure(folder: Path, rounds: int) -> None:
    print(
        "| tool | first s | best s | median s | CPU s a call | process, peak MB |\n|---|---|---|---|---|---|"
    )
    for name, statement in _STATEMENTS.items():
        logic = SqlLogic(statement, "sales", Dialect.DUCKDB)
        spec = ToolSpec(id=1, name="add_up", logic=logic, parameters=(_SINCE,), timeout_ms=60_000)
        tool = CompiledTool(spec)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        async with DuckdbSource(
            FilesSettings(path=folder, pool_size=1, statement_timeout_ms=60_000)
        ) as source:
            # As in a runtime that has served a call before.
            await source.server_version()
            took = []
            for _ in range(rounds):
                began = time.perf_counter()
                await tool.run(tool.validate({"since": "2026-01-01"}), _Files(source))  # type: ignore[arg-type]
                took.append(time.perf_counter() - began)
        # Of processes that have ended: the time of all of them, the memory of the largest.
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / rounds
        peak, seconds = (
            after.ru_maxrss / 1_000,
            (took[0], min(took), sorted(took)[rounds // 2], cpu),
        )
        print(f"| {name} | {' | '.join(f'{each:.2f}' for each in seconds)} | {peak:,.0f} |")


if __name__ == "__main__":
    main()
