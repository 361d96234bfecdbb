"""The pages of data sources: the cards, the page of one, its check, who may do what, and its end."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from catalog.models import CatalogScan, CheckState, DataSource, DefaultSourceCheck, ScanState
from catalog.sources.checking import check_sources, store_report
from gateways.check_report import ConnectionReport, refused
from tests.catalog.conftest import MakeSource
from tests.catalog.shop import make_table
from tests.catalog.sources.pages import SECRET, Address, nowhere
from tests.factories import make_expression, make_tool

pytestmark = pytest.mark.django_db

LIST = "/sources/"
SALES = f"{LIST}sales/"
HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"


def text_of(response: Any) -> str:
    return str(response.content.decode())


def browser_of(*codenames: str, **columns: Any) -> Client:
    """A browser of a member of the staff with these rights."""
    user = User.objects.create_user("kim", is_staff=True, **columns)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def default_database(settings: Any) -> dict[str, Any]:
    """An address of the default data source at which nothing listens, and its password."""
    address = nowhere()
    settings.POSTGRESQL_DB_HOST, settings.POSTGRESQL_DB_PORT = address["host"], address["port"]
    settings.POSTGRESQL_DB_USER, settings.POSTGRESQL_DB_PASS = "reader", SECRET
    settings.POSTGRESQL_DB_NAME = "shop"
    return address


def test_card_says_how_a_source_stands(admin: Client, make_source: MakeSource, shop: Path) -> None:
    source = make_source(engine="sqlite", path=str(shop), host="", database="", username="")
    check_sources([source])
    make_tool(data_source=source)
    make_table(source=source, name="item")
    CatalogScan.objects.create(source=source, state=ScanState.DONE)

    page = text_of(admin.get(LIST))

    assert str(shop) in page
    assert "A write was tried in 8 ways and refused." in page
    assert "1 table<" in page
    assert ">1</a>" in page


def test_card_of_the_default_source_names_its_variables(
    admin: Client, default_database: dict[str, Any]
) -> None:
    page = text_of(admin.get(LIST))

    assert "main_db" in page
    assert "POSTGRESQL_DB_PASS" in page
    assert f"{default_database['host']}:{default_database['port']}/shop" in page
    assert SECRET not in page


def test_page_of_the_default_source_offers_no_editing(
    admin: Client, default_database: dict[str, Any]
) -> None:
    page = text_of(admin.get(f"{LIST}main_db/"))

    assert "Check connection" in page
    assert "/edit/" not in page
    assert admin.get(f"{LIST}main_db/edit/").status_code == 404


def test_check_of_the_default_source_is_shown_and_kept(
    admin: Client, default_database: dict[str, Any]
) -> None:
    shown = text_of(admin.post(f"{LIST}main_db/check/", headers=HTMX))

    assert "Nothing listens at this host and port." in shown
    assert "Nothing listens at this host and port." in text_of(admin.get(f"{LIST}main_db/"))
    assert DefaultSourceCheck.objects.get().state == CheckState.UNREACHABLE


def test_check_of_other_variables_is_not_taken_for_the_default_source(
    admin: Client, default_database: dict[str, Any], settings: Any
) -> None:
    admin.post(f"{LIST}main_db/check/")
    settings.POSTGRESQL_DB_NAME = "another"

    assert "not checked as it is" in text_of(admin.get(LIST))


def test_default_source_without_variables_cannot_be_checked(admin: Client, settings: Any) -> None:
    settings.POSTGRESQL_DB_HOST = ""

    assert "not set" in text_of(admin.get(LIST))
    assert "Check connection" not in text_of(admin.get(f"{LIST}main_db/"))
    assert admin.post(f"{LIST}main_db/check/").status_code == 302


def test_check_shows_stages_and_the_role_to_make(
    admin: Client, make_source: MakeSource, address: Address
) -> None:
    make_source(**address("superuser"))

    page = text_of(admin.post(f"{SALES}check/", headers=HTMX))

    assert "CREATE ROLE" in page
    assert 'class="stage refused"' in page
    assert "not served until it is mended" in page
    assert 'hx-target="#source-state"' in page
    assert LogEntry.objects.latest("pk").get_change_message() == "Checked the connection: refused."


def test_stages_after_the_one_that_failed_are_not_tried(
    admin: Client, make_source: MakeSource
) -> None:
    make_source(**nowhere())

    page = text_of(admin.post(f"{SALES}check/", headers=HTMX))

    assert "Nothing listens" in page
    assert page.count("not tried") == 4


def test_check_without_javascript_leads_back(admin: Client, make_source: MakeSource) -> None:
    make_source(**nowhere())

    response = admin.post(f"{SALES}check/", follow=True)

    assert response.redirect_chain == [(SALES, 302)]
    assert "Nothing listens" in text_of(response)


def test_check_of_another_address_is_out_of_date(admin: Client, make_source: MakeSource) -> None:
    store_report(source := make_source(), ConnectionReport(server="s"))
    DataSource.objects.filter(pk=source.pk).update(host="elsewhere")

    assert "not checked as it is" in text_of(admin.get(LIST))
    assert "before the data source was changed" in text_of(admin.get(SALES))


def test_source_whose_variable_is_gone_says_so(admin: Client, make_source: MakeSource) -> None:
    make_source(origin="environment")

    assert "The variable DATA_SOURCE_SALES_URL is not set." in text_of(admin.get(LIST))


def test_texts_of_other_programs_are_escaped(admin: Client, make_source: MakeSource) -> None:
    source = make_source(database=HOSTILE, username=HOSTILE)
    store_report(source, ConnectionReport(server=HOSTILE, findings=(refused("x", HOSTILE),)))
    make_tool(data_source=source, name=HOSTILE)

    for page in (LIST, SALES, f"{SALES}edit/", f"{SALES}delete/"):
        assert HOSTILE not in text_of(admin.get(page))


@pytest.mark.parametrize(
    ("codename", "answers"),
    [
        pytest.param("view_datasource", (200, 403, 403, 403, 403), id="may view"),
        pytest.param("change_datasource", (200, 302, 200, 403, 403), id="may change"),
        pytest.param("add_datasource", (403, 403, 403, 200, 403), id="may add"),
        pytest.param("delete_datasource", (403, 403, 403, 403, 200), id="may delete"),
    ],
)
def test_pages_need_the_rights_of_the_back_office(
    make_source: MakeSource, codename: str, answers: tuple[int, ...]
) -> None:
    make_source(**nowhere())
    client = browser_of(codename)

    given = (
        client.get(SALES),
        client.post(f"{SALES}check/"),
        client.get(f"{SALES}edit/"),
        client.get(f"{LIST}~/add/"),
        client.get(f"{SALES}delete/"),
    )

    assert tuple(answer.status_code for answer in given) == answers


@pytest.mark.parametrize("path", ["", "check/", "edit/", "delete/"])
def test_restricted_source_is_hidden_from_others(make_source: MakeSource, path: str) -> None:
    make_source(is_restricted=True)
    client = browser_of("view_datasource", "change_datasource", "delete_datasource")

    answer = client.post(f"{SALES}{path}") if path == "check/" else client.get(f"{SALES}{path}")

    assert answer.status_code == 404
    assert "sales" not in text_of(client.get(LIST))


def test_restricted_source_is_shown_to_those_named(make_source: MakeSource) -> None:
    source = make_source(is_restricted=True)
    client = browser_of("view_datasource")
    source.allowed_users.set(User.objects.filter(username="kim"))

    assert "restricted" in text_of(client.get(LIST))
    assert client.get(SALES).status_code == 200


def test_names_of_tools_lead_only_where_the_reader_may_go(make_source: MakeSource) -> None:
    make_tool(name="daily_sales", data_source=make_source())

    page = text_of(browser_of("view_datasource").get(SALES))

    assert "daily_sales" in page
    assert "/tools/daily_sales/" not in page


def test_names_of_tools_lead_to_their_pages(admin: Client, make_source: MakeSource) -> None:
    make_tool(name="daily_sales", data_source=make_source())

    page = text_of(admin.get(SALES))

    assert 'href="/tools/daily_sales/"' in page
    assert 'href="/tools/?source=sales"' in page


def test_list_needs_as_many_queries_for_many_sources_as_for_one(
    admin: Client, make_source: MakeSource, django_assert_num_queries: Any
) -> None:
    make_source()
    with CaptureQueriesContext(connection) as before:
        admin.get(LIST)
    for number in range(20):
        source = make_source(f"source-{number}")
        store_report(source, ConnectionReport(server="s"))
        make_tool(data_source=source)

    with django_assert_num_queries(len(before)):
        admin.get(LIST)


def test_source_with_tools_is_not_deleted(admin: Client, make_source: MakeSource) -> None:
    make_tool(name="daily_sales", data_source=make_source())

    answer = admin.post(f"{SALES}delete/")

    assert answer.status_code == 409
    assert "daily_sales" in text_of(answer)
    assert DataSource.objects.exists()


def test_tool_of_python_holds_its_source_too(admin: Client, make_source: MakeSource) -> None:
    make_expression(name="double", data_source=make_source())

    assert "double" in text_of(admin.post(f"{SALES}delete/"))


def test_deletion_tells_what_goes_and_leaves_a_record(
    admin: Client, make_source: MakeSource
) -> None:
    make_table(source=make_source(), name="item", description="Goods")

    assert "1 of them described by people" in text_of(admin.get(f"{SALES}delete/"))
    answer = admin.post(f"{SALES}delete/")

    assert answer.headers["Location"] == LIST
    assert not DataSource.objects.exists()
    assert LogEntry.objects.get().object_repr == "sales"


def test_source_of_a_variable_is_not_deleted(
    admin: Client, make_source: MakeSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_SOURCE_SALES_URL", "sqlite:////x.db")
    make_source(origin="environment")

    assert admin.post(f"{SALES}delete/").status_code == 409
    assert DataSource.objects.exists()
