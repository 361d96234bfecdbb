"""The pages of data sources: register, check, and say who may use them."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from catalog.models import CheckState, DataSource, SourceCheck
from catalog.sources.checking import check_sources, store_report
from gateways.check_report import ConnectionReport, refused
from tests.catalog.conftest import MakeSource
from tests.catalog.sources.pages import (
    ADD,
    LIST,
    SECRET,
    Address,
    change,
    form,
    messages_of,
    nowhere,
    posted,
)

pytestmark = pytest.mark.django_db


def test_reader_is_saved_and_its_check_kept(admin: Client, address: Address) -> None:
    response = admin.post(ADD, form(**address("demo_reader")))

    assert response.status_code == 302
    check = SourceCheck.objects.get(source__name="sales")
    assert check.state in {CheckState.OK, CheckState.WARNING}


@pytest.mark.parametrize("role", ["superuser", "demo_owner"])
def test_role_that_may_write_is_refused_with_the_reason(
    admin: Client, address: Address, role: str
) -> None:
    response = admin.post(ADD, form(**address(role)))

    errors = response.context["adminform"].form.non_field_errors()
    assert errors
    assert "CREATE ROLE" in response.content.decode()
    assert not DataSource.objects.exists()
    assert address(role)["secret"] not in response.content.decode()


def test_source_that_is_not_reached_is_saved_with_a_warning(admin: Client) -> None:
    response = admin.post(ADD, form(**nowhere()), follow=True)

    assert DataSource.objects.exists()
    assert "not reached" in messages_of(response)


def test_file_is_saved(admin: Client, shop: Path) -> None:
    response = admin.post(ADD, form(engine="sqlite", path=str(shop)))

    assert response.status_code == 302
    assert DataSource.objects.get().path == str(shop)


def test_missing_fields_are_named_by_engine(admin: Client) -> None:
    response = admin.post(ADD, form(engine="sqlite", host="h"))

    errors = response.context["adminform"].form.errors
    assert set(errors) == {"path", "host"}


def test_rights_are_saved(admin: Client) -> None:
    user = User.objects.create_user("kim")

    admin.post(ADD, form(**nowhere(), is_restricted="on", allowed_users=[user.pk]))

    source = DataSource.objects.get()
    assert source.is_restricted
    assert list(source.allowed_users.all()) == [user]


def test_unsafe_row_of_another_program_cannot_be_saved_as_it_is(
    admin: Client, make_source: MakeSource, address: Address
) -> None:
    source = make_source(**address("superuser"))

    response = admin.post(change(source), posted(source, row_limit=5))

    assert response.status_code == 200
    assert response.context["adminform"].form.non_field_errors()


def test_checked_source_is_saved_without_another_check(
    admin: Client, make_source: MakeSource, address: Address
) -> None:
    source = make_source(**address("demo_reader"))
    check_sources([source])
    before = SourceCheck.objects.get().checked_at

    admin.post(change(source), posted(source, row_limit=5))

    assert DataSource.objects.get().row_limit == 5
    assert SourceCheck.objects.get().checked_at == before


def test_check_shows_findings_in_words_and_the_role_to_make(
    admin: Client, make_source: MakeSource, address: Address
) -> None:
    source = make_source(**address("superuser"))

    page = admin.post(f"{LIST}{source.pk}/check/", follow=True).content.decode()

    assert "Refused" in page
    assert "CREATE ROLE" in page
    assert "not served until it is mended" in page
    assert LogEntry.objects.latest("pk").get_change_message() == "Checked the connection: refused."


def test_check_page_opens_before_the_first_check(admin: Client, make_source: MakeSource) -> None:
    page = admin.get(f"{LIST}{make_source().pk}/check/").content.decode()

    assert "was not checked yet" in page


def test_texts_of_a_check_are_escaped(admin: Client, make_source: MakeSource) -> None:
    source = make_source()
    evil = ConnectionReport(server="s", findings=(refused("x", "<script>alert(1)</script>"),))
    store_report(source, evil)

    for page in (LIST, f"{LIST}{source.pk}/check/", change(source)):
        assert "<script>alert(1)" not in admin.get(page).content.decode()


def test_selected_sources_are_checked(
    admin: Client, make_source: MakeSource, address: Address
) -> None:
    rows = [make_source("a", **address("demo_reader")), make_source("b", **address("superuser"))]
    data = {"action": "check_selected", "_selected_action": [row.pk for row in rows]}

    response = admin.post(LIST, data, follow=True)

    assert SourceCheck.objects.count() == 2
    assert "refused" in messages_of(response)


@pytest.mark.parametrize(
    ("codename", "answers"),
    [
        pytest.param("view_datasource", (200, 403), id="may view"),
        pytest.param("change_datasource", (200, 302), id="may change"),
        pytest.param("view_group", (403, 403), id="may neither"),
    ],
)
def test_check_needs_the_right(
    client: Client, make_source: MakeSource, codename: str, answers: tuple[int, int]
) -> None:
    user = User.objects.create_user("kim", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename=codename))
    client.force_login(user)
    page = f"{LIST}{make_source(**nowhere()).pk}/check/"

    assert (client.get(page).status_code, client.post(page).status_code) == answers


def test_check_of_an_unknown_source_is_not_found(admin: Client) -> None:
    assert admin.get(f"{LIST}999999/check/").status_code == 404


def test_list_shows_states_in_words(admin: Client, make_source: MakeSource) -> None:
    make_source("new")
    store_report(make_source("bad"), ConnectionReport(server="s", findings=(refused("x", "X."),)))

    page = admin.get(LIST).content.decode()

    assert "not checked yet" in page
    assert "refused" in page


def test_list_needs_a_fixed_number_of_queries(
    admin: Client, make_source: MakeSource, django_assert_num_queries: Any
) -> None:
    for number in range(20):
        store_report(make_source(f"source-{number}"), ConnectionReport(server="s"))

    with django_assert_num_queries(5):
        admin.get(LIST)


@pytest.fixture
def from_variable(monkeypatch: pytest.MonkeyPatch, make_source: MakeSource) -> DataSource:
    """A row of a variable that leads nowhere."""
    address = nowhere()
    url = f"postgresql://u:{SECRET}@127.0.0.1:{address['port']}/d"
    monkeypatch.setenv("DATA_SOURCE_SALES_URL", url)
    return make_source(origin="environment", **address)


def test_address_of_a_variable_can_only_be_read(admin: Client, from_variable: DataSource) -> None:
    page = admin.get(change(from_variable)).content.decode()

    assert "The variable DATA_SOURCE_SALES_URL" in page
    assert 'name="host"' not in page
    assert 'name="new_password"' not in page
    assert SECRET not in page


def test_limits_of_a_variable_can_be_set(admin: Client, from_variable: DataSource) -> None:
    admin.post(change(from_variable), form(row_limit=3, host="elsewhere", secret="other"))

    from_variable.refresh_from_db()
    assert (from_variable.row_limit, from_variable.host) == (3, "127.0.0.1")
    assert from_variable.password == ""


def test_row_of_a_variable_is_deleted_only_after_the_variable(
    admin: Client, from_variable: DataSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = f"{LIST}{from_variable.pk}/delete/"

    assert admin.post(page, {"post": "yes"}).status_code == 403
    monkeypatch.delenv("DATA_SOURCE_SALES_URL")
    assert admin.post(page, {"post": "yes"}).status_code == 302
    assert not DataSource.objects.exists()


def test_list_says_which_variable_is_gone_or_ignored(
    admin: Client,
    from_variable: DataSource,
    make_source: MakeSource,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_hand = make_source("eu")
    monkeypatch.delenv("DATA_SOURCE_SALES_URL")
    monkeypatch.setenv("DATA_SOURCE_EU_URL", "sqlite:////x.db")

    assert "the variable DATA_SOURCE_SALES_URL is not set" in admin.get(LIST).content.decode()
    page = admin.get(change(by_hand)).content.decode()
    assert "the variable DATA_SOURCE_EU_URL is ignored" in page
