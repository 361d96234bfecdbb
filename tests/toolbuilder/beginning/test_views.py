"""The beginning of a new tool as a browser asks for it: empty, by example, by table, by query."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from catalog.models import DataSource
from catalog.sources.settings import read_sources
from config.demo.loading import load_shop
from config.services.postgres import EmbeddedPostgres
from core.execution import CompiledTool
from tests.catalog.rows import make_table
from tests.factories import make_tool
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.editing.drafts import DraftDocument, read_draft
from toolbuilder.models import ToolDraft
from tools.source_loop import shared_loop

HTMX = {"HX-Request": "true"}
NEW, FROM_SQL = "/tools/~/new/", "/tools/~/from-sql/"
HOSTILE = "<script>alert(1)</script>"
QUERY = """SELECT id, product_name_en FROM products
WHERE category = 'FOOD' AND price > 500
LIMIT 20"""


def only_draft() -> DraftDocument:
    return read_draft(ToolDraft.objects.get())


@pytest.fixture
def shop(embedded_postgres: EmbeddedPostgres) -> Iterator[None]:
    """The demo shop in the default data source."""
    load_shop(embedded_postgres.dsn("demo", "demo_owner"))
    yield
    shared_loop().close()


def test_page_offers_every_way_and_marks_the_one_that_its_address_names(admin: Client) -> None:
    page = text_of(admin.get(f"{NEW}?template=by-day"))

    for words in ("Empty SQL tool", "Empty Python tool", "List rows of a table", "product_by_sku"):
        assert words in page
    assert 'value="by-day" aria-describedby="starter-name-by-day" autofocus' in page


@pytest.mark.parametrize(("tables", "count"), [(False, 2), (True, 8)], ids=["other data", "shop"])
def test_starters_say_whether_they_run_here(admin: Client, tables: bool, count: int) -> None:
    if tables:
        for name in ("products", "stores", "daily_sales_summary"):
            make_table(name)

    assert text_of(admin.get(NEW)).count("runs at once<") == count


def test_page_asks_the_same_number_of_queries_for_any_number_of_tables(
    admin: Client, django_assert_num_queries: Any
) -> None:
    for number in range(4):
        make_table(f"t_{number}", columns=("id",), display_name=HOSTILE)
        DataSource.objects.create(name=f"s_{number}")

    with django_assert_num_queries(8):
        page = text_of(admin.get(NEW))

    assert HOSTILE not in page


@pytest.mark.parametrize(
    ("template", "expected"),
    [("empty-sql", ("SQL", None)), ("empty-python", ("PYTHON", None)), ("lookup", ("SQL", None))],
    ids=["SQL", "Python", "starter"],
)
def test_choice_leads_into_the_editor_of_a_new_draft(
    admin: Client, template: str, expected: tuple[str, str | None]
) -> None:
    response = admin.post(NEW, {"template": template, "source": "main_db"})

    draft = ToolDraft.objects.get()
    assert response["Location"] == f"/tools/~/drafts/{draft.uid}/"
    assert (draft.owner, draft.tool) == ("admin", None)
    assert (only_draft().tool.tool_type, only_draft().tool.data_source) == expected


def test_starter_comes_with_test_values_under_a_free_name(admin: Client) -> None:
    make_tool(name="product_by_sku")

    admin.post(NEW, {"template": "lookup"})

    assert only_draft().tool.name == "product_by_sku_2"
    assert only_draft().test_values == {"sku": "SKU-00501"}


def test_empty_tool_is_on_the_chosen_data_source(admin: Client) -> None:
    DataSource.objects.create(name="sales", engine="sqlite", path="/data/a.db")

    admin.post(NEW, {"template": "empty-sql", "source": "sales"})

    assert only_draft().tool.data_source == "sales"


def test_table_becomes_a_tool_that_lists_its_rows(admin: Client) -> None:
    columns = {"id": {"type_name": "integer", "is_primary_key": True}}
    table = make_table("items", columns, source=DataSource.objects.create(name="sales"))

    admin.post(NEW, {"template": "table", "table": str(table.pk), "source": "sales"})

    assert only_draft().tool.name == "list_items"
    assert only_draft().tool.data_source == "sales"


def test_tables_of_another_data_source_are_found_by_words(admin: Client) -> None:
    sales = DataSource.objects.create(name="sales")
    make_table("items", source=sales)
    make_table("orders", source=sales, display_name=HOSTILE)
    make_table("stores")

    part = text_of(admin.get(f"{NEW}?source=sales&words=ord", headers=HTMX))

    assert "orders" in part
    assert "<html" not in part
    for word in ("items", "stores", HOSTILE):
        assert word not in part


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param({"template": "nothing"}, "no such template", id="template"),
        pytest.param({"template": "table", "table": "9" * 30}, "Choose a table", id="table"),
        pytest.param({"template": "empty-sql", "source": "hers"}, "you may not use it", id="restricted"),
        pytest.param({"template": "empty-sql", "source": HOSTILE}, "no such data source", id="source"),
    ],
)  # fmt: skip
def test_wrong_choice_is_refused_on_the_page(
    staff_with: StaffWith, fields: dict[str, str], words: str
) -> None:
    DataSource.objects.create(name="hers", is_restricted=True)
    client = staff_with("view_tooldefinition", "add_tooldefinition")

    response = client.post(NEW, fields)

    assert response.status_code == 422
    assert words in text_of(response)
    assert HOSTILE not in text_of(response)
    assert not ToolDraft.objects.exists()


@pytest.mark.usefixtures("shop")
def test_pasted_query_is_shown_with_its_parameters(admin: Client) -> None:
    response = admin.post(FROM_SQL, {"sql": QUERY}, headers=HTMX)

    page = text_of(response)
    assert "<html" not in page
    assert '<span class="code-parameter">:category</span>' in page
    assert [
        (one.parameter.name, one.parameter.type.value, one.parameter.example)
        for one in response.context["pasted"].lines
    ] == [("category", "STRING", "FOOD"), ("min_price", "NUMBER", 500), ("max_rows", "INTEGER", 20)]
    assert response.context["tool_name"] == "products_by_category"


@pytest.mark.usefixtures("shop")
def test_unticked_parameter_stays_a_value_in_the_draft(admin: Client) -> None:
    fields = {
        "sql": QUERY.replace("\n", "\r\n"),
        "shown": ["category", "min_price", "max_rows"],
        "take": ["min_price", "max_rows"],
        "name": "cheap_food",
        "suggested": "products_by_category",
        "create": "yes",
    }

    response = admin.post(FROM_SQL, fields)

    document = only_draft()
    assert response["Location"] == f"/tools/~/drafts/{ToolDraft.objects.get().uid}/"
    assert document.tool.name == "cheap_food"
    assert "category = 'FOOD' AND price > :min_price\nLIMIT :max_rows" in document.tool.definition
    assert document.test_values == {"min_price": 500, "max_rows": 20}
    CompiledTool(document.tool.to_spec(read_sources()))


@pytest.mark.usefixtures("shop")
def test_pasted_query_may_have_parameters_and_more_rows_than_usual(admin: Client) -> None:
    text = "SELECT id FROM products WHERE id = :id LIMIT 5000;"

    response = admin.post(FROM_SQL, {"sql": text, "create": "yes"}, headers=HTMX)

    tool = only_draft().tool
    assert response["HX-Redirect"] == f"/tools/~/drafts/{ToolDraft.objects.get().uid}/"
    assert [(one.param_name, one.param_type, one.maximum) for one in tool.parameters] == [
        ("id", "INTEGER", None),
        ("max_rows", "INTEGER", "5000"),
    ]
    CompiledTool(tool.to_spec(read_sources()))


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "Paste a query first", id="empty"),
        pytest.param("  \n", "Paste a query first", id="blank"),
        pytest.param("DELETE FROM products", "DELETE", id="no SELECT"),
        pytest.param("SELECT 1; SELECT 2", "one statement", id="two"),
        pytest.param("SELECT 1 -- " + "x" * 100_000, "100", id="long"),
        pytest.param("SELECT nothing\nFROM products", "nothing", id="column"),
        pytest.param("SELECT id\nFROM nowhere", "Line 2:", id="line"),
        pytest.param(f"SELECT '{HOSTILE}' FROM", "at end of input", id="hostile"),
    ],
)
def test_bad_query_is_refused_at_its_field_and_kept(admin: Client, text: str, words: str) -> None:
    response = admin.post(FROM_SQL, {"sql": text}, headers=HTMX)

    page = text_of(response)
    assert response.status_code == 422
    assert response.context["sql"] == text
    assert 'aria-invalid="true" aria-describedby="sql-error"' in page
    assert words in page.partition('id="sql-error"')[2]
    assert HOSTILE not in page


def test_bad_query_without_scripts_answers_the_whole_page(admin: Client) -> None:
    response = admin.post(FROM_SQL, {"sql": "DROP TABLE x"})

    assert response.status_code == 422
    assert "From an example" in text_of(response)
    assert "DROP TABLE x</textarea>" in text_of(response)


def test_address_of_a_pasted_query_leads_to_its_form(admin: Client) -> None:
    assert admin.get(FROM_SQL)["Location"] == f"{NEW}#from-sql"


@pytest.mark.parametrize("address", [NEW, FROM_SQL])
def test_pages_are_for_those_who_may_add_tools(staff_with: StaffWith, address: str) -> None:
    client = staff_with("view_tooldefinition", "change_tooldefinition")

    assert client.get(address).status_code == 403
    assert client.post(address).status_code == 403
    assert not User.objects.get().is_superuser
