"""Tables and columns that a statement uses are found in its text."""

import pytest

from core.catalogue.entries import TableName
from core.statements.names import find_used_names
from core.statements.uses import KnownTable, TableNames, Uses, find_uses
from core.toolspec import Dialect

USERS = TableName("public", "users")
ORDERS = TableName("public", "orders")
SALES = TableName("sales", "orders")
ODD = TableName("public", 'Odd "name"')
KNOWN = {
    USERS: KnownTable(["id", "email", "name", "time"], gone_columns=["mail"]),
    ORDERS: KnownTable(["id", "user_id", "amount", "year"]),
    SALES: KnownTable(["id", "total"]),
    ODD: KnownTable(["Amount", "amount"]),
}
EVERY_COLUMN = {"id", "email", "name", "time"}


def uses_of(statement: str) -> Uses:
    return find_uses(find_used_names(statement), TableNames(KNOWN))


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        pytest.param("SELECT email FROM users", {USERS: {"email"}}, id="one table"),
        pytest.param("SELECT count(*) FROM users", {USERS: set()}, id="rows alone"),
        pytest.param("SELECT * FROM users", {USERS: EVERY_COLUMN}, id="star"),
        pytest.param("TABLE users", {USERS: EVERY_COLUMN}, id="TABLE"),
        pytest.param("SELECT 2 * id FROM users", {USERS: {"id"}}, id="product is no star"),
        pytest.param(
            "SELECT u.email, o.amount FROM users u JOIN orders AS o ON o.user_id = u.id",
            {USERS: {"email", "id"}, ORDERS: {"amount", "user_id"}},
            id="aliases",
        ),
        pytest.param(
            "SELECT o.* FROM users u, orders o",
            {USERS: set(), ORDERS: {"id", "user_id", "amount", "year"}},
            id="star of one",
        ),
        pytest.param(
            "SELECT id FROM users, orders", {USERS: {"id"}, ORDERS: {"id"}}, id="column of both"
        ),
        pytest.param("SELECT total FROM sales.orders", {SALES: {"total"}}, id="schema"),
        pytest.param(
            "SELECT public.users.email FROM public.users", {USERS: {"email"}}, id="whole name"
        ),
        pytest.param("SELECT EMAIL FROM Users", {USERS: {"email"}}, id="folded"),
        pytest.param(
            'SELECT o."Amount" FROM "Odd ""name""" o', {ODD: {"Amount"}}, id="quoted names"
        ),
        pytest.param('SELECT 1 FROM "Users"', {}, id="quoted names are exact"),
        pytest.param(
            "SELECT id FROM users [[ WHERE email = :email ]]",
            {USERS: {"id", "email"}},
            id="optional clause",
        ),
        pytest.param(
            "SELECT id -- email FROM orders\n /* orders.amount */ FROM users WHERE name = 'orders'",
            {USERS: {"id", "name"}},
            id="comments and texts",
        ),
        pytest.param(
            "WITH users AS (SELECT email FROM users) SELECT email, name FROM users",
            {USERS: {"email"}},
            id="WITH that hides its table",
        ),
        pytest.param(
            "WITH RECURSIVE orders(id) AS (SELECT 1 UNION SELECT id + 1 FROM orders)"
            " SELECT id FROM orders",
            {},
            id="WITH RECURSIVE",
        ),
        pytest.param(
            "WITH a AS MATERIALIZED (SELECT id FROM users), b AS (SELECT amount FROM orders)"
            " SELECT * FROM a, b",
            {USERS: {"id"}, ORDERS: {"amount"}},
            id="two in WITH",
        ),
        pytest.param(
            "SELECT name FROM (SELECT id AS name FROM users) AS t",
            {USERS: {"id"}},
            id="column of a subquery",
        ),
        pytest.param(
            "SELECT id FROM users u WHERE EXISTS (SELECT 1 FROM orders WHERE user_id = u.id AND"
            " email <> '')",
            {USERS: {"id", "email"}, ORDERS: {"user_id"}},
            id="inner query sees the outer",
        ),
        pytest.param(
            "SELECT u.id FROM users u UNION SELECT u.amount FROM orders u",
            {USERS: {"id"}, ORDERS: {"amount"}},
            id="alias means another table in another query",
        ),
        pytest.param(
            "SELECT sum(amount) OVER (PARTITION BY user_id ORDER BY orders.id) FROM orders",
            {ORDERS: {"amount", "user_id", "id"}},
            id="window",
        ),
        pytest.param(
            "SELECT name FROM (users JOIN orders USING (id))",
            {USERS: {"id", "name"}, ORDERS: {"id"}},
            id="joined in brackets",
        ),
        pytest.param(
            "SELECT id FROM generate_series(1, 3) AS g(id), LATERAL (SELECT amount FROM orders) x",
            {ORDERS: {"amount"}},
            id="functions are not tables",
        ),
        pytest.param(
            "SELECT extract(year FROM now()), amount::time, date '2026-01-01', count(id) year"
            " FROM orders",
            {ORDERS: {"amount", "id"}},
            id="fields, types and labels are not columns",
        ),
        pytest.param(
            "SELECT id FROM users WHERE time AT TIME ZONE name > now() AND email IS DISTINCT FROM name",
            {USERS: {"id", "time", "name", "email"}},
            id="operators of words",
        ),
        pytest.param("SELECT row_to_json(u) FROM users u", {USERS: EVERY_COLUMN}, id="whole row"),
        pytest.param("SELECT a FROM users AS u(a, b)", {USERS: EVERY_COLUMN}, id="renamed"),
        pytest.param("SELECT u.mail FROM users u", {USERS: {"mail"}}, id="gone column"),
        pytest.param("SELECT relname FROM pg_catalog.pg_class", {}, id="unknown table"),
        pytest.param(
            "(SELECT id FROM users) UNION (SELECT amount FROM orders)",
            {USERS: {"id"}, ORDERS: {"amount"}},
            id="queries in brackets",
        ),
        pytest.param(
            "SELECT id FROM users WHERE id = ANY(ARRAY[[1, :a], [:b, 2]])",
            {USERS: {"id"}},
            id="arrays",
        ),
    ],
)
def test_statement_uses(statement: str, expected: dict[TableName, set[str]]) -> None:
    assert uses_of(statement).columns == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        pytest.param("SELECT u.nope FROM users u", {USERS: {"nope"}}, id="of a table"),
        pytest.param("SELECT u.ctid FROM users u", {}, id="the system's"),
        pytest.param("SELECT nope FROM users", {}, id="without its table"),
        pytest.param("SELECT t.nope FROM (SELECT 1 AS nope) t, users", {}, id="of a subquery"),
    ],
)
def test_column_that_a_table_never_had_is_told(
    statement: str, expected: dict[TableName, set[str]]
) -> None:
    assert uses_of(statement).unknown == expected


