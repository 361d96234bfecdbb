"""A password can be written on the page of a data source, and never read."""

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.views.debug import SafeExceptionReporterFilter

from catalog.models import DataSource
from tests.catalog.conftest import MakeSource
from tests.catalog.sources.pages import (
    ADD,
    LIST,
    SECRET,
    change,
    form,
    nowhere,
    password_of,
    posted,
)

pytestmark = pytest.mark.django_db


def test_password_is_on_no_page(admin: Client) -> None:
    admin.post(ADD, form(**nowhere(), secret=SECRET))
    source = DataSource.objects.get()

    pages = [LIST, change(source), f"{LIST}{source.pk}/check/", f"{LIST}{source.pk}/history/"]

    for page in pages:
        content = admin.get(page).content.decode()
        assert SECRET not in content
        assert source.password not in content


def test_password_of_a_refused_form_is_not_sent_back(admin: Client) -> None:
    response = admin.post(ADD, form(secret=SECRET))

    assert response.status_code == 200
    assert SECRET not in response.content.decode()


def test_form_says_whether_a_password_is_set(admin: Client, make_source: MakeSource) -> None:
    with_password, without = make_source("a", secret=SECRET), make_source("b")

    assert "A password is set." in admin.get(change(with_password)).content.decode()
    assert "No password is set." in admin.get(change(without)).content.decode()
    assert 'name="clear_password"' not in admin.get(change(without)).content.decode()


def test_empty_password_keeps_the_stored_one(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere(), secret=SECRET)

    admin.post(change(source), posted(source, row_limit=99))

    source.refresh_from_db()
    assert (source.row_limit, password_of(source)) == (99, SECRET)


def test_new_password_replaces_the_stored_one(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere(), secret="before")

    admin.post(change(source), posted(source, secret=SECRET))

    assert password_of(source) == SECRET


def test_stored_password_is_removed(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere(), secret=SECRET)

    admin.post(change(source), posted(source, clear_password="on"))

    assert DataSource.objects.get().password == ""


def test_another_host_needs_the_password_again(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere(), secret=SECRET)

    response = admin.post(change(source), posted(source, host="elsewhere.example"))

    assert "Enter the password again" in response.content.decode()
    assert DataSource.objects.get().host == "127.0.0.1"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        pytest.param(
            {"secret": SECRET, "clear_password": "on"}, "Either enter a password", id="and none"
        ),
        pytest.param(
            {"secret": SECRET, "password_reference": "env:X"}, "not both", id="and a reference"
        ),
        pytest.param(
            {"password_reference": "env:X"}, "Remove the stored password", id="a reference beside"
        ),
    ],
)
def test_contradiction_of_passwords_is_refused(
    admin: Client, make_source: MakeSource, columns: dict[str, Any], message: str
) -> None:
    source = make_source(**nowhere(), secret="before")

    response = admin.post(change(source), posted(source, **columns))

    assert message in response.content.decode()
    assert password_of(source) == "before"


def test_missing_key_is_an_error_of_the_form(admin: Client, settings: Any) -> None:
    settings.FIELD_ENCRYPTION_KEYS = []

    response = admin.post(ADD, form(**nowhere(), secret=SECRET))

    assert "FIELD_ENCRYPTION_KEYS is not set" in response.content.decode()
    assert not DataSource.objects.exists()


def test_history_names_the_field_only(admin: Client, make_source: MakeSource) -> None:
    source = make_source(**nowhere())

    admin.post(change(source), posted(source, secret=SECRET))

    changed = json.loads(LogEntry.objects.latest("pk").change_message)
    assert "Password" in changed[0]["changed"]["fields"]
    assert SECRET not in str(changed)


def test_report_of_an_error_hides_the_password(admin: Client) -> None:
    request = admin.post(ADD, form(**nowhere(), secret=SECRET)).wsgi_request

    shown = SafeExceptionReporterFilter().get_post_parameters(request)

    assert shown["host"] == "127.0.0.1"
    assert SECRET not in str(shown)
