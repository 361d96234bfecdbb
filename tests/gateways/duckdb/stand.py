"""The shop of the engines' contract in a database file, and in a folder of Parquet files."""

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb

from gateways.duckdb.settings import DuckdbSettings, FilesSettings
from tests.gateways.engine_contract.stands import TABLES, Stand

_ENDLESS = "SELECT count(*) FROM range(10000000) a(n), range(10000000) b(n) WHERE a.n * b.n = -1"
_ROWS = "(SELECT n FROM range(1, 5001) AS g(n)) t"


def make_stand(name: str, folder: Path, _request: object) -> Stand:
    """That of the engine of this name."""
    return stand_on_files(folder) if name == "files" else stand_on_duckdb(folder)


def stand_on_duckdb(folder: Path) -> Stand:
    """A database file of its own, which is replaced: nobody writes beside readers."""
    path, written = folder / "contract.duckdb", folder / "written.duckdb"

    def write(sql: str) -> None:
        with duckdb.connect(str(written)) as connection:
            connection.execute(sql)
        shutil.copyfile(written, folder / "copy.duckdb")
        (folder / "copy.duckdb").replace(path)

    for sql in (
        *TABLES,
        "COMMENT ON TABLE stores IS 'Shops'",
        "COMMENT ON COLUMN stores.name IS 'Town'",
    ):
        write(sql)
    settings = DuckdbSettings(path=path)
    away = replace(settings, path=folder / "none.duckdb")
    return Stand(settings, away, f"duckdb:///{path}", write, _ENDLESS, _ROWS)


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

    for sql in TABLES:
        write(sql)
    settings = FilesSettings(path=files)
    away = replace(settings, path=folder / "none")
    return Stand(settings, away, f"files:///{files}", write, _ENDLESS, _ROWS)