def test_table_without_schema_is_looked_up_along_the_search_path() -> None:
    tables = TableNames(KNOWN, search_path=["x", "sales"])

    found = find_uses(find_used_names("SELECT id FROM orders"), tables)

    assert found.columns == {SALES: {"id"}}


def test_gone_table_gives_way_to_one_that_is_there() -> None:
    known = KNOWN | {ORDERS: KnownTable(["id"], is_gone=True)}
    tables = TableNames(known, search_path=["public", "sales"])

    found = find_uses(find_used_names("SELECT id FROM orders"), tables)

    assert found.columns == {SALES: {"id"}}


@pytest.mark.parametrize(
    "statement",
    ["SELECT Email FROM USERS", 'SELECT "EMAIL" FROM `Users`', "SELECT [email] FROM main.[users]"],
    ids=["plain", "quoted", "with the file's name"],
)
def test_names_of_sqlite_mean_the_same_in_any_case(statement: str) -> None:
    table = TableName("", "Users")
    tables = TableNames({table: KnownTable(["eMail"])}, Dialect.SQLITE)

    found = find_uses(find_used_names(statement, Dialect.SQLITE), tables)

    assert found.columns == {table: {"eMail"}}


def test_broken_text_gives_what_stands_well_before_the_fault() -> None:
    assert uses_of("SELECT id FROM (users) WHERE 'never closed").columns == {USERS: {"id"}}


@pytest.mark.parametrize(
    "text",
    ["(" * 50_000, "SELECT " + "a." * 30_000, "WITH x AS (" * 8_000, "FROM " * 20_000, ")" * 9, ""],
    ids=["brackets", "dots", "WITH", "FROM", "closed too often", "empty"],
)
def test_nonsense_has_no_tables(text: str) -> None:
    assert uses_of(text).columns == {}
