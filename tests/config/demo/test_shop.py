"""What the demo shop holds."""

from datetime import date
from decimal import Decimal

import psycopg
import pytest
from psycopg import sql
from psycopg.rows import dict_row

ROW_COUNTS = {
    "stores": 24,
    "products": 120,
    "sales_transactions": 144_654,
    "daily_sales_summary": 24_504,
    "users": 2_000,
    "orders": 8_000,
    "order_items": 17_312,
    "h_user": 7,
    "h_mcp_tool_limit": 8,
}


@pytest.mark.parametrize("table", ROW_COUNTS)
def test_every_load_gives_the_same_number_of_rows(reader: psycopg.Connection, table: str) -> None:
    count = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))

    assert reader.execute(count).fetchone() == (ROW_COUNTS[table],)


def test_there_is_no_other_table(reader: psycopg.Connection) -> None:
    tables = reader.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")

    assert {name for (name,) in tables} == set(ROW_COUNTS)


def test_transactions_begin_with_the_sample_of_the_catalogue(reader: psycopg.Connection) -> None:
    rows = reader.execute("SELECT * FROM sales_transactions LIMIT 3").fetchall()

    assert rows == [
        (1, 101, 501, Decimal("1500.00"), 3, date(2024, 1, 15)),
        (2, 102, 502, Decimal("800.00"), 1, date(2024, 1, 15)),
        (3, 101, 503, Decimal("2200.00"), 2, date(2024, 1, 16)),
    ]


def test_transactions_have_the_columns_of_the_catalogue(reader: psycopg.Connection) -> None:
    columns = reader.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
        " WHERE attrelid = 'sales_transactions'::regclass AND attnum > 0 AND attnotnull ORDER BY attnum"
    )

    assert columns.fetchall() == [
        ("id", "bigint"),
        ("store_id", "integer"),
        ("product_id", "integer"),
        ("amount", "numeric(10,2)"),
        ("quantity", "integer"),
        ("transaction_date", "date"),
    ]


def test_amounts_do_not_depend_on_the_load(reader: psycopg.Connection) -> None:
    total = reader.execute(
        "SELECT sum(amount), sum(quantity), sum(id * product_id + store_id) FROM sales_transactions"
    )

    assert total.fetchone() == (Decimal("1094086591.00"), 283_382, 5_731_386_953_603)


def test_summary_adds_up_to_the_transactions(reader: psycopg.Connection) -> None:
    sums = reader.execute(
        "SELECT sum(transaction_count), sum(total_quantity), sum(total_amount) FROM daily_sales_summary"
        " EXCEPT SELECT count(*), sum(quantity), sum(amount) FROM sales_transactions"
    )

    assert sums.fetchall() == []


def test_every_store_sells_on_every_day(reader: psycopg.Connection) -> None:
    days = reader.execute("SELECT DISTINCT count(*) FROM daily_sales_summary GROUP BY store_id")

    assert days.fetchall() == [(1_021,)]


@pytest.mark.parametrize(
    ("busy", "quiet"),
    [
        pytest.param(
            "extract(isodow FROM summary_date) = 6",
            "extract(isodow FROM summary_date) = 2",
            id="saturday",
        ),
        pytest.param(
            "extract(month FROM summary_date) = 12",
            "extract(month FROM summary_date) = 6",
            id="december",
        ),
        pytest.param(
            "extract(year FROM summary_date) = 2026",
            "extract(year FROM summary_date) = 2024",
            id="growth",
        ),
    ],
)
def test_sales_follow_the_calendar(reader: psycopg.Connection, busy: str, quiet: str) -> None:
    text = (
        f"SELECT avg(transaction_count) FILTER (WHERE {busy})"  # noqa: S608 - texts of this file
        f" > avg(transaction_count) FILTER (WHERE {quiet}) FROM daily_sales_summary"
        " WHERE extract(month FROM summary_date) IN (6, 12) OR extract(year FROM summary_date) <> 2025"
    )

    assert reader.execute(text.encode()).fetchone() == (True,)


def test_recent_users_begin_with_those_of_the_documents(reader: psycopg.Connection) -> None:
    query = "SELECT user_id, username, email FROM users WHERE created_at > '2024-01-01' LIMIT 10"

    rows = reader.execute(query).fetchall()

    assert len(rows) == 10
    assert rows[0] == (1, "john_doe", "john@example.com")
    assert rows[1] == (2, "jane_smith", "jane@example.com")


def test_some_users_are_older_than_the_documents_query(reader: psycopg.Connection) -> None:
    older = reader.execute("SELECT count(*) FROM users WHERE created_at <= '2024-01-01'")

    assert older.fetchone() == (100,)


