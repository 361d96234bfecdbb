"""The editor's tables and columns."""

import pytest
from pytest_django import DjangoAssertNumQueries

from catalog.models import CatalogTable, DataSource
from tests.catalog.rows import make_table
from toolbuilder.editing.explorer import SourceTables

pytestmark = pytest.mark.django_db


@pytest.fixture
def sales(db: None) -> CatalogTable:
    return make_table(
        "sales", {"id": {"type_name": "integer"}, "Order": {}}, description="매출 내역"
    )


def test_tables_are_listed_with_their_counts(
    sales: CatalogTable, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_table("stores", ["id"])

    with django_assert_num_queries(2):
        page = SourceTables(None).list_tables()

    assert [(one.insert, one.column_count) for one in page.tables] == [("sales", 2), ("stores", 1)]
    assert page.total == 2
    assert page.tables[0].comment == "매출 내역"


@pytest.mark.parametrize("query", ["sale", "SALES", "매출", "order sales"])
def test_tables_are_found_by_names_comments_and_columns(sales: CatalogTable, query: str) -> None:
    make_table("stores", ["city"])

    assert [one.name for one in SourceTables(None).list_tables(query).tables] == ["sales"]


def test_columns_come_as_sql_writes_them(sales: CatalogTable) -> None:
    columns = SourceTables(None).list_columns(sales.pk)

    assert [(one.insert, one.name) for one in columns] == [("id", "id"), ('"Order"', "Order")]


def test_columns_of_another_source_are_not_told(sales: CatalogTable) -> None:
    other = DataSource.objects.create(name="crm", engine="postgresql", host="h", database="d")

    assert SourceTables(other).list_columns(sales.pk) == []


def inserts_of(tables: SourceTables) -> dict[str, list[str]]:
    return {
        table["insert"]: [column["name"] for column in table["columns"]]
        for table in tables.completion()["tables"]
    }


def test_schema_is_written_where_the_search_path_lacks_it(db: None) -> None:
    make_table("people", ["id"], schema="hr")
    make_table("sales", ["id"])

    assert inserts_of(SourceTables(None)) == {"hr.people": ["id"], "sales": ["id"]}


def test_schema_is_written_where_an_earlier_one_has_that_name(db: None) -> None:
    crm = DataSource.objects.create(name="crm", host="h", database="d", search_path="own, public")
    make_table("sales", ["id"], source=crm, schema="own")
    make_table("sales", ["city"], source=crm)
    make_table("stores", ["id"], source=crm)

    tables = SourceTables(crm)

    expected = {"sales": ["id"], "public.sales": ["city"], "stores": ["id"]}
    assert inserts_of(tables) == expected
    assert [one.insert for one in tables.list_tables().tables] == list(expected)
    assert [one.name for one in tables.list_columns_of("public.sales")] == ["city"]


def test_columns_of_a_large_source_are_left_out(sales: CatalogTable) -> None:
    (table,) = SourceTables(None).completion(column_limit=1)["tables"]

    assert "columns" not in table
