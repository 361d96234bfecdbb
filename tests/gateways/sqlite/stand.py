"""The shop of the engines' contract in a file."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from gateways.sqlite.settings import SqliteSettings
from tests.gateways.engine_contract.stands import TABLES, Stand

_ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r"


def make_stand(_name: str, folder: Path, _request: object) -> Stand:
    """A file of its own."""
    path = folder / "contract.sqlite"

    def write(sql: str) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute(sql)

    for sql in TABLES:
        write(sql)
    settings = SqliteSettings(path=path)
    rows = "(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5000) SELECT n FROM r) t"
    away = replace(settings, path=folder / "none.sqlite")
    return Stand(settings, away, f"sqlite:///{path}", write, _ENDLESS, rows)
