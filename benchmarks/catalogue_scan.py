"""`python -m benchmarks.catalogue_scan`: what a scan of thousands of tables costs, phase by phase."""

import argparse
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from benchmarks.stage import Stage

COLUMN_COUNT = 20
# So long may the first scan of so many tables take.
LIMIT_S, LIMIT_TABLES = 60.0, 2_000
_POLL_S = 0.1
_TABLES_TOGETHER = 200
_PROGRESS = (
    "SELECT state, phase, done_count, heartbeat_at FROM h_catalog_scan ORDER BY id DESC LIMIT 1"
)


@dataclass
class Scanned:
    """What one scan took; seconds are wall clock, as its progress in the database shows them."""

    title: str
    output: str = ""
    total_s: float = 0.0
    cpu_s: float = 0.0
    peak_mib: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)
    heartbeats: set[object] = field(default_factory=set)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=2_000)
    tables: int = parser.parse_args().tables
    with Stage() as stage:
        database = stage.make_empty_database("wide")
        with psycopg.connect(database, autocommit=True) as connection:
            _make_tables(connection, tables)
            scans = [_scan(stage, database, "first scan")]
            scans.append(_scan(stage, database, "nothing changed"))
            connection.execute("ALTER TABLE t00001 ADD extra text")
            connection.execute("DROP TABLE t00002 CASCADE")
            scans.append(_scan(stage, database, "two tables changed"))
    print(f"{tables:,} tables of {COLUMN_COUNT} columns")
    for scan in scans:
        _print(scan)
    limit_s = LIMIT_S * max(1.0, tables / LIMIT_TABLES)
    if scans[0].total_s > limit_s:
        raise SystemExit(f"the first scan took longer than {limit_s:g} s")


def _make_tables(connection: psycopg.Connection, count: int) -> None:
    numbers = range(1, count + 1)
    for start in range(0, count, _TABLES_TOGETHER):
        statements = [s for n in numbers[start : start + _TABLES_TOGETHER] for s in _table(n)]
        connection.execute(sql.SQL(";").join(statements))


def _table(number: int) -> Iterator[sql.Composable]:
    """A table with comments, a few rows, and a key to the one before it."""
    name = sql.Identifier(f"t{number:05}")
    columns: list[sql.Composable] = [sql.SQL("id int PRIMARY KEY")]
    columns += [sql.SQL("{} numeric(10, 2)").format(_column(n)) for n in range(2, COLUMN_COUNT)]
    before = sql.Identifier(f"t{max(number - 1, 1):05}")
    columns.append(sql.SQL("before_id int REFERENCES {} (id)").format(before))
    yield sql.SQL("CREATE TABLE {} ({})").format(name, sql.SQL(", ").join(columns))
    yield sql.SQL("COMMENT ON TABLE {} IS {}").format(name, f"매출 표 {number} 売上テーブル")
    for n in range(2, COLUMN_COUNT):
        comment = f"{n}번째 열, 합계 금액"
        yield sql.SQL("COMMENT ON COLUMN {}.{} IS {}").format(name, _column(n), comment)
    yield sql.SQL("INSERT INTO {} (id) SELECT generate_series(1, 5)").format(name)


def _column(number: int) -> sql.Identifier:
    return sql.Identifier(f"amount_{number}")


def _scan(stage: Stage, database: str, title: str) -> Scanned:
    parts = urlsplit(database)
    command = stage.command(
        "scan_catalog",
        POSTGRESQL_DB_NAME=parts.path[1:],
        POSTGRESQL_DB_USER=parts.username or "",
        POSTGRESQL_DB_PASS=parts.password or "",
    )
    scanned = Scanned(title)
    began = time.perf_counter()
    process = subprocess.Popen(
        command.argv,
        env=command.environment,
        cwd=command.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    watch = threading.Thread(target=_watch, args=[stage.application_dsn, process, scanned])
    watch.start()
    assert process.stdout
    scanned.output = process.stdout.read().splitlines()[-1]
    _, status, usage = os.wait4(process.pid, 0)
    scanned.total_s = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    watch.join()
    scanned.cpu_s = usage.ru_utime + usage.ru_stime
    scanned.peak_mib = usage.ru_maxrss / 1_024
    return scanned


def _watch(dsn: str, process: subprocess.Popen[str], scanned: Scanned) -> None:
    """Note how long the scan is seen in each phase, and how often it has told of itself."""
    last = time.perf_counter()
    with psycopg.connect(dsn, autocommit=True) as connection:
        while process.returncode is None:
            row = connection.execute(_PROGRESS.encode()).fetchone()
            now = time.perf_counter()
            if row and row[0] == "running":
                scanned.phases[row[1]] = scanned.phases.get(row[1], 0.0) + now - last
                scanned.heartbeats.add(row[3])
            last = now
            time.sleep(_POLL_S)


def _print(scan: Scanned) -> None:
    phases = ", ".join(f"{name or 'start'} {seconds:.1f}" for name, seconds in scan.phases.items())
    print(
        f"{scan.title}: {scan.total_s:.1f} s ({phases}), processor {scan.cpu_s:.1f} s,"
        f" peak {scan.peak_mib:.0f} MiB, {len(scan.heartbeats)} times progress told;"
        f" {scan.output}"
    )


if __name__ == "__main__":
    main()
