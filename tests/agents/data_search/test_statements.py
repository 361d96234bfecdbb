"""What a statement reads: tables, masked columns, conditions."""

import pytest

from agents.data_search.statements import find_forgotten, find_masked, find_tables, writes

MASKED = {"public.users": ("email", "full_name")}


@pytest.mark.parametrize(
    ("statement", "tables"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM public.orders o WHERE x = 'from users'", ["public.orders"]),
        ("SELECT a FROM orders, users u JOIN stores AS s ON true", ["orders", "users", "stores"]),
        ('SELECT a FROM (SELECT b FROM "Users") t -- from x', ["users"]),
        ("SELECT extract(year FROM o.at) FROM orders o LEFT OUTER JOIN LATERAL items i ON true",
         ["o.at", "orders", "items"]),
        ("SELECT a FROM (users JOIN (orders o) USING (user_id))", ["users", "orders"]),
        ("SELECT a FROM (VALUES (1, 2)) v, (WITH x AS (TABLE public.users) SELECT 1) w",
         ["public.users"]),
        (r"""SELECT a FROM U&"us\0065rs", U&"ord!0065rs" UESCAPE '!' """, ["users", "orders"]),
    ],
)  # fmt: skip
def test_tables_of_a_statement(statement: str, tables: list[str]) -> None:
    assert find_tables(statement) == tables


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT email FROM users",
        "SELECT u.email FROM public.users u",
        'SELECT "email" FROM public.users',
        "SELECT * FROM users",
        "SELECT count(*), u.* FROM users u GROUP BY 1",
        "SELECT u FROM users u",
        "SELECT to_json(u) FROM public.users AS u",
        "SELECT a, users FROM users",
        "SELECT country FROM users WHERE email LIKE 'a%'",
        "SELECT max(full_name) FROM users",
        "WITH v AS (SELECT lower(email) AS e FROM users) SELECT e FROM v",
        "SELECT x FROM (SELECT public.users.email AS x FROM public.users) t",
        "TABLE users",
        "WITH u AS (TABLE users) SELECT a FROM u",
        r"SELECT E'a\'', email, 'x' FROM users",
        r'SELECT U&"em\0061il" FROM users',
        """SELECT U&"em!+000061il" UESCAPE '!' FROM users""",
        "SELECT /* a /* b */ ' */ email, 'x' FROM users",
        "SELECT $a$ $A$ x $a$, email, $a$ $a$ FROM users",
        "SELECT b FROM users AS u (a, b, c)",
        "SELECT b FROM (users CROSS JOIN orders) AS u (a, b, c)",
        "SELECT b FROM orders o, ((orders x JOIN users USING (user_id)) JOIN orders p ON true) u (a, b)",
    ],
)
def test_masked_column_is_seen(statement: str) -> None:
    assert find_masked(statement, MASKED)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(email) FROM users",
        "SELECT v.a FROM (VALUES ('KR', 1)) AS v (a, b) JOIN users USING (country)",
        "SELECT b FROM (SELECT country, count(*) FROM users GROUP BY 1) AS u (a, b)",
        "SELECT country FROM (orders JOIN users USING (user_id)) JOIN orders p ON (true)",
        "SELECT t.a FROM users, unnest(ARRAY[1]) AS t (a)",
        "SELECT count(DISTINCT u.email) FROM users u WHERE u.email IS NOT NULL",
        "SELECT country, count(*) FROM public.users GROUP BY country",
        "SELECT u.country FROM users u JOIN orders o ON o.user_id = u.user_id",
        "SELECT o.email FROM orders o JOIN users u ON u.user_id = o.user_id",
        "SELECT 'email' AS kind FROM users",
        "SELECT price * quantity FROM users",
    ],
)
def test_statement_without_masked_values_passes(statement: str) -> None:
    assert find_masked(statement, MASKED) == []


@pytest.mark.parametrize(
    ("statement", "is_writing"),
    [
        ("SELECT 1", False),
        ("(SELECT 1) UNION SELECT 2", False),
        ("WITH a AS (SELECT 1) SELECT * FROM a", False),
        ("SELECT u.update, 'delete from x' FROM u", False),
        ("DELETE FROM users", True),
        ("WITH gone AS (DELETE FROM users RETURNING 1) SELECT * FROM gone", True),
        ("SELECT * INTO copy_of_users FROM users", True),
        ("DROP TABLE users", True),
        ("", True),
    ],
)
def test_statement_that_writes(statement: str, is_writing: bool) -> None:
    assert writes(statement) is is_writing


def test_condition_that_the_statement_forgot() -> None:
    statement = "SELECT sum(amount) FROM sales WHERE store_id = 1 -- transaction_date"

    assert find_forgotten(statement, ["store_id", "transaction_date"]) == ["transaction_date"]
