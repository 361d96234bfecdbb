"""The way to the first tool and a connected agent, as a browser asks for it."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client

from access.keys import find_key, issue_key, note_use, revoke_key
from access.models import ApiKey
from tests.access.calls import make_call
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.editing.drafts import open_draft
from toolbuilder.models import ToolVersion, VersionOrigin
from tools.definitions import ToolDocument

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"


def current_of(response: Any) -> str:
    return str(response.context["current"])


def publish(name: str) -> None:
    ToolVersion.objects.create(
        tool_name=name, number=1, document={}, content_hash="", origin=VersionOrigin.PUBLISHED
    )


def poll(client: Client, key: ApiKey, began: float | str = "") -> Any:
    began = began if isinstance(began, str) else str(int(began))
    return client.get(f"/start/connected/{key.key_id}/?began={began}", headers=HTMX)


@pytest.fixture
def key(admin: Client) -> ApiKey:
    """A key of the administrator that no client has used."""
    return issue_key("first-agent", User.objects.get(username="admin")).key


def test_steps_follow_what_is_there(admin: Client) -> None:
    steps = [current_of(admin.get("/start/"))]
    open_draft(None, "admin", start=ToolDocument(name=HOSTILE))
    drafted = admin.get("/start/")
    publish("sales")
    steps += [current_of(drafted), current_of(admin.get("/start/"))]
    note_use(issue_key("a").key)
    steps.append(current_of(admin.get("/start/")))

    assert steps == ["tool", "publish", "connect", ""]
    assert HOSTILE not in text_of(drafted)


def test_one_step_is_open_and_offers_the_starters(admin: Client) -> None:
    page = text_of(admin.get("/start/"))

    assert page.count('<details name="step" open>') == 1
    assert 'value="lookup"' in page
    assert '<span class="pill ok dot">answers</span>' in page


def test_default_data_source_that_does_not_answer_is_the_first_step(
    admin: Client, settings: Any
) -> None:
    settings.POSTGRESQL_DB_PORT = 1

    response = admin.get("/start/")

    assert current_of(response) == "data"
    assert "does not answer" in text_of(response)


def test_default_data_source_that_is_not_set_is_the_first_step(
    admin: Client, settings: Any
) -> None:
    settings.POSTGRESQL_DB_HOST = ""

    response = admin.get("/start/")

    assert current_of(response) == "data"
    assert "not set" in text_of(response)


@pytest.mark.parametrize("headers", [HTMX, {}], ids=["part", "page"])
def test_key_is_shown_once_with_what_connects_a_client(
    admin: Client, headers: dict[str, str]
) -> None:
    response = admin.post("/start/key/", headers=headers)

    token = response.context["token"]
    key = find_key(token)
    assert key is not None
    assert (key.name, key.owner) == ("first-agent", User.objects.get(username="admin"))
    assert key.expires_at is not None
    assert "no-store" in response["Cache-Control"]
    for client in ("Claude Desktop", "Claude Code", "Cursor", "VS Code", "Google ADK", "Python"):
        assert client in text_of(response)
    assert f"/start/connected/{key.key_id}/?began=" in text_of(response)
    assert token not in text_of(admin.get("/start/"))
    assert token not in text_of(admin.get(f"/start/connected/{key.key_id}/"))


def test_each_key_has_a_name_of_its_own(admin: Client) -> None:
    for _ in range(3):
        admin.post("/start/key/", headers=HTMX)

    names = ApiKey.objects.order_by("pk").values_list("name", flat=True)
    assert list(names) == ["first-agent", "first-agent-2", "first-agent-3"]


def test_waiting_changes_nothing_until_the_key_is_used(admin: Client, key: ApiKey) -> None:
    waiting = poll(admin, key, time.time())
    note_use(key)
    connected = poll(admin, key, time.time())

    assert waiting.status_code == 204
    assert "Connected ✓: first-agent, just now." in text_of(connected)
    assert "hx-trigger" not in text_of(connected)


def test_connected_client_is_told_with_its_first_call(admin: Client, key: ApiKey) -> None:
    note_use(key)
    make_call("sales", key_id=key.key_id)
    make_call(HOSTILE, key_id=key.key_id, seconds_ago=30.0)
    make_call("of another key", key_id="other", seconds_ago=40.0)

    page = text_of(poll(admin, key))

    assert "It called &lt;script&gt;alert(1)&lt;/script&gt; first." in page


def test_waiting_ends_after_ten_minutes_and_begins_again_on_request(
    admin: Client, key: ApiKey
) -> None:
    over, again = poll(admin, key, time.time() - 601), poll(admin, key)

    assert "Look again" in text_of(over)
    assert "every 2s" not in text_of(over)
    assert "every 2s" in text_of(again)


def test_refusal_of_the_key_is_told_once_while_it_is_waited_for(admin: Client, key: ApiKey) -> None:
    began = str(int(time.time()))
    call = make_call("", key_id=key.key_id, outcome="refused", error="The key is cut off")

    page = poll(admin, key, began)

    assert "The key is cut off" in text_of(page)
    assert f"refusal={call.pk}" in text_of(page)
    assert poll(admin, key, f"{began}&refusal={call.pk}").status_code == 204


@pytest.mark.parametrize("began", ["x", "-1", "9" * 40, "²"])
def test_nonsense_instead_of_a_moment_begins_to_wait(
    admin: Client, key: ApiKey, began: str
) -> None:
    assert "every 2s" in text_of(poll(admin, key, began))


def test_key_that_is_no_longer_valid_is_not_waited_for(admin: Client, key: ApiKey) -> None:
    revoke_key(key)

    assert "is revoked or expired" in text_of(poll(admin, key, time.time()))


def test_page_without_scripts_tells_of_the_key(admin: Client, key: ApiKey) -> None:
    ApiKey.objects.update(last_used_at=datetime(2026, 1, 31, 9, 5, tzinfo=UTC))

    response = admin.get(f"/start/connected/{key.key_id}/")

    assert "Connected ✓: first-agent, last at 2026-01-31 09:05." in text_of(response)
    assert current_of(response) == "connect"


def test_key_of_somebody_else_is_seen_only_with_the_right(
    staff_with: StaffWith, key: ApiKey
) -> None:
    client = staff_with("add_apikey")

    before = poll(client, key).status_code
    ApiKey.objects.update(owner=User.objects.get(username="kim"))

    assert (before, poll(client, key).status_code) == (404, 200)


def test_page_offers_only_what_the_person_may_do(staff_with: StaffWith) -> None:
    client = staff_with()

    page = text_of(client.get("/start/"))

    assert "Ask an administrator for the right to add tools" in page
    assert "Ask an administrator for a key" in page
    assert client.post("/start/key/").status_code == 403
    assert not ApiKey.objects.exists()


def test_page_is_for_the_staff(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("ann"))

    assert client.get("/start/").status_code == 403


def test_invitation_leads_to_the_first_tool() -> None:
    assert 'href="/start/"' in render_to_string("toolbuilder/dashboard/_invitation.html")
