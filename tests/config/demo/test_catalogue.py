"""The scanned and described shop gives the catalogue's example, and its columns are found."""

import subprocess
import sys
from typing import Any

import psycopg
import pytest

from catalog.documents.rows import read_row
from catalog.documents.stored import load_documents, load_files, search_documents_by_text
from catalog.documents.tables import refresh_all_documents
from catalog.models import CatalogTable, ReferenceDocument, TableRelation
from catalog.scans.scanning import find_or_queue_scan, run_scan
from catalog.serving.entries import read_entries
from config.demo.catalogue import load_catalogue
from config.demo.loading import DOCUMENTS_SOURCE, FOLDER
from config.services.embeddings import EmbeddedEmbeddings
from config.services.postgres import EmbeddedPostgres
from core.catalogue.connection_code import connection_info
from core.catalogue.details import details_answer
from core.catalogue.entries import RelationType
from tests.catalog.documents.conftest import Indexing, indexing

__all__ = ["indexing"]

USERS = "catalogue:main_db/public.users"


@pytest.fixture
def scanned(transactional_db: None, shop: EmbeddedPostgres, settings: Any) -> None:
    """The catalogue after a first scan of the shop; no jobs are sent."""
    settings.REDIS_URL = ""
    run_scan(find_or_queue_scan(None, ""))


def told_of(name: str) -> Any:
    entries = read_entries("", [name]).entries
    [table] = details_answer(entries, {})["tables"]
    return table


@pytest.mark.usefixtures("scanned")
def test_details_are_the_example_of_the_catalogue() -> None:
    load_catalogue()

    told = told_of("sales_transactions")

    expected = {
        "name": "sales_transactions",
        "display_name": "売上トランザクション",
        "description": "日次の売上データ。店舗別、商品別の売上金額と数量を記録。"
        "毎日午前2時にバッチ処理で更新される。",
        "datasource": "main_db",
        "schema": "public",
        "tags": ["売上", "トランザクション", "日次"],
        "notes": "分析時は transaction_date でフィルタすることを推奨。"
        "大量データのため全件取得は避けること。",
    }
    assert {key: told[key] for key in expected} == expected
    assert told["row_count"] > 100_000
    assert told["columns"][1] == {
        "name": "store_id",
        "type": "integer",
        "description": "店舗ID / store id / 매장 ID",
        "foreign_key": {"table": "stores", "column": "id"},
        "nullable": False,
    }
    assert [column["type"] for column in told["columns"]] == [
        *("bigint", "integer", "integer", "decimal(10,2)", "integer", "date")
    ]
    assert told["sample_data"]["rows"][:3] == [
        [1, 101, 501, 1500, 3, "2024-01-15"],
        [2, 102, 502, 800, 1, "2024-01-15"],
        [3, 101, 503, 2200, 2, "2024-01-16"],
    ]


@pytest.mark.usefixtures("scanned")
def test_related_tables_are_those_of_the_example() -> None:
    load_catalogue()

    related = {table["name"]: table for table in told_of("sales_transactions")["related_tables"]}

    assert related == {
        "stores": {
            "name": "stores",
            "display_name": "店舗マスタ",
            "relation_type": "foreign_key",
            "join_condition": "sales_transactions.store_id = stores.id",
            "description": "店舗情報を取得する際に結合",
        },
        "products": {
            "name": "products",
            "display_name": "商品マスタ",
            "relation_type": "foreign_key",
            "join_condition": "sales_transactions.product_id = products.id",
            "description": "商品情報を取得する際に結合",
        },
        "daily_sales_summary": {
            "name": "daily_sales_summary",
            "display_name": "日次売上サマリー",
            "relation_type": "derived",
            "description": "このテーブルを日次集計したもの。集計済みデータが必要な場合はこちらを使用",
        },
    }


