"""A small shop on each engine, and how it is changed from outside."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

DATABASE = "contract"
TABLES = (
    "CREATE TABLE stores (id integer NOT NULL PRIMARY KEY, name varchar(50) NOT NULL)",
    """CREATE TABLE sales (id integer NOT NULL PRIMARY KEY, store_id integer, price numeric(20, 2), day date,
        note text, FOREIGN KEY (store_id) REFERENCES stores (id))""",
    "INSERT INTO stores VALUES (1, 'Seoul'), (2, '東京'), (3, 'O''Hare')",
    "INSERT INTO sales VALUES (1, 1, 12.5, '2026-01-05', 'a'), (2, 1, 7.25, '2026-02-01', NULL), (3, 2, NULL, NULL, 'c')",
)


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
