"""The tables beside the editor, their columns and what is completed, as a browser asks for them."""

import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from catalog.models import CatalogScan, CatalogTable, DataSource, ScanState, TableRelation
from core.catalogue.entries import RelationType
from tests.catalog.rows import make_table
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.editing.views.workbench import completion_data
from tools.source_loop import shared_loop

HTMX = {"HX-Request": "true"}
LIST = "/tools/~/explorer/"
CARD = "/tools/~/card/"
SCHEMA = "/tools/~/schema/"
HOSTILE = "<img src=x onerror=alert(1)>\n\"'🎉"


def names_of(response: Any) -> list[str]:
    return [row.table.name for row in response.context["rows"]]


@pytest.fixture
def crm(db: None) -> DataSource:
    return DataSource.objects.create(
        name="crm", engine="postgresql", host="h", database="d", username="u", is_restricted=True
    )


@pytest.fixture
def sales(db: None) -> CatalogTable:
    """Sales, which refer to their store."""
    stores = make_table("stores", {"id": {"is_primary_key": True}, "city": {}}, display_name="매장")
    table = make_table(
        "sales",
        {
            "id": {"type_name": "bigint", "is_primary_key": True, "is_nullable": False},
            "store_id": {"type_name": "integer", "source_comment": "매장 번호"},
            "Order": {"type_name": "timestamp with time zone"},
        },
        description="매출 내역",
        row_estimate=12345,
    )
    TableRelation.objects.create(
        table=table,
        target=stores,
        relation_type=RelationType.FOREIGN_KEY,
        columns=["store_id"],
        target_columns=["id"],
    )
    return table


@pytest.mark.usefixtures("sales")
def test_tables_of_the_default_source_are_listed(
    admin: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(5):
        response = admin.get(LIST, headers=HTMX)

    assert names_of(response) == ["sales", "stores"]
    assert "매출 내역" in text_of(response)
    assert "about 12,345 rows" in text_of(response)
    assert '<hx-partial hx-target="#explorer-count" hx-swap="innerHTML">2<' in text_of(response)


def test_view_is_called_one(admin: Client) -> None:
    make_table("totals", kind="view")

    text = text_of(admin.get(LIST, headers=HTMX))

    assert 'aria-label="totals, rows unknown, 0 columns, view"' in text
    assert '#eye"' in text


@pytest.mark.usefixtures("sales")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("SALE", {"sales": []}, id="name"),
        pytest.param("매출", {"sales": []}, id="comment of a table"),
        pytest.param("매장 번호", {"sales": ["store_id"]}, id="comment of a column"),
        pytest.param("city", {"stores": ["city"]}, id="column"),
        pytest.param("\0", {"sales": [], "stores": []}, id="nonsense"),
        pytest.param("%", {}, id="wildcard"),
    ],
)
def test_tables_are_found_with_the_columns_that_were_meant(
    admin: Client, query: str, expected: dict[str, list[str]]
) -> None:
    response = admin.get(LIST, {"q": query}, headers=HTMX)

    rows = response.context["rows"]
    assert {row.table.name: [one.name for one in row.found] for row in rows} == expected


def test_tables_found_by_a_column_are_open_and_lead_to_the_others(
    admin: Client, sales: CatalogTable
) -> None:
    text = text_of(admin.get(LIST, {"q": "store_id"}, headers=HTMX))

    assert 'aria-expanded="true"' in text
    assert "All 3 columns" in text


