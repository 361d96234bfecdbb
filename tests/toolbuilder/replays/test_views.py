"""The page of a replay, carried on by its own requests."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from access.keys import issue_key
from access.models import ApiKey, RoleGrant
from tests.factories import claim, make_tool, make_toolset
from tests.toolbuilder.replays.test_running import SQL, make_stock, record
from toolbuilder.editing.drafts import PageState, open_draft, save_draft
from toolbuilder.models import ReplayState, ToolReplay
from toolbuilder.replays.running import advance_replay, start_replay
from tools.definitions import ToolDocument

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sources", "_english")]
HTMX = {"HX-Request": "true"}


@pytest.fixture
def draft(sources: Any) -> None:
    """A draft of the tool `stock` that gives other rows, and two calls."""
    draft = open_draft(make_stock(), "admin")
    document = draft.document | {"definition": SQL.replace("<=", "<")}
    save_draft(draft.uid, document, PageState(username="admin", revision=draft.revision))
    record({"top": 3}, caller="sales-agent")
    record({"top": 0})


@pytest.mark.usefixtures("draft")
def test_page_carries_the_replay_on_until_it_is_done(admin: Client) -> None:
    started = admin.post("/tools/stock/replay/", {"size": "10"}, headers=HTMX)
    replay = ToolReplay.objects.get()
    assert "0 of 2" in started.content.decode()

    text = admin.post(f"/tools/~/replays/{replay.pk}/go/", headers=HTMX).content.decode()

    replay.refresh_from_db()
    assert replay.state == ReplayState.DONE
    assert "One row is gone." in text
    assert "sales-agent" in text
    assert "load delay" not in text
    assert "differ" in admin.get("/tools/stock/replay/").content.decode()


@pytest.mark.usefixtures("draft")
def test_page_without_scripts_starts_stops_and_goes_on(admin: Client) -> None:
    admin.post("/tools/stock/replay/", {"size": "10"})
    replay = ToolReplay.objects.get()

    stopped = admin.post(f"/tools/~/replays/{replay.pk}/stop/", follow=True)
    assert "Stopped after 0 of 2." in stopped.content.decode()
    done = admin.post(f"/tools/~/replays/{replay.pk}/go/", {"again": "1"}, follow=True)

    assert "fail" in done.content.decode() or "differ" in done.content.decode()
    assert ToolReplay.objects.get().state == ReplayState.DONE


@pytest.mark.usefixtures("draft")
def test_those_who_see_no_calls_see_only_how_many(admin: Client) -> None:
    admin.post("/tools/stock/replay/")
    replay = ToolReplay.objects.get()
    admin.post(f"/tools/~/replays/{replay.pk}/go/")
    person = User.objects.create_user("kim")
    RoleGrant.objects.create(user=person, role="reviewer", toolset=make_toolset("kr", "stock"))
    browser = Client()
    browser.force_login(person)

    text = browser.get(f"/tools/~/replays/{replay.pk}/").content.decode()

    assert "Only people who may see calls" in text
    assert "sales-agent" not in text


def test_tool_without_a_change_has_nothing_to_replay(admin: Client, sources: Any) -> None:
    make_stock()

    assert "Nothing has changed" in admin.get("/tools/stock/replay/").content.decode()


def test_answer_to_another_key_is_shown_to_those_who_see_keys_alone(admin: Client) -> None:
    key = issue_key("agent").key
    ApiKey.objects.filter(pk=key.pk).update(claims={"region": "JP"})
    definition = "SELECT id, region FROM stock_level WHERE region = :region"
    tool = make_tool(definition, name="stock", parameters=[claim("region")])
    record({}, key_id=key.key_id)
    changed = ToolDocument.of_row(tool).replace(definition=f"{definition} AND id > 3")
    replay = advance_replay(start_replay(tool, changed, "admin"), "admin")
    author = User.objects.create_user("kim")
    RoleGrant.objects.create(user=author, role="author")
    browser = Client()
    browser.force_login(author)

    withheld = browser.get(f"/tools/~/replays/{replay.pk}/").content.decode()

    assert "<del>JP</del>" not in withheld
    assert "The answer is the caller's own" in withheld
    assert "<del>JP</del>" in admin.get(f"/tools/~/replays/{replay.pk}/").content.decode()
