"""Who mistypes a table's name is told which one it may have been."""

import pytest

from core.catalogue.near_names import find_near

NAMES = ["sales_transactions", "stores", "products", "users", "orders", "daily_sales_summary"]
SHOWN = {
    "sales_transactions": "売上トランザクション",
    "stores": "매장 마스터",
    "products": "商品マスタ",
}


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        pytest.param("sale_transactions", "sales_transactions", id="letter left out"),
        pytest.param("usres", "users", id="letters swapped"),
        pytest.param("SalesTransactions", "sales_transactions", id="capitals"),
        pytest.param("ｓｔｏｒｅｓ", "stores", id="full width"),
        pytest.param("public.sales_transaction", "sales_transactions", id="schema"),
        pytest.param("main_db.public.store", "stores", id="data source and schema"),
        pytest.param('"products"', "products", id="quotes"),
        pytest.param("transactions_sales", "sales_transactions", id="other order"),
        pytest.param("daily_sales", "daily_sales_summary", id="beginning"),
        pytest.param("売上トランサクション", "sales_transactions", id="Japanese"),
        pytest.param("매쟝마스터", "stores", id="Korean"),
        pytest.param("商品", "products", id="word of two characters"),
    ],
)
def test_near_name_is_found(asked: str, meant: str) -> None:
    assert find_near(asked, NAMES, display_names=SHOWN)[0] == meant


@pytest.mark.parametrize("asked", ["", "_", "\0", "x", "zzzzzzzz", "売", "\ud800"])
def test_nothing_like_it_gives_nothing(asked: str) -> None:
    assert find_near(asked, NAMES, display_names=SHOWN) == []


def test_name_among_thousands_is_found() -> None:
    many = [f"user_event_{number:04}" for number in range(5_000)]

    assert find_near("usres", [*many, "users"])[0] == "users"


def test_at_most_the_limit_best_first_and_none_twice() -> None:
    names = ["order_items", "orders", "order"]

    near = find_near("order", names, 2, display_names={"order": "order", "orders": "orders"})

    assert near == ["order", "orders"]


def test_schema_of_a_known_name_does_not_matter() -> None:
    assert find_near("stroes", ["warehouse_of_things.stores"]) == ["warehouse_of_things.stores"]


def test_no_known_names() -> None:
    assert find_near("users", []) == []


def test_name_of_any_length_is_compared() -> None:
    assert find_near("users" * 100_000, [*NAMES, "x" * 100_000]) == ["users"]
