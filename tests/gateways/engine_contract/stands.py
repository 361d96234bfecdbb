"""A small shop on each engine, and how it is changed from outside."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import psycopg

from config.services.postgres import EmbeddedPostgres
from gateways.duckdb.settings import DuckdbSettings, FilesSettings
from gateways.postgres.settings import PostgresSettings
from gateways.sqlite.settings import SqliteSettings
from tests.mariadb_server import MariadbServer

_DATABASE = "contract"
_TABLES = (
    "CREATE TABLE stores (id integer NOT NULL PRIMARY KEY, name varchar(50) NOT NULL)",
    """CREATE TABLE sales (id integer NOT NULL PRIMARY KEY, store_id integer, price numeric(20, 2), day date,
        note text, FOREIGN KEY (store_id) REFERENCES stores (id))""",
    "INSERT INTO stores VALUES (1, 'Seoul'), (2, '東京'), (3, 'O''Hare')",
    "INSERT INTO sales VALUES (1, 1, 12.5, '2026-01-05', 'a'), (2, 1, 7.25, '2026-02-01', NULL), (3, 2, NULL, NULL, 'c')",
)
_POSTGRES_ENDLESS = "SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 1000000) b WHERE a * b < 0"
_SQLITE_ENDLESS = (
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"
)
_MARIADB_ENDLESS = (
    "SELECT count(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b WHERE a.seq * b.seq = -1"
)

_DUCKDB_ENDLESS = (
    "SELECT count(*) FROM range(10000000) a(n), range(10000000) b(n) WHERE a.n * b.n = -1"
)
_DUCKDB_ROWS = "(SELECT n FROM range(1, 5001) AS g(n)) t"


@dataclass(frozen=True)
class Stand:
    """A shop: `settings` of a role that reads it, `away` of none that answers, `url` of where it is.

    `write` runs a statement as its owner. `endless` is a query that nothing but a stop ends; `rows` is a
    table of so many numbers n, as text of a FROM.
    """

    settings: Any
    away: Any
    url: str
    write: Callable[[str], None]
    endless: str
    rows: str


def stand_on_postgresql(postgres: EmbeddedPostgres) -> Stand:
    """On the run's PostgreSQL, with a role of its own."""
    with psycopg.connect(postgres.dsn("postgres", "superuser"), autocommit=True) as root:
        root.execute(f"CREATE DATABASE {_DATABASE}")
        root.execute("CREATE ROLE contract_reader LOGIN PASSWORD 'contract'")
    owner = postgres.dsn(_DATABASE, "superuser")

    def write(sql: str) -> None:
        with psycopg.connect(owner, autocommit=True) as connection:
            connection.execute(sql)

    for sql in (
        *_TABLES,
        "COMMENT ON TABLE stores IS 'Shops'",
        "COMMENT ON COLUMN stores.name IS 'Town'",
        "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO contract_reader",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO contract_reader",
    ):
        write(sql)
    url = f"postgresql://contract_reader:contract@127.0.0.1:{postgres.port}/{_DATABASE}"
    settings = PostgresSettings.from_dsn(url)
    rows = "(SELECT n FROM generate_series(1, 5000) AS g(n)) t"
    return Stand(settings, replace(settings, port=1), url, write, _POSTGRES_ENDLESS, rows)


def stand_on_sqlite(folder: Path) -> Stand:
    """A file of its own."""
    path = folder / "contract.sqlite"

    def write(sql: str) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(sql)

    for sql in _TABLES:
        write(sql)
    settings = SqliteSettings(path=path)
    rows = "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5000) SELECT n FROM r) t"
    away = replace(settings, path=folder / "none.sqlite")
    return Stand(settings, away, f"sqlite:///{path}", write, _SQLITE_ENDLESS, rows)


def stand_on_duckdb(folder: Path) -> Stand:
    """A database file of its own, which is replaced: nobody writes beside readers."""
    path, written = folder / "contract.duckdb", folder / "written.duckdb"

    def write(sql: str) -> None:
        with duckdb.connect(str(written)) as connection:
            connection.execute(sql)
        shutil.copyfile(written, folder / "copy.duckdb")
        (folder / "copy.duckdb").replace(path)

    for sql in (
        *_TABLES,
        "COMMENT ON TABLE stores IS 'Shops'",
        "COMMENT ON COLUMN stores.name IS 'Town'",
    ):
        write(sql)
    settings = DuckdbSettings(path=path)
    away = replace(settings, path=folder / "none.duckdb")
    return Stand(settings, away, f"duckdb:///{path}", write, _DUCKDB_ENDLESS, _DUCKDB_ROWS)


def stand_on_files(folder: Path) -> Stand:
    """A folder of Parquet files; a statement that changes a table writes its file again."""
    files, owner = folder / "files", duckdb.connect()
    files.mkdir()

    def write(sql: str) -> None:
        owner.execute(sql)
        names = {
            name for (name,) in owner.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        }
        for name in names:
            owner.table(name).write_parquet(str(files / f"{name}.parquet"))
        for gone in files.iterdir():
            if gone.stem not in names:
                gone.unlink()

    for sql in _TABLES:
        write(sql)
    settings = FilesSettings(path=files)
    away = replace(settings, path=folder / "none")
    return Stand(settings, away, f"files:///{files}", write, _DUCKDB_ENDLESS, _DUCKDB_ROWS)


def stand_on_mariadb(server: MariadbServer) -> Stand:
    """On the run's MariaDB, with a role that reads one database."""
    settings = server.make_database(
        _DATABASE,
        *_TABLES,
        "ALTER TABLE stores COMMENT 'Shops', MODIFY name varchar(50) NOT NULL COMMENT 'Town'",
    )

    def write(sql: str) -> None:
        server.run(sql, database=_DATABASE)

    url = f"mysql://{settings.user}:{settings.password}@127.0.0.1:{settings.port}/{_DATABASE}"
    rows = "(SELECT seq AS n FROM seq_1_to_5000) t"
    return Stand(settings, replace(settings, port=1), url, write, _MARIADB_ENDLESS, rows)
