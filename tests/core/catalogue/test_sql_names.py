"""Names are quoted where a database would not take them as they are."""

import sqlite3

import psycopg
import pytest

from config.services.postgres import EmbeddedPostgres
from core.catalogue.entries import TableName
from core.catalogue.sql_names import quote_name, quote_table

# Those that PostgreSQL does not know.
SQLITE_WORDS = """
    abort autoincrement conflict detach fail glob indexed pragma plan query raise regexp rename
    replace savepoint temp vacuum virtual
""".split()  # noqa: SIM905 - reads better than a list


@pytest.mark.parametrize(
    ("table", "quoted"),
    [
        pytest.param(TableName("public", "sales_2024"), "public.sales_2024", id="plain"),
        pytest.param(TableName("", "sales"), "sales", id="no schema"),
        pytest.param(TableName("Sales", "Order"), '"Sales"."Order"', id="capitals"),
        pytest.param(TableName("a.b", 'say "hi"'), '"a.b"."say ""hi"""', id="dots and quotes"),
        pytest.param(TableName("public", "order"), 'public."order"', id="reserved word"),
        pytest.param(TableName("public", "1st"), 'public."1st"', id="begins with a digit"),
        pytest.param(TableName("매출", "sales\n"), '"매출"."sales\n"', id="other characters"),
    ],
)
def test_table_as_sql_names_it(table: TableName, quoted: str) -> None:
    assert quote_table(table) == quoted


def test_every_word_that_postgresql_reserves_is_quoted(embedded_postgres: EmbeddedPostgres) -> None:
    with psycopg.connect(embedded_postgres.dsn()) as connection:
        rows = connection.execute("SELECT word, catcode FROM pg_get_keywords()").fetchall()

    reserved = [word for word, kind in rows if kind in {"R", "T"}]
    assert len(reserved) > 90
    assert [word for word in reserved if quote_name(word) == word] == []


def test_every_word_that_either_knows_names_a_table_in_sqlite(
    embedded_postgres: EmbeddedPostgres,
) -> None:
    with psycopg.connect(embedded_postgres.dsn()) as connection:
        rows = connection.execute("SELECT word FROM pg_get_keywords()").fetchall()
    words = [row[0] for row in rows] + SQLITE_WORDS

    with sqlite3.connect(":memory:") as database:
        for word in dict.fromkeys(words):
            database.execute(f'CREATE TABLE "{word}" (x)')
            database.execute(f"SELECT * FROM {quote_name(word)}")  # noqa: S608 - keywords
    database.close()
