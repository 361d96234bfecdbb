"""The editor's tables and columns."""

import pytest
from pytest_django import DjangoAssertNumQueries

from catalog.models import CatalogTable, DataSource
from tests.catalog.catalogue.rows import make_table
from toolbuilder.explorer import SourceTables, to_json

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
    assert to_json(page.tables[0])["comment"] == "매출 내역"


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


def test_schema_is_written_where_the_search_path_lacks_it(db: None) -> None:
    make_table("people", ["id"], schema="hr")
    make_table("sales", ["id"])

    assert SourceTables(None).completion() == {"hr.people": ["id"], "sales": ["id"]}
