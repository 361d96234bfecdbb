"""The catalogue's pages as a browser asks for them."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from catalog.browsing.addresses import address_of
from catalog.models import CatalogColumn, CatalogQuery, CatalogTable
from catalog.searching.texts import refresh_search_texts
from tests.catalog.conftest import MakeSource
from tests.catalog.shop import make_shop, make_table, relate

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"


def text_of(response: Any) -> str:
    return str(response.content.decode())


def make_searchable() -> None:
    refresh_search_texts(list(CatalogTable.objects.values_list("pk", flat=True)))


def page_of(table: CatalogTable) -> str:
    return address_of(table)


@pytest.fixture
def staff(db: None) -> Client:
    """A browser of somebody who may only read."""
    client = Client()
    client.force_login(User.objects.create_user("kim", is_staff=True))
    return client


def test_list_shows_tables_with_what_people_wrote(admin: Client) -> None:
    make_shop()

    page = text_of(admin.get("/catalogue/"))

    assert "sales_transactions" in page
    assert "売上トランザクション" in page
    assert "5M" in page


def test_list_asks_the_same_number_of_queries_for_any_number_of_tables(
    admin: Client, django_assert_max_num_queries: Any
) -> None:
    for number in range(60):
        make_table(f"t_{number}", tags=["a", "b"], columns=("id", "name"))

    with django_assert_max_num_queries(14):
        page = text_of(admin.get("/catalogue/"))

    assert "t_59" not in page
    assert "1–50 / 60" in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {"orders", "users", "v_users"}),
        ("q=고객", {"users"}),
        ("tag=people", {"users"}),
        ("kind=view", {"v_users"}),
        ("state=hidden", {"orders"}),
        ("state=gone", {"old"}),
        ("state=undescribed", {"orders", "v_users"}),
        ("source=main_db", {"orders", "users", "v_users"}),
        ("source=other", set()),
        ("sort=columns", {"orders", "users", "v_users"}),
        ("sort=described", {"orders", "users", "v_users"}),
        ("sort=rows", {"orders", "users", "v_users"}),
        ("page=99&kind=nonsense&state=x&sort=y", {"orders", "users", "v_users"}),
        ("q=%00&page=-1", {"orders", "users", "v_users"}),
    ],
)
def test_filters_of_the_list(admin: Client, query: str, expected: set[str]) -> None:
    users = make_table("users", tags=["people"], description="고객", columns=())
    CatalogColumn.objects.create(table=users, name="email", source_comment="mail")
    make_table("orders", is_hidden=True)
    make_table("v_users", kind="view")
    make_table("old", gone_at=timezone.now())
    make_searchable()

    response = admin.get(f"/catalogue/?{query}")

    assert {row.table.name for row in response.context["listing"].rows} == expected


def test_search_answers_with_the_list_its_count_and_its_address(admin: Client) -> None:
    make_shop()
    make_searchable()

    response = admin.get("/catalogue/?q=売上&source=&tag=", headers=HTMX)

    assert response["HX-Push-Url"] == "/catalogue/?q=%E5%A3%B2%E4%B8%8A"
    assert "<html" not in text_of(response)
    assert 'hx-target="#result-count"' in text_of(response)
    assert "<mark>売上</mark>" in text_of(response)


def test_typing_on_is_recorded_as_one_search(admin: Client) -> None:
    for query in ("s", "sal", "sales", "users"):
        admin.get(f"/catalogue/?q={query}", headers=HTMX)

    assert [row.query for row in CatalogQuery.objects.order_by("id")] == ["sales", "users"]


def test_empty_catalogue_offers_a_scan(admin: Client) -> None:
    page = text_of(admin.get("/catalogue/"))

    assert "The catalogue is empty" in page
    assert "Scan a data source" in page


def test_comments_with_html_are_shown_as_text(admin: Client) -> None:
    table = make_table(
        HOSTILE, tags=[HOSTILE], source_comment=HOSTILE, notes=HOSTILE, display_name=HOSTILE
    )
    relate(table, table, ("id", "id"), description=HOSTILE)
    table.sample = {"columns": [HOSTILE], "rows": [[HOSTILE]]}
    table.save()
    make_searchable()
    pages = ["/catalogue/", "/catalogue/?q=script"]
    pages += [f"{page_of(table)}?tab={name}" for name in ("columns", "sample", "related", "notes")]

    texts = [text_of(admin.get(page)) for page in pages]

    assert [text for text in texts if HOSTILE in text] == []


@pytest.mark.parametrize(
    "name",
    ["a/b", "a?b#c", "q\"u'o", "new\nline", "표 이름", "😀", "50%25", "a.b", "..a", "x" * 63, "a/"],
)
def test_table_of_any_name_has_a_page(admin: Client, name: str) -> None:
    tables = [make_table(name), make_table(name, schema="we.ird%"), make_table(name, schema="")]

    for table in tables:
        response = admin.get(page_of(table))

        assert response.status_code == 200
        assert response.context["table"] == table


def test_bare_name_leads_to_the_only_table_of_that_name(admin: Client) -> None:
    table = make_table("users")

    assert admin.get("/catalogue/main_db/users/").context["table"] == table


def test_unknown_table_names_near_ones(admin: Client) -> None:
    make_shop()

    response = admin.get("/catalogue/main_db/sales_transaction/")

    assert response.status_code == 404
    assert "main_db.public.sales_transactions" in text_of(response)


def test_address_with_a_nul_is_unknown(admin: Client) -> None:
    assert admin.get("/catalogue/main_db/a%00b/").status_code == 404


def test_page_of_a_table_asks_a_constant_number_of_queries(
    admin: Client, django_assert_max_num_queries: Any
) -> None:
    table = make_table("wide", columns=[f"c_{number}" for number in range(150)], tags=["a", "b"])
    for number in range(20):
        relate(table, make_table(f"t_{number}"), (f"c_{number}", "id"))

    for tab in ("columns", "sample", "related", "notes"):
        with django_assert_max_num_queries(14):
            assert admin.get(f"{page_of(table)}?tab={tab}").status_code == 200


def test_tab_is_a_fragment_for_htmx(admin: Client) -> None:
    table = make_shop()

    page = text_of(admin.get(f"{page_of(table)}?tab=related", headers=HTMX))

    assert "<html" not in page
    assert "sales_transactions.store_id = stores.id" in page
    assert "<svg" in page


def test_sample_shows_null_and_masks(admin: Client) -> None:
    sample = {"columns": ["a", "b", "c"], "rows": [[None, "***", {"k": "값"}]]}
    table = make_table("t", sample=sample, sample_note="only three rows")

    page = text_of(admin.get(f"{page_of(table)}?tab=sample"))

    assert "NULL" in page
    assert "masked" in page
    assert "값" in page
    assert "only three rows" in page


def test_sample_of_before_is_masked_by_the_rules_of_now(admin: Client) -> None:
    sample = {"columns": ["email", "n"], "rows": [["ann@example.org", 4711]]}
    table = make_table("t", sample=sample)

    page = text_of(admin.get(f"{page_of(table)}?tab=sample"))

    assert "4711" in page
    assert "ann@example.org" not in page


def test_table_of_a_restricted_source_is_not_there_for_others(
    staff: Client, make_source: MakeSource
) -> None:
    source = make_source("hr", is_restricted=True)
    table = make_table("salaries", source=source, tags=["payroll"])
    relate(make_table("people"), table, ("id", "id"))
    make_searchable()

    listed = text_of(staff.get("/catalogue/"))
    assert "salaries" not in listed
    assert "payroll" not in listed
    assert "hr / " not in text_of(staff.get("/catalogue/?q=salaries", headers=HTMX))
    assert "salaries" not in text_of(staff.get("/catalogue/main_db/public.people/?tab=related"))
    assert staff.get("/catalogue/hr/public.salaries/").status_code == 404
    assert "hr.public.salaries" not in text_of(staff.get("/catalogue/hr/public.salaries/"))


@pytest.mark.parametrize("address", ["/catalogue/", "/catalogue/scans/", "/catalogue/main_db/t/"])
@pytest.mark.django_db
def test_strangers_are_sent_to_sign_in_and_others_refused(client: Client, address: str) -> None:
    user = User.objects.create_user("lee")

    anonymous = client.get(address)
    client.force_login(user)

    assert anonymous.status_code == 302
    assert client.get(address).status_code == 403


def test_reader_sees_texts_but_no_fields(staff: Client) -> None:
    table = make_shop()

    page = text_of(staff.get(page_of(table)))

    assert "店舗ID" in page
    assert "data-inplace" not in page
    assert staff.post(f"/catalogue/~/tables/{table.pk}/texts/notes/").status_code == 403


def test_editor_needs_the_permission_only(staff: Client) -> None:
    table = make_shop()
    User.objects.get().user_permissions.add(Permission.objects.get(codename="change_catalogtable"))

    assert "data-inplace" in text_of(staff.get(page_of(table)))