def test_columns_say_their_keys_types_and_comments(
    admin: Client, sales: CatalogTable, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(5):
        response = admin.get(f"{LIST}{sales.pk}/", headers=HTMX)

    columns = response.context["columns"]
    assert [one.insert for one in columns] == ["id", "store_id", '"Order"']
    assert [one.refers_to for one in columns] == ["", "stores.id", ""]
    assert "store_id, integer, 매장 번호, may be null, refers to stores.id" in text_of(response)
    assert "id, bigint, primary key" in text_of(response)


@pytest.mark.parametrize(
    ("states", "said"),
    [
        pytest.param([], "This data source was never scanned.", id="never"),
        pytest.param([ScanState.FAILED], "This data source was never scanned.", id="failed"),
        pytest.param([ScanState.DONE], "The last scan found no tables.", id="nothing there"),
        pytest.param(
            [ScanState.DONE, ScanState.RUNNING], "This data source is being scanned.", id="running"
        ),
    ],
)
def test_source_without_tables_says_what_to_do(
    admin: Client, states: list[ScanState], said: str
) -> None:
    for state in states:
        CatalogScan.objects.create(state=state)

    text = text_of(admin.get(LIST, headers=HTMX))

    assert said in text
    assert 'href="/catalogue/scans/"' in text


def test_who_may_not_scan_is_told_whom_to_ask(staff_with: StaffWith) -> None:
    text = text_of(staff_with("view_tooldefinition").get(LIST, headers=HTMX))

    assert "ask somebody who may scan" in text
    assert "/catalogue/scans/" not in text


@pytest.mark.parametrize("name", ["crm", "<b>"], ids=["not allowed", "unknown"])
def test_source_that_cannot_be_used_is_as_one_that_is_not_there(
    staff_with: StaffWith, crm: DataSource, name: str
) -> None:
    table = make_table("people", ["id"], source=crm)
    kim = staff_with("view_tooldefinition")

    response = kim.get(LIST, {"source": name}, headers=HTMX)

    assert response.status_code == 200
    assert "There is no such data source, or you may not use it." in text_of(response)
    assert "people" not in text_of(response)
    assert "not there any more" in text_of(kim.get(f"{LIST}{table.pk}/", headers=HTMX))
    assert kim.get(SCHEMA, {"source": name}).json()["tables"] == []
    assert kim.get(SCHEMA, {"source": name, "table": "people"}).json()["columns"] == []


@pytest.mark.parametrize("address", [LIST, f"{LIST}1/", SCHEMA])
def test_tables_are_for_those_who_may_see_tools(staff_with: StaffWith, address: str) -> None:
    assert staff_with("view_catalogtable").get(address).status_code == 403


def test_browser_without_scripts_is_led_to_the_catalogue(
    admin: Client, sales: CatalogTable
) -> None:
    listed = admin.get(LIST, {"source": "", "q": "a b"})
    table = admin.get(f"{LIST}{sales.pk}/")

    assert listed.headers["Location"] == "/catalogue/?source=main_db&q=a+b"
    assert table.headers["Location"] == "/catalogue/main_db/public.sales/"
    assert admin.get(f"{LIST}{10**20}/").headers["Location"] == "/catalogue/"


def test_hostile_texts_are_escaped_and_cut(admin: Client) -> None:
    long = "가" * 63
    columns = {long: {"source_comment": HOSTILE * 4000, "display_name": HOSTILE}}
    table = make_table(HOSTILE, columns, source_comment="<b>" * 40_000, schema='s"x')

    for text in (
        text_of(admin.get(LIST, headers=HTMX)),
        text_of(admin.get(f"{LIST}{table.pk}/", headers=HTMX)),
        text_of(admin.get(LIST, {"q": "img"}, headers=HTMX)),
    ):
        assert "<img" not in text
        assert "<b>" not in text
        assert len(text) < 10_000


@pytest.mark.usefixtures("sales")
def test_completion_has_columns_comments_and_relations(
    admin: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(6):
        response = admin.get(SCHEMA)

    assert response.json() == {
        "tables": [
            {
                "name": "sales",
                "schema": "public",
                "insert": "sales",
                "comment": "매출 내역",
                "columns": [
                    {"name": "id", "type": "bigint"},
                    {"name": "store_id", "type": "integer", "comment": "매장 번호"},
                    {"name": "Order", "insert": '"Order"', "type": "timestamptz"},
                ],
            },
            {
                "name": "stores",
                "schema": "public",
                "insert": "stores",
                "comment": "매장",
                "columns": [{"name": "id"}, {"name": "city"}],
            },
        ],
        "relations": [
            {
                "table": "public.sales",
                "columns": ["store_id"],
                "targetTable": "public.stores",
                "targetColumns": ["id"],
            }
        ],
        "defaultSchema": "public",
    }


@pytest.mark.usefixtures("sales")
def test_completion_is_kept_by_this_browser_until_it_changes(admin: Client) -> None:
    first = admin.get(SCHEMA)
    tag = {"If-None-Match": first.headers["ETag"]}

    again = admin.get(SCHEMA, headers=tag)
    CatalogTable.objects.filter(name="sales").update(display_name="매출")

    assert "private" in first.headers["Cache-Control"]
    assert again.status_code == 304
    assert "매출" in text_of(admin.get(SCHEMA, headers=tag))


@pytest.mark.parametrize(
    ("schema", "name", "insert"),
    [
        pytest.param("public", "plain", "plain", id="plain"),
        pytest.param("hr", "people", "hr.people", id="schema"),
        pytest.param("a.b", 'c"."d', '"a.b"."c"".""d"', id="dots and quotes"),
        pytest.param("public", "이름\n🎉", '"이름\n🎉"', id="other letters"),
        pytest.param("", "bare", "bare", id="engine without schemas"),
    ],
)
def test_columns_of_one_table_are_asked_for_by_its_written_name(
    admin: Client, schema: str, name: str, insert: str
) -> None:
    make_table(name, ["id"], schema=schema)

    (table,) = admin.get(SCHEMA).json()["tables"]
    answer = admin.get(SCHEMA, {"table": insert})

    assert table["insert"] == insert
    assert answer.json() == {"columns": [{"name": "id"}]}


@pytest.mark.parametrize("insert", ["nowhere", '"', ".", '"a', "x" * 5_000, "a" + '."' * 300])
def test_columns_of_no_table_are_none(admin: Client, insert: str) -> None:
    assert admin.get(SCHEMA, {"table": insert}).json() == {"columns": []}


def test_large_source_is_cut_and_its_columns_come_later(
    admin: Client, crm: DataSource, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    CatalogTable.objects.bulk_create(
        CatalogTable(source=crm, schema="public", name=f"t{number:04}") for number in range(5_000)
    )

    with django_assert_num_queries(6):
        listed = admin.get(LIST, {"source": "crm"}, headers=HTMX)
    completed = admin.get(SCHEMA, {"source": "crm"})

    assert len(listed.context["rows"]) == 500
    assert "The first 500 of 5,000; search for more." in text_of(listed)
    assert len(completed.json()["tables"]) == 5_000
    assert max(len(listed.content), len(completed.content)) < 1_000_000


def test_python_is_completed_with_what_scripts_may_call() -> None:
    data = completion_data()

    functions = {one["name"]: one for one in data["functions"]}
    methods = [one for one in data["methods"] if one["name"] in {"upper", "pop", "count"}]
    assert functions["now"]["signature"] == "now(offset_hours=0)"
    assert [(one["signature"], one["comment"].split(":")[0]) for one in methods] == [
        ("count(item)", "str, list, tuple"),
        ("pop(key, *default)", "dict"),
        ("pop(position=-1)", "list"),
        ("upper()", "str"),
    ]
    assert [one["name"] for one in data["constants"]] == ["e", "pi"]
    assert {"for", "result"} <= set(data["keywords"])
    assert json.loads(json.dumps(data)) == data


def test_column_says_its_values_and_the_tools_that_use_it(admin: Client) -> None:
    table = make_table("h_mcp_toolset_tool", {"tool_name": {"type_name": "text"}})
    column = table.columns.get()

    card = admin.get(f"{LIST}columns/{column.pk}/", headers=HTMX)

    assert "never null" not in text_of(card)
    assert "may be null" in text_of(card)
    assert card.context["card"].tool_count == 0


def test_masked_column_says_so_and_shows_no_value(admin: Client) -> None:
    table = make_table("users", {"email": {}})
    table.sample = {"columns": ["email"], "rows": [["***"]]}
    table.save()

    card = admin.get(f"{LIST}columns/{table.columns.get().pk}/", headers=HTMX)

    assert card.context["card"].values is None
    assert "masked" in text_of(card)


def test_column_of_a_closed_source_is_not_found(staff_with: StaffWith, crm: DataSource) -> None:
    column = make_table("leads", columns=("id",), source=crm).columns.get()

    answer = staff_with("view_tooldefinition").get(f"{LIST}columns/{column.pk}/", headers=HTMX)

    assert answer.status_code == 404


@pytest.mark.usefixtures("sales")
def test_card_of_a_name_is_that_of_its_column_table_or_nothing(admin: Client) -> None:
    column = admin.get(CARD, {"table": "sales", "column": "store_id"}, headers=HTMX)
    table = admin.get(CARD, {"table": "sales"}, headers=HTMX)

    assert "매장 번호" in text_of(column)
    assert "매출 내역" in text_of(table)
    assert "3 columns" in text_of(table)
    for asked in ({"table": "sales", "column": "nope"}, {"table": "nope"}, {"source": "nope"}):
        assert admin.get(CARD, asked, headers=HTMX).content == b""


@pytest.mark.usefixtures("embedded_postgres")
def test_card_of_a_function_has_its_forms_and_its_help(admin: Client) -> None:
    card = admin.get(CARD, {"function": "lower"}, headers=HTMX)

    assert "lower(text)" in text_of(card)
    assert "lowercase" in text_of(card)
    assert "coalesce(value, …)" in text_of(admin.get(CARD, {"function": "coalesce"}, headers=HTMX))
    assert admin.get(CARD, {"function": "no_such"}, headers=HTMX).content.strip() == b""
    shared_loop().close()


def test_card_of_a_closed_source_is_empty(staff_with: StaffWith, crm: DataSource) -> None:
    make_table("leads", columns=("id",), source=crm)

    answer = staff_with("view_tooldefinition").get(
        CARD, {"source": "crm", "table": "leads"}, headers=HTMX
    )

    assert answer.content == b""
