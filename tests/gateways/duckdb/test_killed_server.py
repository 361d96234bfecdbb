"""What is left of a query over a DuckDB database when the server is killed."""

import subprocess
import sys
from pathlib import Path

import duckdb

from gateways.duckdb.process import PROJECT
from tests.waiting import wait_until

# Says where its temporary files are, and sorts more than the memory holds.
SPILLING = """
import asyncio, sys
from pathlib import Path
from core.execution import Query
from core.statement import compile_statement
from core.toolspec import Dialect
from gateways.duckdb.settings import DuckdbSettings
from gateways.duckdb.source import DuckdbSource

SQL = "SELECT max(range) FROM (SELECT range, hash(range) FROM range(100000000) ORDER BY 2 OFFSET 1)"

async def main():
    statement = compile_statement(SQL, dialect=Dialect.DUCKDB, list_names=frozenset())
    limits, patient = dict(row_limit=1, byte_limit=1_000, timeout_ms=600_000), dict(statement_timeout_ms=600_000)
    settings = DuckdbSettings(path=Path(sys.argv[1]), pool_size=1, memory_bytes=60_000_000, **patient)
    async with DuckdbSource(settings) as source:
        process = await source._pool.acquire("", asyncio.get_running_loop().time() + 60)
        print(process._temp_folder, flush=True)
        source._pool.give_back(process)
        await source.run(Query(statement=statement, types=(), values={}, **limits))

asyncio.run(main())
"""


def test_killed_server_leaves_no_temporary_files(tmp_path: Path) -> None:
    path = tmp_path / "shop.duckdb"
    duckdb.connect(str(path)).close()
    program = [sys.executable, "-c", SPILLING, str(path)]
    with subprocess.Popen(program, cwd=PROJECT, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        folder = Path(server.stdout.readline().decode().strip())
        try:
            wait_until(lambda: any(folder.iterdir()))
        finally:
            server.kill()

    wait_until(lambda: not any(folder.iterdir()))
    folder.rmdir()
