"""`python -m benchmarks.execution`: the safe path beside a bare query, and what stands around a call."""

import os
import random
import time
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from statistics import median
from typing import Any

import django
import psycopg
import uvloop
from psycopg.rows import TupleRow

from benchmarks.stage import Stage
from core.execution import Query, QuerySource
from core.expression import compile_expression
from core.script import compile_script
from core.statement import compile_statement
from core.toolspec import Dialect, ParameterType
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.source import MysqlSource
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from gateways.scripts.workers import ScriptWorkers

Run = Callable[[], Awaitable[Any]]
Bare = psycopg.AsyncConnection[TupleRow]


@dataclass(frozen=True)
class QueryCase:
    """One query; `calls` are those of a round."""

    name: str
    sql: str
    arguments: dict[str, int]
    calls: int

    @property
    def bare_sql(self) -> str:
        """The query as psycopg wants it."""
        text = self.sql
        for name in self.arguments:
            text = text.replace(f":{name}", f"%({name})s")
        return text


@dataclass
class Timed:
    """Microseconds a call, one figure of each kind from each round."""

    run: Run
    cpu_us: list[float] = field(default_factory=list)
    wall_us: list[float] = field(default_factory=list)

    async def measure(self, calls: int) -> None:
        """Add the figures of one round."""
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        for _ in range(calls):
            await self.run()
        self.cpu_us.append((time.process_time_ns() - cpu) / calls / 1_000)
        self.wall_us.append((time.perf_counter_ns() - wall) / calls / 1_000)


CASES = (
    QueryCase(
        "one row",
        "SELECT id, store_name, store_name_en, region, city FROM stores WHERE id = :store_id",
        {"store_id": 107},
        400,
    ),
    QueryCase(
        "1,000 rows x 5",
        "SELECT id, store_id, product_id, amount, transaction_date FROM sales_transactions"
        " WHERE id > :first_id ORDER BY id LIMIT 1000",
        {"first_id": 5_000},
        40,
    ),
    QueryCase(
        "aggregate",
        "SELECT store_id, count(*), sum(amount) FROM sales_transactions"
        " WHERE id > :first_id GROUP BY store_id ORDER BY store_id",
        {"first_id": 1},
        10,
    ),
)


