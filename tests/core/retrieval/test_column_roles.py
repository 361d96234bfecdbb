"""Columns are found by what they are for: questions name things, measures, times and numbers."""

import pytest

from core.retrieval.column_roles import Role, find_roles
from core.retrieval.column_texts import ColumnDocument, ColumnTable
from core.retrieval.columns import ColumnRanker
from core.retrieval.glossary import Glossary
from core.retrieval.glossary_terms import CONCEPTS

ORDERS = ColumnTable("orders", "受注", "ECと店舗の受注ヘッダー。")
STORES = ColumnTable("stores", "매장", "")
PRODUCTS = ColumnTable("products", "Products", "")
COLUMNS = (
    ColumnDocument(table=ORDERS, name="order_no", description="注文番号", is_key=True),
    ColumnDocument(table=ORDERS, name="total_amount", description="税込合計"),
    ColumnDocument(table=ORDERS, name="ordered_at", description="受けた時"),
    ColumnDocument(table=ORDERS, name="memo", description="自由記入"),
    ColumnDocument(table=STORES, name="store_id", description="매장 코드", is_key=True),
    ColumnDocument(table=STORES, name="store_nm", description="매장 간판"),
    ColumnDocument(table=STORES, name="area_sqm", description="매장 면적"),
    ColumnDocument(table=PRODUCTS, name="launched_on", description="first day on sale"),
    ColumnDocument(table=PRODUCTS, name="price", description="without tax"),
)


@pytest.mark.parametrize(
    ("name", "description", "roles"),
    [
        ("store_nm", "", ["name"]),
        ("ordered_at", "", ["date"]),
        ("disc_amt", "행 할인액", ["money"]),
        ("rcv", "입고 수량", ["quantity"]),
        ("d", "注文日時(UTC)", ["date"]),
        ("kigaku", "税込合計金額", ["money"]),
        ("note", "free text", []),
    ],
)
def test_role_is_read_from_name_and_description(
    name: str, description: str, roles: list[Role]
) -> None:
    assert find_roles(name, description, is_key=False) == roles
    assert find_roles(name, description, is_key=True) == [*roles, "key"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        pytest.param("revenue this year", {"orders.total_amount", "orders.ordered_at"}, id="measure and time"),
        pytest.param("올해 매출", {"orders.total_amount", "orders.ordered_at"}, id="ko"),
        pytest.param("今年の売上", {"orders.total_amount", "orders.ordered_at"}, id="ja"),
        pytest.param("how many orders are there", {"orders.order_no"}, id="a number is counted by key"),
        pytest.param("which store", {"stores.store_nm"}, id="a thing is called by name"),
        pytest.param("店舗はどこ", {"stores.store_nm"}, id="in another language than its table"),
    ],
)  # fmt: skip
def test_question_finds_the_columns_that_it_does_not_name(question: str, first: set[str]) -> None:
    found = ColumnRanker(COLUMNS, Glossary(CONCEPTS)).rank(question)

    assert {each.document.path for each in found.columns[: len(first)]} == first


def test_what_was_earned_is_in_a_table_with_amounts_and_dates() -> None:
    charges, articles = ColumnTable("charges", "진료비"), ColumnTable("articles", "약품")
    columns = (
        ColumnDocument(table=charges, name="total_amt", description="총액"),
        ColumnDocument(table=charges, name="charged_on", description="청구일"),
        ColumnDocument(table=articles, name="unit_price", description="단가"),
        ColumnDocument(table=articles, name="note"),
    )

    found = ColumnRanker(columns, Glossary(CONCEPTS)).rank("revenue")

    assert found.columns[0].document.path == "charges.total_amt"