@pytest.mark.usefixtures("scanned")
def test_connection_code_reads_the_shop(shop: EmbeddedPostgres) -> None:
    [entry] = read_entries("", ["sales_transactions"]).entries
    told = connection_info(entry)

    program = f"{told['connection_code']['sqlalchemy']}\n{told['connection_code']['pandas']}"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\nprint(len(df), *df.columns)"],
        env={told["environment_variable"]: shop.dsn("demo", "demo_reader")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    columns = "id store_id product_id amount quantity transaction_date"
    assert done.stdout.strip() == f"1000 {columns}", done.stderr


@pytest.mark.usefixtures("scanned")
def test_every_table_is_described_once() -> None:
    assert load_catalogue() == 9
    assert not CatalogTable.objects.filter(display_name="").exists()
    foreign_keys = TableRelation.objects.filter(relation_type=RelationType.FOREIGN_KEY)
    assert not foreign_keys.filter(description="").exists()

    TableRelation.objects.filter(relation_type=RelationType.DERIVED).delete()
    CatalogTable.objects.update(display_name="", updated_by="steward")

    assert load_catalogue() == 0
    assert not CatalogTable.objects.exclude(display_name="").exists()
    assert not TableRelation.objects.filter(relation_type=RelationType.DERIVED).exists()


@pytest.mark.usefixtures("scanned")
def test_texts_of_people_stay() -> None:
    CatalogTable.objects.filter(name="users").update(notes="mine", updated_by="steward")
    CatalogTable.objects.filter(name="orders").update(display_name="mine")

    assert load_catalogue() == 8

    users, orders = (CatalogTable.objects.get(name=name) for name in ("users", "orders"))
    assert (users.display_name, users.notes) == ("", "mine")
    assert (orders.display_name, orders.updated_by) == ("mine", "demo")
    assert orders.notes


@pytest.mark.usefixtures("scanned")
def test_another_database_is_left_alone() -> None:
    CatalogTable.objects.filter(name="h_mcp_tool_limit").delete()

    assert load_catalogue() == 0
    assert not CatalogTable.objects.exclude(display_name="").exists()


@pytest.mark.usefixtures("scanned")
def test_former_documents_of_columns_make_way(reader: psycopg.Connection) -> None:
    query = "SELECT col_description('users'::regclass, 4)"
    [comment] = reader.execute(query).fetchone() or [""]
    ours = {"table": "users", "column": "email", "description": comment}
    mine = {"table": "users", "column": "phone", "description": "as I say it"}
    load_documents(DOCUMENTS_SOURCE, [read_row(ours), read_row(mine)])

    load_catalogue()

    left = ReferenceDocument.objects.filter(source=DOCUMENTS_SOURCE)
    assert [row.key for row in left] == ["column:users.phone"]


@pytest.mark.usefixtures("scanned")
@pytest.mark.parametrize(
    ("question", "found"),
    [
        pytest.param("가입한 사용자의 이메일 주소", "column: email", id="Korean"),
        pytest.param("店舗の売場面積", "column: floor_area_m2", id="Japanese"),
        pytest.param("shipping fee of an order", "column: shipping_fee", id="English"),
    ],
)
def test_columns_are_found_by_words(question: str, found: str) -> None:
    load_files({DOCUMENTS_SOURCE: [FOLDER / "documents.jsonl"]})
    load_catalogue()

    assert any(found in text for text in search_documents_by_text(question, 5))


@pytest.mark.usefixtures("scanned")
def test_columns_are_found_by_meaning(
    indexing: Indexing, embedded_model: EmbeddedEmbeddings, settings: Any
) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = embedded_model.url
    settings.TEXT_EMBEDDING_MODEL_NAME = embedded_model.model
    settings.TEXT_EMBEDDING_ROLE_STYLE = "input_type"
    load_files({DOCUMENTS_SOURCE: [FOLDER / "documents.jsonl"]})
    load_catalogue()
    # Those that know no better take half the time.
    documents = ReferenceDocument.objects.exclude(table_name__in=["", "users", "orders", "h_user"])
    documents.delete()
    indexing.run()

    assert f"{USERS}.email" in indexing.find("사용자 테이블의 이메일 칼럼", 2)
    found = indexing.find("2024년 1월 이후 가입한 사용자의 이메일 주소를 알려줘", 5)
    assert {f"{USERS}.email", f"{USERS}.created_at"} <= set(found)
    assert "catalogue:main_db/public.orders.status" in indexing.find("注文のステータス", 2)


@pytest.mark.usefixtures("scanned")
def test_refresh_of_all_finds_nothing_to_do_after_a_scan() -> None:
    load_catalogue()

    assert refresh_all_documents() == 0
