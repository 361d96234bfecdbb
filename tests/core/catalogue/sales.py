"""The table of the catalogue's first description, as an entry and as the answer that it shows."""

from typing import Any

from core.catalogue.entries import (
    ColumnEntry,
    ColumnReference,
    RelationEntry,
    RelationType,
    Sample,
    TableEntry,
    TableName,
    TableSummary,
)
from core.toolspec import Dialect

SUMMARY = TableSummary(
    name="sales_transactions",
    display_name="売上トランザクション",
    description="日次の売上データ。店舗別、商品別の売上金額と数量を記録。毎日午前2時にバッチ処理で更新される。",
    tags=("売上", "トランザクション", "日次"),
    row_count=5_000_000,
)
SALES = TableEntry(
    summary=SUMMARY,
    source_name="main_db",
    dialect=Dialect.POSTGRESQL,
    table=TableName("public", "sales_transactions"),
    columns=(
        ColumnEntry(
            name="id",
            type_name="bigint",
            description="トランザクションID",
            is_primary_key=True,
            is_nullable=False,
        ),
        ColumnEntry(
            name="store_id",
            type_name="integer",
            description="店舗ID",
            is_nullable=False,
            foreign_key=ColumnReference(table="stores", column="id"),
        ),
        ColumnEntry(
            name="amount",
            type_name="decimal(10,2)",
            description="売上金額（税込）",
            is_nullable=False,
        ),
    ),
    sample=Sample(columns=("id", "store_id", "amount"), rows=((1, 101, 1500.0), (2, 102, 800.0))),
    relations=(
        RelationEntry(
            name="stores",
            display_name="店舗マスタ",
            relation_type=RelationType.FOREIGN_KEY,
            join_condition="sales_transactions.store_id = stores.id",
            description="店舗情報を取得する際に結合",
        ),
        RelationEntry(
            name="daily_sales_summary",
            display_name="日次売上サマリー",
            relation_type=RelationType.DERIVED,
            description="このテーブルを日次集計したもの。集計済みデータが必要な場合はこちらを使用",
        ),
    ),
    notes="分析時は transaction_date でフィルタすることを推奨。大量データのため全件取得は避けること。",
)
SUMMARY_ROW: dict[str, Any] = {
    "name": "sales_transactions",
    "display_name": "売上トランザクション",
    "description": "日次の売上データ。店舗別、商品別の売上金額と数量を記録。",
    "tags": ["売上", "トランザクション", "日次"],
    "row_count": 5000000,
}
DETAILS: dict[str, Any] = {
    "name": "sales_transactions",
    "display_name": "売上トランザクション",
    "description": "日次の売上データ。店舗別、商品別の売上金額と数量を記録。毎日午前2時にバッチ処理で更新される。",
    "datasource": "main_db",
    "schema": "public",
    "tags": ["売上", "トランザクション", "日次"],
    "row_count": 5000000,
    "columns": [
        {
            "name": "id",
            "type": "bigint",
            "description": "トランザクションID",
            "primary_key": True,
            "nullable": False,
        },
        {
            "name": "store_id",
            "type": "integer",
            "description": "店舗ID",
            "foreign_key": {"table": "stores", "column": "id"},
            "nullable": False,
        },
        {
            "name": "amount",
            "type": "decimal(10,2)",
            "description": "売上金額（税込）",
            "nullable": False,
        },
    ],
    "sample_data": {
        "columns": ["id", "store_id", "amount"],
        "rows": [[1, 101, 1500.00], [2, 102, 800.00]],
    },
    "related_tables": [
        {
            "name": "stores",
            "display_name": "店舗マスタ",
            "relation_type": "foreign_key",
            "join_condition": "sales_transactions.store_id = stores.id",
            "description": "店舗情報を取得する際に結合",
        },
        {
            "name": "daily_sales_summary",
            "display_name": "日次売上サマリー",
            "relation_type": "derived",
            "description": "このテーブルを日次集計したもの。集計済みデータが必要な場合はこちらを使用",
        },
    ],
    "notes": "分析時は transaction_date でフィルタすることを推奨。大量データのため全件取得は避けること。",
}
