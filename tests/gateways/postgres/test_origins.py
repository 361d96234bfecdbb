"""Which columns of tables the columns of an answer show."""

from collections.abc import Iterator

import psycopg
import pytest

from core.errors import StatementError
from core.statement import compile_statement
from core.toolspec import ParameterType
from gateways.postgres.describe import ColumnOrigin
from gateways.postgres.source import PostgresSource

ID, NAME = ColumnOrigin("public", "item", "id"), ColumnOrigin("public", "item", "name")


@pytest.fixture(autouse=True)
def view(observer: "psycopg.Connection[tuple[object, ...]]") -> Iterator[None]:
    observer.execute("CREATE VIEW titles AS SELECT id, upper(name) AS title FROM item")
    yield
    observer.execute("DROP VIEW titles")


@pytest.mark.parametrize(
    ("sql", "origins"),
    [
        ("SELECT name, id AS number FROM item", (NAME, ID)),
        ("SELECT a.id, b.name FROM item AS a JOIN item AS b USING (id)", (ID, NAME)),
        ("SELECT id + 1, count(*) OVER (), 5 FROM item", (None, None, None)),
        ("WITH i AS (SELECT name FROM item) SELECT s.name FROM (SELECT * FROM i) AS s", (NAME,)),
        (
            "SELECT title, id FROM titles",
            (ColumnOrigin("public", "titles", "title"), ColumnOrigin("public", "titles", "id")),
        ),
        ("SELECT item FROM item", (None,)),
        ("SELECT ctid FROM item", (ColumnOrigin("public", "item", "ctid"),)),
        ("SELECT id FROM item UNION SELECT id FROM item", (None,)),
    ],
    ids=["plain", "join", "computed", "subquery", "view", "row", "system", "union"],
)
async def test_origins_are_told_column_by_column(
    source: PostgresSource, sql: str, origins: tuple[ColumnOrigin | None, ...]
) -> None:
    assert await source.describe_origins(compile_statement(sql), ()) == origins


async def test_parameters_do_not_hide_origins(source: PostgresSource) -> None:
    statement = compile_statement("SELECT id FROM item WHERE name = :name")

    assert await source.describe_origins(statement, (ParameterType.STRING,)) == (ID,)


async def test_statement_that_cannot_be_prepared_is_refused(source: PostgresSource) -> None:
    with pytest.raises(StatementError, match='column "nosuch" does not exist'):
        await source.describe_origins(compile_statement("SELECT nosuch FROM item"), ())
