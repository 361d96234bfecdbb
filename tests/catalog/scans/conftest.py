"""Databases to scan, and ways to disturb a scan at a known place."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from catalog.models import CatalogScan, CatalogTable, DataSource
from catalog.scans import run as scan_run
from catalog.scans.scanning import find_or_queue_scan, run_scan
from config.services.postgres import EmbeddedPostgres
from tests.catalog.conftest import MakeSource

DATABASE = "scanned"
SHOP = """
CREATE TABLE stores (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE sales (
    id INTEGER PRIMARY KEY, store_id INTEGER REFERENCES stores (id), amount NUMERIC, email TEXT
);
INSERT INTO stores VALUES (1, 'Seoul');
INSERT INTO sales VALUES (7, 1, 9.5, 'kim@example.com');
"""


class LostProcess(BaseException):
    """As if the process had been killed."""


class Database:
    """An SQLite file and the row that leads to it."""

    def __init__(self, path: Path, source: DataSource) -> None:
        self.path, self.source = path, source

    def execute(self, script: str) -> None:
        connection = sqlite3.connect(self.path)
        connection.executescript(script)
        connection.close()

    def scan(self) -> CatalogScan:
        return run_scan(find_or_queue_scan(self.source, "kim"))

    def table(self, name: str) -> CatalogTable:
        return CatalogTable.objects.get(source=self.source, name=name)


@pytest.fixture
def shop_database(tmp_path: Path, make_source: MakeSource) -> Database:
    """Two tables, one with a foreign key."""
    path = tmp_path / "sales.db"
    columns = {"host": "", "database": "", "username": ""}
    database = Database(path, make_source("shop", engine="sqlite", path=str(path), **columns))
    database.execute(SHOP)
    return database


@pytest.fixture
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables at a time, so that a scan of a few takes several portions."""
    monkeypatch.setattr(scan_run, "TABLES_TOGETHER", 2)


@pytest.fixture
def steady_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between any two portions, or one later, the scan looks whether it goes on."""
    monkeypatch.setattr(scan_run, "PULSE_S", 0)


def found(scan: CatalogScan) -> tuple[int, int, int]:
    """New, changed and gone tables."""
    return scan.new_count, scan.changed_count, scan.gone_count


@contextmanager
def after_portions(count: int, act: Callable[[], None]) -> Iterator[None]:
    """Do something as soon as so many portions of tables are written, in the thread of the scan."""
    seen = 0

    def watch(execute: Any, sql: str, *arguments: Any) -> Any:
        nonlocal seen
        result = execute(sql, *arguments)
        if sql.startswith('INSERT INTO "h_catalog_table"'):
            seen += 1
        elif seen == count and sql.startswith("RELEASE SAVEPOINT"):
            seen += 1
            act()
        return result

    with connection.execute_wrapper(watch):
        yield


@pytest.fixture(scope="session")
def scanned_dsn(embedded_postgres: EmbeddedPostgres) -> str:
    """A database of its own, as its owner."""
    with psycopg.connect(embedded_postgres.dsn("toolbuilder", "app"), autocommit=True) as app:
        app.execute(f"CREATE DATABASE {DATABASE}")
    return embedded_postgres.dsn(DATABASE, "app")


@pytest.fixture
def postgres_source(
    scanned_dsn: str, make_source: MakeSource, address: Callable[[str], dict[str, Any]]
) -> Iterator[DataSource]:
    """An empty database with rights for its owner, who scans it."""
    parts = psycopg.conninfo.conninfo_to_dict(scanned_dsn)
    yield make_source(
        "scanned",
        host=parts["host"],
        port=parts["port"],
        database=DATABASE,
        username=parts["user"],
        secret=parts["password"],
    )
    with psycopg.connect(scanned_dsn) as owner:
        owner.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
