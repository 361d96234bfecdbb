"""The form of a data source on its page: what it saves, tries, refuses and keeps to itself."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, User
from django.test import Client
from django.views.debug import SafeExceptionReporterFilter

from catalog.models import DataSource, SourceCheck
from catalog.sources.checking import check_sources
from tests.catalog.conftest import MakeSource
from tests.catalog.sources.pages import SECRET, Address, form, nowhere, password_of, posted
from tests.catalog.sources.test_views import HTMX, SALES, browser_of, text_of

pytestmark = pytest.mark.django_db

ADD = "/sources/~/add/"
EDIT = f"{SALES}edit/"


def given(source: DataSource, **columns: Any) -> dict[str, Any]:
    """The form of a saved row, as a browser posts it."""
    source.refresh_from_db()
    return posted(source, revision=source.updated_at.isoformat(), **columns)


def test_reader_is_saved_with_its_check(admin: Client, address: Address) -> None:
    answer = admin.post(ADD, form(**address("demo_reader")))

    assert answer.headers["Location"] == SALES
    assert SourceCheck.objects.get(source__name="sales").refusal == ""
    assert LogEntry.objects.get().is_addition()


def test_role_that_may_write_is_refused_with_the_sql_of_a_better_one(
    admin: Client, address: Address
) -> None:
    answer = admin.post(ADD, form(**address("superuser")), headers=HTMX)

    assert answer.status_code == 422
    assert "CREATE ROLE" in text_of(answer)
    assert "Nothing was saved." in text_of(answer)
    assert address("superuser")["secret"] not in text_of(answer)
    assert not DataSource.objects.exists()


def test_file_is_saved_and_htmx_led_to_its_page(admin: Client, shop: Path) -> None:
    answer = admin.post(ADD, form(engine="sqlite", path=str(shop)), headers=HTMX)

    assert answer.headers["HX-Redirect"] == SALES
    assert DataSource.objects.get().path == str(shop)


def test_unreached_database_is_saved_with_a_warning(admin: Client) -> None:
    page = text_of(admin.post(ADD, form(**nowhere()), follow=True))

    assert "sales was saved: not reached." in page


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        pytest.param({"engine": "sqlite", "path": "shop.db"}, "absolute path", id="path"),
        pytest.param({"engine": "sqlite"}, "SQLite needs this.", id="missing"),
        pytest.param({"options": '{"service": "x"}'}, "cannot be set here", id="option"),
        pytest.param({"search_path": "a;b"}, "Write schema names", id="search path"),
        pytest.param({"pool_size": 0}, "greater than or equal to 1", id="limit"),
        pytest.param({"name": "main_db"}, "POSTGRESQL_DB_*", id="name"),
        pytest.param({"allowed_users": "kim, lee"}, "There is no user ", id="user"),
    ],
)
def test_wrong_fields_say_what_would_be_right(
    admin: Client, columns: dict[str, Any], told: str
) -> None:
    answer = admin.post(ADD, form(**nowhere() | columns), headers=HTMX)

    assert answer.status_code == 422
    assert told in text_of(answer)
    assert not DataSource.objects.exists()


def test_limits_with_errors_are_unfolded(admin: Client) -> None:
    page = text_of(admin.post(ADD, form(**nowhere(), row_limit=0)))

    assert '<details class="pane fold" open>' in page


@pytest.mark.parametrize(
    ("role", "told"),
    [
        pytest.param("demo_reader", "The connection can be used", id="reader"),
        pytest.param("superuser", "CREATE ROLE", id="superuser"),
    ],
)
def test_try_asks_the_database_and_saves_nothing(
    admin: Client, address: Address, role: str, told: str
) -> None:
    answer = admin.post(ADD, form(**address(role), intent="try"), headers=HTMX)

    assert told in text_of(answer)
    assert not DataSource.objects.exists()


def test_try_of_a_saved_source_asks_even_if_nothing_was_changed(
    admin: Client, make_source: MakeSource, address: Address
) -> None:
    source = make_source(**address("demo_reader"))
    check_sources([source])

    page = text_of(admin.post(EDIT, given(source, intent="try"), headers=HTMX))

    assert "A write was tried in" in page
    assert SourceCheck.objects.count() == 1


def test_empty_password_keeps_the_stored_one(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere(), secret=SECRET)

    admin.post(EDIT, given(source, row_limit=99))

    source.refresh_from_db()
    assert (source.row_limit, password_of(source)) == (99, SECRET)


def test_stored_password_is_removed(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere(), secret=SECRET)

    admin.post(EDIT, given(source, clear_password="on"))

    assert DataSource.objects.get().password == ""


def test_another_host_needs_the_password_again(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere(), secret=SECRET)

    answer = admin.post(EDIT, given(source, host="elsewhere", intent="try"), headers=HTMX)

    assert answer.status_code == 422
    assert "meant for another host or role" in text_of(answer)


def test_password_is_on_no_page_and_in_no_record(admin: Client) -> None:
    admin.post(ADD, form(**nowhere(), secret=SECRET))
    source = DataSource.objects.get()

    pages = [text_of(admin.get(page)) for page in ("/sources/", SALES, EDIT, f"{SALES}delete/")]

    for text in (*pages, LogEntry.objects.get().change_message):
        assert SECRET not in text
        assert source.password not in text


def test_password_of_a_refused_form_is_not_sent_back(admin: Client) -> None:
    answer = admin.post(ADD, form(secret=SECRET))

    assert answer.status_code == 422
    assert SECRET not in text_of(answer)


def test_report_of_an_error_hides_the_password(admin: Client) -> None:
    request = admin.post(ADD, form(**nowhere(), secret=SECRET)).wsgi_request

    shown = SafeExceptionReporterFilter().get_post_parameters(request)

    assert shown["host"] == "127.0.0.1"
    assert SECRET not in str(shown)


def test_rights_are_saved_by_name(admin: Client) -> None:
    kim, lee = User.objects.create_user("kim"), User.objects.create_user("lee@x.org")
    group = Group.objects.create(name="Data stewards, Seoul")
    rights = {"allowed_users": "lee@x.org,  kim", "allowed_groups": [group.pk]}

    admin.post(ADD, form(**nowhere(), is_restricted="on", **rights))

    source = DataSource.objects.get()
    assert set(source.allowed_users.all()) == {kim, lee}
    assert 'value="kim, lee@x.org"' in text_of(admin.get(EDIT))
    assert "Data stewards, Seoul" in text_of(admin.get(SALES))


def test_who_shuts_himself_out_is_led_to_the_list(make_source: MakeSource) -> None:
    source = make_source(**nowhere())
    client = browser_of("change_datasource")

    answer = client.post(EDIT, given(source, is_restricted="on"))

    assert answer.headers["Location"] == "/sources/"


def test_form_that_is_out_of_date_saves_nothing(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere())
    stale = given(source, row_limit=99)
    source.save()

    answer = admin.post(EDIT, stale, headers=HTMX)

    assert answer.status_code == 409
    assert answer.headers["HX-Retarget"] == "#form-outcome"
    assert "Somebody else has saved" in text_of(answer)
    assert DataSource.objects.get().row_limit != 99


def test_renamed_source_is_found_under_its_new_name(admin: Client, make_source: MakeSource) -> None:
    answer = admin.post(EDIT, given(make_source(**nowhere()), name="sales-eu"))

    assert answer.headers["Location"] == "/sources/sales-eu/"


def test_source_of_a_variable_has_only_limits_and_rights(
    admin: Client, make_source: MakeSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = nowhere()
    url = f"postgresql://u:{SECRET}@127.0.0.1:{address['port']}/d"
    monkeypatch.setenv("DATA_SOURCE_SALES_URL", url)
    source = make_source(origin="environment", **address)

    page = text_of(admin.get(EDIT))
    admin.post(EDIT, given(source, row_limit=3, host="elsewhere", new_password="other"))

    assert "The variable DATA_SOURCE_SALES_URL" in page
    assert 'name="host"' not in page
    assert SECRET not in page
    source.refresh_from_db()
    assert (source.row_limit, source.host, source.password) == (3, "127.0.0.1", "")
