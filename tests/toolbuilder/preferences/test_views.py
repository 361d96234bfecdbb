"""What the product remembers for each person."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.catalog.rows import make_table
from tests.factories import make_tool
from toolbuilder.models import Preferences
from toolbuilder.preferences.models import read_preferences

HTMX = {"HX-Request": "true"}
FILTER = "/preferences/filter/"

pytestmark = pytest.mark.django_db


def kept() -> Preferences:
    return Preferences.objects.get()


def test_layout_is_kept_within_its_bounds_and_forgotten_on_wish(admin: Client) -> None:
    for name, value in (("explorer", "300"), ("definition", "99999"), ("result", "x")):
        answer = admin.post("/preferences/layout/", {"name": name, "value": value})
        assert answer.status_code == 204

    assert kept().layout == {"explorer": 300, "definition": 1_000}
    admin.post("/preferences/layout/", {"name": "explorer"})
    assert kept().layout == {"definition": 1_000}
    assert admin.post("/preferences/layout/", {"name": "nonsense"}).status_code == 400


def test_folded_sidebar_follows_to_another_browser(admin: Client) -> None:
    admin.post("/preferences/layout/", {"name": "sidebar", "value": "1"})
    user = User.objects.get()
    user.set_password("correct horse")
    user.save()
    client = Client()

    answer = client.post(
        "/sign-in/", {"username": user.get_username(), "password": "correct horse"}
    )

    assert answer.cookies["sidebar"].value == "folded"
    assert 'data-sidebar="folded"' in client.get("/").text


def test_sizes_of_the_editor_follow_the_person(admin: Client) -> None:
    tool = make_tool()
    admin.post("/preferences/layout/", {"name": "explorer", "value": "333"})

    assert 'data-kept="333"' in admin.get(f"/tools/{tool.name}/").text


def test_favourite_table_is_marked_in_the_explorer(admin: Client) -> None:
    table = make_table("stores")

    admin.post(f"/preferences/tables/{table.pk}/", {"starred": "yes"})
    starred = admin.get("/tools/~/explorer/", headers=HTMX).text
    admin.post(f"/preferences/tables/{table.pk}/", {"starred": "no"})

    assert 'data-starred="yes"' in starred
    assert kept().tables == []


def test_named_filter_leads_to_what_it_kept_and_can_be_forgotten(admin: Client) -> None:
    answer = admin.post(
        FILTER, {"name": " Broken ", "query": "state=broken&x=1&page=3"}, headers=HTMX
    )

    assert kept().filters == {"Broken": "state=broken"}
    assert 'href="/tools/?state=broken"' in answer.text
    assert "Broken" in admin.get("/tools/").text
    admin.post(FILTER, {"removed": "Broken"}, headers=HTMX)
    assert kept().filters == {}


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"name": "", "query": "state=broken"}, id="no name"),
        pytest.param({"name": "All", "query": "sort=nonsense"}, id="no filter"),
    ],
)
def test_filter_without_a_name_or_a_filter_is_refused(admin: Client, given: dict[str, str]) -> None:
    answer = admin.post(FILTER, given, headers=HTMX)

    assert answer.status_code == 422
    assert "Filter the list first" in answer.text


def test_choices_go_with_the_person(admin: Client) -> None:
    admin.post("/preferences/layout/", {"name": "sidebar", "value": "1"})
    user = User.objects.get()
    user.delete()

    assert read_preferences(user).layout == {}