def main() -> None:
    """Measure and print."""
    parser = ArgumentParser(prog="python -m benchmarks.execution", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", choices=["queries", "mariadb", "logic", "parts"])
    options = parser.parse_args()
    rounds, only = options.rounds, options.only
    with Stage() as stage:
        if only in {None, "queries"}:
            uvloop.run(_measure_queries(stage.reader_dsn, rounds))
        if only in {None, "parts"}:
            os.environ |= stage.environment | {"DJANGO_SETTINGS_MODULE": "config.settings"}
            django.setup()
            # It imports models.
            parts = import_module("benchmarks.call_parts")
            uvloop.run(parts.measure_parts(stage.token, rounds))
        if only == "mariadb":
            # A server as the tests start it, which not every machine has.
            server = import_module("tests.mariadb_server").MariadbServer(
                stage.directory / "mariadb", stage.keeper
            )
            server.start()
            try:
                settings = server.make_database("shop", *_copy_tables(stage.reader_dsn))
                uvloop.run(_measure_mariadb(stage.reader_dsn, settings, rounds))
            finally:
                server.stop()
    if only in {None, "logic"}:
        _measure_expression(rounds)
        uvloop.run(_measure_script(rounds))


async def _measure_queries(dsn: str, rounds: int) -> None:
    bare = await psycopg.AsyncConnection.connect(dsn, autocommit=True)
    settings = PostgresSettings.from_dsn(dsn, row_limit=10_000, pool_size=1)
    print(
        "| query | bare CPU µs | ours CPU µs | CPU ratio | bare wall µs | ours wall µs | wall ratio |"
    )
    print("|---|---|---|---|---|---|---|")
    async with bare, PostgresSource(settings) as source:
        for case in CASES:
            pair = (Timed(_bare_run(bare, case)), Timed(_safe_run(source, case)))
            await _run_rounds(pair, case.calls, rounds)
            _print_pair(case.name, *pair)


async def _measure_mariadb(dsn: str, settings: MysqlSettings, rounds: int) -> None:
    """PostgreSQL's path beside MariaDB's, on the same rows."""
    print("\n| query | PostgreSQL CPU µs | MariaDB CPU µs | CPU ratio | wall | wall | wall ratio |")
    print("|---|---|---|---|---|---|---|")
    postgres = PostgresSource(PostgresSettings.from_dsn(dsn, row_limit=10_000, pool_size=1))
    async with postgres, MysqlSource(replace(settings, pool_size=1)) as mariadb:
        for case in CASES[:2]:
            runs = (_safe_run(postgres, case), _safe_run(mariadb, case, Dialect.MYSQL))
            pair = (Timed(runs[0]), Timed(runs[1]))
            await _run_rounds(pair, case.calls, rounds)
            _print_pair(case.name, *pair)


def _copy_tables(dsn: str) -> Iterator[str]:
    """Statements that make what the queries read, as PostgreSQL has it."""
    yield """CREATE TABLE stores (id int PRIMARY KEY, store_name varchar(100), store_name_en varchar(100),
        region varchar(50), city varchar(100))"""
    yield """CREATE TABLE sales_transactions (id int PRIMARY KEY, store_id int, product_id int,
        amount decimal(12, 2), transaction_date date)"""
    with psycopg.connect(dsn) as connection:
        for case, table in zip(CASES, ("stores", "sales_transactions"), strict=False):
            columns = case.sql.removeprefix("SELECT ").partition(" FROM ")[0]
            select = f"SELECT {columns} FROM {table} ORDER BY id LIMIT 7000"  # noqa: S608 - ours
            rows = connection.execute(select.encode()).fetchall()
            values = ", ".join(
                "("
                + ", ".join(f"'{str(cell).replace(chr(39), chr(39) * 2)}'" for cell in row)
                + ")"
                for row in rows
            )
            yield f"INSERT INTO {table} ({columns}) VALUES {values}"  # noqa: S608 - our own rows


async def _run_rounds(pair: Sequence[Timed], calls: int, rounds: int) -> None:
    for one in pair:
        # Python specialises code that runs often, and both sides describe a statement once.
        await Timed(one.run).measure(calls)
    for _ in range(rounds):
        for one in random.sample(pair, len(pair)):
            await one.measure(calls)


def _bare_run(connection: Bare, case: QueryCase) -> Run:
    sql = case.bare_sql.encode()

    async def run() -> list[TupleRow]:
        cursor = await connection.execute(sql, case.arguments)
        return await cursor.fetchall()

    return run


def _safe_run(source: QuerySource, case: QueryCase, dialect: Dialect = Dialect.POSTGRESQL) -> Run:
    statement = compile_statement(case.sql, dialect=dialect)
    query = Query(
        statement=statement,
        types=tuple(ParameterType.INTEGER for _ in statement.parameter_names),
        values=case.arguments,
        row_limit=10_000,
        byte_limit=10_000_000,
        timeout_ms=10_000,
    )
    return lambda: source.run(query)


def _print_pair(name: str, bare: Timed, ours: Timed) -> None:
    cells = [name]
    for kind in ("cpu_us", "wall_us"):
        before, after = getattr(bare, kind), getattr(ours, kind)
        ratio = median(ours_us / bare_us for bare_us, ours_us in zip(before, after, strict=True))
        cells += [f"{median(before):,.0f}", f"{median(after):,.0f}", f"{ratio:.2f}"]
    print(f"| {' | '.join(cells)} |")


def _measure_expression(rounds: int) -> None:
    expression = compile_expression("num1 * num2", ["num1", "num2"])
    values = {"num1": 5, "num2": 3}
    figures = [_time_us(lambda: expression.evaluate(values), 20_000) for _ in range(rounds)]
    print(f"\nexpression num1 * num2: {median(figures):.2f} µs CPU")


async def _measure_script(rounds: int) -> None:
    script = compile_script("total = num1 * num2\nresult = total + 1", ["num1", "num2"])
    values = {"num1": 5, "num2": 3}
    async with ScriptWorkers() as workers:
        timed = Timed(lambda: workers.run(script, values, 10_000))
        for _ in range(rounds):
            await timed.measure(500)
    print(
        f"script in its process: {median(timed.wall_us):.0f} µs, {median(timed.cpu_us):.0f} CPU here"
    )


def _time_us(work: Callable[[], object], calls: int) -> float:
    before = time.process_time_ns()
    for _ in range(calls):
        work()
    return (time.process_time_ns() - before) / calls / 1_000


if __name__ == "__main__":
    main()
