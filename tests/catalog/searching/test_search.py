"""Tables are found by their words in three languages, and where a pen has slipped."""

import pytest

from catalog.models import CatalogTable
from catalog.searching.search import TableSearch, search_tables
from catalog.searching.texts import MAX_TEXT_CHARACTERS, build_search_text, refresh_search_texts
from tests.catalog.rows import column_of, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop() -> None:
    """A little catalogue in three languages."""
    make_table(
        "sales_transactions",
        {
            "store_id": {"source_comment": "店舗ID"},
            "amount": {"display_name": "売上金額", "description": "매출 금액(부가세 포함)"},
        },
        display_name="売上トランザクション",
        description="日次の売上データ。매출 트랜잭션.",
        tags=["売上", "日次"],
    )
    make_table(
        "stores", {"store_name": {"source_comment": "Name of the store"}}, display_name="店舗マスタ"
    )
    make_table("daily_sales_summary", ["total"], display_name="일별 매출 요약")
    make_table("users", {"email": {"description": "사용자 이메일 주소"}}, source_comment="사용자")
    make_table("100%_off", ["a\\b"], notes="discounts <b>only</b>")


def names(found: TableSearch) -> list[str]:
    by_id = dict(CatalogTable.objects.values_list("pk", "name"))
    return [by_id[hit.table_id] for hit in found.hits]


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("sales", ["sales_transactions", "daily_sales_summary"], id="part-of-names"),
        pytest.param("SALES_Transactions", ["sales_transactions"], id="capitals"),
        pytest.param("sales amount", ["sales_transactions"], id="every-word"),
        pytest.param("sales email", [], id="words-of-different-tables"),
        pytest.param("매출", ["daily_sales_summary", "sales_transactions"], id="korean"),
        pytest.param("사용자 이메일", ["users"], id="korean-words"),
        pytest.param("売上", ["sales_transactions"], id="japanese"),
        pytest.param("店", ["stores", "sales_transactions"], id="one-character"),
        pytest.param("店舗マスタ", ["stores"], id="display-name"),
        pytest.param("店舗ﾏｽﾀ", ["stores"], id="half-width"),
        pytest.param("ｓｔｏｒｅｓ", ["stores"], id="full-width"),
        pytest.param("(stores)", ["stores"], id="marks-around"),
        pytest.param("100%", ["100%_off"], id="percent-is-no-wildcard"),
        pytest.param("a_b", [], id="underscore-is-no-wildcard"),
        pytest.param("a\\b", ["100%_off"], id="backslash"),
        pytest.param("%%", [], id="only-marks"),
        pytest.param("<b>only</b>", ["100%_off"], id="html"),
        pytest.param("sales\0", ["sales_transactions", "daily_sales_summary"], id="nul"),
        pytest.param("  \n ", [], id="nothing"),
        pytest.param("x' OR '1'='1", [], id="sql"),
        pytest.param("zzz " * 2_500, [], id="ten-kilobytes"),
    ],
)
def test_query_finds_tables_best_first(query: str, expected: list[str]) -> None:
    assert names(search_tables(query)) == expected


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("trasactions", "sales_transactions", id="letter-missing"),
        pytest.param("store nmae", "stores", id="letters-exchanged"),
        pytest.param("dialy summery", "daily_sales_summary", id="letter-wrong"),
        pytest.param("트렌젝션", "sales_transactions", id="korean-vowels"),
        pytest.param("매츨 요약", "daily_sales_summary", id="korean-syllable"),
        pytest.param("사용자이메일", "users", id="korean-without-space"),
        pytest.param("店舗マスター", "stores", id="japanese-length-mark"),
        pytest.param("とらんざくしょん", "sales_transactions", id="hiragana"),
    ],
)
def test_slip_of_the_pen_is_forgiven(query: str, expected: str) -> None:
    found = search_tables(query)

    assert names(found)[:1] == [expected]
    assert found.corrected


@pytest.mark.usefixtures("shop")
def test_corrected_words_are_named() -> None:
    found = search_tables("sales trasactions")

    assert found.corrected == (("trasactions", ("transactions",)),)


@pytest.mark.usefixtures("shop")
def test_columns_that_hold_the_words_are_named() -> None:
    (hit, *_others) = search_tables("店舗 金額").hits

    assert hit.columns == ("store_id", "amount")


def test_name_counts_more_than_text_and_the_whole_name_most() -> None:
    make_table("audit", description="who changed orders")
    make_table("order_items")
    make_table("old_orders")
    make_table("orders")

    assert names(search_tables("orders")) == ["orders", "old_orders", "audit"]


def test_pages_of_hits_follow_each_other() -> None:
    for number in range(5):
        make_table(f"sales_{number}")

    page = search_tables("sales", offset=2, limit=2)

    assert (names(page), page.total) == (["sales_2", "sales_3"], 5)


def test_only_given_tables_are_searched_for_similar_words_too() -> None:
    make_table("invoices")
    make_table("inovices_secret", is_hidden=True)

    assert names(search_tables("inovices_secret")) == []
    assert names(search_tables("inovices")) == ["invoices"]
    assert len(search_tables("inovices", CatalogTable.objects.all()).hits) == 1


def test_texts_are_refreshed_without_touching_the_edit_time() -> None:
    table = make_table("sales", ["amount"])
    column_of(table, "amount").delete()
    CatalogTable.objects.filter(pk=table.pk).update(display_name="매출")

    assert refresh_search_texts([table.pk]) == 1
    assert refresh_search_texts([table.pk]) == 0
    assert [len(search_tables(word).hits) for word in ("매출", "amount")] == [1, 0]
    assert CatalogTable.objects.get().updated_at == table.updated_at


def test_text_is_bounded_and_keeps_what_matters_most() -> None:
    columns = {f"column_{number}": {"source_comment": "長い" * 500} for number in range(100)}
    table = make_table("sales", columns, source_comment="<b>" * 40_000, notes="regions\nonly")

    text = build_search_text(table, table.columns.all())

    assert len(text) <= MAX_TEXT_CHARACTERS
    assert text.startswith("sales\n\n\n")
    assert "column_99" in text
    assert "regions only" in text


@pytest.mark.usefixtures("shop")
def test_searching_takes_few_queries(django_assert_max_num_queries: pytest.FixtureRequest) -> None:
    with django_assert_max_num_queries(2):  # type: ignore[operator]
        search_tables("sales")