def test_users_have_names_of_three_countries(reader: psycopg.Connection) -> None:
    names = reader.execute("SELECT full_name FROM users WHERE user_id <= 4 ORDER BY user_id")

    assert [name for (name,) in names] == ["John Doe", "Jane Smith", "홍길동", "山田 太郎"]


def test_hong_has_one_daily_limit(reader: psycopg.Connection) -> None:
    cursor = reader.cursor(row_factory=dict_row)

    cursor.execute(
        "SELECT u.user_nm, l.max_count FROM h_user u JOIN h_mcp_tool_limit l ON u.uid = l.target_id"
        " WHERE u.user_nm = %s AND l.target_type = 'USER'",
        ["hong"],
    )

    assert cursor.fetchall() == [{"user_nm": "hong", "max_count": 50}]


def test_no_order_is_older_than_its_account(reader: psycopg.Connection) -> None:
    early = reader.execute(
        "SELECT count(*) FROM orders JOIN users USING (user_id) WHERE ordered_at < created_at"
    )

    assert early.fetchone() == (0,)


def test_order_totals_are_those_of_their_lines(reader: psycopg.Connection) -> None:
    wrong = reader.execute(
        "SELECT order_id FROM orders JOIN order_items USING (order_id) GROUP BY order_id"
        " HAVING min(subtotal) <> sum(line_total) OR min(item_count) <> count(*)"
    )

    assert wrong.fetchall() == []


def test_orders_have_every_status(reader: psycopg.Connection) -> None:
    statuses = reader.execute("SELECT DISTINCT status FROM orders ORDER BY status")

    assert [status for (status,) in statuses] == [
        "pending",
        "paid",
        "shipped",
        "delivered",
        "cancelled",
        "refunded",
    ]


def test_several_tables_have_an_email_column(reader: psycopg.Connection) -> None:
    columns = reader.execute(
        "SELECT table_name || '.' || column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND column_name LIKE '%email%'"
    )

    assert {name for (name,) in columns} == {
        "users.email",
        "users.contact_email",
        "orders.contact_email",
        "stores.contact_email",
        "h_user.email",
    }


def test_every_table_and_column_has_a_comment_in_three_languages(
    reader: psycopg.Connection,
) -> None:
    # The Japanese part is not asked for kana: '店舗ID' and many more have none.
    bare = reader.execute(
        "SELECT attrelid::regclass, attname, description FROM pg_attribute"
        " JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r'"
        " AND relnamespace = 'public'::regnamespace"
        " LEFT JOIN pg_description ON objoid = attrelid AND objsubid = greatest(attnum, 0)"
        " WHERE (attnum > 0 OR attname = 'ctid') AND NOT attisdropped"
        " AND (description IS NULL OR description !~ '[가-힣]' OR description !~ '[a-z]{2}'"
        "      OR description !~ '[ぁ-んァ-ヶ一-龠]')"
    )

    assert bare.fetchall() == []


def test_table_comment_has_the_words_and_the_name_of_the_catalogue(
    reader: psycopg.Connection,
) -> None:
    (comment,) = reader.execute("SELECT obj_description('sales_transactions'::regclass)").fetchall()

    lines = comment[0].splitlines()
    assert lines[0] == (
        "日次の売上データ。店舗別、商品別の売上金額と数量を記録。毎日午前2時にバッチ処理で更新される。"
    )
    assert lines[-1].split(" / ")[0] == "売上トランザクション"


def test_every_table_has_a_primary_key(reader: psycopg.Connection) -> None:
    keyed = reader.execute(
        "SELECT conrelid::regclass::text FROM pg_constraint"
        " WHERE contype = 'p' AND connamespace = 'public'::regnamespace"
    )

    assert {name for (name,) in keyed} == set(ROW_COUNTS)


def test_foreign_keys_lead_to_stores_products_users_and_orders(reader: psycopg.Connection) -> None:
    keys = reader.execute(
        "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint"
        " WHERE contype = 'f' AND connamespace = 'public'::regnamespace"
    )

    assert set(keys) == {
        ("sales_transactions", "stores"),
        ("sales_transactions", "products"),
        ("daily_sales_summary", "stores"),
        ("orders", "users"),
        ("order_items", "orders"),
        ("order_items", "products"),
    }


def test_planner_has_statistics_of_every_table(reader: psycopg.Connection) -> None:
    known = reader.execute("SELECT DISTINCT tablename FROM pg_stats WHERE schemaname = 'public'")

    assert {name for (name,) in known} == set(ROW_COUNTS)


def test_helper_function_of_the_load_is_gone(reader: psycopg.Connection) -> None:
    assert reader.execute("SELECT to_regproc('public.demo_noise')").fetchone() == (None,)


@pytest.mark.parametrize("table", ROW_COUNTS)
def test_reader_cannot_write(reader: psycopg.Connection, table: str) -> None:
    reader.execute("SET default_transaction_read_only = off")
    reader.commit()

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
