"""The check of a SQLite data source, on real files."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from gateways.check_report import ConnectionReport, Level
from gateways.sqlite.check import inspect_sqlite
from gateways.sqlite.settings import SqliteSettings

DAMAGED_FROM = 4_096 + 100


def inspect(path: Path) -> ConnectionReport:
    return asyncio.run(inspect_sqlite(SqliteSettings(path=path)))


def codes(report: ConnectionReport, level: Level) -> set[str]:
    return {finding.code for finding in report.findings if finding.level is level}


def make_database(path: Path, mode: str = "delete") -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA journal_mode = {mode}")
        connection.executescript(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT);"
            "INSERT INTO item (name) VALUES ('apple'), ('bread'); CREATE VIEW names AS SELECT name FROM item;"
        )
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_database(tmp_path / "shop.db")


def test_good_file_is_not_refused(database: Path) -> None:
    report = inspect(database)

    assert not report.is_refused
    assert report.server == f"SQLite {sqlite3.sqlite_version}"
    assert (report.role, report.database, report.role_sql) == ("", "shop.db", "")
    assert codes(report, Level.OK) == {"connected", "reads", "sound", "writes-refused"}


def test_writes_are_refused_and_leave_nothing(database: Path) -> None:
    before = database.read_bytes()

    report = inspect(database)

    texts = [finding.text for finding in report.findings]
    assert "A write was tried in 8 ways and refused." in texts
    assert database.read_bytes() == before
    assert list(database.parent.iterdir()) == [database]


def test_tables_and_views_are_counted(database: Path) -> None:
    assert "The database has 2 tables and views." in [f.text for f in inspect(database).findings]


def test_wal_is_noted(tmp_path: Path) -> None:
    report = inspect(make_database(tmp_path / "wal.db", "wal"))

    assert "wal" in codes(report, Level.OK)
    assert not report.is_refused


@pytest.mark.parametrize("mode", [0o444, 0o644], ids=["read-only", "writable"])
def test_right_to_write_is_warned_of(database: Path, mode: int) -> None:
    database.chmod(mode)

    is_warned = "process-writes" in codes(inspect(database), Level.WARNING)

    assert is_warned == os.access(database, os.W_OK)


def test_file_that_anybody_writes_is_warned_of(database: Path) -> None:
    database.chmod(0o666)

    assert "anybody-writes" in codes(inspect(database), Level.WARNING)


def test_relative_path_is_warned_of(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(database.parent)

    assert "relative-path" in codes(inspect(Path("shop.db")), Level.WARNING)


def test_empty_file_has_no_table(tmp_path: Path) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()

    assert "reads-nothing" in codes(inspect(empty), Level.WARNING)


@pytest.mark.parametrize(
    "name", ["a b.db", "50%.db", "what?.db", "#1.db", "상점.db", "a&mode=rw.db"], ids=ascii
)
def test_odd_path_is_that_file(tmp_path: Path, name: str) -> None:
    report = inspect(make_database(tmp_path / name))

    assert not report.is_refused
    assert report.database == name


def make_text(path: Path) -> None:
    path.write_text("id,name\n1,apple\n2,bread\n")


def make_encrypted(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 16)


def make_damaged(path: Path) -> None:
    make_database(path)
    with path.open("r+b") as file:
        file.seek(DAMAGED_FROM - 100)
        file.write(b"\xff" * 400)


@pytest.mark.parametrize(
    ("make", "code", "text"),
    [
        (lambda _: None, "file-missing", "never makes one"),
        (Path.mkdir, "not-a-file", "is a folder"),
        (os.mkfifo, "not-a-file", "no ordinary file"),
        (make_text, "not-sqlite", "no SQLite 3 database, or it is encrypted"),
        (make_encrypted, "not-sqlite", "no SQLite 3 database, or it is encrypted"),
        (make_damaged, "damaged", "Restore it from a backup"),
    ],
    ids=["missing", "folder", "pipe", "text", "encrypted", "damaged"],
)
def test_file_that_cannot_be_used_is_refused(
    tmp_path: Path, make: Callable[[Path], object], code: str, text: str
) -> None:
    path = tmp_path / "source.db"
    make(path)

    report = inspect(path)

    assert codes(report, Level.REFUSED) == {code}
    assert any(text in finding.text for finding in report.findings)


def test_missing_file_is_not_made(tmp_path: Path) -> None:
    inspect(tmp_path / "none.db")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["x\0y", "x" * 5_000, "/dev/null/x"], ids=["nul", "long", "below"])
def test_impossible_path_is_refused(path: str) -> None:
    report = inspect(Path(path))

    assert report.is_refused
    assert report.is_unreachable


@pytest.fixture
def writer(database: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        yield connection


def test_database_that_another_program_holds_is_refused(
    database: Path, writer: sqlite3.Connection
) -> None:
    writer.execute("BEGIN EXCLUSIVE")

    report = inspect(database)

    assert codes(report, Level.REFUSED) == {"locked"}
    assert report.is_unreachable


def test_texts_hold_no_folder(database: Path) -> None:
    assert all(str(database.parent) not in finding.text for finding in inspect(database).findings)
