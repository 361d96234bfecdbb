"""Rows of the catalogue: single tables, and the shop whose sales_transactions everybody knows."""

from collections.abc import Sequence
from typing import Any

from catalog.models import CatalogColumn, CatalogTable, TableRelation, Tag

SALES_SAMPLE: dict[str, Any] = {
    "columns": ["id", "store_id", "product_id", "amount", "quantity", "transaction_date"],
    "rows": [
        [1, 101, 501, 1500.00, 3, "2024-01-15"],
        [2, 102, 502, 800.00, 1, "2024-01-15"],
        [3, 101, 503, 2200.00, 2, "2024-01-16"],
    ],
}
_SALES_COLUMNS = (
    ("id", "bigint", "トランザクションID"),
    ("store_id", "integer", "店舗ID"),
    ("product_id", "integer", "商品ID"),
    ("amount", "decimal(10,2)", "売上金額（税込）"),
    ("quantity", "integer", "販売数量"),
    ("transaction_date", "date", "取引日"),
)
SALES_DETAILS: dict[str, Any] = {
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
            "name": "product_id",
            "type": "integer",
            "description": "商品ID",
            "foreign_key": {"table": "products", "column": "id"},
            "nullable": False,
        },
        *(
            {"name": name, "type": kind, "description": description, "nullable": False}
            for name, kind, description in _SALES_COLUMNS[3:]
        ),
    ],
    "sample_data": SALES_SAMPLE,
    "related_tables": [
        {
            "name": "stores",
            "display_name": "店舗マスタ",
            "relation_type": "foreign_key",
            "join_condition": "sales_transactions.store_id = stores.id",
            "description": "店舗情報を取得する際に結合",
        },
        {
            "name": "products",
            "display_name": "商品マスタ",
            "relation_type": "foreign_key",
            "join_condition": "sales_transactions.product_id = products.id",
            "description": "商品情報を取得する際に結合",
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


def make_table(
    name: str, *, columns: Sequence[str] = ("id",), tags: Sequence[str] = (), **given: Any
) -> CatalogTable:
    """A table of the default data source in public, with columns of these names."""
    table = CatalogTable.objects.create(**{"schema": "public", "name": name, **given})
    CatalogColumn.objects.bulk_create(
        CatalogColumn(table=table, name=column, position=position, type_name="integer")
        for position, column in enumerate(columns)
    )
    for tag in tags:
        table.tags.add(Tag.objects.get_or_create(name=tag)[0])
    return table


def relate(
    table: CatalogTable, target: CatalogTable, *columns: tuple[str, str], **given: Any
) -> TableRelation:
    """A foreign key of `table`, each column with the one it refers to."""
    return TableRelation.objects.create(
        table=table,
        target=target,
        columns=[column for column, _ in columns],
        target_columns=[column for _, column in columns],
        **{"relation_type": "foreign_key", **given},
    )


def make_shop() -> CatalogTable:
    """The tables of SALES_DETAILS; returns sales_transactions."""
    sales = make_table(
        "sales_transactions",
        columns=(),
        tags=SALES_DETAILS["tags"],
        sample=SALES_SAMPLE,
        row_estimate=5000000,
        **{key: SALES_DETAILS[key] for key in ("display_name", "description", "notes")},
    )
    for position, (name, kind, description) in enumerate(_SALES_COLUMNS):
        CatalogColumn.objects.create(
            table=sales,
            name=name,
            position=position,
            type_name=kind,
            source_comment=description,
            is_nullable=False,
            is_primary_key=name == "id",
        )
    stores = make_table("stores", display_name="店舗マスタ", tags=["マスタ"], row_estimate=500)
    products = make_table("products", display_name="商品マスタ", tags=["マスタ"])
    daily = make_table("daily_sales_summary", display_name="日次売上サマリー", tags=["日次"])
    stores_text, products_text, daily_text = (
        relation["description"] for relation in SALES_DETAILS["related_tables"]
    )
    relate(sales, stores, ("store_id", "id"), description=stores_text)
    relate(sales, products, ("product_id", "id"), description=products_text)
    relate(sales, daily, relation_type="derived", description=daily_text)
    return sales
