"""What is asked for, and what the right answer is, whichever shape a server gives it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from benchmarks.tools import ROW_SQL, THOUSAND_SQL

Rows = list[list[Any]]


@dataclass(frozen=True)
class Question:
    """The arguments of a call and the rows that it must give."""

    arguments: Mapping[str, Any]
    rows: Rows


@dataclass(frozen=True)
class Case:
    """One kind of call; `word` names it on the command line, large answers have a smaller share."""

    word: str
    name: str
    tool: str
    questions: Sequence[Question]
    share_of_calls: float = 1.0


def read_cases(dsn: str) -> list[Case]:
    """The cases, with the rows that the demo database itself gives."""
    products = ({"num1": number, "num2": 3} for number in range(2, 26))
    with psycopg.connect(dsn, autocommit=True) as connection:
        stores = _ask(connection, ROW_SQL, "store_id", range(101, 125))
        sales = _ask(connection, THOUSAND_SQL, "first_id", range(5_000, 9_000, 1_000))
    return [
        Case("row", "one row", "store_by_id", stores),
        Case("thousand", "1,000 rows x 5", "sales_after", sales, share_of_calls=0.25),
        Case(
            "expression",
            "expression",
            "multiply_numbers",
            [Question(given, [[float(given["num1"] * given["num2"])]]) for given in products],
        ),
    ]


def read_rows(content: Any) -> Rows:
    """Rows of a call's content: ours, a list of objects, objects under one name, or one value.

    Numbers become floats and dates their first ten characters, so that rows of any server compare.
    """
    if isinstance(content, dict) and len(content) == 1:
        content = next(iter(content.values()))
    rows = content.get("rows", content) if isinstance(content, dict) else content
    if isinstance(rows, dict) or not isinstance(rows, list):
        rows = [rows]
    return [[_cell(cell) for cell in _cells(row)] for row in rows]


def _ask(
    connection: psycopg.Connection, sql: str, name: str, values: Sequence[int]
) -> list[Question]:
    statement = sql.replace(f":{name}", "%s").encode()
    return [
        Question(
            {name: value},
            read_rows([*map(list, connection.execute(statement, [value]).fetchall())]),
        )
        for value in values
    ]


def _cells(row: Any) -> list[Any]:
    if isinstance(row, dict):
        return list(row.values())
    return row if isinstance(row, list) else [row]


def _cell(value: Any) -> Any:
    text = str(value)
    try:
        return float(text)
    except ValueError:
        return text.removesuffix("T00:00:00Z")
