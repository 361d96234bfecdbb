"""What is found in the text of a statement is what PostgreSQL itself finds in it."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from config.services.postgres import EmbeddedPostgres
from core.catalogue.entries import TableName
from core.statements.names import find_used_names
from core.statements.uses import KnownTable, TableNames, find_uses

TABLES = {
    "customer": "id integer, name text, email text, region text, year integer",
    "purchase": "id integer, customer_id integer, amount numeric, placed_at timestamptz, tags text[]",
    "line": "purchase_id integer, product text, price numeric, quantity integer",
}
# A view's rule depends on every column that its query names.
DEPENDENCIES = """
SELECT c.relname, a.attname FROM pg_depend d
JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
JOIN pg_class c ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid AND a.attnum > 0
WHERE r.ev_class = 'probed'::regclass AND c.relname <> 'probed'
"""
STATEMENTS = {
    "CASE": "SELECT CASE WHEN year > 5 THEN name ELSE email END region FROM customer",
    "aggregate filter": "SELECT count(*) FILTER (WHERE amount > 5) AS name FROM purchase",
    "window": "SELECT rank() OVER w AS r FROM purchase WINDOW w AS (PARTITION BY customer_id ORDER BY"
    " placed_at DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "ordered set": "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) FROM purchase",
    "grouping sets": "SELECT region, year, count(id) FROM customer GROUP BY GROUPING SETS"
    " ((region), (year), ())",
    "lateral": "SELECT c.name, x.total FROM customer c CROSS JOIN LATERAL (SELECT sum(amount) AS total"
    " FROM purchase p WHERE p.customer_id = c.id) AS x",
    "left joins": "SELECT c.region, l.product FROM customer c LEFT JOIN purchase p ON c.id ="
    " p.customer_id LEFT OUTER JOIN line l ON l.purchase_id = p.id WHERE l.price IS NOT NULL",
    "using": "SELECT a.name FROM customer a JOIN customer b USING (id, region)",
    "in": "SELECT name FROM customer WHERE (id, year) IN (SELECT customer_id, 5 FROM purchase)",
    "not exists": "SELECT name FROM customer c WHERE NOT EXISTS (SELECT FROM purchase WHERE"
    " customer_id = c.id AND amount BETWEEN 1 AND c.year)",
    "array": "SELECT tags[1] AS a, tags[1:2] AS b, 'a' = ANY(tags), ARRAY[amount, 1] FROM purchase",
    "unnest": "SELECT tag, n FROM purchase, unnest(tags) WITH ORDINALITY AS u(tag, n)",
    "casts": "SELECT amount::text, CAST(id AS text), placed_at::timestamp with time zone, (tags)::text"
    " FROM purchase",
    "time zone": "SELECT placed_at AT TIME ZONE 'Asia/Seoul' AS amount FROM purchase",
    "extract": "SELECT extract(year FROM placed_at), substring(tags[1] FROM 1 FOR 2) FROM purchase",
    "trim": "SELECT trim(both region FROM name) || position(email IN name) FROM customer",
    "like": "SELECT id FROM customer WHERE name ILIKE '%' || region ESCAPE '!' AND email COLLATE \"C\""
    " > name",
    "with": "WITH line AS (SELECT * FROM line WHERE price > 0), t(a, b) AS (SELECT product,"
    " sum(quantity) FROM line GROUP BY 1) SELECT a, b FROM t ORDER BY b",
    "recursive": "WITH RECURSIVE t AS (SELECT id, 1 AS year FROM customer UNION ALL SELECT p.id, year +"
    " 1 FROM t JOIN purchase p ON p.customer_id = t.id) SELECT id FROM t",
    "with inside": "SELECT name FROM customer WHERE id IN (WITH q AS (SELECT customer_id FROM purchase)"
    " SELECT customer_id FROM q)",
    "three sets": "(SELECT name FROM customer ORDER BY id LIMIT 5) UNION ALL SELECT product FROM line"
    " EXCEPT (SELECT tags[1] FROM purchase)",
    "nested": "SELECT name FROM (SELECT c.* FROM (customer c JOIN purchase p ON p.customer_id = c.id))"
    " AS s WHERE s.region = 'KR'",
    "distinct on": "SELECT DISTINCT ON (customer_id) customer_id, amount FROM purchase ORDER BY"
    " customer_id, placed_at DESC FETCH FIRST 3 ROWS ONLY",
    "same label": "SELECT lower(name) AS email, count(*) total FROM customer GROUP BY 1 HAVING count(*) >"
    " 1",
    "clauses of sets": "SELECT id FROM customer WHERE year = 1 INTERSECT SELECT id FROM purchase p JOIN"
    " LATERAL (SELECT l.quantity FROM line l WHERE l.purchase_id = p.id) AS customer ON true",
    "outer in join": "SELECT (SELECT max(price) FROM line WHERE purchase_id = p.id) FROM purchase p JOIN"
    " customer ON p.customer_id = customer.id AND EXISTS (SELECT 1 FROM line WHERE product = name)",
    "table": "WITH t AS (TABLE line) SELECT price FROM t",
    "values": "SELECT v.name, c.email FROM (VALUES ('a'), ('b')) AS v(name) JOIN customer c ON c.name ="
    " v.name",
    "qualified": 'SELECT public.customer.name, "customer"."email" FROM public . customer',
    "no blanks": "SELECT(name)FROM customer WHERE(id)IN(SELECT(customer_id)FROM purchase)",
    "sample": "SELECT p.amount FROM ONLY purchase AS p TABLESAMPLE system (5) WHERE p.id > 0",
    "dates": "SELECT date '2026-01-01', interval '1 day' * year FROM customer WHERE year IS DISTINCT"
    " FROM id",
    "named argument": "SELECT make_interval(days => quantity) FROM line",
    "comments": "SELECT name -- , email\nFROM customer /* JOIN line /* nested */ ON true */ WHERE"
    " $$FROM purchase$$ <> E'\\'FROM line'",
}


@pytest.fixture(scope="module")
def probe(embedded_postgres: EmbeddedPostgres) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(embedded_postgres.dsn("demo", "demo_owner")) as connection:
        for name, columns in TABLES.items():
            connection.execute(f"CREATE TABLE public.{name} ({columns})".encode())
        yield connection
        connection.rollback()


def ask(connection: psycopg.Connection[Any], statement: str) -> dict[str, set[str]]:
    with connection.transaction(force_rollback=True):
        connection.execute(f"CREATE VIEW probed AS {statement}".encode())
        rows = connection.execute(DEPENDENCIES).fetchall()
    found: dict[str, set[str]] = {table: set() for table, _ in rows}
    for table, column in rows:
        found[table] |= {column} if column else set()
    return found


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS.keys())
def test_text_tells_what_postgresql_tells(probe: psycopg.Connection[Any], statement: str) -> None:
    names = {
        name: [column.split()[0] for column in columns.split(", ")]
        for name, columns in TABLES.items()
    }
    known = {TableName("public", name): KnownTable(columns) for name, columns in names.items()}

    found = find_uses(find_used_names(statement), TableNames(known))

    told = {table.name: columns for table, columns in found.columns.items()}
    assert told == ask(probe, statement)
