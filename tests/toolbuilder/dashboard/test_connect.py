"""The page that connects an agent, as a browser asks for it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from access.keys import find_key, issue_key, note_use
from access.models import ApiKey
from tests.access.calls import make_call
from tests.factories import make_tool, make_toolset
from tests.people import StaffWith
from tests.rendered import text_of

pytestmark = pytest.mark.django_db


def test_key_is_made_on_the_spot_and_filled_in_this_once(admin: Client) -> None:
    make_toolset("sales-kr", "sales")

    page = admin.post("/connect/", {"name": "Kim", "days": "30", "toolset": "sales-kr"})

    token = page.context["token"]
    key = find_key(token)
    assert key is not None
    assert (key.name, key.toolsets, key.allowed_tools) == ("Kim", ["sales-kr"], [])
    assert key.expires_at is not None
    assert f"Bearer {token}" in text_of(page).replace("&quot;", '"')
    assert "/mcp/sales-kr" in text_of(page)
    assert page["HX-Push-Url"] == f"/connect/{key.key_id}/"
    assert "no-store" in page["Cache-Control"]
    again = text_of(admin.get(f"/connect/{key.key_id}/"))
    assert token not in again
    assert "&lt;your key&gt;" in again


def test_page_waits_with_the_key_and_says_what_came(admin: Client) -> None:
    key = issue_key("claude", User.objects.get(username="admin")).key
    address = f"/connect/{key.key_id}/"
    waiting = text_of(admin.get(address))
    refused = make_call("", key_id=key.key_id, outcome="refused", error="The key is cut off")
    told = text_of(admin.get(address))
    refused.delete()
    note_use(key)
    make_call("sales", key_id=key.key_id)

    page = text_of(admin.get(address))

    assert "Waiting for the first call…" in waiting
    assert "every 2s" in waiting
    assert "no call yet" in waiting
    assert told.count("The key is cut off") == 2
    assert "Connected ✓: claude, just now." in page
    assert "every 2s" not in page


def test_published_tool_leads_there(admin: Client) -> None:
    make_tool(name="sales")

    assert "sales is live." in text_of(admin.get("/connect/?tool=sales"))


def test_who_may_not_make_keys_sees_what_to_do_and_makes_none(staff_with: StaffWith) -> None:
    browser = staff_with("view_tooldefinition")
    other = issue_key("other").key

    page = browser.get("/connect/")
    refused = browser.post("/connect/", {"name": "x"})

    assert "Ask an administrator for a key" in text_of(page)
    assert refused.status_code == 403
    assert browser.get(f"/connect/{other.key_id}/").status_code == 404
    assert list(ApiKey.objects.all()) == [other]


def test_faults_of_the_key_are_told(admin: Client) -> None:
    page = admin.post("/connect/", {"name": "n", "days": "nonsense"})

    assert page.status_code == 422
    assert 'role="alert"' in text_of(page)
    assert not ApiKey.objects.exists()
